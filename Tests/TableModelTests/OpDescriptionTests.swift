import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// An op's description of itself (OpDescription.swift) agrees with `apply`.
struct OpDescriptionTests {
    /// Every op that random commands come to, held against the table before it and behind it.
    @Test func nothingElseChanges() throws {
        var seen: Set<String> = []
        let words: Set = [
            "insert", "remove", "move", "set", "swipe", "expand", "swap", "insertSection",
            "removeSection", "setSection", "define", "perform", "invoke", "take", "release",
            "finish", "edit", "expandAll", "item", "scroll", "select", "claim", "restore",
            "invocation", "mark", "came", "rest", "sleep",
        ]
        // More only where a rare op has not come yet.
        for seed in 1...20 where seed <= 4 || !words.isSubset(of: seen) {
            try Self.run(seed, &seen)
        }
        #expect(words.subtracting(seen).isEmpty, "never tried: \(words.subtracting(seen))")
        #expect(seen.subtracting(words).isEmpty, "new: \(seen.subtracting(words))")
    }

    private static func run(_ seed: Int, _ seen: inout Set<String>) throws {
        let ledger = Ledger()
        let viewer = Table(name: "t", history: ID128(high: 1, low: 2))
        var commands = EveryCommand(seed: UInt64(seed))
        for verb in EveryCommand.beginning { _ = try ledger.perform(verb).get() }
        for _ in 0..<900 {
            let verbs = commands.next(for: ledger)
            ledger.perform(verbs.map { Command($0) }, by: commands.client)
            for change in ledger.changes[Int(viewer.revision)...] {
                let trial = viewer.copy()
                let moment = Moment(
                    revision: viewer.revision + 1, timeMs: change.diff.cause.timeMs)
                for op in change.diff.ops {
                    seen.insert(Self.word(for: op))
                    let check = OpCheck(op, on: trial)
                    try trial.apply(op, at: moment)
                    let fault = check.fault(after: trial)
                    try #require(fault == nil, "seed \(seed), \(op): \(fault ?? "")")
                }
                try viewer.apply(change.diff)
            }
        }
    }

    /// The inverse of an op touches nothing that the op does not touch, but for the traces that
    /// changes leave on a row.
    @Test(arguments: 1...6) func theInverseTouchesNothingElse(seed: Int) throws {
        let ledger = Ledger()
        var commands = EveryCommand(seed: UInt64(50 + seed))
        for verb in EveryCommand.beginning { _ = try ledger.perform(verb).get() }
        for _ in 0..<500 {
            let command = Command(commands.next(for: ledger)[0])
            let context = DecisionContext(
                nowMs: ledger.nowMs, client: commands.client, past: ledger)
            let result = reduce(command, on: ledger.table, limits: Limits(), context)
            if let op = try? result.get().ops.first {
                var allowed = Set(op.touches)
                for id in op.rows(in: ledger.table) { allowed.insert(.row(id, .performed)) }
                if op.effect == .changesAll {
                    for row in ledger.table.rows { allowed.insert(.row(row.id, .expansion)) }
                }
                for back in ledger.table.inverse(of: op) {
                    let others = back.touches.filter { !allowed.contains($0) }
                    try #require(others.isEmpty, "seed \(seed), \(op): \(others)")
                }
            }
            ledger.perform([command], by: commands.client)
        }
    }

    /// Two ops that touch nothing in common, and of which none stands where the other changes
    /// something, come to the same in either order.
    @Test(arguments: 1...8) func opsThatShareNothingCommute(seed: Int) throws {
        let ledger = Ledger()
        var commands = EveryCommand(seed: UInt64(100 + seed))
        for verb in EveryCommand.beginning { _ = try ledger.perform(verb).get() }
        var pairs = 0
        for _ in 0..<400 {
            ledger.perform(commands.next(for: ledger).map { Command($0) }, by: commands.client)
            let plans = [0, 1].map { _ -> [Op] in
                let command = Command(commands.next(for: ledger)[0])
                let context = DecisionContext(
                    nowMs: ledger.nowMs, client: commands.client, past: ledger)
                let result = reduce(command, on: ledger.table, limits: Limits(), context)
                return (try? result.get().ops) ?? []
            }
            let table = ledger.table
            let areApart = plans[0].allSatisfy { a in
                plans[1].allSatisfy { b in a.isApart(from: b, in: table) }
            }
            guard areApart, !plans[0].isEmpty, !plans[1].isEmpty else { continue }
            pairs += 1
            let (one, other) = (table.copy(), table.copy())
            try one.apply(plans[0] + plans[1], timeMs: ledger.nowMs)
            try other.apply(plans[1] + plans[0], timeMs: ledger.nowMs)
            try #require(one.digest == other.digest, "seed \(seed): \(plans)")
            // Each was decided on alone: together they may open two rows where one may be open.
            try #require((one.fault() == nil) == (other.fault() == nil), "seed \(seed): \(plans)")
        }
        #expect(pairs > 20, "only \(pairs) pairs were apart")
    }

