import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Recorded sessions, repeated on a table that has a past of its own.
struct RepeatTests {
    /// Random commands of every verb, with undo, redo, recall, claims and drags. A command is found
    /// for each revision, except for batches.
    @Test(arguments: 1...8) func aSessionFromTheBeginning(seed: Int) throws {
        let ledger = Ledger()
        var commands = RandomCommands(seed: UInt64(300 + seed), rows: 20, queues: true)
        for _ in 0..<600 { Self.act(&commands, on: ledger) }
        let again = Ledger()
        var repeater = Repeater(
            Table(name: "t", history: ID128(high: 1, low: 2)), recordedAs: 0, limits: Limits())
        var undone = 0
        for change in ledger.changes {
            try Self.carryOut(change.diff, &repeater, again)
            if change.diff.cause.undoes != nil { undone += 1 }
        }
        #expect(undone > 20)
        #expect(again.table.digest == ledger.table.digest)
        for verb in ["redo", "recall", "claim", "drop"] {
            #expect(ledger.changes.contains { $0.diff.cause.verb == verb }, "no \(verb)")
        }
    }

    /// Commands make a table in use again, with its times and claims, and a session continues from
    /// there. Its undos name revisions of the first table.
    @Test(arguments: 1...8) func aSessionFromATableInUse(seed: Int) throws {
        let ledger = Ledger()
        var commands = RandomCommands(seed: UInt64(400 + seed), rows: 40, queues: true)
        for _ in 0..<300 {
            Self.act(&commands, on: ledger) { verb in
                ![.act, .next].contains(verb.name)
            }
        }
        let again = Ledger()
        for verb in ledger.table.beginning { _ = try again.perform(verb).get() }
        try #require(again.table.digest == ledger.table.digest, "seed \(seed)")
        let start = ledger.table.revision
        var repeater = Repeater(again.table.copy(), recordedAs: start, limits: Limits())
        for _ in 0..<300 {
            Self.act(&commands, on: ledger) { verb in
                if case .undo(let revision?, _) = verb { return revision > start }
                return ![.act, .next, .undo, .redo, .recall].contains(verb.name)
            }
        }
        for change in ledger.changes[Int(start)...] {
            try Self.carryOut(change.diff, &repeater, again)
        }
        #expect(again.table.digest == ledger.table.digest)
        #expect(again.table.revision != ledger.table.revision)
    }

    /// Actions performed on rows come along.
    @Test func aSessionFromRowsThatWereActedOn() throws {
        let (ledger, again) = (Ledger(), Ledger())
        var kind = Kind("k")
        kind.trailing = ActionGroup(actions: [Action("x")])
        ledger.perform(.define(.init(kinds: [kind])))
        ledger.perform(.add(.init(id: "a", .init(kind: "k", title: "A"))))
        _ = try ledger.perform(.act(.init("x", on: "a"))).get()
        for verb in ledger.table.beginning { _ = try again.perform(verb).get() }
        #expect(again.table.row("a")?.performed.count == 1)
        #expect(again.table.digest == ledger.table.digest)
    }

    /// An undo or recall of a revision before the session is refused, with that reason.
    @Test func whatWasBefore() throws {
        let ledger = Ledger()
        for id: RowID in ["a", "b"] {
            ledger.perform(.add(.init(id: id, .init(title: id.text))))
        }
        ledger.perform(.remove(["a"]))
        let copy = ledger.table.copy()
        copy.removed = RemovedPlaces(capacity: 10)
        var repeater = Repeater(copy, recordedAs: 3, limits: Limits())
        _ = try ledger.perform(.recall(["a"])).get()
        _ = try ledger.perform(.undo(revision: 2, mine: false)).get()
        let recall = ledger.changes[3].diff
        #expect(throws: Unrepeatable.self) { try repeater.errand(for: recall, atMs: 9) }
        let undo = ledger.changes[4].diff
        let error = #expect(throws: Unrepeatable.self) { try repeater.errand(for: undo, atMs: 9) }
        #expect(error?.reason.contains("takes revision 2 back, which was before") == true)
    }

