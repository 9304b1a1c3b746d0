import TableModel

/// How much a batch may take. All of it is decided at once, and everybody else waits meanwhile.
///
/// The number of commands alone says little: one names up to a thousand rows, or concerns all that
/// there are.
public struct BatchWork: Sendable {
    /// Rows that its commands name together.
    var rows: Int
    /// Rows that its commands about all rows go through together.
    var walked: Int
    /// So many of these are free, since alone they would be allowed too.
    var free: Int
    /// The weight that its ops may have: they are an entry of the journal, and a message to every viewer.
    var bytes = 4 << 20
    /// The weight of the invocations that it may take: their rows are in its answer, which is remembered.
    var takenBytes = Limits.takenBytes
    /// The weight of the strips that its ops are about, each for itself: whatever changes, a row is written, or at
    /// least hashed, as a whole, and a strip has up to a thousand items.
    var stripBytes = 8 << 20

    /// The bounds of a change: on a small machine 50 ms.
    public static let changing = BatchWork(rows: 2_048, walked: 100_000, free: 1)
    /// The bounds of an explanation, which nobody needs as much: 30 ms.
    public static let explaining = BatchWork(
        rows: 2_048, walked: 16_384, free: 0, bytes: explainedBytes, stripBytes: 1 << 20)
    /// The weight that the ops of any explanation may have.
    public static let explainedBytes = 2 << 20

    /// Why the commands decided so far weigh too much; nil: they do not.
    func refusal(bytes sum: Int, takenBytes taken: Int, stripBytes strips: Int) -> Rejection? {
        if sum > bytes {
            return .tooLarge(
                "bytes of what is changed at once", sum, limit: bytes, field: "commands")
        }
        if taken > takenBytes {
            return .tooLarge(
                "bytes of invocations that a batch takes", taken, limit: takenBytes,
                field: "commands")
        }
        if strips > stripBytes {
            return .tooLarge(
                "bytes of rows that are written anew", strips, limit: stripBytes, field: "commands")
        }
        return nil
    }

    /// To look for a row among others takes less than to decide on one.
    private static let lookedAtOfWalked = 10

    /// Rows, invocations and values that may be looked at together.
    var lookedAt: Int { walked * Self.lookedAtOfWalked }

    /// Why a batch takes too much; nil: it does not.
    func refusal(of commands: [Command], on table: Table) -> Rejection? {
        guard commands.count > 1 else { return nil }
        let named = commands.reduce(0) { $0 + ($1.verb.namedRows?.count ?? 1) }
        guard named <= rows else {
            return .tooLarge("rows named in a batch", named, limit: rows, field: "commands")
        }
        let walks = max(0, commands.count { $0.verb.name.has(.everyRow) } - free)
        let (sum, isOver) = walks.multipliedReportingOverflow(by: table.count)
        guard !isOver, sum <= walked else {
            return .tooLarge(
                "rows that a batch goes through", isOver ? .max : sum, limit: walked,
                field: "commands")
        }
        let crowd = Crowd(table, commands)
        let looked = commands.reduce(0) { $0 + crowd.lookedAt(by: $1.verb) }
        guard looked <= lookedAt else {
            return .tooLarge(
                "rows and invocations that a batch looks at", looked, limit: lookedAt,
                field: "commands")
        }
        return nil
    }
}

extension Table {
    /// About the bytes of the strips that this op writes anew. Rows without parts besides their texts count
    /// nothing.
    func stripBytes(writtenBy op: Op) -> Int {
        func bytes(of row: Row) -> Int { row.quickWeight == nil ? row.weight : 0 }
        guard case .expandAll(let isOpen) = op else {
            return op.rows.reduce(0) { sum, id in sum + (row(id).map(bytes) ?? 0) }
        }
        var sum = 0
        forEachRow(thatExpandsWithAll: isOpen) { sum += bytes(of: $0) }
        return sum
    }
}

/// A kind of thing of which there may be so many that a command which looks at all of them takes long.
private struct Crowd {
    private let claims: Int
    private let invocations: Int
    private let pinned: Int
    /// Rows that an accordion looks at, to close them.
    private let open: Int

    /// As the table is before the batch: a batch adds few.
    init(_ table: Table, _ commands: [Command]) {
        claims = table.claimedRows.count
        invocations = table.invocations.count
        pinned = table.pinnedRows.count
        let becomesAccordion = commands.contains {
            guard case .define(let definitions) = $0.verb else { return false }
            return definitions.settings != nil
        }
        let isAccordion = table.settings.expandPolicy != .independent || becomesAccordion
        open = isAccordion ? table.sections.reduce(0) { $0 + $1.openCount } : 0
    }

    func lookedAt(by verb: Command.Verb) -> Int {
        if case .take(action: nil, _) = verb { return invocations }
        let name = verb.name
        // Without rows it is about all that are claimed.
        let all = name == .unclaim && verb.namedRows?.isEmpty == true ? claims : 0
        return all + (name.has(.pinned) ? pinned : 0) + (name.has(.open) ? open : 0)
    }
}
