import TableModel
import TableSync

/// Commands at random, over few rows, so that they meet.
struct Wishes {
    let dice: Dice

    private var row: RowID { ID("r\(dice.below(14))") }
    private var section: SectionID { ID("s\(dice.below(3))") }

    func verb(isFirst: Bool) -> Request.Verb {
        if isFirst { return .create }
        switch dice.below(60) {
        case 0: return .drop
        case 1, 2: return .create
        case 3...7: return .batch(batch, ifRevision: nil)
        case 8: return .batch(sections, ifRevision: nil)
        default: return .command(command)
        }
    }

    private var batch: [Command] {
        (0...dice.below(4)).map { _ in command }
    }

    /// So many that a snapshot has several chunks.
    private var sections: [Command] {
        (0..<90).map { Command(.section(ID("lane\($0)"), title: "\(dice.below(9))")) }
    }

    private var command: Command {
        var command = Command(verb)
        if dice.chance(30) { command.ifRevision = UInt64(dice.below(30)) }
        return command
    }

    private var verb: Command.Verb {
        switch dice.below(21) {
        case 16: return .define(.init(kinds: [Self.worker]))
        case 17: return .act(.init(dice.pick(["page", "bump"]), on: row))
        case 18: return .take(action: nil, atMost: 1 + dice.below(3))
        case 19:
            let id = InvocationID(revision: UInt64(dice.below(40)), index: 0)
            return dice.chance(500) ? .finish(id, .done) : .release(id)
        case 20: return .edit(dice.chance(200))
        case 0...5:
            let id = dice.chance(800) ? row : nil
            let section = dice.chance(300) ? section : nil
            let add = Command.Add(
                id: id, Row.Content(title: "t\(dice.below(50))"), section: section, at: .bottom)
            return .add(add)
        case 6, 7: return .set(row, .init(title: "u\(dice.below(50))"))
        case 8, 9: return .remove([row])
        case 10, 11:
            let policy: Command.Policy = dice.chance(700) ? .rebase : .strict
            return .move([row], section: nil, anchor, policy)
        case 12: return .swap(row, row)
        case 13: return .swipe(row, dice.pick([.leading, .trailing, nil]))
        case 14: return .expand(row, dice.pick([nil, .expanded, .collapsed]))
        default: return .section(section, title: "s\(dice.below(5))")
        }
    }

    /// The plain kind with actions, so that every row has them.
    private static let worker: Kind = {
        var kind = Kind(.plainKind)
        var (page, bump) = (Action("page"), Action("bump"))
        page.effects = [.invoke(deadlineSeconds: 2, then: [.set([.init("f", "x")])])]
        bump.effects = [.remove]
        kind.trailing = ActionGroup(actions: [page, bump])
        return kind
    }()

    private var anchor: Anchor {
        switch dice.below(4) {
        case 0: return .top
        case 1: return .bottom
        case 2: return .before(row)
        default: return .after(row)
        }
    }
}
