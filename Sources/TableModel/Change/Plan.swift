/// The plan of a command: its ops, and the answer to its sender.
public struct Plan: Equatable, Sendable {
    // Optional<T>, where T? would do: that begins as nil, and costs a copy (docs/decisions/0041).
    /// Empty: the command is valid but changes nothing, so there is no new revision.
    public var ops: [Op]
    /// The rows that the command names, in its order.
    public var rows: Few<RowID>
    /// Why rows are at another place than asked, or what else is to be said of them.
    public var notes: Optional<[RowID: Note]>
    /// Invocations that were started or taken.
    public var invocations: [InvocationID]
    /// The revision that the plan undoes.
    public var undoes: Optional<UInt64>

    /// A plan of ops that no command asked for. Each op must fit what those before it leave.
    public init(steps: [Op]) { self.init(steps) }

    @inlinable package init(
        _ ops: [Op], rows: Few<RowID> = .none, note: Note? = nil,
        invocations: [InvocationID] = [], undoes: UInt64? = nil
    ) {
        self.undoes = undoes
        self.ops = ops
        self.rows = rows
        notes = nil
        self.invocations = invocations
        if let note { addNotes(note) }
    }

    /// Says it of all its rows.
    @usableFromInline mutating func addNotes(_ note: Note) {
        notes = Dictionary(rows.map { ($0, note) }) { first, _ in first }
    }

    /// Says this of these rows, instead of what was said of them.
    package mutating func addNotes(_ new: [RowID: Note]) {
        if !new.isEmpty { notes = (notes ?? [:]).merging(new) { $1 } }
    }

    /// Says what a later plan of the batch does. Where that puts rows somewhere, or has found them there, only
    /// it knows how they stand.
    package mutating func addNotes(of later: Plan, _ verb: Command.Verb) {
        if notes != nil {
            if case .move(let ids, _, _, _) = verb { for id in ids { notes?[id] = nil } }
            for op in later.ops {
                switch op.effect {
                case .inserts, .moves, .swaps: for id in op.rows { notes?[id] = nil }
                case .removes, .changes, .claims, .changesAll, .news: continue
                case .ofSection, .ofTable, .begins, .changesInvocation, .ends: continue
                }
            }
        }
        if let new = later.notes { addNotes(new) }
    }
}
