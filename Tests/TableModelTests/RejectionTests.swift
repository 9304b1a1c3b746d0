import TableModel
import Testing

/// Every refusal that a table can give, by code: one row or more for each.
struct RejectionTests {
    struct Case: CustomTestStringConvertible {
        let code: Rejection.Code
        let field: String?
        let verb: Command.Verb
        var ifRevision: UInt64?
        var ifVersion: UInt64?
        var client: ID?

        init(
            _ code: Rejection.Code, _ field: String?, _ verb: Command.Verb,
            ifRevision: UInt64? = nil, ifVersion: UInt64? = nil, client: ID? = nil
        ) {
            self.client = client
            (self.code, self.field, self.verb) = (code, field, verb)
            (self.ifRevision, self.ifVersion) = (ifRevision, ifVersion)
        }

        /// From the command down.
        var path: String {
            let name = Command(verb).name
            guard let field else { return name }
            let isAct = if case .act = verb { true } else { false }
            return field == "ifRevision" || !isAct && field == "ifVersion"
                ? field : "\(name).\(field)"
        }

        var testDescription: String { "\(code) at \(field ?? "-"): \(verb)" }
    }

    /// Codes that other layers give: decoding, sessions, the server's tables, reading.
    static let elsewhere: Set<Rejection.Code> = [
        .unsupportedProtocol, .tooManyFrames, .unknownVerb, .diskFull, .unknown, .numberReused,
        .noSuchTable, .compacted, .noSuchSnapshot, .otherHistory, .damaged, .unrecognized,
    ]
    /// In tests of their own, below.
    static let apart: Set<Rejection.Code> = [.badName, .viewerScope, .editing]

    @Test func everyCodeIsCovered() {
        let covered = Set(Self.cases.map(\.code)).union(Self.apart)
        #expect(covered.isDisjoint(with: Self.elsewhere))
        #expect(covered.union(Self.elsewhere) == Set(Rejection.Code.allCases))
    }

    @Test(arguments: cases)
    func refused(_ row: Case) throws {
        let table = try Self.table()
        let before = table.digest
        let command = Command(row.verb, ifRevision: row.ifRevision, ifVersion: row.ifVersion)
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
        ).map { table.commit($0, cause: Cause(verb: "define")) }.get()
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
            .map { table.commit($0, cause: Cause(verb: "edit")) }.get()
        for verb in [Command.Verb.swipe("a", .leading), .act(.init("done", on: "w"))] {
            let result = reduce(Command(verb), on: table, limits: Limits(), nowMs: 0)
            guard case .failure(let rejection) = result else {
                Issue.record("not refused")
                continue
            }
            #expect(rejection.code == .editing)
        }
    }

    /// Rows a, b in main, p pinned, k kept, c elsewhere, w with an invocation (9.0), s a strip; at
    /// revision 11.
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
            .act(.init("page", on: "w")), .define(.init(kinds: [strip], settings: shared)),
            .add(.init(id: "s", .init(kind: "strip", items: [Item("i"), Item("j")]))),
        ]
        for verb in commands {
            let plan = try reduce(Command(verb), on: table, limits: limits, nowMs: 1).get()
            _ = table.commit(plan, cause: Cause(verb: "test"))
        }
        return table
    }

    static let limits: Limits = {
        var limits = Limits()
        limits.items = 3
        limits.stripBytes = 5_000
        limits.kinds = 6
        limits.sections = 3
        limits.fields = 3
        limits.batchCommands = 5
        limits.actions = 2
        limits.faceDepth = 3
        return limits
    }()
}
