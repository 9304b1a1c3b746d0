public import TableModel

/// A command sender's end of the protocol. It numbers commands and sends them again, the same bytes
/// under the same number, until each is answered. The daemon carries each out once.
public final class Writer {
    /// The writer's id: new for each writer, and practically unique.
    public let client: ID
    /// The person's name.
    public var name: ID?
    private var nextNumber: UInt64 = 1
    private var opened: UInt64?
    private var pending: [UInt64: Pending] = [:]
    private let retryMs: UInt64
    /// So many numbers are under way at most: the daemon remembers no more answers, and that to the
    /// oldest might be let go before it was heard.
    public private(set) var window: UInt64

    private struct Pending {
        let request: Request
        /// When it was last sent; nil: there was no room for it yet.
        var sentMs: UInt64?
    }

    /// `retryMs`: how long an answer may take before the command is sent again. `limits`: those of
    /// the daemon, as far as they are known before its `hello`.
    public init(client: ID, retryMs: UInt64 = 1_000, limits: Limits = Limits()) {
        self.client = client
        self.retryMs = retryMs
        window = Self.window(limits)
    }

    /// Takes the journal position of the first `hello`. Later ones change nothing, because the id
    /// is in use since then.
    public func opened(at position: UInt64) {
        if opened == nil { opened = position }
    }

    /// What the daemon's latest `hello` said. With a smaller window what is under way beyond it
    /// stays under way, but is not sent again before it is in the window.
    public func keep(to limits: Limits) { window = Self.window(limits) }

    /// A daemon that remembers none is one that remembers one: else nothing could be sent.
    private static func window(_ limits: Limits) -> UInt64 {
        UInt64(max(1, limits.answersOfOneClient))
    }

    /// The request for a verb that changes something, to be sent where there `hasRoom` for it; else
    /// `due` gives it when there is.
    public func request(_ verb: Request.Verb, table: TableID?, nowMs: UInt64) -> Request {
        let number = nextNumber
        let request = Request(
            client: client, number: number, opened: opened, table: table, name: name, verb)
        pending[number] = Pending(request: request, sentMs: hasRoom(for: number) ? nowMs : nil)
        nextNumber += 1
        return request
    }

    /// Takes an answer. False: nobody waits for it, because it is the second one to a command.
    public func answered(_ reply: Reply) -> Bool {
        guard reply.client == client, let number = reply.number else { return false }
        return pending.removeValue(forKey: number) != nil
    }

    /// The requests to send now, for the first time or again, in the order of their numbers.
    public func due(nowMs: UInt64) -> [Request] {
        guard let oldest = pending.keys.min() else { return [] }
        let late = pending.filter { number, one in
            number - oldest < window && nowMs >= one.sentMs.map { $0 &+ retryMs } ?? 0
        }.keys.sorted()
        return late.compactMap { number in
            pending[number]?.sentMs = nowMs
            return pending[number]?.request
        }
    }

    /// Whether a number, the next one if none is given, may be under way.
    public func hasRoom(for number: UInt64? = nil) -> Bool {
        guard let oldest = pending.keys.min() else { return true }
        return (number ?? nextNumber) - oldest < window
    }

    /// Whether nobody has answered this one yet.
    public func isWaiting(for number: UInt64) -> Bool { pending[number] != nil }

    /// All that is under way is due after so long: whoever was to answer is not asked any more.
    public func again(inMs: UInt64 = 0, nowMs: UInt64) {
        for number in pending.keys where pending[number]?.sentMs != nil {
            let elapsed = retryMs - min(retryMs, inMs)
            pending[number]?.sentMs = inMs == 0 ? nil : nowMs - min(nowMs, elapsed)
        }
    }

    /// How many commands wait for an answer.
    public var waitingCount: Int { pending.count }
}
