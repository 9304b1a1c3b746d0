import TableModel
import Testing

@testable import TableSync

/// Claims, leases and viewers of a server, by a clock that the tests set.
struct EphemeralTests {
    private let exchange = Exchange()
    private let hourMs: UInt64 = 3_600_000

    init() {
        exchange.commit(.create)
        exchange.add("r", "s")
    }

    @discardableResult
    private func send(_ verb: Request.Verb, by name: ID?, client: ID? = nil) -> Reply.Answer? {
        let server = exchange.server
        server.begin(nowMs: exchange.nowMs)
        // Without a client, whose commands would need numbers.
        server.receive(
            Request(client: client, table: Exchange.table, name: name, verb), requestHash: 0,
            from: 0)
        return exchange.codec.lastReply(of: server.finish())?.answer
    }

    private func command(_ verb: Command.Verb, by name: ID?) {
        let answer = send(.command(Command(verb)), by: name)
        guard case .done = answer else {
            Issue.record("\(verb): \(String(describing: answer))")
            return
        }
    }

    private func batch(_ verbs: Command.Verb..., by name: ID) {
        let answer = send(.batch(verbs.map { Command($0) }, ifRevision: nil), by: name)
        guard case .done = answer else {
            Issue.record("\(verbs): \(String(describing: answer))")
            return
        }
    }

    private func claim(_ seconds: Double) -> Command.Verb {
        .claim(["r"], note: "", ttlSeconds: seconds)
    }

    /// The daemon looks what is over, so much later.
    private func watch(after ms: UInt64) {
        exchange.nowMs += ms
        exchange.server.begin(nowMs: exchange.nowMs)
        exchange.server.watchEphemeral()
        _ = exchange.server.finish()
    }

    private var holder: ID? { exchange.table?.row("r")?.claim?.holder }

    private var live: Server.LiveTable? { exchange.server.tables[Exchange.table] }

    /// It ends when its minute is over, not sooner.
    private func isClaimedForAMinute(by name: ID) -> Bool {
        watch(after: 100)
        guard holder == name else { return false }
        watch(after: 59_900)
        guard holder == name else { return false }
        watch(after: 1)
        return holder == nil
    }

    // MARK: Claims

    @Test func aBatchRenewsAClaimThatItDoesNotChange() {
        command(claim(60), by: "ada")
        watch(after: 50_000)
        let revision = exchange.table?.revision
        batch(claim(60), by: "ada")
        #expect(exchange.table?.revision == revision)
        #expect(isClaimedForAMinute(by: "ada"))
    }

    @Test func aClaimInThePlaceOfAnotherHasItsOwnTime() {
        command(claim(86_400), by: "ada")
        watch(after: 2 * hourMs)
        batch(.unclaim(["r"], holder: "ada"), claim(60), by: "bob")
        #expect(isClaimedForAMinute(by: "bob"))
    }

    /// Meanwhile there is nothing that could end, and nobody looks.
    @Test(arguments: ["batch", "add", "undo"]) func aClaimKnowsNothingOfOneBefore(way: String) {
        command(claim(60), by: "ada")
        watch(after: 100)
        command(.unclaim(["r"], holder: nil), by: "ada")
        #expect(live.map { $0.ephemeral.isEmpty($0.table) } == true)
        watch(after: hourMs)
        switch way {
        case "batch": batch(claim(60), by: "ada")
        case "undo": command(.undo(revision: nil, mine: false), by: "ada")
        default:
            let carried = Carried(claim: Claim(holder: "ada", ttlSeconds: 60))
            batch(
                .remove(["r"]), .add(.init(id: "r", .init(title: "r"), carrying: carried)),
                by: "ada")
        }
        #expect(isClaimedForAMinute(by: "ada"))
    }

    @Test func aRowThatIsBroughtBackIsClaimedFromThen() {
        command(claim(60), by: "ada")
        watch(after: 100)
        command(.remove(["r"]), by: "bob")
        watch(after: hourMs)
        command(.undo(revision: nil, mine: false), by: "bob")
        #expect(isClaimedForAMinute(by: "ada"))
    }

    @Test func whatHasNoEndKeepsNone() {
        command(claim(60), by: "ada")
        command(.claim(["r"], note: "", ttlSeconds: nil), by: "ada")
        watch(after: hourMs)
        #expect(holder == "ada")
        // A row without a claim is not looked at either.
        command(claim(60), by: "ada")
        batch(.remove(["r"]), .add(.init(id: "r", .init(title: "r"))), by: "bob")
        let revision = exchange.table?.revision
        watch(after: hourMs)
        #expect(exchange.table?.revision == revision)
    }

    @Test func afterARestartTheTimeBeginsAtTheFirstLook() {
        command(claim(60), by: "ada")
        watch(after: 50_000)
        exchange.restart(epoch: 2)
        exchange.nowMs += hourMs
        watch(after: 0)
        #expect(isClaimedForAMinute(by: "ada"))
    }

    // MARK: Viewers and their claims

