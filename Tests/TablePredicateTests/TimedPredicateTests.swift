import Foundation
import SeededNumbers
import TableDecisions
import TableModel
import TablePredicate
import Testing

struct TimedPredicateTests {
    /// A table at a moment, from the file of vectors.
    struct Vectors: Decodable, Sendable {
        struct Given: Decodable, Sendable {
            struct Ages: Decodable, Sendable {
                var warn, late: UInt64?
                var `in`: [String]?
                var since: String?
            }
            struct Claimed: Decodable, Sendable { var holder: String }
            struct Asleep: Decodable, Sendable { var untilMs: UInt64 }
            struct Kind: Decodable, Sendable {
                var id: String
                var ages: Ages
            }
            var id, kind, section: String
            var createdMs: UInt64
            var movedMs: UInt64?
            var claim: Claimed?
            var sleep: Asleep?
            var fields: [String: String]?
        }
        var nowMs: UInt64
        var zoneSeconds: Int
        var kinds: [Given.Kind]
        var rows: [Given]
        var `true`, `false`: [String]
        var `where`: [PredicateTests.Vectors.Where]
    }

    static let vectors = PredicateTests.vectors.timed
    static let clock = PredicateClock(nowMs: vectors.nowMs, zoneSeconds: vectors.zoneSeconds)

    static func table() throws -> Table {
        let table = Table(name: "t", history: ID128(high: 0, low: 0))
        try apply(.define(Command.Definitions(kinds: vectors.kinds.map(kind))), table)
        for row in vectors.rows {
            let content = Row.Content(
                kind: ID(row.kind), title: row.id,
                fields: (row.fields ?? [:]).map { Row.Field(ID($0.key), $0.value) })
            let carried = Carried(
                createdMs: row.createdMs, movedMs: row.movedMs ?? 0,
                claim: row.claim.map { Claim(holder: ID($0.holder)) },
                sleep: row.sleep.map { Row.Sleep(untilMs: $0.untilMs) })
            try apply(
                .add(
                    Command.Add(
                        id: ID(row.id), content, section: ID(row.section), carrying: carried)),
                table)
        }
        return table
    }

    private static func kind(_ given: Vectors.Given.Kind) -> Kind {
        var ages = Kind.Ages(warnSeconds: given.ages.warn, lateSeconds: given.ages.late)
        ages.sections = (given.ages.in ?? []).map { ID($0) }
        ages.since = given.ages.since.flatMap { Kind.Ages.Since(rawValue: $0) } ?? .made
        var kind = Kind(ID(given.id))
        kind.ages = ages
        return kind
    }

    private static func apply(_ verb: Command.Verb, _ table: Table) throws {
        let plan = try reduce(
            Command(verb), on: table, limits: Limits(), nowMs: vectors.nowMs
        ).get()
        _ = table.apply(plan, cause: Cause(verb: "test"))
    }

    @Test(arguments: vectors.true) func isTrue(_ text: String) throws {
        #expect(try Predicate(text).holds(for: Self.table(), at: Self.clock))
    }

    @Test(arguments: vectors.false) func isFalse(_ text: String) throws {
        #expect(try !Predicate(text).holds(for: Self.table(), at: Self.clock))
    }

    @Test(arguments: vectors.where) func isTrueOfRows(_ one: PredicateTests.Vectors.Where) throws {
        let (table, predicate) = (try Self.table(), try RowPredicate(one.where))
        let rows = Self.vectors.rows.map(\.id).filter {
            predicate.holds(for: ID($0), in: table, at: Self.clock)
        }
        #expect(rows == one.rows)
        #expect(predicate.outlook(in: table, at: Self.clock).rows == Set(one.rows.map { ID($0) }))
    }

    @Test func knowsWhetherTimesAreNamed() throws {
        for text in ["now > 1", "any(rows where late)", "row(\"a\").since > 1m"] {
            #expect(try Predicate(text).isTimed)
        }
        for text in ["any(rows where claimed)", "count(rows where field.late == 10m) > 1"] {
            #expect(try !Predicate(text).isTimed)
        }
    }

