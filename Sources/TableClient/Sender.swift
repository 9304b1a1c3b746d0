public import TableModel
public import TableSync

/// Commands and questions without waiting for their answers, for programs that have something else
/// to do meanwhile. Each command is carried out once, also over restarts of the daemon; a question
/// is asked once, and may get lost with it. `client` serves nobody else.
public final class Sender {
    private let client: Client
    /// Questions that were not answered yet.
    private var questions: Set<UInt64> = []
    /// Of the numbers of questions: those of commands are below.
    private static let mark: UInt64 = 1 << 52
    private static let mostQuestions = 256

    /// Does not wait for the daemon: see `isReady`.
    public init(_ client: Client) {
        self.client = client
    }

    /// Asks the daemon who it is, once.
    public convenience init(_ client: Client, by deadline: Deadline) throws {
        self.init(client)
        _ = try client.hello(by: deadline)
    }

    /// Whether the daemon has said who it is; before, nothing can be sent.
    public func isReady() throws -> Bool { try client.greeting() != nil }

    /// Sends a command; the number by which its answer is known. With too many under way it waits,
    /// and `answers` sends it.
    public func send(_ verb: Request.Verb, on table: TableID) throws -> UInt64 {
        try client.issue(verb, on: table)
    }

    /// Asks for something that changes nothing; the number by which its answer is known, which no
    /// command has.
    public func ask(_ verb: Request.Verb, about table: TableID) throws -> UInt64 {
        let request = client.readRequest(verb, about: table)
        let number = request.number ?? 0
        if questions.count >= Self.mostQuestions { questions = [] }
        questions.insert(number)
        try client.send(request)
        return number | Self.mark
    }

    /// The answers that have come, each once; sends what there is room for now, and again what is
    /// not answered for long.
    public func answers() throws -> [(number: UInt64, reply: Reply)] {
        guard try isReady() else { return [] }
        var found: [(number: UInt64, reply: Reply)] = []
        let now = Deadline(inMilliseconds: 0)
        while let reply = try client.receive(before: now, and: now) {
            guard let number = reply.number else { continue }
            if client.writer.answered(reply) {
                found.append((number, reply))
            } else if reply.client == nil, questions.remove(number) != nil {
                found.append((number | Self.mark, reply))
            }
        }
        try client.sendDue()
        return found
    }

    /// How many were not answered yet.
    public var waitingCount: Int { client.writer.waitingCount }
}
