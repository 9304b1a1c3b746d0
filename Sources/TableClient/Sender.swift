public import TableModel
public import TableSync

/// Commands without waiting for their answers, for programs that have something else to do
/// meanwhile. Each is carried out once, also over restarts of the daemon. `client` serves nobody
/// else.
public final class Sender {
    private let client: Client

    /// Asks the daemon who it is, once.
    public init(_ client: Client, by deadline: Deadline) throws {
        self.client = client
        _ = try client.hello(by: deadline)
    }

    /// Sends a command; the number by which its answer is known. With too many under way it waits,
    /// and `answers` sends it.
    public func send(_ verb: Request.Verb, on table: TableID) throws -> UInt64 {
        try client.issue(verb, on: table)
    }

    /// The answers that have come, each once; sends what there is room for now, and again what is
    /// not answered for long.
    public func answers() throws -> [(number: UInt64, reply: Reply)] {
        var found: [(number: UInt64, reply: Reply)] = []
        let now = Deadline(inMilliseconds: 0)
        while let reply = try client.receive(before: now, and: now) {
            if client.writer.answered(reply), let number = reply.number {
                found.append((number, reply))
            }
        }
        try client.sendDue()
        return found
    }

    /// How many were not answered yet.
    public var waitingCount: Int { client.writer.waitingCount }
}
