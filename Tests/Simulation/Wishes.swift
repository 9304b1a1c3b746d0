import TableModel
import TableSync

/// Commands at random, over few rows, so that they meet: of what a viewer shows, which may be old,
/// and of what nobody has.
struct Wishes {
    let dice: Dice
    let table: Table?
    let client: ID
    let name: ID?

    private var row: RowID {
        guard let table, table.count > 0, dice.chance(900) else { return ID("r\(dice.below(14))") }
        return table.rows[dice.below(table.count)].id
    }
    private var strip: RowID {
        let strips = table?.rows.filter { $0.content.kind == "strip" } ?? []
        return strips.isEmpty ? row : dice.pick(strips).id
    }
    private var section: SectionID { ID("s\(dice.below(3))") }

    var anchor: Anchor {
        switch dice.below(4) {
        case 0: return .top
        case 1: return .bottom
        case 2: return .before(row)
        default: return .after(row)
        }
    }

    var verb: Request.Verb {
        guard let table else { return .create }
        if table.kinds["strip"] == nil, dice.chance(300) {
            return .command(Command(.define(definitions)))
        }
        switch dice.below(120) {
        case 0: return dice.chance(300) ? .drop : .create
        case 1...12: return .batch((0...dice.below(4)).map { _ in command }, ifRevision: revision)
        case 13: return .batch(sections, ifRevision: nil)
        case 14: return .forget([removed(table) ?? row])
        default: return .command(command)
        }
    }

    /// A row that was removed lately, and may be there again.
    private func removed(_ table: Table) -> RowID? {
        let all = table.removed.entries.suffix(20)
        return all.isEmpty ? nil : all[all.startIndex + dice.below(all.count)].row
    }

    /// The seen revision as a condition, now and then.
    private var revision: UInt64? { dice.chance(150) ? table?.revision : nil }

    /// So many that a snapshot has several chunks.
    private var sections: [Command] {
        (0..<20).map { Command(.section(ID("lane\($0)"), title: "\(dice.below(9))")) }
    }

    private var command: Command {
        var command = Command(dice.chance(300) ? ephemeral : lasting)
        command.ifRevision = dice.chance(30) ? table?.revision : nil
        if dice.chance(100), case .set(let id, _) = command.verb {
            command.ifVersion = table?.row(id)?.version
        }
        if case .act(let act) = command.verb, dice.chance(700) {
            command.ifVersion = table?.row(act.row)?.version
        }
        if command.verb.name == .move, command.verb.rows?.isEmpty == false {
            command.ifClaimed = dice.chance(50)
        }
        if dice.chance(60) { command.condition = condition(on: command.verb) }
        return command
    }

    private func condition(on verb: Command.Verb) -> CommandCondition? {
        let ofRow = [
            "index < \(dice.below(4))", "not claimed and state != \"expanded\"",
            "age < \(dice.below(9))s",
            "any(rows where title == \"t\(dice.below(50))\")",
        ]
        let ofTable = [
            "count(rows) < \(dice.below(20))", "not editing or revision > \(dice.below(99))",
        ]
        let texts = verb.conditionedRows == nil ? ofTable : ofRow
        return try? CommandCondition(texts[dice.below(texts.count)], on: verb)
    }

    /// A command that changes order or content.
    private var lasting: Command.Verb {
        switch dice.below(27) {
        case 24: return .item(strip, itemChange)
        case 0...5, 25:
            let id = dice.chance(700) ? ID("r\(dice.below(14))") : nil
            let section = dice.chance(300) ? section : nil
            let kind: KindID = dice.chance(150) ? "strip" : .plainKind
            var content = Row.Content(kind: kind, title: "t\(dice.below(50))")
            if dice.chance(150) { content.states = ownStates }
            let start: Expansion? = dice.chance(100) ? dice.pick([.expanded, .named("own")]) : nil
            return .add(
                .init(
                    id: id, content, section: section, at: .bottom, startingIn: start, hint: hint))
        case 6: return .set(row, .init(title: "u\(dice.below(50))"))
        case 7:
            if dice.chance(300) { return .set(row, .init(states: ownStates)) }
            return .set(row, .init(title: "u\(dice.below(50))"))
        case 8: return .set(row, .init(fields: [.init(ID("f\(dice.below(3))"), "x")]))
        case 9, 10: return .remove([row], hint: hint)
        case 11...13:
            let policy: Command.Policy = dice.chance(700) ? .rebase : .strict
            return .move([row], section: nil, anchor, policy)
        case 14: return .swap(row, row)
        case 15: return .section(section, title: "s\(dice.below(5))")
        case 16: return .removeSection(section)
        case 17: return .define(definitions)
        case 18...20: return .undo(revision: past, mine: dice.chance(200))
        case 21: return .redo(mine: dice.chance(200))
        case 22: return .recall([ID("r\(dice.below(14))")])
        case 23: return .each(each)
        default: return .item(strip, itemChange)
        }
    }

