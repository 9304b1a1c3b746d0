/// What is still known of a table's revisions, newest and oldest: undo, redo and recall look there.
///
/// The revisions after `oldest`, up to and with `head`, are kept.
public protocol Past {
    /// The oldest revision that can be led back to.
    var oldest: UInt64 { get }
    /// The table's revision.
    var head: UInt64 { get }
    /// What a kept revision is, in short.
    func mark(of revision: UInt64) -> PastMark
    /// What a kept revision did; nil when it is not kept.
    func change(_ revision: UInt64) -> PastChange?
    /// Whether a kept revision may be about one of these rows, or about the whole table. May say
    /// yes where the answer is no.
    func mayMention(_ ids: Set<RowID>, in revision: UInt64) -> Bool
}

/// A revision in short.
public struct PastMark: Equatable, Sendable {
    /// The revision that it takes back: it is an undo or a redo.
    public var undoes: UInt64?
    /// The revision that took it back.
    public var undoneBy: UInt64?
    /// It takes an undo back.
    public var isRedo: Bool
    /// Who made it.
    public var actor: ID?
    /// It has an inverse, and is a person's or a program's doing that others may take back.
    public var canUndo: Bool

    /// A mark as given; by default of a change that stands.
    public init(
        undoes: UInt64? = nil, undoneBy: UInt64? = nil, isRedo: Bool = false, actor: ID? = nil,
        canUndo: Bool = true
    ) {
        self.undoes = undoes
        self.undoneBy = undoneBy
        self.isRedo = isRedo
        self.actor = actor
        self.canUndo = canUndo
    }
}

/// What a revision did.
public struct PastChange: Sendable {
    /// As it was published.
    public var diff: Diff
    /// The steps that lead back to the revision before; nil: they were too many to be kept.
    public var inverse: [Op]?

    /// A change as given.
    public init(diff: Diff, inverse: [Op]?) {
        self.diff = diff
        self.inverse = inverse
    }

    /// The rows that it is about, each once, in the order of its steps.
    public var rows: [RowID] {
        var seen: Set<RowID> = []
        var rows: [RowID] = []
        for case .row(let id, _) in diff.ops.flatMap(\.touches) where seen.insert(id).inserted {
            rows.append(id)
        }
        return rows
    }

    /// Whether a verb is of what happens by itself, or on the way to something else.
    private static func isByTheWay(_ verb: String) -> Bool {
        // Not a set: hashing the verb of each command takes longer.
        switch verb {
        case "expire", "lift", "cancel": return true
        default: return false
        }
    }

    /// Whether a person could take a change back of which this is known: handlers' steps, what ended
    /// by itself, and swipes that a drag closed and opened again, are not undone by whoever undoes
    /// the latest change.
    public static func canUndo(_ cause: Cause, isOfHandler: Bool, hasInverse: Bool) -> Bool {
        hasInverse && !isOfHandler && !isByTheWay(cause.verb)
    }
}

/// Something of a table that a step changes: two changes are in each other's way if they share one.
enum Touch: Hashable {
    case row(RowID, Aspect)
    case section(SectionID)
    case kind(KindID)
    case settings
    case editing
    /// Of every row.
    case allExpansions
    case invocation(InvocationID)

    /// Something of a row.
    enum Aspect: Hashable {
        case existence, place, title, kind, actions, performed, itemOrder
        case field(ID)
        case item(ID)
        // What passes: later changes of it win, and are in nobody's undo.
        case expansion, swipe, scroll, claim

        var passes: Bool {
            switch self {
            case .expansion, .swipe, .scroll, .claim: return true
            default: return false
            }
        }

        /// Changes of it are changes of the row's content.
        var isContent: Bool { !passes && self != .existence && self != .place }

