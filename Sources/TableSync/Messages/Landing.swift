public import TableModel

/// Where a row is after a command.
public struct Landing: Equatable, Sendable {
    // Optional<T>, where T? would do: that begins as nil, and costs a copy (docs/decisions/0041).
    /// The row.
    public var row: RowID
    /// The row's section; nil: the row is gone.
    public var section: Optional<SectionID>
    /// Index in the section, from 0; nil: the row is gone.
    public var index: Optional<Int>
    /// The row before it; nil: it is the section's first, or gone.
    public var after: Optional<RowID>
    /// Version of the row's content; nil: the row is gone.
    public var version: Optional<UInt64>
    /// Why the row is not where the command asked.
    public var note: Optional<String>
    /// The note as data.
    public var saying: Optional<Saying>

    /// A landing; by default of a row that is gone.
    public init(
        row: RowID, section: SectionID? = nil, index: Int? = nil, after: RowID? = nil,
        version: UInt64? = nil, note: String? = nil, saying: Saying? = nil
    ) {
        self.row = row
        self.section = section
        self.index = index
        self.after = after
        self.version = version
        self.note = note
        self.saying = saying
    }

    /// Where a row is now.
    public init(of row: RowID, in table: Table, note: Note?) {
        guard let spot = table.position(of: row) else {
            self.init(row: row)
            return
        }
        self.init(
            row: row, section: spot.section, index: spot.index, after: spot.after,
            version: spot.row.version, note: note?.text, saying: note?.saying)
    }
}

/// An explanation of a command that is not carried out.
public struct Explanation: Equatable, Sendable {
    /// Where the command's rows would be.
    public var rows: [Landing]
    /// Invocations that would begin, or be taken.
    public var invocations: [Invocation]
    /// The ops of the diff.
    public var ops: [Op]
    /// Whether nothing would change. A table that is made or dropped changes without ops.
    public var isUnchanged: Bool

    /// An explanation with these values. By default nothing would change without ops.
    public init(
        rows: [Landing], invocations: [Invocation] = [], ops: [Op], isUnchanged: Bool? = nil
    ) {
        self.rows = rows
        self.invocations = invocations
        self.ops = ops
        self.isUnchanged = isUnchanged ?? ops.isEmpty
    }

    /// The explanation of a table that is made or dropped, which takes no ops.
    public static let wholeTable = Explanation(rows: [], ops: [], isUnchanged: false)
}
