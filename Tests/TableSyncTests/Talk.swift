import TableModel
import Testing

@testable import TableSync

/// Sends requests of principals to a server, each in a turn of its own, as the journal has it too.
final class Talk {
    let exchange = Exchange()
    var journal: [(Ready.Record, UInt64)] = []
    var number: UInt64 = 0

    init() throws {
        _ = try say(.user(1), .create)
        for row in ["a", "b"] as [RowID] {
            _ = try say(.user(1), .command(Command(.add(.init(id: row, .init(title: "x"))))))
        }
    }

    func say(
        _ sender: Principal, _ verb: Request.Verb, as name: ID? = nil, client: ID = "c",
        number: UInt64? = nil
    ) throws -> Reply {
        self.number += 1
        let server = exchange.server
        server.begin(nowMs: exchange.nowMs)
        var request = Request(
            client: client, number: number ?? self.number, table: Exchange.table,
            name: name ?? sender.behalf?.name ?? "boss", verb)
        request.sender = sender
        server.receive(request, requestHash: number ?? self.number, from: 0)
        let ready = server.finish()
        journal += exchange.codec.records(of: ready.entry).map { ($0, ready.position) }
        return try #require(exchange.codec.lastReply(of: ready))
    }

    func code(
        _ sender: Principal, _ verb: Request.Verb, as name: ID? = nil, client: ID = "c"
    ) throws -> Rejection.Code? {
        let answer = try say(sender, verb, as: name, client: client).answer
        guard case .refused(let rejection) = answer else { return nil }
        return rejection.code
    }

    /// A new server, from the journal alone.
    func recover() throws {
        exchange.renew(epoch: 2)
        for (record, position) in journal {
            try exchange.server.replay(record, position: position)
        }
    }
}