    /// A command on each row that a condition fits.
    private var each: Command.Each {
        let verb: Command.Verb = dice.pick([
            .set(Command.Each.noRow, .init(fields: [.init(ID("f\(dice.below(3))"), "y")])),
            .move(.none, section: nil, dice.pick([.top, .bottom]), .rebase),
            .act(.init(dice.pick(["page", "mark"]), on: Command.Each.noRow, isConfirmed: true)),
            .claim(.none, note: "each", ttlSeconds: 2), .snooze(.none, snooze),
            .remove(.none, hint: hint), .recall(.none),
            .retry(Command.Each.noRow, action: "page", item: nil),
        ])
        let condition = dice.pick([
            "title ~ \"\(dice.below(5))\"", "field.f1 == \"x\"", "index < 2",
            "version > \(dice.below(40))",
        ])
        return Command.Each(
            verb, where: condition, section: dice.chance(300) ? section : nil,
            limit: dice.chance(500) ? 1 + dice.below(3) : nil)
    }

    /// A row sleeps for a while that passes within a run.
    private var snooze: Command.Snooze {
        Command.Snooze(.after(UInt64(1 + dice.below(3_000))), isToTop: dice.chance(500))
    }

    /// States of a row's own, or its kind's again.
    private var ownStates: [Kind.State] {
        dice.pick([[], [.collapsed, .named("own", heightPoints: 70)], [.expanded, .collapsed]])
    }

    /// Nearly always nothing is said of how a row comes or goes.
    private var hint: AnimationHint {
        dice.chance(900) ? .automatic : dice.pick(AnimationHint.allCases)
    }

    /// Swipes, presses, handlers, claims, edit mode.
    private var ephemeral: Command.Verb {
        let isHandler = table?.invocations.all.contains { $0.holder == client } ?? false
        if isHandler, dice.chance(400) { return live }
        switch dice.below(23) {
        case 22: return retry
        case 20:
            return .pause(dice.pick([.init(section: section), .init(action: "page")]), note: "n")
        case 21: return .pause(.init(), note: nil)
        case 18: return .snooze([row], snooze)
        case 19: return .snooze([row], dice.chance(500) ? nil : snooze)
        case 16: return .next(.init(action: "page", atMost: 1 + dice.below(3)))
        case 17:
            var next = Command.Next(section: dice.chance(300) ? section : nil, ttlSeconds: 2)
            if dice.chance(300) { next.waitSeconds = Double(1 + dice.below(5)) }
            return .next(next)
        case 14:
            if dice.chance(300) { return .select(row, item: nil) }
            let item = ID("i\(dice.below(4))")
            return .act(.init(dice.pick(["page", "serve", "cut"]), on: strip, item: item))
        case 15:
            if dice.chance(200) { return .mark(nil, item: nil) }
            return dice.chance(500) ? .mark(row, item: nil) : .mark(strip, item: "i1")
        case 0...2: return .swipe(row, dice.pick([.leading, .trailing, nil]))
        case 3: return .expand(row, dice.pick([nil, .expanded, .collapsed, .named("big")]))
        case 4: return .expandAll(dice.chance(500))
        case 5, 6: return press
        case 7: return .take(action: nil, atMost: 1 + dice.below(3))
        case 8: return .take(action: "page", atMost: 1)
        case 9: return live
        case 10: return .edit(dice.chance(200))
        case 11: return .claim([row], note: "n", ttlSeconds: dice.pick([nil, 2]))
        case 12: return .unclaim([], holder: nil)
        default: return .select(strip, item: dice.pick([nil, "i1", "i2"]))
        }
    }

    /// Often what was just performed once more, as a finger does that taps twice, or the second of two people.
    private var press: Command.Verb {
        let latest = table?.rows.filter { $0.performed.last?.state == .done }
            .max { ($0.changedMs, $0.id) < ($1.changedMs, $1.id) }
        if dice.chance(850), let latest, let deed = latest.performed.last?.deed {
            return .act(.init(deed.action, on: latest.id, item: deed.item))
        }
        return .act(.init(dice.pick(["page", "bump", "mark", Self.repeating]), on: row))
    }

    /// A retry of an action that has failed, or that rests, as far as the writer can see.
    private var retry: Command.Verb {
        let failed = table?.rows.first { row in
            row.performed.contains { one in
                guard case .pending(let id) = one.state else { return one.state.name == "failed" }
                return table?.invocations[id]?.isResting == true
            }
        }
        return .retry(failed?.id ?? row, action: dice.pick([nil, "page"]), item: nil)
    }

