import Simulation
import TableModel
import Testing

@testable import TableSync

/// `explain` gives the answer that the command itself would get, and leaves no trace.
struct ExplainTests {
    private func board() -> Exchange {
        let exchange = Exchange()
        exchange.commit(.create)
        exchange.add("a", "b", "c")
        return exchange
    }

    @Test func itSaysWhatThenHappens() throws {
        let exchange = board()
        let verbs: [Request.Verb] = [
            .command(Command(.move(["c"], section: nil, .top, .rebase))),
            .command(Command(.remove(["a"]))), .command(Command(.set("b", .init(title: "b")))),
            .batch(
                [Command(.remove(["c"])), Command(.add(.init(.init(title: "new"))))],
                ifRevision: nil),
        ]
        for verb in verbs {
            let before = try #require(exchange.table?.copy())
            let change = try #require(Request.Change(verb))
            let explained = exchange.reply(to: .explain(change))
            #expect(exchange.table?.digest == before.digest)
            #expect(exchange.table?.revision == before.revision)
            let position = exchange.server.position
            guard case .explained(let explanation) = explained.answer else {
                Issue.record("\(explained.answer)")
                continue
            }
            let publications = exchange.commit(verb)
            #expect(publications.flatMap(\.diffs).flatMap(\.ops) == explanation.ops)
            #expect(exchange.server.position == position + (explanation.ops.isEmpty ? 0 : 1))
            for landing in explanation.rows {
                let spot = exchange.table?.position(of: landing.row)
                #expect(landing.index == spot?.index && landing.after == spot?.after)
                #expect(landing.version == spot?.row.version)
            }
        }
    }

    /// A table that is made or dropped changes without an op.
    @Test func unchangedIsWhatTheVerbItselfSays() {
        let exchange = Exchange()
        func isUnchanged(_ change: Request.Change) -> Bool? {
            guard case .explained(let explanation) = exchange.reply(to: .explain(change)).answer
            else { return nil }
            return explanation.isUnchanged
        }
        #expect(isUnchanged(.create) == false)
        exchange.commit(.create)
        exchange.add("a", "b")
        #expect(isUnchanged(.drop) == false)
        #expect(isUnchanged(.command(Command(.remove(["a"])))) == false)
        let again = Command(.move(["a"], section: nil, .top, .rebase))
        #expect(isUnchanged(.command(again)) == true)
        #expect(isUnchanged(.batch([again], ifRevision: nil)) == true)
    }

    @Test func refusalsAreThoseOfTheCommand() throws {
        let exchange = board()
        let verbs: [(Request.Verb, Rejection.Code)] = [
            (.command(Command(.remove(["z"]))), .noSuchRow), (.create, .exists),
            (.command(Command(.remove(["a"]), ifVersion: 99)), .stale),
            (
                .batch([Command(.remove(["a"])), Command(.remove(["a"]))], ifRevision: nil),
                .noSuchRow
            ),
        ]
        for (verb, code) in verbs {
            let change = try #require(Request.Change(verb))
            let answers = [exchange.reply(to: .explain(change)), exchange.reply(to: verb)].map(
                \.answer)
            guard case .refused(let explained) = answers[0], case .refused(let refused) = answers[1]
            else {
                Issue.record("\(answers)")
                continue
            }
            #expect(explained.code == code && refused.code == code)
            #expect(explained.message == refused.message && explained.command == refused.command)
        }
    }

    @Test func nothingIsRecordedPublishedOrRemembered() {
        let exchange = board()
        let server = exchange.server
        server.begin(nowMs: 5)
        let remove = Request.Change.command(Command(.remove(["a"])))
        for number in [1, 1, 2] as [UInt64] {
            let request = Request(
                client: "w", number: number, opened: 0, table: Exchange.table, .explain(remove))
            server.receive(request, requestHash: number, from: 0)
        }
        let ready = server.finish()
        #expect(ready.entry == nil && ready.publications.isEmpty && ready.replies.count == 3)
        #expect(server.sessions[.principal("local")].byClient["w"] == nil)
    }

    @Test func onlyAVirtualClockIsTold() throws {
        let exchange = board()
        let add = Request.Verb.command(Command(.add(.init(id: "d", .init(title: "d")))))
        let request = Request(table: Exchange.table, atMs: 7, add)
        let server = exchange.server
        server.begin(nowMs: 5)
        server.receive(request, requestHash: 0, from: 0)
        #expect(server.finish().entry == nil)
        server.admission.takesTimes = true
        server.begin(nowMs: 5)
        server.receive(request, requestHash: 0, from: 0)
        #expect(server.finish().publications.map(\.publication.timeMs) == [7])
        #expect(exchange.table?.row("d")?.createdMs == 7)
    }
}
