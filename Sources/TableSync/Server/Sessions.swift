public import TableModel

/// The remembered answers to one principal's clients, so that a command that is sent twice is
/// carried out once (L16).
public struct Sessions: Sendable {
    /// A remembered answer.
    public struct Answered: Equatable, Sendable {
        /// The client's number for the command.
        public var number: UInt64
        /// Hash of the request's bytes: the same number with other bytes is refused.
        public var requestHash: UInt64
        /// The encoded reply.
        public var reply: [UInt8]

        /// An answer with these values.
        public init(number: UInt64, requestHash: UInt64, reply: [UInt8]) {
            self.number = number
            self.requestHash = requestHash
            self.reply = reply
        }
    }

    /// The answers to one client.
    public struct Session: Equatable, Sendable {
        private var ring: AnswerRing
        /// Answers up to this number may have been dropped.
        public var floor: UInt64 = 0
        /// The journal position at the client's latest command.
        public var usedAt: UInt64 = 0

        /// A session; empty by default.
        public init(answers: [Answered] = [], floor: UInt64 = 0, usedAt: UInt64 = 0) {
            ring = AnswerRing(answers)
            self.floor = floor
            self.usedAt = usedAt
        }

        /// The answers, ascending by number.
        public var answers: [Answered] { ring.answers }
        /// Bytes of all answers.
        public var bytes: Int { ring.byteCount }

        fileprivate var count: Int { ring.count }

        /// The answer to a number; nil: there is none.
        fileprivate func answer(to number: UInt64) -> Answered? { ring.answer(to: number) }

        /// Whether a number is higher than all that are known, or that may have been dropped: that of nearly
        /// every command.
        @inline(__always)  // Else the session is copied for the call.
        func isNew(_ number: UInt64) -> Bool { number > max(floor, highest ?? 0) }

        /// The highest number here.
        @inline(__always)  // The same.
        fileprivate var highest: UInt64? { ring.highest }

        /// Adds an answer; beyond `most` the oldest goes, and so it does where there are more
        /// already. Beyond `mostBytes` the oldest go, but never this one.
        fileprivate mutating func add(
            _ number: UInt64, _ requestHash: UInt64, _ reply: UnsafeRawBufferPointer, most: Int,
            mostBytes: Int, at position: UInt64
        ) {
            usedAt = position
            // Nearly every number is higher than all before.
            if highest.map({ $0 < number }) ?? true {
                if ring.count >= max(1, most) { removeOldest() }
                ring.append(number, requestHash, reply)
            } else {
                ring.insert(number, requestHash, reply)
                if ring.count > most { removeOldest() }
            }
            while bytes > mostBytes, ring.count > 1 {
                if ring.lowest == number {
                    floor = max(floor, ring.removeNextToOldest())
                } else {
                    removeOldest()
                }
            }
        }

        private mutating func removeOldest() {
            floor = max(floor, ring.lowest ?? 0)
            ring.removeOldest()
        }

        /// Lets go of the answers, but not of what is known: none of their commands runs again.
        fileprivate mutating func empty() {
            floor = max(floor, highest ?? 0)
            ring = AnswerRing()
        }

        /// Puts other bytes in the place of answers; false: all stay.
        fileprivate mutating func rewrite(_ other: (ArraySlice<UInt8>) -> [UInt8]?) -> Bool {
            let others = answers.map { other($0.reply[...]) }
            if others.allSatisfy({ $0 == nil }) { return false }
            var answers = answers
            for (place, reply) in others.enumerated() {
                answers[place].reply = reply ?? answers[place].reply
            }
            ring = AnswerRing(answers)
            return true
        }

        /// Whether both have the same answers, wherever their rings begin.
        public static func == (one: Session, other: Session) -> Bool {
            one.floor == other.floor && one.usedAt == other.usedAt && one.answers == other.answers
        }
    }

    /// The bounds on what is remembered of one principal: the few limits that it takes.
    public struct Bounds: Equatable, Sendable {
        /// Clients.
        var clients: Int
        /// Answers to all of them, and to one.
        var answers: Int
        var answersOfOneClient: Int
        /// Bytes of all answers.
        var bytes: Int

        /// Those of these limits.
        public init(_ limits: Limits) {
            clients = limits.sessions
            answers = limits.replies
            answersOfOneClient = limits.answersOfOneClient
            bytes = limits.replyBytes
        }

        /// The bounds of one child: of one client as many answers as of any other's.
        var ofOneChild: Bounds {
            var bounds = self
            bounds.clients = max(1, clients / SessionBook.partOfChild)
            bounds.answers = max(answersOfOneClient, answers / SessionBook.partOfChild)
            bounds.bytes /= SessionBook.partOfChild
            return bounds
        }
    }

