public import TableModel

/// A question about the rows of a table: how many fit, and which come first. The daemon answers it in slices.
public struct Query: Equatable, Sendable {
    /// A condition on a row, in the language of docs/PREDICATES.md; nil: every row fits.
    public var condition: String?
    /// Only rows of these sections; empty: of any.
    public var sections: [SectionID] = []
    /// Only this row; nil: all.
    public var row: RowID?
    /// The properties by which the rows are ordered, as in `section,-field.qty`; nil: the table's order.
    public var sort: String?
    /// So many of the first rows are answered.
    public var most = 0
    /// The property whose values are counted apart.
    public var by: String?
    /// The property whose numbers are added up.
    public var sum: String?

    /// The number of all rows.
    public init() {}

    /// A query names so many sections at most.
    package static let mostSections = 64
    /// The most rows of an answer, and what they weigh together, unless it is one.
    package static let mostRows = 4_096
    package static let mostRowBytes = 512 << 10
    /// The most values that are counted apart, and their bytes.
    package static let mostGroups = 4_096
    package static let mostGroupBytes = 256 << 10
}

/// The rows that were found, of one revision.
public struct Found: Equatable, Sendable {
    /// How many fit.
    public var count = 0
    /// The sum of their numbers; nil: it was not asked for.
    public var sum: Double?
    /// The rows by the value of a property, in any order.
    public var groups: [Group] = []
    /// The first of them: fewer than were asked for, if they would be too much for one answer.
    public var rows: [PlacedRow] = []
    /// The kinds of these rows.
    public var kinds: [Kind] = []
    /// The invocations under way on these rows, without the rows that were pressed.
    public var invocations: [Invocation] = []

    /// The rows with one value.
    public struct Group: Equatable, Sendable {
        /// A value of a property.
        public enum Value: Equatable, Sendable {
            /// A text, as fields have it.
            case text(String)
            /// A number; a moment in milliseconds since 1970 (UTC).
            case number(Double)
            /// A condition on the row.
            case flag(Bool)
        }

        /// Their value; nil: they have none.
        public var value: Value?
        /// How many there are.
        public var rows: Int
        /// The sum of their numbers; nil: it was not asked for.
        public var sum: Double?

        /// Rows with this value.
        public init(_ value: Value?, rows: Int, sum: Double?) {
            (self.value, self.rows, self.sum) = (value, rows, sum)
        }
    }

    /// Nothing was found.
    public init() {}
}
