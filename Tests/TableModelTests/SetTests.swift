import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Most changes of a row's texts are decided without making its content. What is decided so is what the
/// content would say.
struct SetTests {
    private func texts(_ random: inout SplitMix64) -> String {
        [
            "", "a", "ab", "seven b", "eight by", "nine byte", "é", "e\u{301}", "a\u{0}b",
            String(repeating: "long ", count: 5),
        ][random.below(10)]
    }

    private func key(_ random: inout SplitMix64) -> ID {
        ["a", "b", "note", "K", "\u{212a}", "é", "e\u{301}"][random.below(7)]
    }

    private func fields(_ random: inout SplitMix64, _ most: Int) -> [Row.Field] {
        (0..<random.below(most + 1)).map { _ in Row.Field(key(&random), texts(&random)) }
    }

    @Test func plainChangesAreWhatTheContentSays() throws {
        var random = SplitMix64(seed: 12)
        var (plain, other) = (0, 0)
        for _ in 0..<20_000 {
            let table = Table(name: "t", history: ID128(high: 0, low: 1))
            try table.appendSection("main", title: "")
            var content = Row.Content(title: texts(&random), fields: fields(&random, 4))
            if random.below(8) == 0 { content.states = [.collapsed] }
            var limits = Limits()
            if random.below(2) == 0 { limits.titleBytes = random.below(12) }
            if random.below(2) == 0 { limits.fields = 1 + random.below(4) }
            if random.below(2) == 0 { limits.rowBytes = random.below(60) }
            let decision = Decision(
                table: table, limits: limits, context: DecisionContext(nowMs: 1), suffix: nil)
            // As all rows are: nothing comes into a table that was not checked, perhaps less strictly.
            let loose = Decision(
                table: table, limits: Limits(), context: DecisionContext(nowMs: 1), suffix: nil)
            guard (try? loose.checkContent(content)) != nil else { continue }
            let row = Row(id: "r", content: content, swipe: random.below(4) == 0 ? .leading : nil)
            try table.appendRow(row, to: "main")
            let changes = Command.Changes(
                title: random.below(2) == 0 ? texts(&random) : nil,
                kind: random.below(20) == 0 ? .plainKind : nil, fields: fields(&random, 3),
                unset: random.below(3) == 0 ? [key(&random), key(&random)] : [],
                states: random.below(20) == 0 ? [.collapsed] : nil)
            guard changes.arePlain(on: row.content, within: SharedLimits(limits)) else {
                other += 1
                continue
            }
            plain += 1
            let whole = Result { () throws(Rejection) in try decision.set(row, changes) }
            try #require(
                whole == .success(Plan([.set("r", changes)], rows: ["r"])), "\(content) \(changes)")
        }
        #expect(plain > 1_000 && other > 1_000)
    }

    /// One field is put between the others as they are packed: it is the content that is made of all fields.
    @Test func oneFieldComesBetweenTheOthers() {
        var random = SplitMix64(seed: 13)
        for _ in 0..<2_000 {
            // From 128 on their number takes two bytes.
            let count = random.below(20) == 0 ? 126 + random.below(4) : random.below(5)
            let old = (0..<count).map { Row.Field(ID("k\(2 * $0)"), texts(&random)) }
            let content = Row.Content(kind: random.pick(["row", "k"]), title: "t", fields: old)
            let key = random.pick([ID("k\(random.below(2 * count + 3))"), "", "z", "k"])
            let title = random.below(2) == 0 ? texts(&random) : nil
            let field = Row.Field(key, texts(&random))
            let changed = Command.Changes(title: title, fields: [field]).applied(to: content)
            let whole = Row.Content(
                kind: content.kind, title: title ?? "t",
                fields: old.filter { $0.key != key } + [field])
            #expect(changed == whole)
            #expect(changed.fields == whole.fields)
        }
    }

    /// Bytes are compared and searched eight at a time.
    @Test func bytesEightAtATime() {
        for count in 0..<40 {
            for place in 0..<count {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 1) | 1 }
                for value: UInt8 in [0, 1, 0x80, 0xff] {
                    var other = bytes
                    other[place] = value
                    bytes.withUnsafeBytes { one in
                        other.withUnsafeBytes { two in
                            #expect(one.hasSameBytes(as: two) == (bytes == other))
                            #expect(two.hasNUL == other.contains(0))
                        }
                    }
                }
            }
        }
    }
}