    private static func word(for op: Op) -> String {
        Mirror(reflecting: op).children.first?.label ?? "\(op)"
    }
}

extension Op {
    /// Whether they share nothing that they change, and neither stands where the other changes.
    fileprivate func isApart(from other: Op, in table: Table) -> Bool {
        // Traces are of all that happened to a row.
        if facts.contains(.restoresTraces) || other.facts.contains(.restoresTraces),
            !Set(rows).isDisjoint(with: other.rows)
        {
            return false
        }
        let (mine, theirs) = (touched(in: table), other.touched(in: table))
        if !mine.isDisjoint(with: theirs) { return false }
        for (op, touches) in [(self, theirs), (other, mine)] {
            if touches.contains(where: { op.leans(on: $0) }) { return false }
        }
        if let place, place == other.place { return false }
        if case .item(let row, .insert(_, let after)) = self,
            case .item(row, .insert(_, after)) = other
        {
            return false
        }
        if case .ofSection(_, .inserts(let after)) = effect,
            case .ofSection(_, .inserts(let behind)) = other.effect
        {
            return after != behind
        }
        return true
    }

    private func touched(in table: Table) -> Set<Touch> {
        var all = Set(touches)
        if case .ends = effect {
            for row in rows(in: table) { all.insert(.row(row, .performed)) }
        }
        return all
    }

    /// Whether it comes out differently where that was changed before.
    private func leans(on touch: Touch) -> Bool {
        switch touch {
        // Other content takes away what was performed on the old.
        case .row(let id, let aspect) where isPerformance(on: id) && aspect.isContent: return true
        case .row(let id, .existence): return rows.contains(id) || place?.row == id || isOfAllRows
        case .row(let id, .place): return place?.row == id
        case .row(_, .expansion), .row(_, .kind), .kind, .allExpansions: return isOfAllRows
        case .row(let id, .item(let item)): return items(of: id).contains(item)
        case .row(let id, .itemOrder):
            if case .item(id, .insert) = self { return true }
            return false
        case .row: return false
        case .section(let id):
            if case .ofSection(_, .inserts(let after)) = effect { return after == id }
            return place == .top(id)
        case .settings, .editing, .invocation: return false
        }
    }

    /// Items of the row that it moves, or beside which it puts others.
    private func items(of row: RowID) -> [ID] {
        guard case .item(row, let step) = self else { return [] }
        switch step {
        case .insert(_, let after): return [after].compactMap { $0 }
        case .move(let ids, let after): return ids + [after].compactMap { $0 }
        case .remove, .set: return []
        }
    }

    private var isOfAllRows: Bool { effect == .changesAll }

    private func isPerformance(on row: RowID) -> Bool {
        if case .perform(row, _) = self { return true }
        return false
    }
}

