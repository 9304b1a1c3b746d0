@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// A table with all its changes, like the daemon's log but without bytes.
final class Ledger: Past {
    let table: Table
    private(set) var changes: [PastChange] = []
    private var marks: [PastMark] = []
    private(set) var digests: [UInt64]
    private(set) var nowMs: UInt64 = 1_000
    var limits = Limits()
    /// How many changes were read, and what each is said to have.
    private(set) var readCount = 0
    var bytesPerChange = 0

    init(_ name: TableID = "t") {
        table = Table(name: name, history: ID128(high: 1, low: 2))
        digests = [table.digest]
    }

    var oldest: UInt64 { 0 }
    var head: UInt64 { table.revision }
    func mark(of revision: UInt64) -> PastMark { marks[Int(revision) - 1] }
    func change(_ revision: UInt64) -> PastChange? {
        readCount += 1
        return changes[Int(revision) - 1]
    }
    func size(of revision: UInt64) -> Int { bytesPerChange }
    func mayMention(_ search: RowSearch, in revision: UInt64) -> Bool {
        let diff = changes[Int(revision) - 1].diff
        if diff.ops.contains(where: \.isTableWide) { return true }
        return changes[Int(revision) - 1].rows.contains(where: search.ids.contains)
            || diff.touches.contains { touch in
                guard case .invocation(let id) = touch else { return false }
                return search.ids.contains(ID(id.text))
            }
    }

    /// Has commands carried out; several are one revision. The time is the given one, or a little
    /// later than before.
    @discardableResult
    func perform(
        _ commands: [Command], by name: ID? = "ada", lifted: [RowID: ID] = [:],
        atMs: UInt64? = nil
    ) -> Result<Plan, Rejection> {
        nowMs = atMs ?? nowMs + 7
        let context = DecisionContext(
            nowMs: nowMs, client: name, lifted: lifted, past: self)
        let result =
            commands.count == 1
            ? reduce(commands[0], on: table, limits: limits, context)
            : reduce(batch: commands, on: table, limits: limits, context)
        let verb = commands.count == 1 ? commands[0].name : "batch"
        if case .success(let plan) = result { apply(plan, verb, by: name) }
        return result
    }

    /// Has rows lifted and dropped.
    @discardableResult
    func drop(
        _ ids: [RowID], section: SectionID? = nil, _ anchor: Anchor, by name: ID = "ada",
        atMs: UInt64? = nil
    ) -> Result<Plan, Rejection> {
        nowMs = atMs ?? nowMs + 7
        let context = DecisionContext(nowMs: nowMs, client: name)
        let lift = reduce(lift: ids, on: table, limits: Limits(), context)
        guard case .success(let closing) = lift else { return lift }
        apply(closing, "lift", by: name)
        let result = reduce(
            drop: ids, section: section, anchor, .strict, on: table, limits: Limits(),
            context)
        if case .success(let plan) = result { apply(plan, "drop", by: name) }
        return result
    }

    /// The daemon ends invocations whose time has passed.
    func expire(_ late: [InvocationID], _ end: Expiry = .late) {
        let plan = reduce(
            expiring: late.map { ($0, end) }, on: table, limits: Limits(),
            DecisionContext(nowMs: nowMs))
        apply(plan, "expire", by: nil)
    }

    private func apply(_ plan: Plan, _ verb: String, by name: ID?) {
        let cause = Cause(client: name, verb: verb, timeMs: nowMs, undoes: plan.undoes)
        if plan.ops.isEmpty { return }
        let base = table.revision
        var inverses: [[Op]] = []
        table.applyOps(of: plan, timeMs: nowMs) { op, run in
            inverses.append(run.map { table.inverse(of: $0) } ?? table.inverse(of: op))
        }
        let diff = Diff(base: base, digest: table.digest, cause: cause, ops: plan.ops)
        let inverse = inverses.reversed().flatMap { $0 }
        changes.append(PastChange(diff: diff, inverse: inverse))
        digests.append(table.digest)
        var mark = PastMark(
            undoes: plan.undoes, actor: name,
            isPickedForUndo: PastChange.isPickedForUndo(
                cause, isOfHandler: diff.ops.contains(where: \.isOfHandler),
                changesNothing: inverse.isEmpty),
            isLook: PastChange.isLook(verb))
        if let undone = plan.undoes {
            marks[Int(undone) - 1].undoneBy = table.revision
            mark.isRedo = marks[Int(undone) - 1].undoes != nil && !marks[Int(undone) - 1].isRedo
        }
        marks.append(mark)
    }

    @discardableResult
    func perform(_ verb: Command.Verb, by name: ID? = "ada") -> Result<Plan, Rejection> {
        perform([Command(verb)], by: name)
    }
}

extension Plan {
    /// The first that is said of its rows.
    var note: String? { notes.flatMap { notes in rows.lazy.compactMap { notes[$0]?.text }.first } }
}
