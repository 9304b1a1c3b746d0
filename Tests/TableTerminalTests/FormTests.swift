import TableModel
import TableTerminal
import Testing

/// Rows are edited and added by a form, and nothing that was typed is lost.
struct FormTests {
    private func stage(width: Int = 80, height: Int = 24) throws -> Stage {
        let table = try Tables.kitchen(
            more: "  order: {height: 60, form: [table, qty, note]}")
        try table.appendRow(
            Tables.row(
                "o1", "2 × fries", kind: "order",
                fields: [Row.Field("qty", "2"), Row.Field("server", "ana")]), to: "pass")
        let stage = Stage(table, width: width, height: height)
        stage.type(":goto o1\r")
        return stage
    }

    @Test func shown() throws {
        let stage = try stage()
        stage.type("e\u{15}3 × fries\t7")
        try expectScreen(stage, "form")
        try stage.perform(.set("o1", .init(title: "2 × chips")))
        try expectScreen(stage, "form-others")
        stage.send(.resize(width: 44, height: 14))
        try expectScreen(stage, "form-narrow")
    }

    /// One command says all that was changed, with the version that was seen.
    @Test func edits() throws {
        let stage = try stage()
        let version = try #require(stage.table.row("o1")).version
        stage.type("e, salted\u{1B}[B7\tx\u{7F}\t\tNo\t")
        stage.type("\u{1B}[Z\u{1B}[Zy\u{7F}\r")
        #expect(stage.wishes.count == 1)
        guard case .command(.set("o1", let changes), version)? = stage.wishes.last else {
            Issue.record("\(stage.wishes)")
            return
        }
        #expect(changes.title == "2 × fries, salted" && changes.kind == nil)
        #expect(changes.fields == [Row.Field("table", "7"), Row.Field("server", "anaNo")])
        #expect(stage.table.row("o1")?.content.title == "2 × fries, salted")
        #expect(!stage.screen.contains("Edit 2"))
    }

    /// A field is taken away by an empty line, and another one comes by KEY=VALUE.
    @Test func fieldsComeAndGo() throws {
        let stage = try stage()
        stage.type("e\t\t\u{15}\u{1B}[A\u{1B}[A\u{1B}[Anote\r")
        #expect(stage.screen.contains("Write KEY=VALUE"))
        stage.type("2=hot\r")
        let fields = try #require(stage.table.row("o1")).content.fields
        #expect(fields == [Row.Field("note2", "hot"), Row.Field("server", "ana")])
    }

    @Test func whatOthersChangeIsShownBesideWhatIsTyped() throws {
        let stage = try stage()
        stage.type("e, salted\t7")
        // Lines that the person does not touch follow the row.
        try stage.perform(
            .set("o1", .init(title: "2 × chips", fields: [Row.Field("note", "Hot")])))
        #expect(stage.screen.contains("fries, salted") && stage.screen.contains("2 × chips"))
        #expect(stage.screen.contains("Hot"))
        stage.type("\r")
        #expect(stage.wishes.isEmpty && stage.screen.contains("Others have changed the same"))
        stage.type("\r")
        let row = try #require(stage.table.row("o1"))
        #expect(row.content.title == "2 × fries, salted")
        #expect(row.content.fields.contains(Row.Field("note", "Hot")))
        #expect(row.content.fields.contains(Row.Field("table", "7")))
    }

    /// A change that the viewer has not heard of is found by the daemon: the form stays, and tells of both.
    @Test func aRefusalLosesNothing() throws {
        let stage = try stage()
        stage.answers = false
        stage.type("e, salted\r")
        #expect(stage.screen.contains("being sent"))
        try stage.perform(.set("o1", .init(title: "2 × chips")))
        stage.type("x")
        stage.send(.answered(1, .refused("Row \"o1\" has version 9, not 8.")))
        #expect(stage.screen.contains("fries, salted") && stage.screen.contains("2 × chips"))
        stage.answers = true
        stage.type("\r\r")
        #expect(stage.table.row("o1")?.content.title == "2 × fries, salted")
    }

    @Test func nothingTypedIsLost() throws {
        let stage = try stage()
        stage.type("e, salted\u{1B}")
        #expect(stage.screen.contains("Kept, and not sent"))
        // The daemon goes away, and comes back.
        stage.type("e")
        stage.send(.connection(.disconnected))
        stage.type(" twice\r")
        #expect(stage.screen.contains("Not connected") && stage.screen.contains("salted twice"))
        stage.type("\u{1B}q")
        #expect(stage.screen.contains("Typed and not sent: o1."))
        #expect(!stage.wishes.contains(.quit))
        stage.send(.connection(.live))
        stage.type("e\r")
        #expect(stage.table.row("o1")?.content.title == "2 × fries, salted twice")
        // A form that is thrown away is gone, and asks nothing.
        stage.type("ezzz\u{18}")
        stage.type("e")
        #expect(!stage.screen.contains("zzz"))
        stage.type("\u{1B}q")
        #expect(stage.wishes.last == .quit)
    }

