import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// The content of a backup, piece by piece, to be damaged in one place and assembled.
private struct Parts {
    var name: TableID
    var revision: UInt64
    /// Nil: what it comes to.
    var digest: UInt64?
    var settings: Settings
    var isEditing: Bool
    var kinds: [Kind]
    var invocations: [Invocation]
    var slices: [(section: SectionID, title: String, rows: [Row])]
    var limits = Limits()

    init(_ table: Table) {
        name = table.name
        revision = table.revision
        settings = table.settings
        isEditing = table.isEditing
        kinds = table.kinds.values.sorted { $0.id < $1.id }
        invocations = table.invocations.all
        slices = table.sections.map { ($0.id, $0.title, $0.runs().flatMap { $0 }) }
    }

    func restored(checking: Bool = true, digest: UInt64 = 0) throws(Rejection) -> StagedTable {
        let restoration = try StagedTable(
            name, history: ID128(high: 9, low: 9), revision: revision, digest: digest,
            settings: settings, isEditing: isEditing, limits: checking ? limits : nil,
            removedPlaces: 10)
        try restoration.add(kinds)
        try restoration.add(invocations)
        for slice in slices {
            try restoration.add(slice.rows, to: slice.section, title: slice.title)
        }
        return restoration
    }

    /// The restored table, if everything is valid.
    func table() throws(Rejection) -> Table {
        var digest = digest
        // As somebody would who makes a backup to do harm.
        if digest == nil { digest = try? restored(checking: false).table.digest }
        let restoration = try restored(digest: digest ?? 0)
        try restoration.finish()
        return restoration.table
    }

    func code() -> Rejection.Code? {
        do throws(Rejection) {
            _ = try table()
            return nil
        } catch {
            return error.code
        }
    }
}

