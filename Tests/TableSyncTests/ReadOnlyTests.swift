import TableModel
import TableSync
import Testing

/// A server whose disk has no room refuses changes, and does not remember that it did.
struct ReadOnlyTests {
    private let exchange = Exchange()

    /// The results of one request.
    private func ask(_ verb: Request.Verb, number: UInt64?, hash: UInt64 = 0) -> Ready {
        let client: ID? = number == nil ? nil : "c"
        exchange.server.begin(nowMs: 1)
        exchange.server.receive(
            Request(client: client, number: number, table: Exchange.table, verb),
            requestHash: hash, from: 0)
        return exchange.server.finish()
    }

    private func code(_ ready: Ready) -> Rejection.Code? {
        exchange.codec.lastReply(of: ready).flatMap(refusal)
    }

    private func refusal(_ reply: Reply) -> Rejection.Code? {
        if case .refused(let rejection) = reply.answer { return rejection.code }
        return nil
    }

    private func add(_ id: RowID) -> Request.Verb {
        .command(Command(.add(.init(id: id, .init(title: id.text)))))
    }

    @Test func refusesWithoutACommit() {
        exchange.commit(.create)
        exchange.server.room.isReadOnly = true
        let batch = Request.Verb.batch([Command(.section("z", title: ""))], ifRevision: nil)
        for verb in [add("a"), batch, .create, .drop] {
            for number in [nil, 1] as [UInt64?] {
                let ready = ask(verb, number: number)
                #expect(code(ready) == .diskFull)
                #expect(ready.entry == nil && ready.publications.isEmpty)
            }
        }
        #expect(exchange.table?.count == 0)
        guard case .kinds = exchange.reply(to: .kinds).answer else {
            Issue.record("reading is refused")
            return
        }
    }

    @Test func theSameNumberSucceedsWhenThereIsRoom() {
        exchange.commit(.create)
        exchange.server.room.isReadOnly = true
        #expect(code(ask(add("a"), number: 1, hash: 7)) == .diskFull)
        exchange.server.room.isReadOnly = false
        #expect(code(ask(add("a"), number: 1, hash: 7)) == nil)
        #expect(exchange.table?.count == 1)
    }

    @Test func whatIsRememberedIsStillSaid() {
        exchange.commit(.create)
        #expect(code(ask(add("a"), number: 1, hash: 7)) == nil)
        exchange.server.room.isReadOnly = true
        #expect(code(ask(add("a"), number: 1, hash: 7)) == nil)
        #expect(code(ask(add("b"), number: 1, hash: 8)) == .numberReused)
    }

    /// Whoever drops is there, though nothing can be dropped now.
    @Test func aDropForWhichThereIsNoRoomKeepsTheLease() throws {
        exchange.commit(.create)
        #expect(code(ask(add("a"), number: 1)) == nil)
        exchange.server.begin(nowMs: 1_000)
        let lift = Request.Verb.drag(.lift(["a"], ttlSeconds: 2))
        exchange.server.receive(
            Request(client: "c", number: 2, table: Exchange.table, lift), requestHash: 0, from: 0)
        let leases = { exchange.server.presence(of: Exchange.table)?.leases ?? [] }
        let lease = try #require(leases().first?.id)
        exchange.server.room.isReadOnly = true
        let drop = Request.Verb.drag(.drop(lease: lease, section: nil, .top, .rebase))
        for nowMs in [2_500, 4_000] as [UInt64] {
            exchange.server.begin(nowMs: nowMs)
            exchange.server.receive(
                Request(client: "c", number: 3, table: Exchange.table, drop), requestHash: 3,
                from: 0)
            exchange.server.watchEphemeral(judges: true)
            #expect(code(exchange.server.finish()) == .diskFull)
            #expect(leases().count == 1)
        }
        exchange.server.begin(nowMs: 6_200)
        exchange.server.watchEphemeral(judges: true)
        #expect(leases().isEmpty)
    }

    /// A lift closes the row's swipe, which is a revision: where only less is taken it would write without end.
    @Test func aLiftThatClosesASwipeIsRefusedWhereOnlyLessIsTaken() throws {
        exchange.commit(.create)
        var kind = Kind("k")
        kind.trailing = ActionGroup(actions: [Action("go")])
        let verbs: [Command.Verb] = [
            .define(.init(kinds: [kind])), .add(.init(id: "a", .init(kind: "k"))),
            .add(.init(id: "b", .init(kind: "k"))), .swipe("a", .trailing),
        ]
        for (number, verb) in verbs.enumerated() {
            #expect(code(ask(.command(Command(verb)), number: UInt64(number + 1))) == nil)
        }
        exchange.server.room.takesOnlyLess = true
        #expect(code(ask(.drag(.lift(["a"], ttlSeconds: 2)), number: 5)) == .diskFull)
        #expect(code(ask(.drag(.lift(["b"], ttlSeconds: 2)), number: 6)) == nil)
    }

    /// The same where it is refused for its number.
    @Test func aDropUnderAUsedNumberKeepsTheLease() throws {
        exchange.commit(.create)
        #expect(code(ask(add("a"), number: 1)) == nil)
        exchange.server.begin(nowMs: 1_000)
        exchange.server.receive(
            Request(
                client: "c", number: 2, table: Exchange.table,
                .drag(.lift(["a"], ttlSeconds: 2))), requestHash: 0, from: 0)
        let lease = try #require(exchange.server.presence(of: Exchange.table)?.leases?.first?.id)
        exchange.server.begin(nowMs: 2_900)
        exchange.server.receive(
            Request(
                client: "c", number: 1, table: Exchange.table,
                .drag(.drop(lease: lease, section: nil, .top, .rebase))), requestHash: 9, from: 0)
        #expect(code(exchange.server.finish()) == .numberReused)
        exchange.server.begin(nowMs: 4_000)
        exchange.server.watchEphemeral(judges: true)
        #expect(exchange.server.presence(of: Exchange.table)?.leases?.count == 1)
    }

    /// Ephemeral state needs no room: the lease of a viewer that left still ends.
    @Test func leasesEndAndClaimsOutliveTheFullDisk() {
        exchange.commit(.create)
        #expect(code(ask(add("a"), number: 1)) == nil)
        let claim = Command.Verb.claim(["a"], note: "", ttlSeconds: nil)
        #expect(code(ask(.command(Command(claim)), number: 2)) == nil)
        _ = ask(.attend(revision: 1, isLeaving: false), number: 3)
        _ = ask(.drag(.lift(["a"], ttlSeconds: 60)), number: 4)
        #expect(exchange.server.presence(of: Exchange.table)?.leases?.count == 1)
        exchange.server.room.isReadOnly = true
        #expect(code(ask(.attend(revision: 1, isLeaving: true), number: 5)) == nil)
        #expect(exchange.server.presence(of: Exchange.table)?.leases?.isEmpty == true)
        #expect(exchange.table?.row("a")?.claim != nil)
        exchange.server.room.isReadOnly = false
        exchange.server.begin(nowMs: 10_000)
        exchange.server.watchEphemeral()
        #expect(exchange.codec.records(of: exchange.server.finish().entry).count == 1)
        #expect(exchange.table?.row("a")?.claim == nil)
    }
}
