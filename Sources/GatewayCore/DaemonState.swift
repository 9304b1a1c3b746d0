public import TableModel
import TableSync
import TableWire

/// The state of the daemon, by its answers to `hello`, which is asked each second.
public struct DaemonState: Sendable {
    /// Its `hello`, byte for byte; nil before the first.
    public private(set) var hello: [UInt8]?
    /// Its limits; ours until it has said them.
    public private(set) var limits = Limits()
    /// Its epoch; zeros until it has said it.
    public private(set) var epoch: ID128
    /// Where it publishes.
    public private(set) var publish: [String] = []
    /// The time between two heartbeats.
    public private(set) var heartbeatMs = 1_000
    /// Whether it answers.
    public private(set) var isUp = false
    /// Why it does not: a word for `/readyz`.
    public private(set) var why = Self.silent
    /// When it last answered, be it by a refusal; nil: never, or no more since it refused a connection.
    private var heardAtMs: Int?
    private var known = Hello()
    /// The newest term that a daemon of the service has named.
    private var term: UInt64 = 0
    /// Whether it may be asked what pages ask. One that a promoted standby has replaced may not know it, so where
    /// there was a promotion a daemon says its term first.
    public private(set) var isMet = true
    /// No line of its guest list is about us.
    private(set) var isTurnedAway = false

    /// The daemon is away.
    public init() {
        // Thirty-two zeros are a valid epoch; the type has no other way to be made here.
        epoch = ID128(high: 0, low: 0)
    }

    /// The changes that an answer has made.
    public struct Change: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int
        /// A set of these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// It answers again, or no more, or there is another reason why it does not.
        public static let isUp = Change(rawValue: 1)
        /// Its hello is another, but for `opened`.
        public static let hello = Change(rawValue: 2)
        /// It was started anew.
        public static let epoch = Change(rawValue: 4)
        /// It lets us in again.
        public static let admission = Change(rawValue: 8)
    }

    /// Takes an answer to `hello`.
    public mutating func heard(_ reply: [UInt8], nowMs: Int) -> Change {
        guard let decoded = reply.withUnsafeBytes({ try? Decode.reply($0, form: .json) }) else {
            return []
        }
        var change: Change = []
        // Also one that is not to be used falls silent one day, which is another reason.
        heardAtMs = nowMs
        switch decoded.answer {
        case .hello(let answer) where answer.term > 0 && answer.term < term:
            isMet = false
            known = Hello()
            return away(Self.outdated)
        case .hello(let answer) where answer.features.isEmpty:
            isTurnedAway = true
            return away(Rejection.Code.notAllowed.rawValue)
        case .hello(let answer) where !answer.features.contains("behalf"):
            // It would refuse what devices send, and could not hold them apart.
            return away("daemonTooOld")
        case .hello(let answer):
            if isTurnedAway { change.insert(.admission) }
            (isTurnedAway, isMet) = (false, true)
            term = max(term, answer.term)
            var steady = answer
            steady.opened = 0
            if hello == nil || steady != known { change.insert(.hello) }
            if hello == nil || decoded.epoch != epoch { change.formUnion([.epoch, .hello]) }
            known = steady
            hello = JSONMembers.find("hello", in: reply).map { Array(reply[$0]) }
            limits = answer.limits
            // Frames are bounded by it, and another daemon may say anything.
            limits.requestBytes = min(max(limits.requestBytes, 1 << 10), 16 << 20)
            epoch = decoded.epoch
            publish = answer.publish
            heartbeatMs = max(100, min(60_000, answer.heartbeatMs))
            if !isUp { change.insert(.isUp) }
            isUp = true
            why = ""
        case .refused(let rejection): return away(rejection.code.rawValue)
        default: break
        }
        return change
    }

    static let silent = "silent"
    static let outdated = "outdated"
    /// Whether its term is older than that of another one.
    public var isOutdated: Bool { why == Self.outdated }

    /// It is not to be used, for this reason.
    private mutating func away(_ word: String) -> Change {
        let isNew = isUp || why != word
        isUp = false
        why = word
        return isNew ? .isUp : []
    }

    /// Another daemon of the service is asked from now on. Pages hear of its `hello`, also where it says
    /// what they know: they send again what was lost on the way.
    public mutating func turned() {
        known = Hello()
        isTurnedAway = false
        isMet = term <= 1
    }

    /// The daemon does not let us in.
    public mutating func refused(_ word: String) {
        guard !isUp else { return }
        why = word
        heardAtMs = nil
    }

    /// A daemon that has said nothing for so long is silent: three heartbeats.
    var silenceMs: Int { 3 * max(1_000, heartbeatMs) }

    /// Looks at the clock. That it has turned us away is kept: topics are then subscribed to anew.
    public mutating func tick(nowMs: Int) -> Change {
        guard why != Self.silent, let heardAtMs, nowMs - heardAtMs > silenceMs else { return [] }
        return away(Self.silent)
    }
}
