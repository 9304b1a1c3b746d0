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
    /// As it was recorded, where that is another: rows are swiped open in it over nothing, as older
    /// daemons had them. Here they are closed (F16).
    private var recorded: Table?
    /// Those rows, all that there were.
    public private(set) var leftClosed: Set<RowID>
    private let limits: Limits
    private let began: (recorded: UInt64, here: UInt64)
    /// Recorded revisions that are undos or redos, in order.
    private var undos: [Undo] = []

    private struct Undo {
        let revision: UInt64
        let isRedo: Bool
        var isTakenBack = false
    }

    /// From a table in the state that was recorded as this revision: its own may be another. Where
    /// rows were open over nothing, it is the state without these swipes, and `recorded` with them.
    public init(
        _ table: Table, recordedAs revision: UInt64, limits: Limits, recorded: Table? = nil
    ) {
        self.table = table
        self.limits = limits
        leftClosed = recorded?.openOverNothing ?? []
        self.recorded = leftClosed.isEmpty ? nil : recorded
        began = (revision, table.revision)
    }

    /// Applies a recorded revision, which came at `atMs`, and returns the request that repeats it.
    public mutating func errand(
        for diff: Diff, atMs: UInt64
    ) throws(Unrepeatable) -> Errand {
        let time =
            diff.cause.timeMs != 0
            ? diff.cause.timeMs : diff.ops.lazy.compactMap(\.madeAtMs).first ?? atMs
        // In the name of who did it, but not by that client: the daemon may know it, and its numbers.
        var sender = DecisionContext(
            nowMs: time, name: Self.recordedSender(of: diff, nowMs: time).actor)
        if recorded == nil, table.wouldOpenOverNothing(diff.ops) { recorded = table.copy() }
        let repetition =
            if let recorded {
                try repetition(of: diff, beside: recorded, &sender)
            } else {
                try plainRepetition(of: diff, &sender)
            }
        return Errand(
            repetition: repetition, atMs: time, client: sender.client, name: sender.name)
    }

    private static func recordedSender(of diff: Diff, nowMs: UInt64) -> DecisionContext {
        DecisionContext(
            nowMs: nowMs, client: diff.cause.client ?? diff.ops.lazy.compactMap(\.holder).first,
            name: diff.cause.name)
    }

    private mutating func plainRepetition(
        of diff: Diff, _ sender: inout DecisionContext
    ) throws(Unrepeatable) -> Repetition {
        let repetition = try repetition(of: diff, &sender)
        try Self.apply(diff, to: table)
        note(diff)
        return repetition
    }

    private static func apply(_ diff: Diff, to table: Table) throws(Unrepeatable) {
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
        if diff.cause.verb == "recall" { return .past(try recall(diff), lifted: []) }
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

    // MARK: What is open over nothing

    /// What was recorded comes to the same here but for swipes over nothing, which stay closed.
    private mutating func repetition(
        of diff: Diff, beside recorded: Table, _ sender: inout DecisionContext
    ) throws(Unrepeatable) -> Repetition {
        let before = recorded.openOverNothing
        try Self.apply(diff, to: recorded)
        let after = recorded.openOverNothing
        leftClosed.formUnion(after)
        var here = diff
        here.ops = diff.ops.filter { op in
            guard case .swipe(let id, let edge) = op else { return true }
            return edge == nil ? !before.contains(id) : !after.contains(id)
        }
        here.ops += table.swipes(of: before.union(after), as: recorded, after: here.ops)
        // A revision that nothing is left of stays one: later ones are named by their numbers.
        let isNothing = here.ops.isEmpty
        let repetition =
            isNothing
            ? .commands(table.commandsForNothing) : try repetition(of: here, &sender)
        do throws(Mismatch) {
            try table.apply(here.ops, timeMs: diff.cause.timeMs)
        } catch {
            throw Unrepeatable(reason: "revision \(diff.revision) does not fit: \(error)")
        }
        if !isNothing { note(diff) }
        if table.digest == recorded.digest { self.recorded = nil }
        return repetition
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
        let rows = diff.ops.compactMap { op -> RowID? in
            if case .inserts(let row, _) = op.effect { return row.id }
            return nil
        }
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

extension Table {
    /// Rows that are swiped open where they have no actions. Older daemons let them be.
    public var openOverNothing: Set<RowID> {
        openRows.filter { id in
            guard let row = row(id), let edge = row.swipe else { return false }
            return !hasActions(row, at: edge)
        }
    }

    /// The same table with those closed.
    public func closedOverNothing() -> Table {
        let copy = copy()
        for id in openOverNothing.sorted() {
            do throws(Mismatch) {
                try copy.apply(.swipe(id, nil), at: Moment(revision: revision, timeMs: 0))
            } catch { preconditionFailure("a row that is open closes: \(error)") }
        }
        return copy
    }

    /// Whether steps of an older daemon leave rows open over nothing.
    fileprivate func wouldOpenOverNothing(_ ops: [Op]) -> Bool {
        let isLikely = ops.contains { op in
            switch op {
            case .swipe(_, let edge): return edge != nil
            case .insert(let row, _, _): return row.swipe != nil
            case .set(_, let changes): return changes.kind != nil || changes.actions != nil
            case .define, .restore: return true
            case .remove, .move, .swap, .expand, .expandAll, .perform, .item, .scroll, .select,
                .mark, .claim, .insertSection, .removeSection, .setSection, .edit, .invoke, .take,
                .release, .finish, .invocation:
                return false
            }
        }
        guard isLikely else { return false }
        return onTrial { trial in
            for op in ops {
                // What does not fit is found out by who applies it.
                guard (try? trial.tryToApply([op])) != nil else { return false }
            }
            return !openOverNothing.isEmpty
        }
    }

    /// The steps that are missing after others, so that rows are open as in another table, but for
    /// those that are open over nothing there.
    fileprivate func swipes(of rows: Set<RowID>, as other: Table, after ops: [Op]) -> [Op] {
        let shut = other.openOverNothing
        return onTrial { trial in
            for op in ops {
                guard (try? trial.tryToApply([op])) != nil else { return [] }
            }
            return rows.sorted().compactMap { id in
                let edge = shut.contains(id) ? nil : other.row(id)?.swipe
                guard let row = row(id), row.swipe != edge else { return nil }
                return .swipe(id, edge)
            }
        }
    }

    /// Commands that come to a revision which changes nothing.
    fileprivate var commandsForNothing: [Command] {
        let section = unusedSection
        return [Command(.section(section, title: nil)), Command(.removeSection(section))]
    }
}

extension Op {
    /// Who has to ask for it.
    fileprivate var holder: ID? {
        if case .take(_, let holder) = self { return holder }
        return nil
    }
}
