public import TableModel
public import TableSync

/// Sends commands and questions without waiting for their answers, for programs that have other
/// work. Each command is carried out once, also if the daemon restarts. A question is sent once,
/// and a restart may lose it. Nobody else may use `client`.
public final class Sender {
    private let client: Client
    /// Questions that were not answered yet.
    private var questions: Set<UInt64> = []
    /// Set in the numbers of questions: those of commands are smaller.
    private static let mark: UInt64 = 1 << 52
    private static let mostQuestions = 256
    private var wasReady = false

    /// A sender that does not wait for the daemon: see `isReady`.
    public init(_ client: Client) { self.client = client }

    /// A sender that waits until the daemon has answered.
    public convenience init(_ client: Client, by deadline: Deadline) throws {
        self.init(client)
        _ = try client.hello(by: deadline)
        wasReady = true
    }

    /// Whether the daemon has answered; before that, nothing can be sent. It stays so: at another daemon of a
    /// service what was sent goes on, and `hello` is asked beside it.
    public func isReady() throws -> Bool {
        if !wasReady { wasReady = try client.greeting() != nil }
        return wasReady
    }

    /// The client's present id.
    public var id: ID { client.id }

    /// Sends a command; returns the number that its answer will have. If too many are under way,
    /// `answers` sends it later. Throws `refused` if it is too large.
    public func send(_ verb: Request.Verb, on table: TableID) throws -> UInt64 {
        try client.issue(verb, on: table)
    }

    /// Asks for something that changes nothing; returns the number that its answer will have, which
    /// no command has.
    public func ask(_ verb: Request.Verb, about table: TableID) throws -> UInt64 {
        let request = client.readRequest(verb, about: table)
        let number = request.number ?? 0
        if questions.count >= Self.mostQuestions { questions = [] }
        questions.insert(number)
        try client.send(request)
        return number | Self.mark
    }

    /// The answers that have come, each once. Also sends the commands that have room now, and again
    /// those that were not answered for long.
    public func answers() throws -> [(number: UInt64, reply: Reply)] {
        guard try isReady() else { return [] }
        if client.known == nil { try client.askHello() }
        var found: [(number: UInt64, reply: Reply)] = []
        let now = Deadline(inMilliseconds: 0)
        while let reply = try client.receive(before: now, and: now) {
            guard let number = reply.number else { continue }
            if try client.isEnd(reply) {
                found.append((number, reply))
            } else if reply.client == nil, questions.remove(number) != nil {
                found.append((number | Self.mark, reply))
            }
        }
        try client.sendDue()
        return found
    }

    /// How many commands were not answered yet.
    public var waitingCount: Int { client.writer.waitingCount }
}