/// Random commands that come to every op.
private struct EveryCommand {
    private var commands: RandomCommands
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
        commands = RandomCommands(seed: seed, rows: 24)
    }

    var client: ID { commands.client ?? "nobody" }

    /// A strip with two items, which all screens scroll.
    static let beginning: [Command.Verb] = {
        var strip = Kind("strip")
        strip.isStrip = true
        strip.itemKinds = ["dish": dish, "tag": ItemKind()]
        var settings = Settings()
        settings.scrollScope = .shared
        settings.selection = .shared
        return [
            .define(.init(kinds: [strip, .swipeable], settings: settings)),
            .add(.init(id: "strip", .init(kind: "strip", title: "Courses"))),
            .item("strip", .add(Item("i0", title: "Soup"), .bottom)),
            .item("strip", .add(Item("i1", title: "Fish"), .bottom)),
        ]
    }()

    /// With a menu of every effect that an item can have.
    private static let dish: ItemKind = {
        var dish = ItemKind()
        let effects: [ID: [Effect]] = [
            "serve": [.setItem([.init("served", "yes")])], "cut": [.removeItem], "look": [],
            "ask": [
                .invoke(
                    deadlineSeconds: 9, then: [.setItem([.init("asked", "yes")])],
                    retries: Retries(attempts: 3))
            ],
            "end": [.setItem([.init("x", "1")]), .invoke(deadlineSeconds: 5, then: []), .remove],
        ]
        dish.menu = effects.keys.sorted().map { id in
            var action = Action(id)
            action.effects = effects[id] ?? []
            return action
        }
        dish.tap = [.setItem([.init("seen", "yes")])]
        return dish
    }()

    /// One command, or now and then several together.
    mutating func next(for ledger: Ledger) -> [Command.Verb] {
        commands.look(at: ledger.table)
        if commands.random.once(in: 8) { return commands.batch().map(\.verb) }
        return [verb(ledger)]
    }

    private mutating func verb(_ ledger: Ledger) -> Command.Verb {
        let head = ledger.table.revision
        let row = commands.random.pick(ledger.table.rows.map(\.id) + ["r1"])
        let mine = ledger.table.invocations.all.first {
            $0.holder != nil && $0.holder == commands.client
        }
        if let mine, commands.random.once(in: 6) {
            return commands.random.pick([.finish(mine.id, .failed("no")), .release(mine.id)])
        }
        switch commands.random.below(29) {
        case 28:
            let end = Command.Snooze.End.after(UInt64(1 + commands.random.below(9_000)))
            let isToTop = commands.random.once(in: 2)
            return .snooze(
                [row], commands.random.once(in: 3) ? nil : .init(end, isToTop: isToTop))
        case 0: return .undo(revision: nil, mine: commands.random.once(in: 2))
        case 1:
            let back = UInt64(commands.random.below(20))
            return .undo(revision: head > back ? head - back : 1, mine: false)
        case 2: return .redo(mine: false)
        case 3:
            let removed = ledger.table.removed.entries.map(\.row)
            return .recall(removed.isEmpty ? ["r1"] : [commands.random.pick(removed)])
        case 4: return .claim([row], note: "n\(head)", ttlSeconds: nil)
        case 5: return .unclaim([row], holder: ledger.table.row(row)?.claim?.holder)
        case 6: return .expandAll(commands.random.once(in: 2))
        case 7...9: return item(ledger)
        case 10: return .scroll("strip", Scroll(itemID(), fraction: 0.5))
        case 11: return .select(row, item: row == "strip" ? itemID() : nil)
        case 12...14:
            let action: ID = commands.random.pick(["serve", "cut", "look", "ask", "end"])
            return .act(.init(action, on: "strip", item: itemID()))
        case 15:
            // The item kinds come and go.
            var strip = Kind("strip")
            strip.isStrip = true
            strip.itemKinds = commands.random.pick([[:], ["dish": Self.dish]])
            strip.itemKinds["tag"] = ItemKind()
            return .define(.init(kinds: [strip]))
        case 16: return .mark(row, item: row == "strip" ? itemID() : nil)
        default: return commands.verb()
        }
    }

    private mutating func itemID() -> ID { ID("i\(commands.random.below(4))") }

    private mutating func item(_ ledger: Ledger) -> Command.Verb {
        let id = itemID()
        let anchor = commands.random.pick([.top, .bottom, .after(itemID())] as [Anchor])
        switch commands.random.below(4) {
        case 0:
            let kind: ID? = commands.random.pick([nil, "dish", "dish", "tag"])
            return .item("strip", .add(Item(id, title: "x", kind: kind), anchor))
        case 1: return .item("strip", .remove([id]))
        case 2: return .item("strip", .move([id], anchor))
        default:
            let kind: ID?? = commands.random.pick([nil, .some(nil), "dish", "tag"])
            let title: String? = commands.random.pick([nil, "t\(commands.random.below(3))"])
            return .item("strip", .set(id, .init(title: title, kind: kind)))
        }
    }
}
