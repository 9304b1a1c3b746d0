import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Faces that the table defines once (F6).
struct SharedFaceTests {
    private static func kind(_ name: ID = "big") -> Kind {
        var action = Action("go")
        action.face = Face(.shared(name))
        var kind = Kind("k")
        kind.trailing = ActionGroup(actions: [action])
        return kind
    }

    private static func settings(_ faces: [ID: Face]) -> Settings {
        var settings = Settings()
        settings.faces = faces
        return settings
    }

    private static func part(
        _ faces: [ID: Face], clearing cleared: [ID] = []
    ) -> Command.Verb {
        .define(
            .init(settings: settings(faces), partialSettings: .faces, clearedFaces: cleared))
    }

    @Test func eachByItsName() throws {
        let ledger = HistoryTests.board()
        _ = try ledger.perform(Self.part(["a": Face(.text("1")), "b": Face(.text("2"))])).get()
        _ = try ledger.perform(Self.part(["b": Face(.text("3"))])).get()
        #expect(ledger.table.settings.faces == ["a": Face(.text("1")), "b": Face(.text("3"))])
        #expect(ledger.table.settings.swipePolicy == .exclusive)
        _ = try ledger.perform(Self.part([:], clearing: ["a", "nobody"])).get()
        #expect(ledger.table.settings.faces == ["b": Face(.text("3"))])
        // A face and a kind that names it, in one definition.
        let both = Command.Definitions(
            kinds: [Self.kind()], settings: Self.settings(["big": Face(.icon("bell"))]),
            partialSettings: .faces)
        _ = try ledger.perform(.define(both)).get()
        #expect(ledger.table.settings.faces.count == 2)
    }

    @Test func whatIsNamedStays() throws {
        let ledger = HistoryTests.board()
        _ = try ledger.perform(Self.part(["big": Face(.text("1")), "own": Face(.text("2"))])).get()
        _ = try ledger.perform(.define(.init(kinds: [Self.kind()]))).get()
        _ = try ledger.perform(
            .set("a", .init(actions: RowActions(leading: Self.kind("own").trailing)))
        ).get()
        func refusal(_ verb: Command.Verb) -> Rejection? {
            guard case .failure(let rejection) = ledger.perform(verb) else { return nil }
            return rejection
        }
        let used = refusal(Self.part([:], clearing: ["big"]))
        #expect(used?.code == .kindInUse && used?.field?.hasSuffix("faces.big") == true)
        #expect(refusal(Self.part([:], clearing: ["own"]))?.code == .kindInUse)
        #expect(refusal(.define(.init(settings: Settings())))?.code == .kindInUse)
        // With its kind it may go.
        _ = try ledger.perform(.set("a", .init(actions: RowActions()))).get()
        let both = Command.Definitions(
            kinds: [Kind("k")], settings: Settings(), partialSettings: .faces,
            clearedFaces: ["big"])
        _ = try ledger.perform(.define(both)).get()
        #expect(ledger.table.settings.faces.count == 1)
    }

    /// An undo takes a face away only if nobody has named it meanwhile.
    @Test func undoLeavesNoGap() throws {
        let ledger = HistoryTests.board()
        _ = try ledger.perform(Self.part(["big": Face(.text("1"))])).get()
        let revision = ledger.table.revision
        _ = try ledger.perform(.define(.init(kinds: [Self.kind()])), by: "bob").get()
        guard case .failure(let rejection) = ledger.perform(.undo(revision: revision, mine: false))
        else {
            Issue.record("not refused")
            return
        }
        #expect(rejection.code == .kindInUse)
        _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
        _ = try ledger.perform(.undo(revision: revision, mine: false)).get()
        #expect(ledger.table.settings.faces.isEmpty)
    }

    /// A row comes back with actions that name a face which has gone meanwhile: by no way.
    @Test func nothingComesBackWithoutItsFace() throws {
        let ledger = HistoryTests.board()
        let faces: [ID: Face] = ["big": Face(.text("1")), "other": Face(.text("2"))]
        _ = try ledger.perform(Self.part(faces)).get()
        let own = RowActions(leading: Self.kind().trailing)
        _ = try ledger.perform(.set("a", .init(actions: own))).get()
        _ = try ledger.perform(.set("b", .init(actions: own))).get()
        _ = try ledger.perform(.set("b", .init(actions: RowActions()))).get()
        let cleared = ledger.table.revision
        _ = try ledger.perform(.remove(["a"])).get()
        let removed = ledger.table.revision
        _ = try ledger.perform(Self.part([:], clearing: ["big"])).get()
        let verbs: [Command.Verb] = [
            .undo(revision: cleared, mine: false), .undo(revision: removed, mine: false),
            .recall(["a"]),
        ]
        for verb in verbs {
            guard case .failure(let rejection) = ledger.perform(verb) else {
                Issue.record("\(verb) was not refused")
                continue
            }
            #expect(rejection.code == .kindInUse && rejection.message.contains("face \"big\""))
        }
        // Changes that have nothing to do with the face can be undone, and with the face all of these can.
        _ = try ledger.perform(Self.part([:], clearing: ["other"])).get()
        _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
        _ = try ledger.perform(Self.part(faces)).get()
        for verb in verbs.prefix(2) { _ = try ledger.perform(verb).get() }
        #expect(ledger.table.row("a")?.content.actions == own)
        #expect(ledger.table.row("b")?.content.actions == own)
    }

    @Test func textsWithBraces() {
        #expect(FaceText("a {b} {{c}}")?.pieces == [.literal("a "), .value("b"), .literal(" {c}")])
        #expect(FaceText("")?.pieces == [])
        for wrong in ["{", "}", "{}", "{a", "a}", "{a{b}", "{{a}", "{a}}"] {
            #expect(FaceText(wrong) == nil, "\(wrong)")
        }
    }
}
