public import TableModel

/// The revisions of a table that are still known, for undo, redo and recall.
///
/// The revisions after `oldest`, up to and including `head`, are kept. It is an object, so that a decision hands
/// on a reference.
public protocol Past: AnyObject {
    /// The oldest revision to which the table can be led back.
    var oldest: UInt64 { get }
    /// The table's revision.
    var head: UInt64 { get }
    /// A summary of a kept revision.
    func mark(of revision: UInt64) -> PastMark
    /// The change of a revision; nil if it is not kept.
    func change(_ revision: UInt64) -> PastChange?
    /// Whether a kept revision may be about one of these rows, or about the whole table. True may
    /// be wrong, false may not.
    func mayMention(_ rows: RowSearch, in revision: UInt64) -> Bool
    /// Bytes of a kept revision's change and its inverse, which are read to tell the change.
    func size(of revision: UInt64) -> Int
    /// The two ops that stand at a place of a revision's inverse, as encoded, and the place of the next ones; nil there: these
    /// are the last. Nil: they cannot be read by themselves.
    func step(of revision: UInt64, at place: Int) -> (ops: [Op], next: Int?)?
}

extension Past {
    /// The default, of a past that holds no bytes.
    public func size(of revision: UInt64) -> Int { 0 }
    /// The default.
    public func step(of revision: UInt64, at place: Int) -> (ops: [Op], next: Int?)? { nil }
}

/// A summary of a revision.
public struct PastMark: Equatable, Sendable {
    // Optional<T>, where T? would do: that begins as nil, and costs a copy (docs/decisions/0041).
    /// The revision that it undoes, if it is an undo or a redo.
    public var undoes: Optional<UInt64>
    /// The revision that undid it.
    public var undoneBy: Optional<UInt64>
    /// Whether it undoes an undo.
    public var isRedo: Bool
    /// The actor who made it.
    public var actor: Optional<ID>
    /// The holder's user, as the connection proved it.
    public var user: Optional<ProvenID>
    /// An undo of the latest change picks it, if it stands.
    public var isPickedForUndo: Bool
    /// It only opened, closed, scrolled or selected rows. An undo of the actor's own latest change passes it over:
    /// to people it is a way of looking.
    public var isLook: Bool

    /// By default of a change that is not undone.
    public init(
        undoes: UInt64? = nil, undoneBy: UInt64? = nil, isRedo: Bool = false, actor: ID? = nil,
        user: ProvenID? = nil, isPickedForUndo: Bool = true, isLook: Bool = false
    ) {
        self.undoes = undoes
        self.undoneBy = undoneBy
        self.isRedo = isRedo
        self.actor = actor
        self.user = user
        self.isPickedForUndo = isPickedForUndo
        self.isLook = isLook
    }
}

/// A revision's diff and inverse.
public struct PastChange: Sendable {
    /// As published.
    public var diff: Diff
    /// The ops that lead back to the revision before; nil: the inverse was too large to keep.
    public var inverse: [Op]?

    /// A change with its inverse.
    public init(diff: Diff, inverse: [Op]?) {
        self.diff = diff
        self.inverse = inverse
    }

    /// Rows whose content it changed.
    var content: Set<RowID> {
        var content: Set<RowID> = []
        for case .row(let id, let aspect) in diff.touches where aspect.isContent {
            content.insert(id)
        }
        return content
    }

    /// The rows that it is about, each once, in the order of its ops: also those that its ops do not
    /// name, whose invocations they begin, end or take back, or which are expanded with all others.
    public var rows: [RowID] { rows(atMost: .max) }

    /// The first of them, at most so many: nothing is done for the others.
    public func rows(atMost most: Int) -> [RowID] {
        var seen: Set<RowID> = []
        var rows: [RowID] = []
        let unnamed = UnnamedRows(self)
        var hasAll = false
        for op in diff.ops {
            if rows.count >= most { break }
            for case .row(let id, _) in op.touches where seen.insert(id).inserted {
                rows.append(id)
            }
            if case .changesAll = op.effect {
                // Each has the same.
                if hasAll { continue }
                hasAll = true
            }
            for id in unnamed.of(op) where seen.insert(id).inserted { rows.append(id) }
        }
        return rows.count > most ? Array(rows[..<most]) : rows
    }

    /// Whether a verb happens by itself, or as part of a drag.
    private static func isByTheWay(_ verb: String) -> Bool {
        // Not a set: hashing the verb of every command takes longer. By the length first, which differs for
        // most verbs. A frequent one is as long: two equal words are compared faster than others.
        switch verb.utf8.count {
        case 4: return verb == "lift"
        case 6: return verb != "remove" && (verb == "expire" || verb == "cancel")
        default: return false
        }
    }

    /// Whether a verb changes only what is seen of rows.
    public static func isLook(_ verb: String) -> Bool {
        switch verb.utf8.count {
        case 5: return verb == "swipe"
        case 6:
            return verb != "remove" && (verb == "expand" || verb == "select" || verb == "scroll")
        case 9: return verb == "expandAll"
        default: return false
        }
    }

    /// Whether an undo of the latest change picks this one. It skips what changed nothing, handlers'
    /// ops, what ended by itself, and swipes that a drag closed or reopened. One whose inverse was too
    /// large to keep is picked, and refused: to take another one back instead would surprise.
    public static func isPickedForUndo(
        _ cause: Cause, isOfHandler: Bool, changesNothing: Bool
    ) -> Bool { !changesNothing && !isOfHandler && !isByTheWay(cause.verb) }
}

extension Diff {
    /// All that it changes. What an op restores that takes traces back goes with the other ops about
    /// its row, where there are any.
    var touches: [Touch] {
        let others = ops.filter { !$0.facts.contains(.restoresTraces) }.flatMap(\.touches)
        var rows: Set<RowID> = []
        for case .row(let id, let aspect) in others where !aspect.passes { rows.insert(id) }
        let alone = ops.filter { op in
            op.facts.contains(.restoresTraces) && !op.rows.contains(where: rows.contains)
        }
        return others + alone.flatMap(\.touches)
    }
}
