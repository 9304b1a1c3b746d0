import Simulation
import TableModel
import Testing

@testable import TableSync

/// The diffs of all tables together, and what is written of a table at once.
struct LogsOfAllTests {
    private static let most = 200_000
    private let codec = RegistryCodec()

    private func server() -> Server {
        let dice = Dice(5)
        return Server(
            epoch: ID128(high: 1, low: 1), limits: Limits(), codec: codec,
            retention: Retention(totalBytes: Self.most), makeID: { dice.id128() })
    }

    private static func weights(_ server: Server) -> [TableID: Int] {
        Dictionary(uniqueKeysWithValues: server.tables.map { ($0, $1.log.weight) })
    }

    @Test func allTogetherAreBounded() throws {
        let server = server()
        var records: [[Ready.Record]] = []
        var most = 0
        func send(_ table: TableID, _ verb: Request.Verb) {
            server.begin(nowMs: 1_000)
            server.receive(Request(table: table, verb), requestHash: 1, from: 0)
            records.append(codec.records(of: server.finish().entry))
            most = max(most, Self.weights(server).values.reduce(0, +))
        }
        let tables = (0..<6).map { TableID("t\($0)") }
        for (place, table) in tables.enumerated() {
            send(table, .create)
            for number in 0..<(place == 0 ? 20 : 200) {
                let row = Command.Verb.add(.init(id: ID("r\(number)"), .init()))
                send(table, .command(Command(row)))
            }
        }
        #expect(most <= Self.most)
        // Whose log is short keeps all of it, and the others lost as much as each other.
        #expect(server.tables["t0"]?.log.oldest == 0)
        let rest = tables.dropFirst().map { server.tables[$0]?.log.weight ?? 0 }
        #expect((rest.min() ?? 0) > Self.most / 10)
        for table in tables.dropFirst() {
            let oldest = server.tables[table]?.log.oldest ?? 0
            #expect(oldest > 0 && server.tables[table]?.log.digest(at: oldest) != nil)
        }
        // A daemon that reads the journal keeps no more.
        let other = self.server()
        for (place, some) in records.enumerated() {
            for record in some { try other.replay(record, position: UInt64(place + 1)) }
        }
        #expect(Self.weights(other) == Self.weights(server))
        // And one that reads a checkpoint of a daemon without that bound.
        for table in tables {
            other.tables[table]?.log = DiffLog(from: 0, digest: nil)
            let all = records.joined().compactMap { record -> EncodedChange? in
                guard case .changed(table, let diff, let inverse) = record else { return nil }
                return EncodedChange(diff: diff, inverse: inverse)
            }
            try other.restore(CheckpointPart.Log(changes: all), of: table)
            #expect(Self.weights(other).values.reduce(0, +) <= Self.most)
        }
        // Less from now on: it goes with the heartbeat.
        server.change(limits: server.limits, retention: Retention(totalBytes: 10_000))
        server.tidy(nowMs: 1_000, elapsedMs: 1_000)
        #expect(Self.weights(server).values.reduce(0, +) <= 10_000)
        server.change(limits: server.limits, retention: Retention(totalBytes: 0))
        server.tidy(nowMs: 1_000, elapsedMs: 1_000)
        #expect(Self.weights(server).values.allSatisfy { $0 == 0 })
    }

    @Test func theHeaviestComeDownToALevel() {
        #expect(LiveTables.level([1, 2, 3], holding: 6) == 3)
        #expect(LiveTables.level([1, 2, 30], holding: 13) == 10)
        #expect(LiveTables.level([1, 20, 30], holding: 13) == 6)
        #expect(LiveTables.level([5, 5, 5], holding: 0) == 0)
        #expect(LiveTables.level([], holding: 10) == 0)
    }

    /// A piece is written at once, and others wait for so long.
    @Test func piecesAreBoundedByWeight() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        func apply(_ op: Op) throws {
            try table.applyUnchecked(
                Diff(
                    base: table.revision, digest: 0, cause: Cause(verb: "test", timeMs: 1),
                    ops: [op]))
        }
        try apply(.insertSection("main", title: "", after: nil))
        for number in 0..<300 {
            let title = String(repeating: "x", count: number == 150 ? 600_000 : 20_000)
            let row = Row(id: ID("r\(number)"), content: .init(title: title))
            try apply(.insert(row, .top("main")))
        }
        // Each has the row as it was pressed.
        for number in 0..<100 {
            table.restore(
                Invocation(
                    id: .init(revision: 7, index: number), row: "r0", action: "a", pressedMs: 1,
                    deadlineSeconds: 60, pressed: table.row("r0")))
        }
        var rows = 0
        var invocations = 0
        for piece in table.captured() {
            if case .whole(.invocations(let some)) = piece {
                invocations += some.count
                #expect(some.reduce(0) { $0 + $1.weight } <= CapturedPiece.mostWeight)
            }
            guard case .rows(let runs) = piece else { continue }
            let some = runs.flatMap(\.rows)
            rows += some.count
            let weight = some.reduce(0) { $0 + $1.weight }
            #expect(weight <= CapturedPiece.mostWeight || some.count == 1)
        }
        #expect(rows == 300 && invocations == 100)
        let small = CapturedPiece.neighbours(Array(repeating: 1, count: 20), most: 8)
        #expect(small == [0..<8, 8..<16, 16..<20])
    }
}
