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

extension Diff {
    /// All that it changes. What an op restores that takes traces back goes with the other ops about
    /// its row, where there are any.
    var touches: [Touch] {
        let others = ops.filter { !$0.facts.restoresTraces }.flatMap(\.touches)
        var rows: Set<RowID> = []
        for case .row(let id, let aspect) in others where !aspect.passes { rows.insert(id) }
        let alone = ops.filter { op in
            op.facts.restoresTraces && !op.rows.contains(where: rows.contains)
        }
        return others + alone.flatMap(\.touches)
    }
}
