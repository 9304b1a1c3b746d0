import TableDecisions
import TableModel
import Testing

/// Every refusal that a table can give, with one row or more for each code.
struct RejectionTests {
    struct Case: CustomTestStringConvertible {
        let code: Rejection.Code
        let field: String?
        let verb: Command.Verb
        var ifRevision: UInt64?
        var ifVersion: UInt64?
        var client: ID?
        var ifClaimed = false
        var condition: String?

        init(
            _ code: Rejection.Code, _ field: String?, _ verb: Command.Verb,
            ifRevision: UInt64? = nil, ifVersion: UInt64? = nil, client: ID? = nil,
            ifClaimed: Bool = false, if condition: String? = nil
        ) {
            self.condition = condition
            self.client = client
            self.ifClaimed = ifClaimed
            (self.code, self.field, self.verb) = (code, field, verb)
            (self.ifRevision, self.ifVersion) = (ifRevision, ifVersion)
        }

        /// The path of the field, from the command down.
        var path: String {
            let name = Command(verb).name
            guard let field else { return name }
            let isAct = if case .act = verb { true } else { false }
            return field == "client" || field == "ifRevision" || field == "ifClaimed"
                || field == "if"
                || !isAct && field == "ifVersion"
                ? field : "\(name).\(field)"
        }

        var testDescription: String { "\(code) at \(field ?? "-"): \(verb)" }
    }

    /// Codes that other layers give: decoding, sessions, the server's tables, reading.
    static let elsewhere: Set<Rejection.Code> = [
        .unsupportedProtocol, .tooManyFrames, .unknownVerb, .notLeader, .noOtherDaemon, .notStandby,
        .diskFull, .unknown, .numberReused,
        .noSuchTable, .noSuchLease, .noSuchSnapshot, .otherHistory, .damaged, .unrecognized,
        .noSuchRestore, .interrupted,
    ]
    /// Codes with tests of their own, below.
    static let apart: Set<Rejection.Code> = [
        .badName, .viewerScope, .editing, .paused, .leased, .nothingToUndo, .alreadyUndone,
        .notUndoable,
        .conflict, .compacted, .badBackup,
    ]

    @Test func everyCodeIsCovered() {
        let covered = Set(Self.cases.map(\.code)).union(Self.apart)
        #expect(covered.isDisjoint(with: Self.elsewhere))
        #expect(covered.union(Self.elsewhere) == Set(Rejection.Code.allCases))
    }

    @Test(arguments: cases)
    func refused(_ row: Case) throws {
        let table = try Self.table()
        let before = table.digest
        let command = Command(
            row.verb, ifRevision: row.ifRevision, ifVersion: row.ifVersion,
            ifClaimed: row.ifClaimed,
            if: try row.condition.map { try CommandCondition($0, on: row.verb) })
        guard
            case .failure(let rejection) = reduce(
                command, on: table, limits: Self.limits, nowMs: 1, client: row.client)
        else {
            Issue.record("not refused")
            return
        }
        #expect(rejection.code == row.code, "\(rejection)")
        #expect(rejection.field == row.path)
        #expect(rejection.command == nil && rejection.message.hasSuffix("."))
        #expect(table.digest == before && table.fault() == nil)
        let batch = reduce(
            batch: [Command(.section("z", title: "Z")), command], on: table, limits: Self.limits,
            nowMs: 1, client: row.client)
        guard case .failure(let refusal) = batch else {
            Issue.record("not refused in a batch")
            return
        }
        #expect(refusal.code == row.code && refusal.command == 1)
        #expect(table.digest == before && table.section("z") == nil)
    }

    @Test func viewerScope() throws {
        let table = try Self.table()
        var settings = Settings()
        settings.swipeScope = .viewer
        _ = try reduce(
            Command(.define(.init(settings: settings))), on: table, limits: Limits(), nowMs: 0
        ).map { table.apply($0, cause: Cause(verb: "define")) }.get()
        for edge in [Edge.leading, .trailing, nil] {
            let result = reduce(
                Command(.swipe("a", edge)), on: table, limits: Limits(), nowMs: 0)
            guard case .failure(let rejection) = result else {
                Issue.record("not refused")
                continue
            }
            #expect(rejection.code == .viewerScope)
        }
    }

    @Test func tableNames() {
        let limits = Limits()
        func code(_ name: String) -> Rejection.Code? {
            do throws(Rejection) {
                try ID(name).checkTableName(limits: limits)
                return nil
            } catch { return error.code }
        }
        #expect(code("") == .badName)
        #expect(code("a/b") == .badName)
        #expect(code("a\u{1}") == .badName)
        #expect(code("a\u{9B}") == .badName)
        #expect(code(String(repeating: "a", count: 129)) == .tooLarge)
        #expect(code(String(repeating: "a", count: 128)) == nil)
        #expect(code("stock é 🐘") == nil)
    }

