import SeededNumbers
import TableModel
import TableSync
import TableTerminal
import Testing

/// A station's evening: rows are read, bumped, found and edited at one screen while others work at theirs.
struct StationTests {
    /// Words, so that each can be looked for.
    private static func words(_ count: Int, _ random: inout SplitMix64, _ letter: String) -> String
    {
        (0..<count).map { _ in
            let length = random.below(9) + 1
            return letter
                + String(
                    (0..<length).map { _ in Character(UnicodeScalar(97 + UInt8(random.below(26)))) }
                )
        }.joined(separator: " ")
    }

    /// Whatever stands beside the title, and however narrow the screen is, an opened row shows every letter.
    @Test func anOpenedRowShowsEveryLetter() throws {
        var random = SplitMix64(seed: 11)
        for _ in 0..<150 {
            let title = Self.words(random.below(14) + 1, &random, "T")
            let fields = (0..<random.below(4)).map { at in
                Row.Field(ID("K\(at)"), Self.words(random.below(12) + 1, &random, "V"))
            }
            let table = try Tables.kitchen()
            try table.appendRow(
                Tables.row(
                    "open", title, age: random.next() % 9_000, fields: fields, expansion: .expanded),
                to: "pass")
            let width = random.below(100) + 16
            let stage = Stage(table, width: width, height: 400)
            if random.once(in: 2) {
                let note = Self.words(5, &random, "N")
                try stage.perform(.claim(["open"], note: note, ttlSeconds: nil), by: "Ana")
            }
            if random.once(in: 3) {
                try stage.perform(.act(Command.Act("page", on: "open")), by: "Ana")
                let id = try #require(table.invocations.waiting(for: nil, atMost: 1).first)
                try stage.perform(.take(action: nil, atMost: 1), by: "handler")
                try stage.perform(.finish(id, .failed("printer Fout of Fpaper")), by: "handler")
            }
            var lease = Lease(id: "x", holder: "Benjamin", rows: ["open"], ttlSeconds: 10)
            lease.hover = .init(section: "pass", .top)
            if random.once(in: 3) { stage.send(.company(Company(ghosts: [lease]))) }
            let shown = stage.screen
            let letters = shown.filter { !$0.isWhitespace }
            let claim = table.row("open")?.claim?.note ?? ""
            for word in ([title, claim] + fields.map(\.value)).joined(separator: " ").split(
                separator: " ")
            {
                // A word that is wider than its column is broken.
                let isWhole = shown.contains(word)
                let isBroken = width < 60 && word.allSatisfy { letters.contains($0) }
                #expect(isWhole || isBroken, "\(word) of \(title) at \(width):\n\(shown)")
            }
        }
    }

    /// The design's own example: the title was wrapped for the full width, then cut for what stands beside it.
    @Test func anAllergyIsReadToItsEnd() throws {
        let table = try Tables.kitchen()
        try table.appendRow(
            Tables.row(
                "a", "2 × pad thai, one of them for the guest who ordered WITHOUT PEANUTS",
                age: 700,
                expansion: .expanded), to: "pass")
        let stage = Stage(table, width: 80, height: 24)
        #expect(stage.screen.contains("WITHOUT") && stage.screen.contains("PEANUTS"))
    }

    @Test func aRowThatOpensOnTheLastLineComesIntoSight() throws {
        let table = try Tables.kitchen()
        let long = String(repeating: "word ", count: 60) + "END"
        try table.appendRow(Tables.row("last", long), to: "pass")
        let stage = Stage(table, width: 60, height: 18)
        stage.type("G ")
        #expect(table.row("last")?.expansion != .collapsed)
        stage.type(" ")
        #expect(stage.screen.contains("END"))
    }

    @Test func aCollapsedRowThatHidesNothingShowsItsFields() throws {
        let table = try Tables.kitchen(
            more: "  open: {height: 60, appearance: {collapsed: {alpha: 1}}}")
        try table.appendRow(
            Tables.row("o", "Soup", kind: "open", fields: [.init("a", "one"), .init("b", "two")]),
            to: "pass")
        #expect(Stage(table, height: 30).screen.contains("a one · b two"))
    }

