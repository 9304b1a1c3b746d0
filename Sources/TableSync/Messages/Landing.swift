public import TableModel

/// Where a row stands after a command.
public struct Landing: Equatable, Sendable {
    /// The row.
    public var row: RowID
    /// Nil: the row is gone.
    public var section: SectionID?
    /// In its section, from 0; nil when the row is gone.
    public var index: Int?
    /// The row before it.
    public var after: RowID?
    /// Of its content; nil when the row is gone.
    public var version: UInt64?
    /// Why it is not where it was asked to be.
    public var note: String?

    /// A landing; of a row that is gone by default.
    public init(
        row: RowID, section: SectionID? = nil, index: Int? = nil, after: RowID? = nil,
        version: UInt64? = nil, note: String? = nil
    ) {
        self.row = row
        self.section = section
        self.index = index
        self.after = after
        self.version = version
        self.note = note
    }
}

/// What a command would do, had it been performed.
public struct Explanation: Equatable, Sendable {
    /// Where the rows that it is about would stand.
    public var rows: [Landing]
    /// Invocations that would begin, or be taken.
    public var invocations: [Invocation]
    /// The steps of the diff; none where nothing would change.
    public var ops: [Op]

    /// An explanation as given.
    public init(rows: [Landing], invocations: [Invocation] = [], ops: [Op]) {
        self.rows = rows
        self.invocations = invocations
        self.ops = ops
    }
}
