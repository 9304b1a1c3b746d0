public import TableModel

/// The answers that are remembered, so that a command sent twice is carried out once
/// (design law "Retry safely").
public struct Sessions: Sendable {
    /// A remembered answer.
    public struct Answered: Equatable, Sendable {
        /// The client's number for the command.
        public var number: UInt64
        /// Of the request's bytes: the same number with other bytes is refused.
        public var requestHash: UInt64
        /// An encoded reply.
        public var reply: [UInt8]

        /// An answer as given.
        public init(number: UInt64, requestHash: UInt64, reply: [UInt8]) {
            self.number = number
            self.requestHash = requestHash
            self.reply = reply
        }
    }

    /// One client's.
    public struct Session: Equatable, Sendable {
        /// Once it is full the newest takes the oldest one's place: were the others moved up, each
        /// command would touch them all.
        private var ring: [Answered]
        private var oldest = 0
        /// Answers up to this number may have been let go.
        public var floor: UInt64 = 0
        /// The journal position at its latest command.
        public var usedAt: UInt64 = 0

        /// A session; empty by default.
        public init(answers: [Answered] = [], floor: UInt64 = 0, usedAt: UInt64 = 0) {
            ring = answers
            self.floor = floor
            self.usedAt = usedAt
        }

        /// Ascending by number.
        public var answers: [Answered] { Array(ring[oldest...] + ring[..<oldest]) }

        fileprivate var count: Int { ring.count }

        /// Of those that are here.
        fileprivate var highest: UInt64? {
            ring.isEmpty ? nil : ring[(oldest == 0 ? ring.count : oldest) - 1].number
        }

        /// Adds an answer; beyond `most` the oldest goes. Returns how many more there are.
        fileprivate mutating func add(
            _ answer: Answered, most: Int, at position: UInt64
        ) -> Int {
            usedAt = position
            if ring.count >= most, let highest, highest < answer.number {
                floor = max(floor, ring[oldest].number)
                ring[oldest] = answer
                oldest = oldest + 1 == ring.count ? 0 : oldest + 1
                return 0
            }
            if oldest > 0 { (ring, oldest) = (answers, 0) }
            let place = ring.lastIndex { $0.number < answer.number }.map { $0 + 1 } ?? 0
            ring.insert(answer, at: place)
            if ring.count <= most { return 1 }
            floor = max(floor, ring.removeFirst().number)
            return 0
        }

        /// Wherever their oldest answers stand.
        public static func == (one: Session, other: Session) -> Bool {
            one.floor == other.floor && one.usedAt == other.usedAt && one.answers == other.answers
        }
    }

    /// What is known about a numbered command.
    public enum Verdict: Equatable, Sendable {
        /// Never seen: carry it out.
        case fresh
        /// Carried out: this was the answer.
        case answered([UInt8])
        case refused(Rejection)
    }

    /// Clients by id.
    public private(set) var byClient: [ID: Session] = [:]
    /// Sessions last used at or before this journal position may have been let go.
    public private(set) var evictedTo: UInt64 = 0
    private var replyCount = 0
    /// Clients in the order of their latest command, with stale entries among them: an entry
    /// counts only if it is the session's own `usedAt`.
    private var order: [(client: ID, usedAt: UInt64)] = []
    private var firstInOrder = 0
    private let limits: Limits

    /// None yet.
    public init(limits: Limits) {
        self.limits = limits
    }

    /// What to do with a numbered command.
    ///
    /// `opened` is the journal position at which the client id was first used, as the client says
    /// it: a session that is not here is new if nothing younger than that was ever let go.
    public func verdict(
        client: ID, number: UInt64, opened: UInt64, requestHash: UInt64
    ) -> Verdict {
        guard let session = byClient[client] else {
            if opened >= evictedTo { return .fresh }
            return .refused(Self.unknown(number))
        }
        // Nearly every number is higher than all before.
        let isHighest = session.highest.map { $0 < number } ?? true
        if !isHighest, let known = session.answers.last(where: { $0.number == number }) {
            if known.requestHash == requestHash { return .answered(known.reply) }
            return .refused(
                Rejection(
                    .numberReused, "Number \(number) was used for another command.",
                    field: "number"))
        }
        return number > session.floor ? .fresh : .refused(Self.unknown(number))
    }

    private static func unknown(_ number: UInt64) -> Rejection {
        Rejection(
            .unknown,
            "It is no longer known whether command \(number) was carried out: it is not run again.",
            field: "number")
    }

    /// Remembers an answer, and lets go of the oldest beyond the limits.
    public mutating func remember(_ answer: Answered, client: ID, position: UInt64) {
        let most = limits.repliesPerSession
        // In place: a copy of the session would be one of all its answers.
        replyCount += byClient[client, default: Session()].add(answer, most: most, at: position)
        order.append((client, position))
        trim()
    }

    private mutating func trim() {
        while byClient.count > limits.sessions || replyCount > limits.replies,
            firstInOrder < order.count
        {
            let oldest = order[firstInOrder]
            firstInOrder += 1
            guard let session = byClient[oldest.client], session.usedAt == oldest.usedAt
            else { continue }
            byClient[oldest.client] = nil
            replyCount -= session.count
            evictedTo = max(evictedTo, session.usedAt)
        }
        if firstInOrder > 1_024, firstInOrder > order.count / 2 { compactOrder() }
        if order.count - firstInOrder > 4 * max(1_024, byClient.count) { compactOrder() }
    }

    private mutating func compactOrder() {
        order = order[firstInOrder...].filter { byClient[$0.client]?.usedAt == $0.usedAt }
        firstInOrder = 0
    }

    // MARK: Checkpoints

    /// Takes over one session from a checkpoint. They may come in any order.
    public mutating func restore(_ session: Session, client: ID) {
        byClient[client] = session
        replyCount += session.count
    }

    /// Ends restoring.
    public mutating func restored(evictedTo: UInt64) {
        self.evictedTo = evictedTo
        order = byClient.map { (client: $0.key, usedAt: $0.value.usedAt) }
            .sorted { $0.usedAt == $1.usedAt ? $0.client < $1.client : $0.usedAt < $1.usedAt }
        firstInOrder = 0
    }
}