        /// As people call it.
        var words: String {
            switch self {
            case .existence: return "the row itself"
            case .place: return "its place"
            case .title: return "its title"
            case .kind: return "its kind"
            case .actions: return "its actions"
            case .performed: return "what was performed on it"
            case .itemOrder: return "the order of its items"
            case .field(let key): return "its field \"\(key.text)\""
            case .item(let id): return "its item \"\(id.text)\""
            case .expansion: return "how far it is open"
            case .swipe: return "its swipe"
            case .scroll: return "where it is scrolled to"
            case .claim: return "its claim"
            }
        }
    }
}

extension Diff {
    /// All that it changes. What a restoring step takes back goes with the other steps about its
    /// row, where there are any.
    var touches: [Touch] {
        let steps = ops.filter { if case .restore = $0 { false } else { true } }.flatMap(\.touches)
        var rows: Set<RowID> = []
        for case .row(let id, let aspect) in steps where !aspect.passes { rows.insert(id) }
        let alone = ops.flatMap { op -> [Touch] in
            guard case .restore(let id, _) = op, !rows.contains(id) else { return [] }
            return op.touches
        }
        return steps + alone
    }
}

extension Op {
    /// All that the step changes.
    var touches: [Touch] {
        switch self {
        case .insert(let row, _): return [.row(row.id, .existence)]
        case .remove(let id): return [.row(id, .existence)]
        case .move(let ids, _): return ids.map { .row($0, .place) }
        case .swap(let a, let b): return [.row(a, .place), .row(b, .place)]
        case .set(let id, let changes): return changes.aspects.map { .row(id, $0) }
        case .swipe(let id, _): return [.row(id, .swipe)]
        case .expand(let id, _): return [.row(id, .expansion)]
        case .perform(let id, _), .restore(let id, _): return [.row(id, .performed)]
        case .scroll(let id, _): return [.row(id, .scroll)]
        case .claim(let id, _): return [.row(id, .claim)]
        case .item(let id, let step): return [.row(id, step.aspect)]
        case .insertSection(let id, _, _), .removeSection(let id), .setSection(let id, _):
            return [.section(id)]
        case .define(let definitions):
            let kinds = definitions.kinds.map(\.id) + definitions.dropped
            return kinds.map { .kind($0) } + (definitions.settings == nil ? [] : [.settings])
        case .edit: return [.editing]
        case .expandAll: return [.allExpansions]
        case .invoke(let invocation): return [.invocation(invocation.id)]
        case .take(let id, _), .release(let id), .finish(let id, _), .invocation(let id, _):
            return [.invocation(id)]
        case .select: return []
        }
    }

    /// The row that the step is about, where it is about one.
    var row: RowID? {
        switch self {
        case .insert(let row, _): return row.id
        case .remove(let id), .set(let id, _), .swipe(let id, _), .expand(let id, _),
            .perform(let id, _), .restore(let id, _), .scroll(let id, _), .claim(let id, _),
            .item(let id, _), .select(let id, _):
            return id
        case .move(let ids, _): return ids.count == 1 ? ids[0] : nil
        default: return nil
        }
    }

    /// The step is about more than the rows that it names.
    public var isTableWide: Bool {
        switch self {
        case .insertSection, .removeSection, .setSection, .define, .edit, .expandAll: return true
        default: return false
        }
    }

    /// Whether a handler does it.
    public var isOfHandler: Bool {
        switch self {
        case .take, .release, .finish: return true
        default: return false
        }
    }

    /// Where it puts rows.
    var place: Place? {
        switch self {
        case .insert(_, let place), .move(_, let place): return place
        default: return nil
        }
    }
}

extension Command.Changes {
    fileprivate var aspects: [Touch.Aspect] {
        (title == nil ? [] : [.title]) + (kind == nil ? [] : [.kind])
            + (actions == nil ? [] : [.actions]) + fields.map { .field($0.key) }
            + unset.map { .field($0) }
    }
}

extension Item.Step {
    fileprivate var aspect: Touch.Aspect {
        switch self {
        case .insert(let item, _): return .item(item.id)
        case .remove(let id), .set(let id, _): return .item(id)
        case .move: return .itemOrder
        }
    }
}
