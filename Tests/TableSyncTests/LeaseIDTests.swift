import TableModel
import TableSync
import Testing

/// Ids of leases: from the server's source of random numbers, and no two of a table of one id.
struct LeaseIDTests {
    private func lift(_ rows: [RowID], _ server: Server) throws -> ID {
        let drag = Request.Verb.drag(.lift(rows, ttlSeconds: 9))
        let answer = try answer(to: drag, server)
        guard case .lease(let lease) = answer else {
            throw Rejection(.malformed, "no lease of \(rows): \(answer)")
        }
        return lease.id
    }

    private func answer(to verb: Request.Verb, _ server: Server) throws -> Reply.Answer {
        server.begin(nowMs: 10_000)
        // Without a client, whose commands would need numbers.
        let request = Request(table: Exchange.table, name: "ada", verb)
        server.receive(request, requestHash: 0, from: 0)
        guard case .reply(let reply) = server.finish().replies.last?.body else {
            throw Rejection(.malformed, "no answer")
        }
        return reply.answer
    }

    @Test func theyAreRandomAndTellNoCount() throws {
        let exchange = Exchange()
        exchange.commit(.create)
        exchange.add("a", "b")
        let epoch = exchange.server.epoch.description.prefix(8)
        // The table's history was the first.
        let first = try lift(["a"], exchange.server)
        #expect(first.text == "\(epoch)-\(ID128(high: 7, low: 2))")
        #expect(try lift(["a"], exchange.server) == first, "the same lift is the same lease")
        #expect(
            try lift(["b"], exchange.server).text == "\(epoch)-\(ID128(high: 7, low: 3))")
        // However short ids may be, what the lift gave is taken: also where it is not the first such.
        #expect(first.byteCount + "-999999".utf8.count <= Limits.madeIDBytes)
    }

    @Test func noneIsInUseTwice() throws {
        // A source that repeats itself.
        let server = Server(
            epoch: ID128(high: 1, low: 1), limits: Limits(), codec: RegistryCodec(),
            makeID: { ID128(high: 9, low: 9) })
        _ = try answer(to: .create, server)
        for row in ["a", "b", "c"] as [RowID] {
            _ = try answer(to: .command(Command(.add(.init(id: row, .init(title: "x"))))), server)
        }
        let ids = try [lift(["a"], server), lift(["b"], server)]
        // One that has ended is not given again either: its end would be told of the new one.
        guard case .done = try answer(to: .drag(.cancel(lease: ids[0])), server) else {
            Issue.record("it is not cancelled")
            return
        }
        #expect(try Set(ids + [lift(["c"], server), lift(["a"], server)]).count == 4)
    }

    @Test func whatIsSaidOfOldOnes() throws {
        let exchange = Exchange()
        exchange.commit(.create)
        let epoch = exchange.server.epoch.description.prefix(8)
        let random = ID128(high: 7, low: 99)
        for (id, why) in [
            ("fedcba98-\(random)", "restarted"), ("fedcba98-12", "restarted"),
            ("\(epoch)-\(random)", "There is no lease \"\(epoch)-\(random)\"."),
            ("fedcba98-\(random)0", "no lift gave"), ("fedcba98-", "no lift gave"),
            ("x", "no lift gave"),
        ] {
            let cancel = Request.Verb.drag(.cancel(lease: ID(id)))
            guard case .refused(let rejection) = try answer(to: cancel, exchange.server) else {
                Issue.record("\(id) is taken")
                continue
            }
            #expect(rejection.code == .noSuchLease, "\(rejection)")
            #expect(rejection.message.contains(why), "\(rejection)")
        }
    }
}
