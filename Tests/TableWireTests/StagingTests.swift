import TableDecisions
import TableModel
import TableSync
import TableWire
import Testing

/// Parts of a backup as bytes that somebody chose.
@Suite("StagedTables")
struct StagingTests {
    /// What is taken of these parts, if they make tables.
    private static func tables(_ parts: [[UInt8]]) throws(Rejection) -> [Table] {
        let staging = StagedTables(codec: WireCodec())
        for part in parts { try staging.add(part, within: Limits()) }
        try staging.finish(within: Limits())
        return staging.tables
    }

    private static func table() throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var kind = Kind("ticket")
        var page = Action("page")
        page.effects = [.invoke(deadlineSeconds: 30, then: [])]
        kind.trailing = ActionGroup(actions: [page])
        var verbs: [Command.Verb] = [.define(.init(kinds: [kind]))]
        for number in 0..<20 {
            let content = Row.Content(kind: "ticket", title: "☕", fields: [.init("n", "\(number)")])
            verbs.append(.add(.init(id: ID("r\(number)"), content, section: ID("s\(number / 7)"))))
        }
        verbs += [.act(.init("page", on: "r3")), .claim(["r4"], note: "n", ttlSeconds: 5)]
        for verb in verbs {
            let plan = try reduce(
                Command(verb), on: table, limits: Limits(), nowMs: 5, client: "c"
            ).get()
            _ = table.apply(plan, cause: Cause(verb: "test", timeMs: 5))
        }
        return table
    }

    @Test func aTableComesBackAsItWas() throws {
        let table = try Self.table()
        let parts = table.captured().map { WireCodec().encode($0.part) }
        let restored = try Self.tables(parts + [WireCodec().encode(Self.other)])
        #expect(restored.map(\.name) == ["t", "other"])
        #expect(restored[0].digest == table.digest && restored[0].rows == table.rows)
        #expect(restored[0].fault() == nil && restored[0].revision == table.revision)
    }

    /// An empty table.
    private static var other: CheckpointPart {
        let table = Table(name: "other", history: ID128(high: 3, low: 4))
        return table.captured()[0].part
    }

    /// Whatever the bytes: a named refusal, or tables in which nothing is wrong.
    @Test func damagedPartsAreRefusedOrSound() throws {
        let parts = try Self.table().captured().map { WireCodec().encode($0.part) }
        var generator = Generator(seed: 0x7265_7374)
        var refused = 0
        for _ in 0..<4_000 {
            var damaged = parts
            for _ in 0...generator.below(3) {
                let part = generator.below(damaged.count)
                guard !damaged[part].isEmpty else { continue }
                let place = generator.below(damaged[part].count)
                switch generator.below(3) {
                case 0: damaged[part][place] ^= 1 << UInt8(generator.below(8))
                case 1: damaged[part].removeSubrange(place..<min(place + 9, damaged[part].count))
                default: damaged[part].insert(UInt8(generator.below(256)), at: place)
                }
            }
            do throws(Rejection) {
                for table in try Self.tables(damaged) { #expect(table.fault() == nil) }
            } catch {
                #expect(!error.message.isEmpty)
                refused += 1
            }
        }
        #expect(refused > 3_000)
    }

    @Test func partsThatNoBackupHasAreRefused() throws {
        let codec = WireCodec()
        let start = codec.encode(Self.other)
        let cases: [([[UInt8]], Rejection.Code)] = [
            ([codec.encode(.rows([]))], .badBackup),
            ([codec.encode(.kinds([]))], .badBackup),
            ([start, codec.encode(.sessions([], evictedTo: 0, of: .unknown))], .malformed),
            ([start, codec.encode(.removed([]))], .malformed),
            ([start, codec.encode(.log(.init()))], .malformed),
            ([start, []], .malformed),
            ([start, [255, 255, 255]], .malformed),
            ([start, start], .duplicate),
        ]
        for (parts, code) in cases {
            #expect { try Self.tables(parts) } throws: { ($0 as? Rejection)?.code == code }
        }
    }

    @Test func whatIsStagedIsBounded() throws {
        var limits = Limits()
        limits.restoreBytes = 5_000
        let staging = StagedTables(codec: WireCodec())
        #expect {
            for piece in try Self.table().captured() {
                try staging.add(WireCodec().encode(piece.part), within: limits)
            }
        } throws: { ($0 as? Rejection)?.code == .tooLarge }
        limits = Limits()
        limits.tables = 1
        let second = StagedTables(codec: WireCodec())
        #expect {
            try second.add(WireCodec().encode(Self.other), within: limits)
            let more = Table(name: "more", history: ID128(high: 3, low: 4))
            try second.add(WireCodec().encode(more.captured()[0].part), within: limits)
        } throws: { ($0 as? Rejection)?.code == .tooLarge }
    }
}