    @Test func editing() throws {
        let table = try Self.table()
        _ = try reduce(Command(.edit(true)), on: table, limits: Limits(), nowMs: 0)
            .map { table.apply($0, cause: Cause(verb: "edit")) }.get()
        for verb in [Command.Verb.swipe("a", .leading), .act(.init("done", on: "w"))] {
            let result = reduce(Command(verb), on: table, limits: Limits(), nowMs: 0)
            guard case .failure(let rejection) = result else {
                Issue.record("not refused")
                continue
            }
            #expect(rejection.code == .editing)
        }
    }

    /// No row can be moved past a pinned row between others, from either side.
    @Test func pinned() throws {
        let ledger = Ledger()
        var kind = Kind("pinned")
        kind.isPinned = true
        ledger.perform(.define(.init(kinds: [kind])))
        for id: RowID in ["a", "b", "c"] { ledger.perform(.add(.init(id: id, .init()))) }
        ledger.perform(.add(.init(id: "p", .init(kind: "pinned"), at: .after("a"))))
        for (verb, field) in [
            (Command.Verb.move(["a"], section: nil, .bottom, .rebase), "move.bottom"),
            (.move(["c", "b"], section: nil, .top, .rebase), "move.top"),
            (.move(["b"], section: nil, .before("p"), .rebase), "move.before"),
            (.move(["a"], section: nil, .after("p"), .rebase), "move.after"),
            (.swap("a", "b"), "swap.b"),
        ] {
            #expect(Self.refusal(ledger.perform(verb)) == [.pinned: field], "\(verb)")
        }
        #expect(Self.refusal(ledger.perform(.swap("b", "c"))) == [:])
        #expect(ledger.table.rows.map(\.id) == ["a", "p", "c", "b"])
    }

