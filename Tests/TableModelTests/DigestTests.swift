import TableHash
import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// The digest: vectors for other languages, and that it covers everything. The specification is in
/// docs/PROTOCOL.md, "Digest".
struct DigestTests {
    // MARK: Vectors, from the inside out

    /// Length 1 as 8 bytes, `a`; …; no fields; 5 as 8 bytes; `collapsed`; `closed`.
    @Test func canonicalFormOfARow() {
        var writer = Canonical()
        for text in ["a", "row", "é"] { writer.text(text) }
        writer.number(1)
        for text in ["k", "v"] { writer.text(text) }
        writer.number(5)
        for text in ["80", "leading"] { writer.text(text) }
        let hex = writer.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let expected = [
            "0100000000000000", "61", "0300000000000000", "726f77", "0200000000000000", "c3a9",
            "0100000000000000", "0100000000000000", "6b", "0100000000000000", "76",
            "0500000000000000", "0200000000000000", "3830", "0700000000000000", "6c656164696e67",
        ]
        #expect(hex.joined() == expected.joined())
        let row = Row(
            id: "a", content: .init(title: "é", fields: [.init("k", "v")]), version: 9,
            createdMs: 5, expansion: .height(80), swipe: .leading)
        #expect(row.hash == writer.hash)
        #expect(row.hash.lowerHex == "a4601440137881ee")
    }

    /// A row with states of its own: behind everything else come the length 6 and `states`, 2,
    /// the length 9 and `collapsed`, 0 (no height), the length 3 and `low`, 1, and 30 as a double
    /// (0x403E000000000000).
    @Test func canonicalFormOfOwnStates() {
        var writer = Canonical()
        for text in ["a", "row", ""] { writer.text(text) }
        for number in [0, 5] as [UInt64] { writer.number(number) }
        for text in ["collapsed", "closed", "states"] { writer.text(text) }
        writer.number(2)
        writer.text("collapsed")
        writer.number(0)
        writer.text("low")
        writer.number(1)
        writer.number(0x403E_0000_0000_0000)
        let states: [Kind.State] = [.collapsed, .named("low", heightPoints: 30)]
        #expect(Row(id: "a", content: .init(states: states), createdMs: 5).hash == writer.hash)
        #expect(Row(id: "a", content: .init(states: []), createdMs: 5).hash != writer.hash)
    }

    /// A selected row: behind everything else come the length 8 and `selected`, and 0 for the row
    /// itself, or 1, the length 4 and `soup` for that item.
    @Test func canonicalFormOfASelection() {
        for item in [nil, "soup"] as [ID?] {
            var writer = Canonical()
            for text in ["a", "row", ""] { writer.text(text) }
            for number in [0, 5] as [UInt64] { writer.number(number) }
            for text in ["collapsed", "closed", "selected"] { writer.text(text) }
            writer.optional(item?.text)
            let row = Row(id: "a", content: .init(), createdMs: 5)
            #expect(row.with(selection: Row.Selection(item: item)).hash == writer.hash)
        }
        var settings = Settings()
        settings.selection = .none
        #expect(settings.hash.lowerHex == "f33a72af52251878")
        settings.selection = .shared
        #expect(settings.hash != Settings().hash)
    }

    /// A row with an item that has a kind, on which an action was performed: behind
    /// everything else, what is at which index of the items and of the performed actions.
    @Test func canonicalFormOfItemKinds() {
        var writer = Canonical()
        for text in ["a", "row", ""] { writer.text(text) }
        for number in [0, 5] as [UInt64] { writer.number(number) }
        for text in ["collapsed", "closed", "performed"] { writer.text(text) }
        writer.number(2)
        for text in ["page", "done", "cut", "failed", "no", "items"] { writer.text(text) }
        writer.number(2)
        for id in ["i", "j"] {
            for text in [id, ""] { writer.text(text) }
            for number in [0, 0] as [UInt64] { writer.number(number) }
        }
        let before = writer.hash
        writer.text("item kinds")
        for number in [1, 1] as [UInt64] { writer.number(number) }
        for text in ["dish", "performed on items"] { writer.text(text) }
        for number in [1, 1] as [UInt64] { writer.number(number) }
        writer.text("j")
        func hash(_ kind: ID?, _ item: ID?) -> UInt64 {
            let performed = [
                Performance("page", .done), Performance("cut", on: item, .failed("no")),
            ]
            return Row(
                id: "a", content: .init(items: [Item("i"), Item("j", kind: kind)]), createdMs: 5,
                performed: performed
            ).hash
        }
        #expect(hash("dish", "j") == writer.hash)
        #expect(hash(nil, nil) == before)
        #expect(hash(nil, "j") != hash("dish", nil))
    }