/// Tables that are assembled from a backup.
struct RestorationTests {
    /// Every table that commands can make can be restored, and is the same.
    @Test(arguments: 1...12)
    func everyTableThatCommandsMakeIsTaken(seed: Int) throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var commands = RandomCommands(seed: UInt64(seed))
        for step in 0..<300 {
            commands.look(at: table)
            let result = reduce(
                Command(commands.verb()), on: table, limits: Limits(), nowMs: UInt64(step),
                client: commands.client)
            if case .success(let plan) = result {
                _ = table.apply(plan, cause: Cause(verb: "test", timeMs: UInt64(step)))
            }
            guard step % 10 == 9 else { continue }
            var parts = Parts(table)
            parts.digest = table.digest
            let restored = try parts.table()
            try #require(restored.digest == table.digest && restored.rows == table.rows)
            try #require(restored.fault() == nil && restored.revision == table.revision)
            try #require(restored.openRows == table.openRows)
            try #require(restored.pinnedRows == table.pinnedRows)
            try #require(restored.invocations.all == table.invocations.all)
        }
        #expect(table.revision > 50)
    }

    /// A definition may take a state away that an item's own tap names: the tap is refused when somebody selects
    /// the item, and the backup is taken.
    @Test func whatATapNamedMayBeGone() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var strip = Kind("strip")
        strip.isStrip = true
        strip.states = [.collapsed, .named("open", heightPoints: 90)]
        let item = Item("i", tap: [.expand(.named("open"))])
        var fewer = strip
        fewer.states = [.collapsed]
        for verb in [
            .define(.init(kinds: [strip])),
            .add(.init(id: "s", .init(kind: "strip", items: [item]))),
            .define(.init(kinds: [fewer])),
        ] as [Command.Verb] {
            let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 1).get()
            _ = table.apply(plan, cause: Cause(verb: "test", timeMs: 1))
        }
        var parts = Parts(table)
        parts.digest = table.digest
        #expect(try parts.table().rows == table.rows)
        let select = Command(.select("s", item: "i"))
        guard case .failure(let rejection) = reduce(select, on: table, limits: Limits(), nowMs: 1)
        else {
            Issue.record("there is no such state")
            return
        }
        #expect(rejection.code == .noSuchState)
    }

    /// The effects of success and those of failure are never both done. And the row as it was when it was pressed
    /// may name a shared face that is gone since.
    @Test func whatIsUnderWayIsTaken() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var (kind, run) = (Kind("job"), Action("run"))
        let many = (1...16).map { Effect.set([.init(ID("f\($0)"), "x")]) }
        run.effects = [
            .invoke(
                deadlineSeconds: 300, then: [.remove],
                retries: Retries(attempts: 3, otherwise: many))
        ]
        kind.trailing = ActionGroup(actions: [run])
        var page = Action("page")
        page.effects = [.invoke(deadlineSeconds: 30, then: [])]
        page.face = Face(.shared("bell"))
        let own = RowActions(trailing: ActionGroup(actions: [page]))
        var settings = Settings()
        settings.faces["bell"] = Face(.text("!"))
        for verb in [
            .define(.init(kinds: [kind, Kind("plain")], settings: settings)),
            .add(.init(id: "a", .init(kind: "job"))),
            .add(.init(id: "b", .init(kind: "plain", actions: own))),
            .act(.init("run", on: "a")), .act(.init("page", on: "b")),
            .set("b", .init(actions: RowActions())), .define(.init(settings: Settings())),
        ] as [Command.Verb] {
            let plan = try reduce(
                Command(verb), on: table, limits: Limits(), nowMs: 1, client: "c"
            ).get()
            _ = table.apply(plan, cause: Cause(verb: "test", timeMs: 1))
        }
        #expect(table.invocations.all.count == 2 && table.settings.faces.isEmpty)
        var parts = Parts(table)
        parts.digest = table.digest
        #expect(try parts.table().invocations.all == table.invocations.all)
    }

    // MARK: What is refused

    private static func good() throws -> Parts {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var kind = Kind("ticket")
        kind.states = [.collapsed, .named("open", heightPoints: 90)]
        var page = Action("page")
        page.effects = [.invoke(deadlineSeconds: 30, then: [])]
        kind.trailing = ActionGroup(actions: [page])
        var strip = Kind("strip")
        strip.isStrip = true
        strip.itemKinds["dish"] = ItemKind()
        var pinned = Kind("pinned")
        pinned.isPinned = true
        let commands: [Command.Verb] = [
            .define(.init(kinds: [kind, strip, pinned])),
            .add(.init(id: "a", .init(kind: "ticket", title: "A"))),
            .add(.init(id: "s", .init(kind: "strip", items: [Item("i", kind: "dish")]))),
            .add(.init(id: "p", .init(kind: "pinned"), section: "z")),
            .act(.init("page", on: "a")), .claim(["a"], note: "mine", ttlSeconds: 60),
        ]
        for (step, verb) in commands.enumerated() {
            let plan = try reduce(
                Command(verb), on: table, limits: Limits(), nowMs: UInt64(step + 1), client: "c"
            ).get()
            _ = table.apply(plan, cause: Cause(verb: "test", timeMs: 1))
        }
        return Parts(table)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let code: Rejection.Code
        let what: String
        fileprivate let spoil: @Sendable (inout Parts) -> Void
        var testDescription: String { "\(code): \(what)" }

        fileprivate init(
            _ code: Rejection.Code, _ what: String,
            _ spoil: @escaping @Sendable (inout Parts) -> Void
        ) {
            (self.code, self.what, self.spoil) = (code, what, spoil)
        }

        /// The first row, `a`, otherwise.
        fileprivate init(
            _ code: Rejection.Code, row what: String, _ change: @escaping @Sendable (Row) -> Row
        ) {
            self.init(code, what) { $0.slices[0].rows[0] = change($0.slices[0].rows[0]) }
        }
    }

    private static func row(
        _ row: Row, id: RowID? = nil, content: Row.Content? = nil, version: UInt64? = nil,
        expansion: Expansion = .collapsed, performed: [Performance] = [], scroll: Scroll? = nil,
        claim: Claim? = nil
    ) -> Row {
        Row(
            id: id ?? row.id, content: content ?? row.content, version: version ?? row.version,
            expansion: expansion, performed: performed, scroll: scroll, claim: claim)
    }

    private static func invocation(
        deadline: Double = 30, revision: UInt64 = 5, row: RowID = "a", attempts: Int = 0,
        then: [Effect] = []
    ) -> Invocation {
        Invocation(
            id: InvocationID(revision: revision, index: 0), row: row, action: "page",
            pressedMs: 1, deadlineSeconds: deadline, then: then, attempts: attempts)
    }

    static let cases: [Case] = [
        Case(.badName, "a table's name with a slash") { $0.name = "a/b" },
        Case(.badNumber, "a revision that cannot grow") { $0.revision = .max - 1 },
        Case(.badNumber, "a look without numbers") { $0.settings.look.width = .points(.nan) },
        Case(.badBackup, "another digest") { $0.digest = 1 },
        Case(.badBackup, "no kind `row`") { $0.kinds.removeAll { $0.id == "row" } },
        Case(.duplicate, "a kind twice") { $0.kinds.append($0.kinds[0]) },
        Case(.tooLarge, "kinds") { $0.limits.kinds = 2 },
        Case(.badNumber, "a kind without a height") { $0.kinds[0].heightPoints = -.infinity },
        Case(.duplicate, "an invocation twice") { $0.invocations.append($0.invocations[0]) },
        Case(.tooLarge, "invocations") { $0.limits.invocations = 0 },
        Case(.badNumber, "an invocation for ever") {
            $0.invocations = [invocation(deadline: .infinity)]
        },
        Case(.badNumber, "an invocation of the future") {
            $0.invocations = [invocation(revision: 7)]
        },
        Case(.badNumber, "an invocation that was tried too often") {
            $0.invocations = [invocation(attempts: .max)]
        },
        Case(.badID, "an invocation of no row") { $0.invocations = [invocation(row: "")] },
        Case(.badValue, "an invocation that leads to another") {
            $0.invocations = [invocation(then: [.invoke(deadlineSeconds: 1, then: [])])]
        },
        Case(.noSuchKind, "an item of a kind that is not there") { parts in
            for index in parts.kinds.indices { parts.kinds[index].itemKinds = [:] }
        },
        Case(.badID, "a section without a name") { $0.slices[0].section = "" },
        Case(.tooLarge, "sections") { $0.limits.sections = 1 },
        Case(.badBackup, "a section again") { $0.slices.append($0.slices[0]) },
        Case(.tooLarge, "a section's title") {
            $0.slices[0].title = String(repeating: "x", count: 5_000)
        },
        Case(.badBackup, "a row twice") { $0.slices[1].rows.append($0.slices[1].rows[0]) },
        Case(.tooLarge, "rows") { $0.limits.rows = 2 },
        Case(.tooLarge, "pinned rows") { $0.limits.pinnedRows = 0 },
        Case(.tooLarge, "claimed rows") { $0.limits.claims = 0 },
        Case(.badBackup, "an open row in edit mode") {
            $0.isEditing = true
            $0.slices[0].rows[0] = $0.slices[0].rows[0].with(swipe: .trailing)
        },
        Case(.badBackup, "two open rows where one may be") { parts in
            parts.slices[0].rows = parts.slices[0].rows.map { $0.with(swipe: .trailing) }
        },
        Case(.badID, row: "a row with a line break in its id") { row($0, id: "a\n") },
        Case(.noSuchKind, row: "a kind that is not there") {
            row($0, content: Row.Content(kind: "none"))
        },
        Case(.badNumber, row: "a version of the future") { row($0, version: 99) },
        Case(.badValue, row: "a title with a NUL") { row($0, content: .init(title: "\0")) },
        Case(.badID, row: "a field without a key") {
            row($0, content: .init(fields: [.init("", "x")]))
        },
        Case(.duplicate, row: "field keys that look alike") {
            row($0, content: .init(fields: [.init("é", "x"), .init("e\u{301}", "y")]))
        },
        Case(.notStrip, row: "items in what is no strip") {
            row($0, content: .init(items: [Item("i")]))
        },
        Case(.badNumber, row: "a height that is none") { row($0, expansion: .height(-1)) },
        Case(.noSuchState, row: "a state that its kind has not") {
            row($0, expansion: .named("huge"))
        },
        Case(.noSuchInvocation, row: "pending on nothing") {
            row($0, performed: [Performance("page", .pending(.init(revision: 1, index: 0)))])
        },
        Case(.tooLarge, row: "performed too often") { old in
            row(old, performed: (0...32).map { Performance(ID("p\($0)"), .done) })
        },
        Case(.tooLarge, row: "a long reason") {
            row($0, performed: [Performance("page", .failed(String(repeating: "x", count: 2_000)))])
        },
        Case(.badNumber, row: "scrolled to no number") {
            row($0, scroll: Scroll("i", fraction: .nan))
        },
        Case(.badNumber, row: "claimed for a year") {
            row($0, claim: Claim(holder: "x", ttlSeconds: 31_536_000))
        },
        Case(.badID, row: "claimed by nobody") { row($0, claim: Claim(holder: "")) },
    ]

    @Test func whatIsSpoiltWasGood() throws {
        #expect(try Self.good().code() == nil)
    }

    @Test(arguments: cases)
    func refused(_ row: Case) throws {
        var parts = try Self.good()
        row.spoil(&parts)
        #expect(parts.code() == row.code)
    }

    /// A restore that was checked when it was journaled is not checked against lower limits later.
    @Test func whatWasCheckedIsNotCheckedAgain() throws {
        var parts = try Self.good()
        let digest = try parts.table().digest
        parts.limits.rows = 1
        #expect(parts.code() == .tooLarge)
        let restoration = try parts.restored(checking: false, digest: digest)
        try restoration.finish()
        #expect(restoration.table.count == 3)
    }
}
