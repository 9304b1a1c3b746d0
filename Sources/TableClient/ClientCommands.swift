public import TableModel
public import TableSync
import TableWire

// Commands: numbered, and sent again until they are answered (docs/PROTOCOL.md, "Sending again").

extension Client {
    /// Has one thing done, exactly once, and returns the answer, which may be a refusal.
    ///
    /// Throws after the deadline, or once `givesUp` returns true, which is called a few times a
    /// second. After a `timeout` nobody knows whether the command was carried out, nor after an answer
    /// that is the refusal `unknown`. It is sent again with the next command, under its number: whoever
    /// performs it once more may have it done twice. Throws `refused` where the command is too large to be sent.
    public func perform(
        _ verb: Request.Verb, on table: TableID?,
        by deadline: Deadline = Deadline(inMilliseconds: 5_000), givesUp: () -> Bool = { false }
    ) throws -> Reply {
        try perform(verb, on: table, by: deadline, givesUp: givesUp) { _ in }
    }

    /// Has one thing done, likewise; `others` gets the ends of commands that were issued before.
    func perform(
        _ verb: Request.Verb, on table: TableID?, by deadline: Deadline, givesUp: () -> Bool,
        others: (Reply) -> Void
    ) throws -> Reply {
        _ = try hello(by: deadline)
        let number = try issue(verb, on: table)
        var hindrance: String?
        while true {
            let pause = Deadline(inMilliseconds: 250)
            while let reply = try receive(before: pause, and: deadline) {
                if writer.isWaiting(for: reply), reply.number == number {
                    hindrance = reply.hindrance
                }
                guard try isEnd(reply) else { continue }
                if reply.number == number { return reply }
                others(reply)
            }
            if deadline.hasPassed || givesUp() {
                guard let hindrance, case .timeout = silence else { throw silence }
                throw ClientError.timeout(endpoint: endpoint, because: hindrance)
            }
            try sendDue()
        }
    }

    /// Takes an answer. True: it is the end of a command.
    func isEnd(_ reply: Reply) throws -> Bool {
        let isEnd = writer.answered(reply)
        if writer.needsHello { try askHello() }
        return isEnd
    }

    /// Numbers a command, and sends it if another may be under way; else `sendDue` sends it later.
    /// Throws `refused` where it is too large.
    func issue(_ verb: Request.Verb, on table: TableID?) throws -> UInt64 {
        writer.zoneSeconds = zoneSeconds()
        let request = writer.request(verb, table: table, nowMs: monotonicMs())
        guard let number = request.number else { preconditionFailure("a writer numbers") }
        let body = Encode.request(request, form: form)
        do {
            try check(body)
        } catch {
            writer.withdraw(number)
            throw error
        }
        if writer.hasRoom(for: number) { try send(body, form) }
        return number
    }

    /// Sends the commands that have room now, and again those that were not answered for long.
    func sendDue() throws {
        if writer.needsHello || writer.isHeld { try askHello() }
        for request in writer.due(nowMs: monotonicMs()) { try send(request) }
    }

    /// A body of so many bytes is within the limits of every daemon, with its other frames.
    static let alwaysTaken = 512

    /// Refuses a body that is too large: the daemon would not say which request it refuses.
    func check(_ body: [UInt8]) throws {
        guard let known else { return }
        let header = behalfFrame == nil ? form.header : form.behalfHeader
        let bytes = header.utf8.count + (behalfFrame?.count ?? 0) + body.count
        let most = known.limits.requestBytes
        if bytes <= most { return }
        throw ClientError.refused(Rejection(.tooLarge, "request bytes: \(bytes), at most \(most)."))
    }
}

extension Reply {
    /// Why a command has no end yet, though the daemon has answered it.
    fileprivate var hindrance: String? {
        guard case .refused(let rejection) = answer, rejection.code == .diskFull else { return nil }
        return "\(rejection.message) It was sent more than once, and may still be carried out."
    }
}