    /// Each byte in each place of 16 digits: only 0 to 9 and a to f are digits.
    @Test func digitsAreReadAsTheyAreWritten() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<16 {
                var digits = Array("0123456789abcdef".utf8)
                digits[place] = byte
                let read = digits.withUnsafeBytes { UInt64(lowerHex: $0) }
                let isDigit = (48...57).contains(byte) || (97...102).contains(byte)
                #expect(read?.lowerHex == (isDigit ? String(decoding: digits, as: UTF8.self) : nil))
            }
        }
        #expect(ID128(String(repeating: "f", count: 31)) == nil)
        #expect(ID128(String(repeating: "f", count: 32))?.low == .max)
    }

    @Test func hashes() {
        #expect(XXH64.hash([]).lowerHex == "ef46db3751d8e999")
        #expect(XXH64.hash(Array("a".utf8)).lowerHex == "d24ec4f1a98c6e5b")
        #expect(XXH64.hash(Array("abc".utf8)).lowerHex == "44bc2cf5ad770999")
        let long = Array("0123456789".utf8) + Array("abcdefghijklmnopqrstuvwxyz".utf8)
        #expect(XXH64.hash(long).lowerHex == "69196c1b3af0bff9")
        var dice = SplitMix64(seed: 1)
        for _ in 0..<100 {
            let numbers = [dice.next(), dice.next() >> 40, dice.next()]
            let bytes = numbers.flatMap { withUnsafeBytes(of: $0.littleEndian) { Array($0) } }
            #expect(XXH64.hash(numbers[0], numbers[1], numbers[2]) == XXH64.hash(bytes))
        }
    }

    @Test func sequences() {
        func value(_ hashes: [UInt64]) -> UInt64 {
            hashes.reduce(into: SequenceDigest.empty) {
                $0.append(SequenceDigest(hash: $1))
            }.value
        }
        #expect(value([]) == 0)
        #expect(value([1]) == 1)
        #expect(value([1, 0]) == 0x13C6_EF37_2FE9_4F82)
        // x and x + p are one number.
        #expect(value([.max]) == 7)
        #expect(value([1, 2, 3]).lowerHex == "1e8b54e6bf3ecd88")
        let many = (0..<1_000).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
        #expect(value(many) == naivePolynomial(many))
        #expect(value(many).lowerHex == "101f1e746ed50756")
        for middle in [0, 1, 500, 999, 1_000] {
            var left = SequenceDigest.empty
            for hash in many[..<middle] { left.append(SequenceDigest(hash: hash)) }
            var right = SequenceDigest.empty
            for hash in many[middle...] { right.append(SequenceDigest(hash: hash)) }
            left.append(right)
            #expect(left.value == value(many) && left.count == 1_000)
        }
    }

    @Test func tables() throws {
        let empty = Table(name: "any name", history: ID128(high: 1, low: 2))
        #expect(Kind(.plainKind).hash.lowerHex == "561a9447a7952773")
        #expect(Settings().hash.lowerHex == "f33a72af52251878")
        #expect(empty.digest.lowerHex == "14d24eb6952b1359")
        let table = try Self.table()
        #expect(table.digest.lowerHex == "3ff6419dcb55aa98")
    }

    /// Two sections, three rows.
    private static func table() throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        try table.appendSection("main", title: "Main")
        try table.appendSection("b", title: "")
        let rows: [(Row, SectionID)] = [
            (Row(id: "a", content: .init(title: "first"), createdMs: 1), "main"),
            (
                Row(
                    id: "e\u{301}",
                    content: .init(title: "🐘", fields: [.init("z", "1"), .init("k", "2")]),
                    version: 4, createdMs: 2, expansion: .expanded, swipe: .trailing), "main"
            ),
            (Row(id: "c", content: .init(), createdMs: 3, expansion: .height(80.5)), "b"),
        ]
        for (row, section) in rows { try table.appendRow(row, to: section) }
        return table
    }

    // MARK: Nothing escapes

    @Test func anySingleChangeOfContentIsSeen() throws {
        let before = try Self.table().digest
        let decomposed = "e\u{301}"
        var settings: [Settings] = []
        settings.append(Settings())
        settings[0].swipePolicy = .multiple
        settings.append(Settings())
        settings[1].swipeScope = .viewer
        settings.append(Settings())
        settings[2].expandPolicy = .accordionTable
        settings.append(Settings())
        settings[3].expandScope = .viewer
        for key in Motion.Key.allCases {
            for value in [0.25, 0.75] {
                settings.append(Settings())
                settings[settings.count - 1].motion[key] = value
            }
        }
        for face in [Face(.text("x")), Face(.text("y"))] {
            for name: ID in ["a", "b"] {
                settings.append(Settings())
                settings[settings.count - 1].faces = [name: face]
            }
        }
        var steps: [Op] = settings.map { .define(.init(settings: $0)) }
        steps += [
            .set("a", .init(title: "First")), .set("a", .init(title: "first\0")),
            .set("a", .init(kind: "other")), .set("a", .init(fields: [.init("f", "")])),
            .set(ID(decomposed), .init(unset: ["k"])),
            .set(ID(decomposed), .init(fields: [.init("k", "3")])),
            .swipe("a", .leading), .swipe(ID(decomposed), .leading), .swipe(ID(decomposed), nil),
            .expand("a", .expanded), .expand("c", .height(80.25)), .expand("c", .named("x")),
            .swap("a", "c"), .swap("a", ID(decomposed)), .move(["a"], .top("b")),
            .move([ID(decomposed)], .top("b")), .remove("a"),
            .insert(Row(id: "n", content: .init()), .top("b")),
            .setSection("main", title: "main"), .setSection("b", title: "b"),
            .insertSection("n", title: "", after: nil), .insertSection("n", title: "", after: "b"),
            .define(.init(kinds: [Kind("n")])), .define(.init(dropped: ["row"])),
        ]
        var seen: [UInt64: String] = [before: "nothing"]
        for step in steps {
            let table = try Self.table()
            try table.apply(step, at: Moment(revision: 1, timeMs: 0))
            let other = seen.updateValue("\(step)", forKey: table.digest)
            #expect(other == nil, "\(step) is as \(other ?? "")")
        }
        // A row's other id, time and normalisation.
        for row in [
            Row(id: "é", content: .init(title: "x")),
            Row(id: "e\u{301}", content: .init(title: "x")),
            Row(id: "x", content: .init(title: "é")),
            Row(id: "x", content: .init(title: "e\u{301}")),
            Row(id: "x", content: .init(title: "é"), createdMs: 1),
        ] {
            #expect(seen.updateValue("\(row.id)", forKey: row.hash) == nil)
        }
        // Each selection of it changes the digest.
        for selection: Row.Selection in [.row, .item("a"), .item("b"), .item("")] {
            let row = Row(id: "x", content: .init()).with(selection: selection)
            #expect(seen.updateValue("\(selection)", forKey: row.hash) == nil)
        }
        // States of its own: which, in what order, and how high.
        for states: [Kind.State] in [
            [.collapsed], [.collapsed, .expanded], [.expanded, .collapsed],
            [.named("b", heightPoints: 1)], [.named("b", heightPoints: 2)],
        ] {
            let row = Row(id: "x", content: .init(states: states))
            #expect(seen.updateValue("\(states)", forKey: row.hash) == nil)
        }
        // The version alone is not content: it follows from the history of the rest.
        #expect(
            Row(id: "x", content: .init(), version: 1).hash
                == Row(id: "x", content: .init(), version: 2).hash)
    }

    @Test func anySingleChangeOfAKindIsSeen() {
        var kinds = Self.changedKinds
        var group = ActionGroup(actions: [Action("go")])
        kinds.append(Self.kind { $0.leading = group })
        kinds.append(Self.kind { $0.trailing = group })
        let changes: [(inout ActionGroup) -> Void] = [
            { $0.hasFullSwipe = true }, { $0.background = "red" }, { $0.gapPoints = 0 },
            { $0.gapPoints = 8 }, { $0.isCompatible = true },
        ]
        for change in changes {
            change(&group)
            kinds.append(Self.kind { $0.leading = group })
        }
        for change in Self.changedActions {
            var action = Action("go")
            change(&action)
            kinds.append(Self.kind { $0.leading = ActionGroup(actions: [action]) })
        }
        #expect(Set(kinds.map(\.hash)).count == kinds.count)
        for (index, kind) in kinds.enumerated() {
            #expect(kinds.firstIndex(of: kind) == index)
        }
        // Zero is zero.
        let zero = Self.kind { $0.margins.text = 0 }
        let minus = Self.kind { $0.margins.text = -0.0 }
        #expect(zero == minus && zero.hash == minus.hash)
    }

    static func kind(_ change: (inout Kind) -> Void) -> Kind { changed(Kind("k"), change) }

    private static func changed<T>(_ value: T, _ change: (inout T) -> Void) -> T {
        var value = value
        change(&value)
        return value
    }

    private static var changedKinds: [Kind] {
        let large = UInt64(1) << 60
        return [
            Kind("k"), Kind("l"), kind { $0.heightPoints = 61 }, kind { $0.layout = .manual },
            kind { $0.margins.text = 1 }, kind { $0.margins.bottom = 1 },
            kind { $0.states = [.collapsed] }, kind { $0.states.reverse() },
            kind { $0.states = [.collapsed, .named("b", heightPoints: 1)] },
            kind { $0.states = [.collapsed, .named("b", heightPoints: 2)] },
            kind { $0.initial = .expanded }, kind { $0.isStrip = true },
            kind { $0.canMove = false }, kind { $0.canDelete = false },
            kind { $0.isPinned = true }, kind { $0.ages = .init() },
            kind { $0.ages = .init(warnSeconds: 0) }, kind { $0.ages = .init(lateSeconds: 0) },
            kind { $0.ages = .init(warnSeconds: large) },
            kind { $0.ages = .init(warnSeconds: large + 1) },
            kind { $0.tap = [.remove] }, kind { $0.tap = [.toggle] },
            kind { $0.tap = [.move(section: nil, .top)] },
            kind { $0.tap = [.move(section: "s", .top)] },
            kind { $0.tap = [.move(section: nil, .before("a"))] },
            kind { $0.tap = [.move(section: nil, .after("a"))] },
            kind { $0.tap = [.set([.init("a", "b")])] }, kind { $0.tap = [.expand(.expanded)] },
            kind { $0.tap = [.invoke(deadlineSeconds: 1, then: [])] },
            kind { $0.tap = [.invoke(deadlineSeconds: 1, then: [.remove])] },
            kind { $0.tap = [.invoke(deadlineSeconds: 1, then: [], retries: .init(attempts: 1))] },
            kind { $0.tap = [.invoke(deadlineSeconds: 1, then: [], retries: .init(attempts: 2))] },
            kind {
                let retries = Retries(otherwise: [.remove])
                $0.tap = [.invoke(deadlineSeconds: 1, then: [], retries: retries)]
            },
            kind { $0.tap = [.fill([.init("a", "b")])] },
            kind { $0.tap = [.increment([.init("a", by: 1)])] },
            kind { $0.tap = [.increment([.init("a", by: -1)])] },
            kind { $0.tapRepeats = true },
            kind { $0.appearances[.expanded] = .init() },
            kind { $0.appearances[.expanded] = .init(background: "red") },
            kind { $0.appearances[.expanded] = .init(tint: "red") },
            kind { $0.appearances[.expanded] = .init(alpha: 0) },
            kind { $0.appearances[.expanded] = .init(alpha: 1) },
            kind { $0.appearances[.collapsed] = .init(background: "red") },
            kind { $0.spacingPoints = 0 }, kind { $0.spacingPoints = 4 },
            kind { $0.editingStyle = .insert }, kind { $0.editingStyle = .none },
            kind { $0.page = .item }, kind { $0.page = .width },
            kind { $0.itemKinds["a"] = .init() }, kind { $0.itemKinds["b"] = .init() },
        ] + changedItemKinds + changedFaces
    }

    private static var changedItemKinds: [Kind] {
        let changes: [(inout ItemKind) -> Void] = [
            { $0.width = .points(1) }, { $0.width = .points(2) }, { $0.heightPoints = 1 },
            { $0.layout = .auto }, { $0.fields = [] }, { $0.fields = ["a"] },
            { $0.fields = ["a", "b"] }, { $0.badge = "a" }, { $0.badge = "b" },
            { $0.tap = [.removeItem] }, { $0.tap = [.setItem([.init("a", "b")])] },
            { $0.tap = [.snooze(milliseconds: 1, isToTop: false)] },
            { $0.tap = [.snooze(milliseconds: 1, isToTop: true)] },
            { $0.tap = [.set([.init("a", "b")])] }, { $0.menu = [Action("go")] },
            { $0.menu = [Action("go"), Action("stop")] }, { $0.tapRepeats = true },
        ]
        return changes.map { change in
            kind {
                var itemKind = ItemKind()
                change(&itemKind)
                $0.itemKinds["a"] = itemKind
            }
        }
    }

    private static var changedActions: [(inout Action) -> Void] {
        [
            { $0.id = "stop" }, { $0.title = "é" }, { $0.title = "e\u{301}" },
            { $0.role = .destructive }, { $0.icon = "x" }, { $0.background = "x" },
            { $0.foreground = "x" }, { $0.look.style = .standard }, { $0.look.style = .custom },
            { $0.look.width = .intrinsic }, { $0.look.width = .points(2) },
            { $0.look.spacingPoints = 2 },
            { $0.look.insets = .init(top: 1, left: 0, bottom: 0, right: 0) },
            { $0.look.insets = .init(top: 0, left: 1, bottom: 0, right: 0) },
            { $0.hidesWhenSelected = false }, { $0.asksToConfirm = true },
            { $0.repeats = true }, { $0.guarded = .init(when: "late") },
            { $0.guarded = .init(when: "late", unless: "") },
            { $0.guarded = .init(when: "claimed") },
            { $0.effects = [.unset(["a"])] }, { $0.effects = [.unset(["a", "b"])] },
            { $0.effects = [.kind("a")] }, { $0.effects = [.moveBack] },
            { $0.effects = [.group([.remove])] }, { $0.effects = [.group([.moveBack])] },
            { $0.effects = [.remove] }, { $0.face = Face(.icon("x")) },
            { $0.face = Face(.text("x")) }, { $0.face = Face(.spacer(3)) },
            { $0.face = Face(.vertical([])) }, { $0.face = Face(.horizontal([])) },
            { $0.face = Face(.vertical([Face(.icon("x"))])) },
            { $0.face = Face(.image(FaceImage(.path("M1 1")))) },
            { $0.face = Face(.image(FaceImage(.path("M1 2")))) },
            { $0.face = Face(.image(FaceImage(.path("M1 1"), grid: .init(width: 16)))) },
            { $0.face = Face(.image(FaceImage(.path("M1 1"), isTemplate: true))) },
            { $0.face = Face(.image(FaceImage(.png([1])))) },
            { $0.face = Face(.image(FaceImage(.png([2])))) },
            { $0.face = Face(.shared("x")) }, { $0.look.width = .face },
            { $0.face = changed(Face(.text("y"))) { $0.families = ["A"] } },
            { $0.face = changed(Face(.text("y"))) { $0.families = ["A", "B"] } },
            { $0.face = changed(Face(.text("y"))) { $0.isItalic = true } },
            { $0.face = changed(Face(.text("y"))) { $0.isItalic = false } },
        ]
    }
}
