import Simulation
import TableModel
import Testing

@testable import TableSync

/// What the table of verbs says of them is what the server does.
@Suite struct VerbTests {
    private static let verbs: [Request.Verb] = {
        let history = ID128(high: 1, low: 2)
        return [
            .tables, .kinds, .snapshot(id: nil, chunk: 0), .replay(history: history, since: 0),
            .offer(history: history, revision: 0, digest: 0), .hello, .health, .stats, .check,
            .audit(most: 9), .stepDown, .connections, .endConnection("7-9"),
            .replicate(Replicate(id: "a")), .promote, .renew,
            .drag(.lift(["a"], ttlSeconds: 9)), .drag(.hover(lease: "l", section: nil, .top)),
            .drag(.drop(lease: "l", section: nil, .top, .strict)), .drag(.cancel(lease: "l")),
            .drag(.renew(lease: "l")), .attend(revision: 0, isLeaving: false), .who,
            .history(HistoryFilter()), .rewind(history: history, since: 0, to: 0),
            .backup(id: nil, chunk: 0), .restore(.finish(parts: 0, replaces: false)), .create,
            .drop, .forget(["gone"]),
            .command(Command(.edit(true))), .batch([Command(.edit(true))], ifRevision: nil),
            .explain(.drop), .query(Query()),
        ]
    }()

    /// The second time a verb that is carried out once gets the remembered answer, whatever it was.
    @Test func whatIsCarriedOutOnceIsRemembered() {
        for verb in Self.verbs {
            let exchange = Exchange()
            exchange.commit(.create)
            exchange.add("a")
            let server = exchange.server
            server.begin(nowMs: 9)
            let request = Request(
                client: "w", number: 1, opened: 0, table: Exchange.table, verb)
            server.receive(request, requestHash: 7, from: 0)
            let isRemembered = verb.description.isRemembered
            let sessions = server.sessions[.principal("local")]
            #expect((sessions.byClient["w"] != nil) == isRemembered, "\(verb.name)")
            let ready = server.finish()
            #expect(ready.entry == nil || isRemembered, "\(verb.name) is journaled")
        }
        #expect(Set(Self.verbs.map(\.request)) == Set(Request.Name.allCases))
    }

    /// An answer that is given once more is as much to write as any other: a turn ends for it.
    @Test func answersThatAreGivenAgainAreCounted() {
        let exchange = Exchange()
        exchange.commit(.create)
        let server = exchange.server
        let request = Request(
            client: "w", number: 1, opened: 0, table: Exchange.table,
            .command(Command(.add(.init(id: "a", .init(title: "A"))))))
        server.begin(nowMs: 9)
        server.receive(request, requestHash: 7, from: 0)
        #expect(server.ready.load.answerBytes == 0)
        server.receive(request, requestHash: 7, from: 0)
        let size = server.sessions[.principal("local")].replyBytes
        #expect(size > 0 && server.ready.load.answerBytes >= size)
        _ = server.finish()
    }

    /// Each request is counted by its word.
    @Test func requestsAreCounted() {
        let exchange = Exchange()
        let server = exchange.server
        server.begin(nowMs: 9)
        var expected: [ID: UInt64] = [:]
        for verb in Self.verbs {
            server.receive(Request(table: Exchange.table, verb), requestHash: 7, from: 0)
            expected[ID(verb.name), default: 0] += 1
        }
        #expect(server.counts.requests == expected)
    }

    /// An enum's byte is its case's place in the list.
    @Test func casesHaveTheirPlaces() {
        func places<Case: CaseIterable>(_: Case.Type) -> [Int] {
            Case.allCases.map { $0.placeInOrder }
        }
        #expect(places(Request.Name.self) == Array(Request.Name.allCases.indices))
        #expect(places(Command.Name.self) == Array(Command.Name.allCases.indices))
        #expect(places(Drag.Name.self) == Array(Drag.Name.allCases.indices))
    }

    @Test func whatStandsAloneIsRefusedInABatch() {
        let exchange = Exchange()
        exchange.commit(.create)
        exchange.add("a", "b")
        exchange.commit(.command(Command(.remove(["b"]))))
        let verbs: [Command.Verb] = [
            .undo(revision: nil, mine: false), .redo(mine: false), .recall(["b"]), .remove(["a"]),
        ]
        for verb in verbs {
            let answer = exchange.reply(to: .batch([Command(verb)], ifRevision: nil)).answer
            guard case .refused(let rejection) = answer else {
                #expect(verb.name.has(.batch), "\(verb.name) in a batch: \(answer)")
                continue
            }
            #expect(!verb.name.has(.batch))
            #expect(rejection.code == .badValue && rejection.command == 0)
            #expect(rejection.field == "batch.commands.\(verb.name.rawValue)")
        }
    }
}
