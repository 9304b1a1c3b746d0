public import TableModel

// Requests that repeat a recorded session, revision by revision.

/// How to repeat a recorded revision.
public enum Repetition: Equatable, Sendable {
    /// One command is sent as a command, several as a batch.
    case commands([Command])
    /// Rows are lifted and dropped. That is a revision even if the rows are there already.
    case drop([RowID], section: SectionID?, Anchor)
    /// A command about earlier revisions, to be decided by the daemon that has them. The `lifted`
    /// rows are dragged meanwhile.
    case past(Command.Verb, lifted: [RowID])
}

/// A request that repeats a recorded revision.
public struct Errand: Equatable, Sendable {
    /// The request.
    public var repetition: Repetition
    /// When to decide it, in milliseconds since 1970 (UTC).
    public var atMs: UInt64
    /// The client that must send it; nil: any, or nobody's.
    public var client: ID?
    /// In whose name: that of the client that sent it then, or else its id. Nil: the name does not matter.
    public var name: ID?
}

/// A recorded revision that no request can repeat, and why.
public struct Unrepeatable: Error, Equatable, Sendable {
    /// A sentence for people.
    public var reason: String
}

/// Follows a recorded session on a table of its own. For each revision, it says what to ask of a
/// daemon that has the same table.
public struct Repeater {
    /// The table after the revisions repeated so far.
    public let table: Table
    private let limits: Limits
    private let began: (recorded: UInt64, here: UInt64)
    /// Recorded revisions that are undos or redos, in order.
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

    /// Applies a recorded revision, which came at `atMs`, and returns the request that repeats it.
    public mutating func errand(for diff: Diff, atMs: UInt64) throws(Unrepeatable) -> Errand {
        let time = diff.cause.timeMs != 0 ? diff.cause.timeMs : atMs
        // In the name of who did it, but not by that client: the daemon may know it, and its numbers.
        var sender = DecisionContext(
            nowMs: time, name: Self.recordedSender(of: diff, nowMs: time).actor)
        let repetition = try repetition(of: diff, &sender)
        try apply(diff)
        note(diff)
        return Errand(repetition: repetition, atMs: time, client: sender.client, name: sender.name)
    }

    private static func recordedSender(of diff: Diff, nowMs: UInt64) -> DecisionContext {
        DecisionContext(
            nowMs: nowMs, client: diff.cause.client ?? diff.ops.lazy.compactMap(\.holder).first,
            name: diff.cause.name)
    }

    private func apply(_ diff: Diff) throws(Unrepeatable) {
        var here = diff
        here.base = table.revision
        do throws(Mismatch) {
            try table.apply(here)
        } catch {
            throw Unrepeatable(reason: "revision \(diff.revision) does not fit: \(error)")
        }
    }

    /// The sender becomes the recorded client where only that comes to the same steps.
    private func repetition(
        of diff: Diff, _ sender: inout DecisionContext
    ) throws(Unrepeatable) -> Repetition {
        if let undone = diff.cause.undoes {
            return .past(try undo(undone, diff), lifted: Self.liftedRows(diff.ops))
        }
        // A recall is the only command on all rows that a condition fits which brings rows.
        let isRecall =
            diff.cause.verb == "recall"
            || diff.cause.verb == "each" && diff.ops.contains { $0.inserted != nil }
        if isRecall { return .past(try recall(diff), lifted: []) }
        if diff.cause.verb == "drop", let drop = drop(diff, sender) { return drop }
        if let retraced = retraced(diff, as: sender) { return .commands(retraced.commands) }
        // Digests have the ids of the clients that pressed for invocations or hold them.
        sender = Self.recordedSender(of: diff, nowMs: sender.nowMs)
        guard let retraced = retraced(diff, as: sender) else {
            throw Unrepeatable(
                reason: "no command leads to revision \(diff.revision) (\(diff.cause.verb)): it "
                    + "cannot be carried out")
        }
        return .commands(retraced.commands)
    }

    private func retraced(_ diff: Diff, as sender: DecisionContext) -> Retraced? {
        retrace(
            diff.ops, on: table, limits: limits, nowMs: sender.nowMs, client: sender.client,
            name: sender.name)
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
        // If an undo that is not the latest is undone, this too is a redo.
        return .undo(revision: undone - began.recorded + began.here, mine: false)
    }

    private func recall(_ diff: Diff) throws(Unrepeatable) -> Command.Verb {
        let rows = diff.ops.compactMap(\.inserted)
        // The commands that build the table remove no row, so every removed row was removed since.
        if let old = rows.first(where: { table.removed[$0] == nil }) {
            throw Unrepeatable(
                reason: "revision \(diff.revision) (recall) brings row \"\(old.text)\" back, which "
                    + "was removed before the session began: record it from an earlier time")
        }
        return .recall(Few(rows))
    }

    /// An undo opens no row that is being dragged. So the rows that it opens and closes again were
    /// being dragged. Nothing else shows this, since lifting a closed row makes no revision.
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

    /// Nil: it may be a plain move.
    private func drop(_ diff: Diff, _ context: DecisionContext) -> Repetition? {
        for case .moves(let ids, let place) in diff.ops.lazy.map(\.effect) {
            // Lifting them would close them, which is a revision more.
            if ids.contains(where: { table.row($0)?.swipe != nil }) { continue }
            let (section, anchor) = place.asAnchor
            let result = reduce(
                drop: ids.array, section: section, anchor, .strict, on: table, limits: limits,
                context)
            guard context.actor != nil, let plan = try? result.get(),
                plan.ops == diff.ops
            else { continue }
            return .drop(ids.array, section: section, anchor)
        }
        return nil
    }
}

extension Op {
    /// The row that it brings.
    fileprivate var inserted: RowID? {
        if case .inserts(let row, _) = effect { return row.id }
        return nil
    }

    /// The client that has to ask for it.
    fileprivate var holder: ID? {
        if case .take(_, let holder) = self { return holder }
        return nil
    }
}
