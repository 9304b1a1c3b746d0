// A recorded session, revision by revision, as requests that come to the same.

/// How a recorded revision is carried out again.
public enum Repetition: Equatable, Sendable {
    /// One is sent as a command, several as a batch.
    case commands([Command])
    /// Rows are lifted and dropped: a revision even where they stand already.
    case drop([RowID], section: SectionID?, Anchor)
    /// By a command about earlier revisions: who has them decides on it. Meanwhile `lifted` rows
    /// are being dragged.
    case past(Command.Verb, lifted: [RowID])
}

/// A request that carries a recorded revision out again.
public struct Errand: Equatable, Sendable {
    /// What is to be asked.
    public var repetition: Repetition
    /// When it is to be decided, milliseconds since 1970 (UTC).
    public var atMs: UInt64
    /// Who has to ask for it; nil: it does not matter.
    public var client: ID?
    /// What people call them.
    public var name: ID?
}

/// A recorded revision that no request leads to, and why.
public struct Unrepeatable: Error, Equatable, Sendable {
    /// A sentence.
    public var reason: String
}

/// Goes through a recorded session with a table of its own, and says of each revision what has
/// to be asked of a daemon that has a table like that.
public struct Repeater {
    /// As it is after what was repeated.
    public let table: Table
    private let limits: Limits
    private let began: (recorded: UInt64, here: UInt64)
    /// Recorded revisions that are undos, or redos, in their order.
    private var undos: [Undo] = []

    private struct Undo {
        let revision: UInt64
        let isRedo: Bool
        var isTakenBack = false
    }

    /// From a table in the state that was recorded as this revision: its own may be another.
    public init(_ table: Table, recordedAs revision: UInt64, limits: Limits) {
        self.table = table
        self.limits = limits
        began = (revision, table.revision)
    }

    /// Applies a recorded revision, which came at `atMs`, and says how it is carried out.
    public mutating func errand(
        for diff: Diff, atMs: UInt64
    ) throws(Unrepeatable) -> Errand {
        let time =
            diff.cause.timeMs != 0
            ? diff.cause.timeMs : diff.ops.lazy.compactMap(\.madeAtMs).first ?? atMs
        let context = DecisionContext(
            nowMs: time, client: diff.cause.client ?? diff.ops.lazy.compactMap(\.holder).first,
            name: diff.cause.name)
        let repetition = try repetition(of: diff, context)
        var here = diff
        here.base = table.revision
        do {
            try table.apply(here)
        } catch {
            throw Unrepeatable(reason: "revision \(diff.revision) does not fit: \(error)")
        }
        note(diff)
        return Errand(
            repetition: repetition, atMs: time, client: context.client,
            name: context.name)
    }

    private func repetition(
        of diff: Diff, _ context: DecisionContext
    ) throws(Unrepeatable) -> Repetition {
        if let undone = diff.cause.undoes {
            return .past(try undo(undone, diff), lifted: Self.liftedRows(diff.ops))
        }
        if diff.cause.verb == "recall" { return .past(try recall(diff), lifted: []) }
        if diff.cause.verb == "drop", let drop = drop(diff, context) { return drop }
        let retraced = retrace(
            diff.ops, on: table, limits: limits, nowMs: context.nowMs,
            client: context.client, name: context.name)
        guard let retraced else {
            throw Unrepeatable(
                reason: "revision \(diff.revision) (\(diff.cause.verb)) is of a kind that no "
                    + "commands lead to: it cannot be carried out")
        }
        return .commands(retraced.commands)
    }

    // MARK: What is about earlier revisions

    private func undo(_ undone: UInt64, _ diff: Diff) throws(Unrepeatable) -> Command.Verb {
        guard undone > began.recorded else {
            throw Unrepeatable(
                reason: "revision \(diff.revision) (\(diff.cause.verb)) takes revision \(undone) "
                    + "back, which was before the session began: record it from an earlier time")
        }
        if diff.cause.verb == "redo" {
            let standing = undos.last { !$0.isRedo && !$0.isTakenBack }
            if standing?.revision == undone { return .redo(mine: false) }
        }
        // Of an undo that is not the latest, this is a redo too.
        return .undo(revision: undone - began.recorded + began.here, mine: false)
    }

    private func recall(_ diff: Diff) throws(Unrepeatable) -> Command.Verb {
        let rows = diff.ops.compactMap { op -> RowID? in
            if case .inserts(let row, _) = op.effect { return row.id }
            return nil
        }
        // No row is removed on the way to the beginning: what is known was removed since.
        if let old = rows.first(where: { table.removed[$0] == nil }) {
            throw Unrepeatable(
                reason: "revision \(diff.revision) (recall) brings row \"\(old.text)\" back, which "
                    + "was removed before the session began: record it from an earlier time")
        }
        return .recall(rows)
    }

    /// An undo opens no row that is being dragged: those that it closes again were. Who lifts a
    /// row that is closed makes no revision, so that nothing else tells.
    private static func liftedRows(_ ops: [Op]) -> [RowID] {
        var opened: Set<RowID> = []
        var closed: [RowID] = []
        for case .swipe(let id, let edge) in ops {
            if edge != nil {
                opened.insert(id)
            } else if opened.remove(id) != nil {
                closed.append(id)
            }
        }
        return closed
    }

    private mutating func note(_ diff: Diff) {
        guard let undone = diff.cause.undoes else { return }
        let index = undos.firstIndex { $0.revision == undone }
        let isRedo = index.map { !undos[$0].isRedo } ?? false
        if let index { undos[index].isTakenBack = true }
        undos.append(Undo(revision: diff.revision, isRedo: isRedo))
    }

    // MARK: Drags

    /// Nil: as a plain move, if at all.
    private func drop(_ diff: Diff, _ context: DecisionContext) -> Repetition? {
        for case .moves(let ids, let place) in diff.ops.lazy.map(\.effect) {
            // Lifting them would close them, which is a revision more.
            if ids.contains(where: { table.row($0)?.swipe != nil }) { continue }
            let (section, anchor) = place.asAnchor
            let result = reduce(
                drop: ids, section: section, anchor, .strict, on: table, limits: limits,
                context)
            guard context.actor != nil, let plan = try? result.get(), plan.ops == diff.ops
            else { continue }
            return .drop(ids, section: section, anchor)
        }
        return nil
    }
}

extension Op {
    /// Who has to ask for it.
    fileprivate var holder: ID? {
        if case .take(_, let holder) = self { return holder }
        return nil
    }
}