    /// A kind without a form asks for a title alone, in the bottom line.
    @Test(arguments: ["a", ":add "])
    func aTitleThatCannotBeSentIsKept(ask: String) throws {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 24)
        stage.type("g")
        if ask == "a" { stage.type(ask) }
        stage.send(.connection(.disconnected))
        stage.type(ask == "a" ? "12 × oysters\r" : ":add 12 × oysters\r")
        #expect(stage.screen.contains("Not connected: nothing was changed. Kept, and not sent."))
        stage.type("q")
        #expect(stage.screen.contains("Typed and not sent: a new row."))
        stage.send(.connection(.live))
        stage.type("a")
        #expect(stage.screen.contains("12 × oysters"))
        stage.type("\r")
        #expect(stage.table.row("new")?.content.title == "12 × oysters")
    }

    @Test func aTitleThatIsLeftIsKept() throws {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 24)
        stage.type("ga12 × oys\u{1B}")
        #expect(stage.screen.contains("Kept, and not sent"))
        stage.type("a")
        #expect(stage.screen.contains("12 × oys"))
        stage.type("ters\r")
        #expect(stage.table.row("new")?.content.title == "12 × oysters")
    }

    @Test func theLastLineComesBack() throws {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 24)
        stage.type("g:set note=no salt\r")
        stage.type(":goto nowhere\r:\u{1B}[A")
        #expect(stage.screen.contains(":goto nowhere"))
    }

    @Test func aKioskAsksBeforeFormsAreLost() throws {
        let stage = Stage(
            try Tables.kitchen(), width: 80, height: 24, station: Station(isKiosk: true))
        stage.type("ga12 × oys\u{1B}\u{3}")
        #expect(stage.screen.contains("Typed and not sent: a new row."))
        #expect(!stage.wishes.contains(.quit))
        stage.type("\u{3}")
        #expect(stage.wishes.last == .quit)
    }

    /// The daemon may refuse several, one after the other: each is shown again, in their order.
    @Test func titlesThatAreRefusedAreKept() throws {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 24)
        stage.answers = false
        stage.type("gaoysters\ra")
        stage.type("mussels\r")
        #expect(stage.wishes.count == 2)
        stage.send(.answered(1, .refused("No new work: no gas.")))
        #expect(stage.screen.contains("No new work: no gas. Kept, and not sent. a shows it again."))
        stage.send(.answered(2, .refused("No new work: no gas.")))
        stage.type("a")
        #expect(stage.screen.contains("oysters") && !stage.screen.contains("mussels"))
        stage.answers = true
        stage.type("\r")
        #expect(stage.table.row("new")?.content.title == "oysters")
        try stage.perform(.remove(["new"]))
        stage.type("a")
        #expect(stage.screen.contains("mussels"))
        stage.type("\r")
        #expect(stage.table.row("new")?.content.title == "mussels")
        // There is nothing left that would be lost.
        stage.type("q")
        #expect(stage.wishes.last == .quit)
    }

    @Test func theRowGoes() throws {
        let stage = try stage()
        stage.type("e, salted")
        try stage.perform(.remove(["o1"]), by: "Ana")
        #expect(stage.screen.contains("Edit o1: it was removed"))
        stage.type("\r")
        #expect(stage.screen.contains("Somebody removed the row"))
        #expect(stage.screen.contains("fries, salted"))
    }

    @Test func addsByTheFormOfTheKind() throws {
        let stage = try stage()
        stage.type("a1 × soup\t4\t1\r")
        #expect(
            stage.wishes == [
                .command(
                    .add(
                        .init(
                            .init(
                                kind: "order", title: "1 × soup",
                                fields: [Row.Field("table", "4"), Row.Field("qty", "1")]),
                            section: "pass", at: .after("o1"))))
            ])
        #expect(stage.table.position(of: "new")?.section == "pass")
    }

    /// A kind without a form asks for a title, and Tab shows the form.
    @Test func addsByAnyForm() throws {
        let stage = try stage()
        stage.type("ga1 × soup\t")
        #expect(stage.screen.contains("New row") && stage.screen.contains("grill"))
        // Kind and section are names of this table; the lines of another kind's form come with it.
        stage.type("\u{1B}[B\u{1B}[B\u{15}none\r")
        #expect(stage.screen.contains("There is no kind none: there are courses, notice"))
        stage.type("\u{15}order")
        #expect(stage.screen.contains("qty"))
        stage.type("\t\u{15}nowhere\r")
        #expect(stage.screen.contains("There is no section nowhere: there are grill, fry, pass."))
        stage.type("\u{15}fry\r")
        #expect(stage.table.position(of: "new")?.section == "fry")
        #expect(stage.table.row("new")?.content.kind == "order")
    }

    @Test func setByACommand() throws {
        let stage = try stage()
        stage.type(":set note=no salt\r:set title=1 × fries\r:set qty=\r")
        let content = try #require(stage.table.row("o1")).content
        #expect(content.title == "1 × fries")
        #expect(content.fields == [Row.Field("note", "no salt"), Row.Field("server", "ana")])
        stage.type(":set note\r")
        #expect(stage.screen.contains("Write :set KEY=VALUE."))
    }

    @Test func pastedTextGoesIntoTheLine() throws {
        let stage = try stage()
        stage.type("e\t\u{1B}[200~12\n\u{1B}[2J\u{1B}[201~\r")
        #expect(stage.table.row("o1")?.content.fields.first { $0.key == "table" }?.value == "12[2J")
    }
}