    /// Rows that are being dragged.
    @Test func leased() throws {
        let table = try Self.table()
        let context = DecisionContext(nowMs: 1, client: "me", lifted: ["a": "ada"])
        let verbs: [(Command.Verb, String)] = [
            (.move(["b", "a"], section: nil, .top, .strict), "move.rows"),
            (.swap("a", "b"), "swap.a"), (.swap("b", "a"), "swap.b"),
            (.swipe("a", .leading), "swipe.row"), (.act(.init("done", on: "a")), "act.row"),
        ]
        for (verb, field) in verbs {
            let result = reduce(
                Command(verb), on: table, limits: Limits(), context)
            #expect(Self.refusal(result) == [.leased: field], "\(verb)")
        }
        let lift = reduce(lift: ["b", "a"], on: table, limits: Limits(), context)
        #expect(Self.refusal(lift) == [.leased: "rows"])
        // What does not move it goes on, for who holds it as for others.
        let own = DecisionContext(nowMs: 1, client: "me", lifted: ["a": "me"])
        for verb in [Command.Verb.set("a", .init(title: "x")), .swipe("a", nil), .remove(["a"])] {
            #expect(
                Self.refusal(reduce(Command(verb), on: table, limits: Limits(), own))
                    == [:])
        }
    }

    private static func refusal(_ result: Result<Plan, Rejection>) -> [Rejection.Code: String?] {
        if case .failure(let rejection) = result { return [rejection.code: rejection.field] }
        return [:]
    }

    @Test func lifting() throws {
        let table = try Self.table()
        func code(_ ids: [RowID], _ limits: Limits = Limits()) -> Rejection.Code? {
            Self.refusal(
                reduce(lift: ids, on: table, limits: limits, DecisionContext(nowMs: 1))
            ).keys.first
        }
        #expect(code([]) == .badValue)
        #expect(code(["a", "a"]) == .duplicate)
        #expect(code(["a", "nobody"]) == .noSuchRow)
        #expect(code(["k"]) == .notAllowed)
        #expect(code(["p"]) == .notAllowed)
        #expect(code((0..<257).map { ID("\($0)") }) == .tooLarge)
        #expect(code(["c", "a"]) == nil)
    }

    /// Codes of undo, redo and recall, in a table with a past.
    @Test func past() throws {
        let ledger = Ledger()
        func code(_ verb: Command.Verb, by name: ID? = "ada") -> [Rejection.Code: String?] {
            Self.refusal(ledger.perform(verb, by: name))
        }
        #expect(code(.undo(revision: nil, mine: false)) == [.nothingToUndo: "undo.revision"])
        #expect(code(.redo(mine: false)) == [.nothingToUndo: "redo"])
        #expect(code(.undo(revision: 1, mine: false)) == [.badNumber: "undo.revision"])
        for id: RowID in ["a", "b"] { ledger.perform(.add(.init(id: id, .init(title: "A")))) }
        #expect(code(.undo(revision: 0, mine: false)) == [.badNumber: "undo.revision"])
        #expect(
            code(.undo(revision: nil, mine: true), by: "bob") == [.nothingToUndo: "undo.revision"])
        #expect(code(.undo(revision: 1, mine: false)) == [:])
        #expect(code(.undo(revision: 1, mine: false)) == [.alreadyUndone: "undo.revision"])
        #expect(code(.redo(mine: false)) == [:])
        ledger.perform(.set("a", .init(title: "B")))
        #expect(code(.undo(revision: 1, mine: false), by: "bob") == [.conflict: "undo.revision"])
        #expect(code(.recall(["a"])) == [.exists: "recall.rows"])
        #expect(code(.recall(["nobody"])) == [.noSuchRow: "recall.rows"])
        #expect(code(.recall(["b", "b"])) == [.duplicate: "recall.rows"])
        #expect(code(.recall(Few((0..<257).map { ID("\($0)") }))) == [.tooLarge: "recall.rows"])
    }

    /// A program that ran is not taken back, nor is what a handler did.
    @Test func notUndoable() throws {
        let ledger = Ledger()
        ledger.perform(.define(.init(kinds: [Self.worker])))
        ledger.perform(.add(.init(id: "w", .init(kind: "worker"))))
        ledger.perform(.act(.init("page", on: "w")))
        ledger.perform(.take(action: nil, atMost: 1), by: "handler")
        for revision: UInt64 in [3, 4] {
            #expect(
                Self.refusal(ledger.perform(.undo(revision: revision, mine: false)))
                    == [.notUndoable: "undo.revision"])
        }
    }

    /// A past that forgets all but the latest.
    private final class Forgetful: Past {
        let ledger: Ledger
        let oldest: UInt64
        var head: UInt64 { ledger.head }
        func mark(of revision: UInt64) -> PastMark { ledger.mark(of: revision) }
        func change(_ revision: UInt64) -> PastChange? { ledger.change(revision) }
        func mayMention(_ rows: RowSearch, in revision: UInt64) -> Bool {
            ledger.mayMention(rows, in: revision)
        }

        init(ledger: Ledger, oldest: UInt64) {
            self.ledger = ledger
            self.oldest = oldest
        }
    }

    @Test func compacted() throws {
        let ledger = Ledger()
        ledger.perform(.add(.init(id: "a", .init())))
        ledger.perform(.remove(["a"]))
        ledger.perform(.add(.init(id: "b", .init())))
        let past = Forgetful(ledger: ledger, oldest: 2)
        for (verb, field) in [
            (Command.Verb.undo(revision: 2, mine: false), "undo.revision"),
            (.recall(["a"]), "recall.rows"),
        ] {
            let result = reduce(
                Command(verb), on: ledger.table, limits: Limits(),
                DecisionContext(nowMs: 9, past: past))
            #expect(Self.refusal(result) == [.compacted: field])
        }
        guard
            case .success = reduce(
                Command(.undo(revision: 3, mine: false)), on: ledger.table, limits: Limits(),
                DecisionContext(nowMs: 9, past: past))
        else {
            Issue.record("refused")
            return
        }
    }

    /// A row that stays swiped open after an undo is not one that is being dragged.
    @Test func anUndoneLiftLeavesTheLiftedRowClosed() throws {
        let ledger = Ledger()
        for id: RowID in ["a", "b"] { ledger.perform(.add(.init(id: id, .init()))) }
        ledger.perform(.define(.init(kinds: [.swipeable])))
        ledger.perform(.swipe("a", .leading))
        // As the lift does.
        ledger.perform(.swipe("a", nil))
        let lift = ledger.table.revision
        ledger.perform(.swipe("b", .leading))
        _ = try ledger.perform(
            [Command(.undo(revision: lift, mine: false))], lifted: ["a": "ada"]
        ).get()
        #expect(ledger.table.row("a")?.swipe == nil)
        #expect(ledger.table.fault() == nil)
    }

    /// Rows a, b in main, p pinned, k kept, c elsewhere, w with an invocation (9.0), s a strip; at
    /// revision 12. Row b is claimed by ada.
    static func table() throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var pinned = Kind("pinned")
        pinned.isPinned = true
        var kept = Kind("kept")
        kept.canDelete = false
        kept.canMove = false
        let commands: [Command.Verb] = [
            .define(.init(kinds: [pinned, kept])), .add(.init(id: "a", .init(title: "A"))),
            .add(.init(id: "b", .init())), .add(.init(id: "p", .init(kind: "pinned"))),
            .add(.init(id: "k", .init(kind: "kept"))),
            .add(.init(id: "c", .init(), section: "other")),
            .define(.init(kinds: [worker])), .add(.init(id: "w", .init(kind: "worker"))),
            .act(.init("page", on: "w")),
            .define(.init(kinds: [strip, plainStrip], settings: shared)),
            .add(
                .init(
                    id: "s", .init(kind: "strip", items: [Item("i", kind: "dish"), Item("j")]))),
            .claim(["b"], note: "", ttlSeconds: nil),
        ]
        for verb in commands {
            let plan = try reduce(
                Command(verb), on: table, limits: limits, nowMs: 1, client: "ada"
            ).get()
            _ = table.apply(plan, cause: Cause(verb: "test"))
        }
        return table
    }

    static let limits: Limits = {
        var limits = Limits()
        limits.items = 3
        limits.stripBytes = 5_000
        limits.kinds = 7
        limits.sections = 3
        limits.fields = 3
        limits.batchCommands = 5
        limits.actions = 2
        limits.faceDepth = 3
        return limits
    }()
}
