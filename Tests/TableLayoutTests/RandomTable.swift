import SeededNumbers
import TableDecisions
import TableModel
import Testing

/// A table that changes by random commands that matter to heights or to the order.
struct RandomTable {
    let table = Table(name: "t", history: ID128(high: 1, low: 2))
    var random: SplitMix64
    private var counter = 0
    private let sections: [SectionID] = ["main", "s", "t", "u"]
    /// Ids come from a small world, so that removed ones come back.
    private let rows: [RowID]

    init(seed: UInt64, rows: Int = 60) {
        random = SplitMix64(seed: seed)
        self.rows = (0..<rows).map { ID("r\($0)") }
    }

    /// A table with so many rows in one section; one in `openOften` is expanded.
    static func filled(_ count: Int, openOften: Int = 7) throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        table.reserve(count)
        try table.appendSection("main", title: "main")
        for number in 0..<count {
            let content = Row.Content(title: "row number \(number), two of them or three")
            try table.appendRow(
                Row(
                    id: ID("r\(number)"), content: content,
                    expansion: number % openOften == 0 ? .expanded : .collapsed),
                to: "main")
        }
        var kind = Kind(.plainKind)
        kind.leading = actions
        let define = Command(.define(.init(kinds: [kind])))
        let plan = try reduce(define, on: table, limits: Limits(), nowMs: 0).get()
        _ = table.apply(plan, cause: Cause(verb: "define"))
        return table
    }

    /// Actions, because rows without any cannot be swiped open.
    private static let actions = ActionGroup(actions: [Action("a")])

    /// A diff that the table has applied; nil: the command was refused or changed nothing.
    mutating func step() -> Diff? {
        let commands = (0..<(1 + random.below(4))).map { _ in Command(verb()) }
        for command in commands {
            let result =
                random.once(in: 2)
                ? reduce(batch: commands, on: table, limits: Limits(), nowMs: 0)
                : reduce(command, on: table, limits: Limits(), nowMs: 0)
            if case .success(let plan) = result,
                let diff = table.apply(plan, cause: Cause(verb: "test"))
            {
                return diff
            }
        }
        return nil
    }

    /// Adds a row, without a diff.
    mutating func grow() {
        var content = Row.Content(title: title())
        content.set(.init("f", "value"))
        let add = Command(.add(.init(id: newRow(), content, at: random.pick([.top, .bottom]))))
        if case .success(let plan) = reduce(add, on: table, limits: Limits(), nowMs: 0) {
            _ = table.apply(plan, cause: Cause(verb: "test"))
        }
    }

    /// Mostly an existing row, so that most commands are valid.
    private mutating func row() -> RowID {
        let one = random.pick(rows)
        return table.row(one) != nil || random.once(in: 8) ? one : (list().first ?? one)
    }

    private mutating func newRow() -> RowID {
        rows.shuffled(using: &random).first { table.row($0) == nil } ?? random.pick(rows)
    }

    private mutating func anchor() -> Anchor {
        random.pick([.top, .bottom, .before(row()), .after(row()), .after(row())])
    }

    private mutating func list() -> [RowID] {
        Array(rows.shuffled(using: &random).filter { table.row($0) != nil }.prefix(3))
    }

    private mutating func title() -> String {
        counter += 1
        let words = ["a", "soup", "寿司", "Donaudampfschiff", "e\u{301}", "x\ny"]
        return (0..<random.below(12)).map { _ in random.pick(words) }.joined(separator: " ")
    }

    private mutating func kind() -> KindID {
        random.pick([.plainKind] + table.kinds.keys.sorted())
    }

    private mutating func definition() -> Kind {
        var kind = Kind(random.pick([.plainKind, "card", "slip"]))
        kind.heightPoints = random.pick([60, 33.3, 1.0 / 3, 0.0001, 1e6, 17])
        kind.margins = .init(text: random.pick([0, 20, 20.7]), bottom: random.pick([40, 1.0 / 7]))
        kind.isStrip = kind.id == "slip"
        kind.layout = random.pick(Kind.Layout.allCases)
        kind.states = [
            .collapsed, .expanded, .named("big", heightPoints: random.pick([100, 99.999])),
        ]
        kind.leading = random.pick([nil, Self.actions, Self.actions])
        kind.trailing = Self.actions
        return kind
    }

    private mutating func verb() -> Command.Verb {
        switch random.below(28) {
        case 24: return .expandAll(random.once(in: 2))
        case 25...26:
            let item = ID("i\(random.below(5))")
            let change: Command.ItemChange =
                random.once(in: 3) ? .remove([item]) : .add(Item(item, title: title()), .bottom)
            return .item(row(), change)
        case 27: return .select(row(), item: random.once(in: 2) ? "i1" : nil)
        case 0...6:
            var content = Row.Content(kind: kind(), title: title())
            if random.once(in: 3) { content.set(.init("f", "value")) }
            let section = random.once(in: 3) ? random.pick(sections) : nil
            return .add(.init(id: newRow(), content, section: section, at: anchor()))
        case 7: return .remove(random.once(in: 8) ? Few(list()) : .one(row()))
        case 8: return .remove([row()])
        case 9...11: return .move(Few(list()), section: nil, anchor(), .rebase)
        case 12: return .move(Few(list()), section: random.pick(sections), .top, .rebase)
        case 13: return .swap(row(), row())
        case 14...17:
            let state: Expansion? = random.pick([
                nil, .expanded, .expanded, .collapsed, .named("big"), .height(75.55), .height(1e6),
            ])
            return .expand(row(), state)
        case 18: return .set(row(), .init(title: title()))
        case 19: return .set(row(), .init(kind: kind()))
        case 20: return .swipe(row(), random.pick([.leading, .trailing, nil]))
        case 21: return .define(.init(kinds: [definition()]))
        case 22: return .section(random.pick(sections), title: "S")
        default: return .removeSection(random.pick(sections))
        }
    }
}
