import Simulation
import TableModel
import Testing

@testable import TableSync

/// What is over is found without a look at all, and is the same as by a look at all.
struct DeadlinesTests {
    @Test(arguments: 1...5 as ClosedRange<UInt64>) func aHeapAgreesWithAList(seed: UInt64) {
        let dice = Dice(seed)
        var deadlines = Deadlines<Int>()
        var list: [Int: UInt64] = [:]
        var now: UInt64 = 0
        for _ in 0..<2_000 {
            let key = dice.below(40)
            switch dice.below(4) {
            case 0, 1:
                let end = now + UInt64(dice.below(50))
                deadlines.set(key, to: end)
                list[key] = end
            case 2:
                deadlines.remove(key)
                list[key] = nil
            default:
                now += UInt64(dice.below(10))
                #expect(deadlines.over(at: now) == Set(list.filter { $0.value <= now }.keys))
            }
            #expect(deadlines[key] == list[key] && deadlines.keys.count == list.count)
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>) func theServerAgreesWithAFullWalk(
        seed: UInt64
    ) {
        let watched = Watched(seed)
        for _ in 0..<1_500 { watched.step() }
        // Else it would say little.
        #expect(watched.late > 5 && watched.lost > 0 && watched.ended > 3)
    }
}

/// A server whose invocations and claims come and go, beside a full walk.
private final class Watched {
    private let server: Server
    private let dice: Dice
    private var walk = FullWalk()
    private var monotonicMs: UInt64 = 10_000
    private var nowMs: UInt64 = 500_000
    private var number: UInt64 = 0
    /// How many there were.
    private(set) var (late, lost, ended) = (0, 0, 0)

    private static let names: [TableID] = ["t", "u"]
    private static let rows = (0..<8).map { RowID("r\($0)") }
    private static let timeoutMs: UInt64 = 1_000

    init(_ seed: UInt64) {
        dice = Dice(seed)
        var limits = Limits()
        limits.holderTimeoutMs = Int(Self.timeoutMs)
        let ids = Dice(seed &+ 99)
        server = Server(
            epoch: ID128(high: 1, low: 1), limits: limits, codec: RegistryCodec(),
            makeID: { ids.id128() })
        for name in Self.names { make(name) }
    }

    private func make(_ name: TableID) {
        send(name, .create)
        let kinds = [1.0, 3.0, 60.0].map { seconds in
            var kind = Kind(KindID("k\(Int(seconds))"))
            var action = Action("page")
            action.effects = [.invoke(deadlineSeconds: seconds, then: [])]
            kind.trailing = ActionGroup(actions: [action])
            return kind
        }
        command(name, .define(.init(kinds: kinds)))
        for row in Self.rows {
            command(name, .add(.init(id: row, .init(kind: dice.pick(kinds).id))))
        }
    }

    private func send(_ name: TableID, _ verb: Request.Verb, as client: ID? = nil) {
        server.begin(nowMs: nowMs, monotonicMs: monotonicMs)
        if let client { walk.heard(client) }
        number += 1
        let request = Request(
            client: client, number: client.map { _ in number }, table: name, verb)
        server.receive(request, requestHash: number, from: 0)
        _ = server.finish()
        noteClaims()
    }

    private func noteClaims() {
        for live in server.tables.values { walk.noteClaims(live.table, nowMs: monotonicMs) }
    }

    private func command(_ name: TableID, _ verb: Command.Verb, as client: ID? = nil) {
        send(name, .command(Command(verb)), as: client)
    }

    func step() {
        let name = dice.pick(Self.names)
        let row = dice.pick(Self.rows)
        let client: ID = dice.pick(["a", "b", "c"])
        guard let table = server.tables[name]?.table else { return make(name) }
        switch dice.below(13) {
        case 0, 1: command(name, .act(.init("page", on: row)))
        case 2, 3: command(name, .take(action: nil, atMost: 1 + dice.below(3)), as: client)
        case 4: send(name, .renew, as: client)
        case 5:
            let held = table.invocations.all.first { $0.holder == client }
            guard let one = held else { return }
            let isDone = dice.chance(500)
            command(name, isDone ? .finish(one.id, .done) : .release(one.id), as: client)
        case 6: command(name, .undo(revision: nil, mine: false), as: client)
        case 7: claim(row, of: table, as: client)
        case 8:
            let isClaim = dice.chance(500)
            command(name, isClaim ? .unclaim([row], holder: nil) : .remove([row]), as: client)
        case 9:
            let claim = Claim(holder: client, ttlSeconds: dice.pick([nil, 2]))
            let carried = dice.chance(500) ? Carried(claim: claim) : nil
            command(name, .add(.init(id: row, .init(kind: "k3"), carrying: carried)))
        case 10:
            if dice.chance(30) { send(name, .drop) }
            if dice.chance(30) { nowMs += UInt64(dice.below(100_000)) }
        default: watch()
        }
        let pause = UInt64(dice.below(200))
        (monotonicMs, nowMs) = (monotonicMs + pause, nowMs + pause)
    }

    private func claim(_ row: RowID, of table: Table, as client: ID) {
        let ttl: Double? = dice.pick([nil, 1, 2, 5])
        command(table.name, .claim([row], note: "", ttlSeconds: ttl), as: client)
        if table.row(row)?.claim?.holder == client {
            walk.renewClaims(of: [row], table, nowMs: monotonicMs)
        }
    }

    private func watch() {
        let tables = server.tables.keys.sorted().compactMap { server.tables[$0]?.table }
        let before = tables.map(\.invocations.all)
        let expected = tables.map {
            walk.look(
                at: $0, nowMs: nowMs, monotonicMs: monotonicMs, timeoutMs: Self.timeoutMs)
        }
        server.begin(nowMs: nowMs, monotonicMs: monotonicMs)
        server.watchHandlers(monotonicMs: monotonicMs)
        for ((table, all), (late, lost)) in zip(zip(tables, before), expected) {
            let rest = all.filter { !late.contains($0.id) }
            #expect(table.invocations.all.map(\.id) == rest.map(\.id))
            let holders = rest.map { lost.contains($0.id) ? nil : $0.holder }
            #expect(table.invocations.all.map(\.holder) == holders)
            self.late += late.count
            self.lost += lost.count
            // What is said to who holds is of the same.
            for client in ["a", "b", "c"] as [ID] {
                let held = server.tables[table.name]?.held(by: client, of: nil) ?? []
                let mine = table.invocations.all.filter { $0.holder == client }
                #expect(held.map(\.id) == mine.map(\.id))
            }
        }
        walk.endLook(at: tables, monotonicMs: monotonicMs)
        let claimed = tables.map(\.claimedRows)
        let over = tables.map { walk.endedClaims($0, nowMs: monotonicMs) }
        server.watchEphemeral()
        for ((table, rows), over) in zip(zip(tables, claimed), over) {
            #expect(table.claimedRows == rows.subtracting(over))
            ended += over.count
        }
        _ = server.finish()
        noteClaims()
    }
}