    private func attend(_ client: ID, _ name: ID?, revision: UInt64 = 1, isLeaving: Bool = false) {
        send(.attend(revision: revision, isLeaving: isLeaving), by: name, client: client)
    }

    @Test func aViewerUnderAnotherNameKeepsNoClaimsOfTheFirst() {
        attend("v1", "ada")
        attend("v2", "ada")
        command(.claim(["r"], note: "", ttlSeconds: nil), by: "ada")
        attend("v1", "bob")
        #expect(holder == "ada", "there is another viewer of that name")
        attend("v2", "bob")
        #expect(holder == nil)
        command(.claim(["r"], note: "", ttlSeconds: nil), by: "bob")
        attend("v1", "bob")
        #expect(holder == "bob")
    }

    @Test func aClaimUnderAClientIDGoesWithTheViewer() {
        attend("v1", nil)
        command(.claim(["r"], note: "", ttlSeconds: nil), by: "v1")
        attend("v1", "ada")
        #expect(holder == "v1", "it is the same client")
        attend("v1", "ada", isLeaving: true)
        #expect(holder == nil)
    }

    @Test func withoutRoomAViewerKeepsItsName() {
        attend("v1", "ada")
        command(.claim(["r"], note: "", ttlSeconds: nil), by: "ada")
        exchange.server.room.isReadOnly = true
        attend("v1", "bob")
        #expect(holder == "ada")
        exchange.server.room.isReadOnly = false
        attend("v1", "bob")
        #expect(holder == nil)
    }

    // MARK: Leases

    private func lift(_ rows: [RowID]) -> ID? {
        guard case .lease(let lease) = send(.drag(.lift(rows, ttlSeconds: 60)), by: "ada") else {
            Issue.record("no lease of \(rows)")
            return nil
        }
        return lease.id
    }

    /// Why there is no such lease; nil: there is.
    private func end(of lease: ID?) -> String? {
        guard let lease else { return nil }
        guard case .refused(let rejection) = send(.drag(.renew(lease: lease)), by: "ada") else {
            return nil
        }
        return rejection.message
    }

    private func swiped(_ row: RowID) -> Edge? { exchange.table?.row(row)?.swipe }

    /// Two rows, one of them swiped open.
    private func open(_ row: RowID) {
        var kind = Kind("k")
        kind.trailing = ActionGroup(actions: [Action("a")])
        command(.define(.init(kinds: [kind])), by: "ada")
        for id in ["a", "b"] as [RowID] {
            command(.add(.init(id: id, .init(kind: "k"))), by: "ada")
        }
        command(.swipe(row, .trailing), by: "ada")
    }

    @Test func aLeaseEndsWithItsRowThoughThereIsANewOne() {
        open("a")
        let lease = lift(["a"])
        #expect(swiped("a") == nil)
        batch(.remove(["a"]), .add(.init(id: "a", .init(kind: "k"))), by: "bob")
        #expect(end(of: lease)?.contains("row a was removed by bob") == true)
        #expect(live?.ephemeral.lifted.isEmpty == true)
        #expect(swiped("a") == nil, "that was another row's")
        // The undo removes the new row, and brings back the old one.
        let second = lift(["a", "b"])
        command(.undo(revision: nil, mine: false), by: "bob")
        #expect(end(of: second)?.contains("row a was removed by bob") == true)
    }

    @Test func whatStaysOfALeaseIsOpenAgain() {
        open("a")
        let lease = lift(["a", "b"])
        batch(.remove(["b"]), .add(.init(id: "b", .init(kind: "k"))), by: "bob")
        #expect(end(of: lease)?.contains("row b was removed by bob") == true)
        #expect(swiped("a") == .trailing && swiped("b") == nil)
        #expect(exchange.table?.fault() == nil)
    }

    @Test func aLeaseEndsWithoutARow() {
        let lease = lift(["r", "s"])
        command(.remove(["s"]), by: "bob")
        #expect(end(of: lease)?.contains("row s was removed by bob") == true)
    }

    // MARK: Presence

    /// Viewers come every 20 ms for two seconds, and a drag hovers as often.
    @Test func theListOfViewersGoesOutTwiceASecond() throws {
        let lease = try #require(lift(["r"]))
        var (lists, hovers) = (0, 0)
        var last: [Attendant] = []
        for step in 1...125 as ClosedRange<UInt64> {
            exchange.nowMs += 20
            if step <= 100 {
                attend("v", "bob", revision: step)
                let anchor: Anchor = step % 2 == 0 ? .top : .bottom
                send(.drag(.hover(lease: lease, section: nil, anchor)), by: "ada")
            }
            exchange.server.begin(nowMs: exchange.nowMs)
            for presence in exchange.server.presences() {
                if presence.leases != nil { hovers += 1 }
                if let viewers = presence.viewers { (lists, last) = (lists + 1, viewers) }
            }
            _ = exchange.server.finish()
        }
        #expect(hovers == 100)
        #expect(lists == 5)
        // The last news comes, too.
        #expect(last.map(\.revision) == [100])
        #expect(exchange.server.untilPresence == nil)
    }
}
