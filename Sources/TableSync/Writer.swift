public import TableModel

/// A command sender's end of the protocol: numbers commands and sends them again, the same bytes
/// under the same number, until each is answered. Sent twice, a command is carried out once.
public final class Writer {
    /// Its id: as good as unique, chosen anew for each writer.
    public let client: ID
    /// What people call who sends.
    public var name: ID?
    private var nextNumber: UInt64 = 1
    private var opened: UInt64?
    private var pending: [UInt64: Pending] = [:]
    private let retryMs: UInt64

    private struct Pending {
        let request: Request
        var sentMs: UInt64
    }

    /// `retryMs`: how long an answer may take before the command is sent again.
    public init(client: ID, retryMs: UInt64 = 1_000) {
        self.client = client
        self.retryMs = retryMs
    }

    /// What `hello` said first. Later ones change nothing: the id is in use since then.
    public func opened(at position: UInt64) {
        if opened == nil { opened = position }
    }

    /// The request to send for a verb that changes something.
    public func request(_ verb: Request.Verb, table: TableID?, nowMs: UInt64) -> Request {
        let request = Request(
            client: client, number: nextNumber, opened: opened, table: table, name: name, verb)
        pending[nextNumber] = Pending(request: request, sentMs: nowMs)
        nextNumber += 1
        return request
    }

    /// Takes an answer. False: nobody waits for it (it is the second one to the same command).
    public func answered(_ reply: Reply) -> Bool {
        guard reply.client == client, let number = reply.number else { return false }
        return pending.removeValue(forKey: number) != nil
    }

    /// What to send again now, in the order of the numbers.
    public func due(nowMs: UInt64) -> [Request] {
        let late = pending.filter { nowMs >= $0.value.sentMs &+ retryMs }.keys.sorted()
        return late.compactMap { number in
            pending[number]?.sentMs = nowMs
            return pending[number]?.request
        }
    }

    /// Whether one more command may be under way. Beyond the daemon's `repliesPerSession` numbers
    /// the answer to the oldest may be let go before it was heard.
    public func hasRoom(limits: Limits = Limits()) -> Bool {
        guard let oldest = pending.keys.min() else { return true }
        return nextNumber - oldest < UInt64(limits.repliesPerSession)
    }

    /// How many wait for an answer.
    public var waitingCount: Int { pending.count }
}