    /// The next Enter must not bump the ticket of another station.
    @Test func afterTheLastTicketOfAStationNothingIsSelected() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type("]")
        #expect(stage.screen.contains("t4"))
        stage.type("h\r")
        #expect(stage.table.position(of: "t4")?.section == "pass")
        let before = stage.wishes.count
        stage.type("\r 1h")
        #expect(stage.wishes.count == before)
        // A ticket that comes to the station is the selected one; a key leads elsewhere before that.
        try stage.perform(.move(["t1"], section: "fry", .top, .rebase), by: "Ana")
        stage.type(" ")
        #expect(stage.table.row("t1")?.expansion != .collapsed)
        try stage.perform(.remove(["t1"]), by: "Ana")
        stage.type("k ")
        #expect(stage.table.row("t3")?.expansion != .collapsed)
    }

    @Test func theFirstKeyAtARowThatAnotherOpenedChoosesNoOtherAction() throws {
        let stage = Stage(try Tables.kitchen())
        try stage.perform(.swipe("t1", .trailing), by: "Ana")
        stage.type("h\r")
        #expect(
            stage.wishes.contains {
                if case .command(.act(let act), _) = $0 { act.action == "bump" } else { false }
            })
    }

    /// Enter performs what this screen shows as chosen: nothing is, in a row that another has opened.
    @Test func enterAtARowThatAnotherOpenedPerformsNothingAtFirst() throws {
        let stage = Stage(try Tables.kitchen())
        try stage.perform(.swipe("t1", .trailing), by: "Ana")
        #expect(!stage.screen.contains("▸1 Bump"))
        stage.type("\r")
        #expect(stage.wishes.isEmpty && stage.screen.contains("▸1 Bump"))
        stage.type("\r")
        #expect(
            stage.wishes.contains {
                if case .command(.act(let act), _) = $0 { act.action == "bump" } else { false }
            })
    }

    @Test func editModeIsThisScreensOwn() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type("E")
        #expect(stage.wishes.isEmpty && !stage.table.isEditing && stage.screen.contains("EDIT"))
        stage.type("h")
        #expect(stage.wishes.isEmpty && stage.screen.contains("is in edit mode"))
        stage.type("x")
        #expect(stage.screen.contains("Delete"))
        stage.type("nE")
        #expect(!stage.screen.contains("EDIT"))
        // That of the table ends for everybody.
        try stage.perform(.edit(true), by: "Ana")
        #expect(stage.screen.contains("EDIT: everybody") && stage.screen.contains("E ends it"))
        stage.type("E")
        #expect(stage.wishes == [.command(.edit(false))] && !stage.screen.contains("EDIT"))
    }

    @Test func agesGoByTheDaemonsClock() throws {
        let stage = Stage(try Tables.kitchen(), width: 100)
        #expect(stage.screen.contains("1 h"))
        let right = stage.screen
        stage.send(.tick(nowMs: stage.nowMs + 7_200_000))
        stage.send(.clock(aheadMs: 7_200_000))
        #expect(stage.screen.contains("clock 2 h fast"))
        #expect(
            stage.screen.split(separator: "\n").dropFirst()
                == right.split(separator: "\n").dropFirst())
        stage.send(.tick(nowMs: stage.nowMs - 90_000))
        stage.send(.clock(aheadMs: -90_000))
        #expect(stage.screen.contains("clock 90 s slow"))
        stage.send(.tick(nowMs: stage.nowMs + 20_000))
        stage.send(.clock(aheadMs: 20_000))
        #expect(!stage.screen.contains("clock"))
    }

    /// `{now}` fills in milliseconds. A number that is no time in the row's life stays as it is.
    @Test func aTimeInAFieldIsReadAsPeopleDo() throws {
        let table = try Tables.many(0)
        let nowMs: UInt64 = 1_795_875_657_649
        try table.appendRow(
            Row(
                id: "a",
                content: .init(
                    title: "Job",
                    fields: [
                        .init("barcode", "4006381333931"), .init("paged", "\(nowMs - 300_000)"),
                        .init("ready", "\(nowMs)"),
                    ]), createdMs: nowMs - 600_000), to: "main")
        let stage = Stage(table, width: 80)
        stage.send(.tick(nowMs: nowMs))
        #expect(stage.screen.contains("barcode 4006381333931 · paged 5:00 ago · ready 0:00 ago"))
    }

    // MARK: Filters

    /// A Japanese keyboard has a wide blank.
    @Test func anyBlankDividesWords() throws {
        let stage = Stage(try Tables.kitchen())
        try stage.perform(
            .add(.init(id: "x", .init(title: "ライス 大"), section: "pass")), by: "Ana")
        stage.type("/大\u{3000}ライス\r")
        #expect(stage.screen.contains("ライス 大"))
    }

    private func stage(fields: [(String, String)], width: Int = 80) throws -> Stage {
        let table = try Tables.many(0)
        for (at, field) in fields.enumerated() {
            try table.appendRow(
                Row(
                    id: ID("f\(at)"),
                    content: .init(title: "Job", fields: [.init(ID(field.0), field.1)])),
                to: "main")
        }
        return Stage(table, width: width)
    }

    private func found(_ stage: Stage, _ filter: String) -> String {
        stage.type("/\(filter)\r")
        let count = stage.screen.split(separator: "\n").first.map(String.init) ?? ""
        stage.type("\u{1B}")
        return count
    }

    @Test func aKeyAndAValueMeanThatValue() throws {
        let stage = try stage(fields: [
            ("driver", "1"), ("driver", "11"), ("Driver", "1"), ("x", "1"),
        ])
        #expect(found(stage, "driver=1").contains("2 of 4"))
        #expect(found(stage, "driver~1").contains("3 of 4"))
        for text in ["driver = 1", "driver= 1", "driver =1", " driver  =  1 "] {
            #expect(found(stage, text).contains("2 of 4"), "\(text)")
        }
        for text in ["driver =", "= 1", "=", "driver=1 ="] {
            #expect(found(stage, text).contains("0 of 4"), "\(text)")
        }
        #expect(found(stage, "field.driver == 1").contains("1 of 4"))
        #expect(found(stage, "field.driver > 5 or field.x == 1").contains("2 of 4"))
    }

    /// An Arabic keyboard has the same keys, under other letters. In a text they are letters.
    @Test func lettersOfAnArabicKeyboardAreKeysToo() throws {
        let stage = try stage(fields: [("a", "1"), ("a", "2"), ("a", "3")])
        let first = stage.screen
        stage.type("ت")
        let second = stage.screen
        #expect(second != first)
        stage.type("ن")
        #expect(stage.screen == first)
        stage.type("jk")
        #expect(stage.screen == first)
        stage.type("ظتن")
        #expect(stage.screen.contains("تن"))
        stage.type("\u{1B}")
        #expect(stage.screen == first)
    }

    @Test func wrongSyntaxIsSaidWithItsPlace() throws {
        let stage = try stage(fields: [("driver", "1"), ("driver", "2")])
        stage.type("/driver=1\r/\u{15}field.driver == \r")
        let y = stage.line("✗ field.driver ==")
        #expect(stage.line("   ^ ") == y + 1, "\(stage.screen)")
        // The filter of before still holds.
        #expect(stage.screen.contains("1 of 2"))
    }

    @Test func lettersAreComparedWithoutTheirCase() throws {
        let stage = try stage(fields: [
            ("a", "Hauptstraße 7"), ("a", "ΟΔΟΣ ΑΘΗΝΑΣ"), ("a", "İstanbul"), ("a", "ﬁsh"),
        ])
        for (text, count) in [
            ("STRASSE", 1), ("straße", 1), ("STRAẞE", 1), ("οδος", 1), ("ΟΔΌΣ", 0), ("istanbul", 1),
            ("FISH", 1),
            ("İSTANBUL", 1),
        ] {
            #expect(found(stage, text).contains("\(count) of 4"), "\(text)")
        }
    }

    @Test func aNarrowHeaderStillTellsOfTheFilter() throws {
        let stage = try stage(fields: [("driver", "1"), ("driver", "2")], width: 34)
        stage.type("/driver=1\r")
        #expect(stage.screen.split(separator: "\n").first?.contains("1 of 2") == true)
    }
}