    /// The moments at which the answer changes, exactly.
    @Test(arguments: [
        ("any(rows where age > 10m)", "d", 0 as UInt64?),
        ("row(\"b\").late", nil, 1),
        ("row(\"b\").age > 10m", nil, 1_001),
        ("row(\"e\").age >= 1s and row(\"e\").title == \"e\"", nil, 600_000),
        ("row(\"e\").age >= 1s and row(\"e\").title == \"x\"", nil, nil),
        ("now >= \"13:30\"", nil, 1_800_000),
        ("now < \"13:30\"", nil, 1_800_000),
        ("now <= \"13:30\"", nil, 1_800_001),
        ("\"13:30\" < now", nil, 1_800_001),
        ("now < \"12:30\"", nil, 39_600_000),
        ("row(\"a\").createdMs < \"13:00\"", nil, 39_600_000),
        ("count(rows) == 5", nil, nil),
    ])
    func saysWhenToLookAgain(_ text: String, _ row: String?, _ inMs: UInt64?) throws {
        let (table, predicate) = (try Self.table(), try Predicate(text))
        let outlook = predicate.outlook(for: table, at: Self.clock)
        #expect(outlook.holds == predicate.holds(for: table, at: Self.clock))
        guard row == nil else { return #expect(outlook.untilMs == nil, "a row stays as old") }
        let next = inMs.map { Self.clock.nowMs + $0 }
        #expect(outlook.untilMs == next)
        guard let next, inMs != 39_600_000 else { return }
        func holds(_ nowMs: UInt64) -> Bool {
            let clock = PredicateClock(nowMs: nowMs, zoneSeconds: Self.clock.zoneSeconds)
            return predicate.holds(for: table, at: clock)
        }
        #expect(holds(next - 1) == outlook.holds && holds(next) != outlook.holds)
    }

    /// 10,000 random conditions at random times: no answer changes before the moment that was told.
    @Test func noAnswerChangesEarlier() throws {
        var random = SplitMix64(seed: 52)
        let table = try Self.table()
        var (changes, moments) = (0, 0)
        for _ in 0..<10_000 {
            let text = Self.condition(depth: 3, &random)
            let predicate = try Predicate(text)
            let offset = Int64(random.below(12_000_000) - 8_000_000)
            let nowMs = UInt64(Int64(Self.clock.nowMs) + offset)
            func holds(_ timeMs: UInt64) -> Bool {
                predicate.holds(
                    for: table,
                    at: PredicateClock(nowMs: timeMs, zoneSeconds: Self.clock.zoneSeconds))
            }
            let outlook = predicate.outlook(
                for: table, at: PredicateClock(nowMs: nowMs, zoneSeconds: Self.clock.zoneSeconds))
            #expect(outlook.holds == holds(nowMs), "\(text)")
            if let next = outlook.untilMs {
                moments += 1
                #expect(next > nowMs, "\(text)")
                if holds(next) != outlook.holds { changes += 1 }
            }
            let end = outlook.untilMs ?? nowMs + 90_000_000
            for _ in 0..<20 {
                let span = min(random.pick([1, 1_000, 60_000, end - nowMs]), end - nowMs)
                let later = nowMs + UInt64(random.below(Int(max(1, span))))
                if holds(later) != outlook.holds {
                    Issue.record("\(text) at \(nowMs): other at \(later), said \(end)")
                }
            }
            if end > nowMs + 1, holds(end - 1) != outlook.holds {
                Issue.record("\(text) at \(nowMs): other before \(end)")
            }
        }
        #expect(changes > 500 && moments > 2_000, "\(changes) of \(moments)")
    }

    private static func condition(depth: Int, _ random: inout SplitMix64) -> String {
        guard depth > 0, random.below(10) < 7 else { return comparison(&random) }
        let (a, b) = (condition(depth: depth - 1, &random), condition(depth: depth - 1, &random))
        switch random.below(6) {
        case 0: return "not (\(a))"
        case 1: return "(\(a)) and (\(b))"
        case 2: return "(\(a)) or (\(b))"
        case 3: return "any(rows where \(comparison(&random, inRow: true)))"
        case 4:
            return "all(rows where not (\(comparison(&random, inRow: true)) and late))"
        default: return "count(rows where \(comparison(&random, inRow: true))) > 2"
        }
    }

    private static func comparison(_ random: inout SplitMix64, inRow: Bool = false) -> String {
        let row = random.pick(["a", "b", "c", "d", "e"])
        let place = inRow ? "" : "row(\"\(row)\")."
        let name = random.pick(
            ["age", "since", "createdMs", "movedMs", "late", "claimed", "field.due", "index"])
        let left = random.once(in: 5) ? "now" : place + name
        if name == "late" || name == "claimed", left != "now" { return left }
        let sign = random.pick(["==", "!=", "<", "<=", ">", ">=", "~"])
        let right = random.pick([
            "10m", "\(random.below(8_000))", "1.5", "\"13:30\"", "\"11:00\"",
            place + "since", "none", "\"x\"", "now", "\(vectors.nowMs)", place + "field.due",
        ])
        return random.once(in: 3) ? "\(right) \(sign) \(left)" : "\(left) \(sign) \(right)"
    }
}