    /// A drop in the rows' own place is repeated as a drop: a plain move there makes no revision.
    @Test func aDropInPlace() throws {
        let ledger = Ledger()
        for id: RowID in ["a", "b"] {
            ledger.perform(.add(.init(id: id, .init(title: id.text))))
        }
        var repeater = Repeater(ledger.table.copy(), recordedAs: 2, limits: Limits())
        _ = try ledger.drop(["b"], .after("a")).get()
        let errand = try repeater.errand(for: ledger.changes[2].diff, atMs: 9)
        #expect(errand.repetition == .drop(["b"], section: nil, .after("a")))
        #expect(errand.atMs == ledger.nowMs)
        #expect(errand.client == nil)
        #expect(errand.name == "ada")
    }

    // MARK: Acting, and acting again

    private static func act(
        _ commands: inout RandomCommands, on ledger: Ledger,
        where isWanted: (Command.Verb) -> Bool = { _ in true }
    ) {
        commands.look(at: ledger.table)
        let name = commands.client
        if commands.random.once(in: 10) {
            let rows = ledger.table.rows.map(\.id)
            guard rows.count > 2 else { return }
            let anchor: Anchor = commands.random.once(in: 3) ? .top : .after(rows[0])
            ledger.drop([rows[commands.random.below(2)]], anchor, by: name ?? "ada")
            return
        }
        let verb = verb(&commands, ledger)
        if isWanted(verb) { ledger.perform([Command(verb)], by: name) }
    }

    private static func verb(_ commands: inout RandomCommands, _ ledger: Ledger) -> Command.Verb {
        let head = ledger.table.revision
        let row = ledger.table.rows.first?.id ?? "r1"
        switch commands.random.below(15) {
        case 14:
            return commands.random.once(in: 3) ? .mark(nil, item: nil) : .select(row, item: nil)
        case 0: return .undo(revision: nil, mine: commands.random.once(in: 2))
        case 1, 2:
            let back = UInt64(commands.random.below(40))
            return .undo(revision: head > back ? head - back : 1, mine: false)
        case 3: return .redo(mine: commands.random.once(in: 2))
        case 4:
            let removed = ledger.table.removed.entries.map(\.row)
            return .recall(removed.isEmpty ? ["r1"] : [commands.random.pick(removed)])
        case 5:
            let ttl: Double? = commands.random.once(in: 2) ? 9 : nil
            return .claim([row], note: "n\(head)", ttlSeconds: ttl)
        case 6: return .unclaim([row], holder: ledger.table.row(row)?.claim?.holder)
        default: return commands.verb()
        }
    }

    /// Its steps, and so the digest, have the id of a client.
    private static func hasClient(_ op: Op) -> Bool {
        if case .invoke = op { true } else { op.isOfHandler }
    }

    /// As the daemon would.
    private static func carryOut(
        _ diff: Diff, _ repeater: inout Repeater, _ ledger: Ledger
    ) throws {
        let errand = try repeater.errand(for: diff, atMs: 1)
        let name = errand.name ?? errand.client
        // A daemon may know the client. All else is sent in its name.
        if errand.client != nil { #expect(diff.ops.contains(where: Self.hasClient)) }
        switch errand.repetition {
        case .commands(let commands):
            _ = try ledger.perform(commands, by: name, atMs: errand.atMs).get()
        case .drop(let rows, let section, let anchor):
            _ = try ledger.drop(
                rows, section: section, anchor, by: name ?? "ada", atMs: errand.atMs
            ).get()
        case .past(let verb, let lifted):
            let leases = Dictionary(uniqueKeysWithValues: lifted.map { ($0, ID("ada")) })
            _ = try ledger.perform(
                [Command(verb)], by: name, lifted: leases, atMs: errand.atMs
            ).get()
        }
        try #require(
            ledger.table.digest == diff.digest,
            "revision \(diff.revision) (\(diff.cause.verb)): \(diff.ops), \(errand)")
    }
}