    /// An action of which each press counts.
    static let repeating: ID = "plus"

    /// A command about an invocation that it holds, as far as it can see.
    private var live: Command.Verb {
        guard let mine = table?.invocations.all.first(where: { $0.holder == client }) else {
            return .finish(InvocationID(revision: UInt64(dice.below(40)), index: 0), .done)
        }
        if dice.chance(200) { return .release(mine.id) }
        return .finish(mine.id, dice.chance(500) ? .done : .failed("it did not work"))
    }

    private var past: UInt64? {
        guard let table, dice.chance(400) else { return nil }
        return table.revision - min(table.revision, UInt64(dice.below(6)))
    }

    private var itemChange: Command.ItemChange {
        let id = ID("i\(dice.below(4))")
        switch dice.below(5) {
        case 4: return .set(id, .init(kind: dice.pick([.some(nil), "dish"])))
        case 0, 1:
            let item = Item(id, title: "\(dice.below(9))", kind: dice.pick([nil, "dish", "dish"]))
            return .add(item, dice.pick([.top, .bottom]))
        case 2: return .remove([id])
        default: return .move([id], dice.pick([.top, .bottom]))
        }
    }

    private var definitions: Command.Definitions {
        var strip = Kind("strip")
        strip.isStrip = true
        strip.itemKinds["dish"] = Self.dish
        // Now and then none: that is refused while an item is one.
        if dice.chance(100) { strip.itemKinds = [:] }
        var settings: Settings?
        if dice.chance(500) {
            var all = Settings()
            all.swipePolicy = dice.pick([.exclusive, .multiple])
            all.expandPolicy = dice.pick([.independent, .accordionTable, .accordionSection])
            all.swipeScope = dice.chance(900) ? .shared : .viewer
            all.selection = dice.chance(800) ? .shared : dice.pick([.none, .viewer])
            settings = all
        }
        var definitions = Command.Definitions(kinds: [Self.worker, strip], settings: settings)
        if settings != nil, dice.chance(300) {
            definitions.partialSettings = dice.pick([.swipePolicy, .expandPolicy])
        }
        // Now and then it takes actions away, or states: rows that show them change too.
        switch dice.below(10) {
        case 0: definitions.kinds[0].leading = nil
        case 1:
            definitions.kinds[0].trailing = ActionGroup()
            definitions.partial[.plainKind] = Kind.Named(trailing: .actions)
        case 2:
            definitions.kinds[0].states = [.collapsed, .named("big", heightPoints: 90)]
            definitions.partial[.plainKind] = Kind.Named(.states)
        case 3:
            definitions.kinds[0].editingStyle = .insert
            definitions.partial[.plainKind] = Kind.Named(.editingStyle)
        default: break
        }
        return definitions
    }

    /// Items with a menu (F13).
    private static let dish: ItemKind = {
        var dish = ItemKind()
        var (page, serve, cut) = (Action("page"), Action("serve"), Action("cut"))
        page.effects = [
            .invoke(
                deadlineSeconds: 2, then: [.setItem([.init("f", "x")])],
                retries: Retries(attempts: 2, backoffSeconds: 0.3))
        ]
        serve.effects = [.setItem([.init("served", "yes")])]
        cut.effects = [.removeItem]
        dish.menu = [page, serve, cut]
        return dish
    }()

    /// The values of a field that follow when a page is done, and when it has failed.
    static let (whenDone, whenFailed) = ("x", "failed")

    /// How often these kinds let an invocation be tried.
    static func mostAttempts(of one: Invocation) -> Int { one.item == nil ? 3 : 2 }

    /// The plain kind with actions, so that every row has them.
    private static let worker: Kind = {
        var kind = Kind(.plainKind)
        var (page, bump, mark) = (Action("page"), Action("bump"), Action("mark"))
        var plus = Action(repeating)
        plus.effects = [.increment([.init("n", by: 1)])]
        plus.repeats = true
        page.effects = [
            .invoke(
                deadlineSeconds: 2, then: [.set([.init("f", whenDone)])],
                retries: Retries(
                    attempts: 3, backoffSeconds: 0.2,
                    otherwise: [.set([.init("f", whenFailed)])]))
        ]
        bump.effects = [.remove]
        // So every row remembers the section that it left.
        mark.effects = [.move(section: nil, .top), .fill([.init("was", "{from}")])]
        kind.trailing = ActionGroup(actions: [page, bump])
        kind.leading = ActionGroup(actions: [mark, plus])
        return kind
    }()
}