    /// The verdict on a numbered command.
    public enum Verdict: Equatable, Sendable {
        /// It was never seen: carry it out.
        case fresh
        /// It was carried out, with this answer.
        case answered([UInt8])
        case refused(Rejection)
    }

    /// Whose sessions they are.
    public enum Owner: Hashable, Sendable {
        /// The principal of this identity.
        case principal(ID)
        /// Nobody knows: they are from before there were principals.
        case unknown
        /// All principals of which nothing is remembered.
        case others
        /// All children of the principal of this identity of which nothing is remembered.
        case otherChildren(of: ID)
    }

    /// The sessions as they are kept.
    package internal(set) var list = SessionList()
    /// Sessions that were last used at or before this journal position may have been dropped.
    public private(set) var evictedTo: UInt64 = 0
    /// All answers.
    public private(set) var replyCount = 0
    /// The bytes of all answers.
    public private(set) var replyBytes = 0
    /// Clients in the order of their latest command.
    private var order = UseOrder()
    /// How many answers a client was promised before a limit changed, and the last position at
    /// which it could hear of it: the newest last, and each smaller than the one before it.
    private var promises: [(answers: Int, until: UInt64)] = []
    /// How many answers those who were there when a limit changed may come to have in all.
    private var promisedInAll = 0

    /// None yet.
    public init() {}
    /// The verdict on a numbered command.
    ///
    /// `opened` is the journal position at which the client id was first used, as the client says.
    /// A session that is not here is new if no session used after that position was ever dropped.
    public func verdict(
        client: ID, number: UInt64, opened: UInt64, requestHash: UInt64
    ) -> Verdict {
        guard let session = list[client] else {
            if opened >= evictedTo { return .fresh }
            return .refused(Self.unknown(number))
        }
        // Nearly every number is higher than all before.
        let isHighest = session.highest.map { $0 < number } ?? true
        if !isHighest, let known = session.answer(to: number) {
            if known.requestHash == requestHash { return .answered(known.reply) }
            return .refused(
                Rejection(
                    .numberReused, "Number \(number) was used for another command.",
                    field: "number"))
        }
        return number > session.floor ? .fresh : .refused(Self.unknown(number))
    }

    /// Whether a client is known, and has used no such number: that of nearly every command. It changes nothing
    /// but a hint; whoever only looked would copy the sessions.
    mutating func isNew(_ number: UInt64, of client: ID) -> Bool {
        guard let place = list.place(of: client) else { return false }
        return list.elements[place].session.isNew(number)
    }

    private static func unknown(_ number: UInt64) -> Rejection {
        Rejection(
            .unknown,
            "It is no longer known whether command \(number) was carried out: it is not run again.",
            field: "number")
    }

    /// These bounds held until now: clients that said `hello` at this position or before it may have
    /// heard of them. What they heard holds for them as long as they are known.
    public mutating func promised(_ bounds: Bounds, until position: UInt64) {
        let answers = bounds.answersOfOneClient
        promises.removeAll { $0.answers <= answers }
        promises.append((answers, position))
        promisedInAll = max(promisedInAll, bounds.answers)
        lowerPromise()
    }

    /// Promises to others hold here too: their state was thrown away, and their clients are
    /// these.
    public mutating func keepPromises(of other: Sessions) {
        (promises, promisedInAll) = (other.promises, other.promisedInAll)
    }

    private mutating func lowerPromise() {
        promisedInAll = min(promisedInAll, list.count * (promises.first?.answers ?? 0))
    }

    /// How many answers of a client are remembered, who said `hello` at this position.
    private func most(opened: UInt64?, _ bounds: Bounds) -> Int {
        let now = bounds.answersOfOneClient
        guard !promises.isEmpty, let opened else { return now }
        return promises.reduce(now) { $1.until >= opened ? max($0, $1.answers) : $0 }
    }

    /// Remembers an answer that is lent, and lets go of the oldest beyond the bounds.
    ///
    /// `opened` is what the client says of its `hello`; nil where that is not known any more. Of a client that was
    /// not known the journal has it.
    ///
    /// - Returns: how much more is remembered then.
    package mutating func remember(
        _ number: UInt64, _ requestHash: UInt64, _ reply: UnsafeRawBufferPointer, client: ID,
        opened: UInt64?, position: UInt64, within bounds: Bounds
    ) -> SessionBook.Size {
        let before = size
        let known = list.place(of: client)
        let place = known ?? list.add(newSession(opened: opened), of: client)
        let (answers, bytes) = (
            list.elements[place].session.count, list.elements[place].session.bytes
        )
        list.elements[place].session.add(
            number, requestHash, reply, most: most(opened: opened, bounds),
            mostBytes: bounds.bytes, at: position)
        let more = list.elements[place].session.count - answers
        replyCount += more
        replyBytes += list.elements[place].session.bytes - bytes
        order.append(client, at: position)
        while replyBytes > bounds.bytes, emptyOldest(but: client) {}
        letGo(for: client, isNew: known == nil, more: more, bounds)
        return size - before
    }

