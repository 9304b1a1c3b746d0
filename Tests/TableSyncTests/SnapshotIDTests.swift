import TableModel
import TableSync
import Testing

/// Ids of snapshots: from the server's source of random numbers, and no two of one id.
struct SnapshotIDTests {
    private func id(_ server: Server, _ table: TableID) throws -> String {
        server.begin(nowMs: 10_000)
        server.receive(
            Request(table: table, .snapshot(id: nil, chunk: 0)), requestHash: 0, from: 0)
        guard case .reply(let reply) = server.finish().replies.last?.body,
            case .snapshot(let chunk) = reply.answer
        else {
            Issue.record("no snapshot of \(table)")
            return ""
        }
        return chunk.id
    }

    @Test func theyAreRandomAndTellNoCount() throws {
        let exchange = Exchange()
        exchange.commit(.create)
        exchange.add("a")
        // The table's history was the first.
        let first = try id(exchange.server, Exchange.table)
        #expect(first == ID128(high: 7, low: 2).description)
        // All that ask at the same revision share one.
        #expect(try id(exchange.server, Exchange.table) == first)
        exchange.add("b")
        #expect(
            try id(exchange.server, Exchange.table) == ID128(high: 7, low: 3).description)
    }

    @Test func noneIsInUseTwice() throws {
        // A source that repeats itself.
        let server = Server(
            epoch: ID128(high: 1, low: 1), limits: Limits(), codec: RegistryCodec(),
            makeID: { ID128(high: 9, low: 9) })
        let tables: [TableID] = ["t", "u", "v"]
        server.begin(nowMs: 10_000)
        for table in tables {
            server.receive(Request(table: table, .create), requestHash: 0, from: 0)
        }
        _ = server.finish()
        let ids = try tables.map { try id(server, $0) }
        #expect(Set(ids).count == 3)
    }
}
