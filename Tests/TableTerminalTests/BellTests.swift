import TableModel
import TableSync
import TableTerminal
import Testing

/// The terminal rings by the alerts of its table, and for nothing that was there.
@Suite struct BellTests {
    private func rings(_ stage: Stage) -> Bool {
        _ = stage.screen
        return stage.board.takeBell()
    }

    @Test func forWhatIsNewHere() throws {
        let stage = Stage(try Tables.kitchen(table: "{alerts: [{on: new, in: [pass]}]}"))
        #expect(!rings(stage))
        try stage.perform(.add(.init(id: "x", .init(title: "x"), section: "grill")), by: "Ana")
        #expect(!rings(stage))
        try stage.perform(.add(.init(id: "y", .init(title: "y"), section: "pass")), by: "Ana")
        #expect(rings(stage) && !rings(stage))
        try stage.perform(.set("y", .init(title: "z")), by: "Ana")
        #expect(!rings(stage))
    }

    /// A snapshot fills a gap: what it brings is new, and what was there is not.
    @Test func forWhatCameWhileNothingWasHeard() throws {
        let stage = Stage(try Tables.kitchen(table: "{alerts: [{on: new, in: [pass]}]}"))
        #expect(!rings(stage))
        stage.send(.installed(stage.table.copy()))
        #expect(!rings(stage))
        let other = Stage(stage.table.copy())
        try other.perform(.add(.init(id: "y", .init(title: "y"), section: "pass")), by: "Ana")
        stage.send(.installed(other.table))
        #expect(rings(stage) && !rings(stage))
    }

    @Test func notWhereThereAreNoAlerts() throws {
        for alerts in ["", "{on: late}", "{on: new, sound: none}", "{on: new, kinds: [other]}"] {
            let stage = Stage(try Tables.kitchen(table: "{alerts: [\(alerts)]}"))
            try stage.perform(.add(.init(id: "y", .init(title: "y"), section: "pass")), by: "Ana")
            #expect(!rings(stage))
        }
    }

    /// Rows that were late before do not ring.
    @Test func forWhatHasBecomeLate() throws {
        let stage = Stage(try Tables.kitchen(table: "{alerts: [{on: late}]}"))
        #expect(!rings(stage))
        for _ in 0..<150 {
            stage.nowMs += 1_000
            stage.send(.tick(nowMs: stage.nowMs))
        }
        #expect(!rings(stage))
        stage.nowMs += 60_000
        stage.send(.tick(nowMs: stage.nowMs))
        #expect(rings(stage) && !rings(stage))
    }

    @Test func whereAnActionHasFailed() throws {
        let stage = Stage(try Tables.kitchen(table: "{alerts: [{on: failed}]}"))
        try stage.perform(
            .add(.init(id: "open", .init(kind: "ticket", title: "y"), section: "pass")), by: "Ana")
        try stage.perform(.act(Command.Act("page", on: "open")), by: "Ana")
        let id = try #require(stage.table.invocations.waiting(for: nil, atMost: 1).first)
        try stage.perform(.take(action: nil, atMost: 1), by: "handler")
        #expect(!rings(stage))
        let other = Stage(stage.table.copy())
        try other.perform(.finish(id, .failed("no ink")), by: "handler")
        try stage.perform(.finish(id, .failed("no paper")), by: "handler")
        #expect(rings(stage))
        // A snapshot that fills a gap tells of it once, too.
        let unheard = Stage(other.table.copy())
        stage.send(.installed(other.table))
        #expect(!rings(stage), "it had failed before")
        try unheard.perform(.act(Command.Act("page", on: "open")), by: "Ana")
        stage.send(.installed(unheard.table.copy()))
        let again = try #require(unheard.table.invocations.waiting(for: nil, atMost: 1).first)
        try unheard.perform(.take(action: nil, atMost: 1), by: "handler")
        try unheard.perform(.finish(again, .failed("no paper")), by: "handler")
        #expect(!rings(stage))
        stage.send(.installed(unheard.table))
        #expect(rings(stage) && !rings(stage))
    }

    /// A row that comes here brings along that it stands out; one that stood out before does not ring again.
    @Test func forWhatStandsOutAndDidNot() throws {
        let dish = "  dish: {emphasis: [{when: 'field.note ~ \"ALLERGY\"', field: note}]}"
        let alerts = "{alerts: [{on: emphasised, in: [pass]}]}"
        let stage = Stage(
            try Tables.kitchen(more: dish, table: alerts), station: Station(sections: ["pass"]))
        let calm = Row.Content(kind: "dish", title: "y")
        let loud = Row.Content(
            kind: "dish", title: "x", fields: [Row.Field("note", "ALLERGY: nuts")])
        try stage.perform(.add(.init(id: "here", calm, section: "pass")), by: "Ana")
        try stage.perform(.add(.init(id: "there", loud, section: "grill")), by: "Ana")
        #expect(!rings(stage))
        let allergy = Command.Changes(fields: [Row.Field("note", "ALLERGY: milk")])
        try stage.perform(.set("here", allergy), by: "Ana")
        #expect(rings(stage))
        try stage.perform(.set("here", .init(title: "z")), by: "Ana")
        #expect(!rings(stage), "it stood out before")
        try stage.perform(.move(["there"], section: "pass", .top, .rebase), by: "Ana")
        #expect(rings(stage))
    }
}