    /// The session of a client that is not here. A client that says when it began is new. Else this is a replay,
    /// and the client was known: this replay has forgotten it, by other bounds than those of then. Nobody can
    /// tell which of its numbers were used, so it gets no further with them.
    private func newSession(opened: UInt64?) -> Session {
        Session(floor: opened == nil && evictedTo > 0 ? .max : 0)
    }

    /// How much is remembered.
    var size: SessionBook.Size {
        SessionBook.Size(clients: list.count, answers: replyCount, bytes: replyBytes)
    }

    /// Lets go of the answers to the client that was quiet the longest of those who have any. It stays
    /// known: an old command is not run again, and a new one is. False: there is none.
    @discardableResult
    mutating func emptyOldest(but client: ID? = nil) -> Bool {
        while let oldest = order.oldestFull() {
            let place = list.place(of: oldest.client)
            let isLatest = place.map { list.elements[$0].session.usedAt == oldest.usedAt } ?? false
            // The newest answer is not forgotten.
            if oldest.client == client, isLatest { return false }
            order.passFull()
            guard let place, isLatest, list.elements[place].session.count > 0 else { continue }
            replyCount -= list.elements[place].session.count
            replyBytes -= list.elements[place].session.bytes
            list.elements[place].session.empty()
            return true
        }
        return false
    }

    /// A client that comes, or asks for more, takes the place of those that were quiet the longest.
    ///
    /// Where a limit became smaller two go for one that comes, until it is reached; who is there
    /// may come to as many answers as before. So nobody loses an answer because of the change
    /// alone, and no turn gets long.
    private mutating func letGo(for client: ID, isNew: Bool, more: Int, _ bounds: Bounds) {
        var left = 2
        let most = isNew ? bounds.answers : max(bounds.answers, promisedInAll)
        while left > 0, (isNew && list.count > bounds.clients) || (more > 0 && replyCount > most),
            let oldest = order.oldest()
        {
            if let session = list[oldest.client], session.usedAt == oldest.usedAt {
                // The newest answer is not forgotten.
                if oldest.client == client { break }
                forget(session, of: oldest.client)
                left -= 1
            }
            order.removeOldest()
        }
        if left < 2, promisedInAll > 0 { lowerPromise() }
        if order.isToCompact(clients: list.count) {
            let list = list
            order.compact { list[$0.client]?.usedAt == $0.usedAt }
        }
    }

    private mutating func forget(_ session: Session, of client: ID) {
        list.remove(client)
        replyCount -= session.count
        replyBytes -= session.bytes
        evictedTo = max(evictedTo, session.usedAt)
    }

    /// Lets go of the session that was quiet the longest.
    mutating func forgetOldest() {
        while let oldest = order.oldest() {
            order.removeOldest()
            guard let session = list[oldest.client], session.usedAt == oldest.usedAt
            else { continue }
            return forget(session, of: oldest.client)
        }
    }

    /// Puts other bytes in the place of answers; false: all stay.
    mutating func rewrite(_ other: (ArraySlice<UInt8>) -> [UInt8]?) -> Bool {
        var isAny = false
        for place in list.elements.indices {
            let before = list.elements[place].session.bytes
            guard list.elements[place].session.rewrite(other) else { continue }
            replyBytes += list.elements[place].session.bytes - before
            isAny = true
        }
        return isAny
    }

    /// The position of the latest command.
    var usedAt: UInt64 { order.latest }

    /// All are forgotten, so that clients which began before a position are not new.
    func forgotten(_ other: Sessions) -> UInt64 {
        max(evictedTo, max(other.evictedTo, other.usedAt))
    }

    // MARK: Checkpoints

    /// Takes over one session from a checkpoint. They may come in any order.
    public mutating func restore(_ session: Session, client: ID) {
        if let place = list.place(of: client) {
            list.elements[place].session = session
        } else {
            _ = list.add(session, of: client)
        }
        replyCount += session.count
        replyBytes += session.bytes
    }

    /// All sessions of the checkpoint have been taken over.
    public mutating func restored(evictedTo: UInt64) {
        self.evictedTo = evictedTo
        order = UseOrder(list)
    }
}
