extension Command {
    /// One command for each row that a condition fits. The rows are found in the turn that changes them, so no row
    /// can change in between. All of it is one revision, or it is refused. Those of a `recall` are found among the
    /// removed rows.
    public struct Each: Equatable, Sendable {
        /// A condition on a row, in the language of docs/PREDICATES.md.
        public var condition: String
        /// Only rows of this section; nil: of any.
        public var section: SectionID?
        /// Only so many, the first in the order of the table; nil: all.
        public var limit: Int?
        /// The command, which names no row.
        public var verb: Verb

        /// By default all rows that the condition fits.
        public init(
            _ verb: Verb, where condition: String, section: SectionID? = nil, limit: Int? = nil
        ) {
            self.verb = verb
            self.condition = condition
            self.section = section
            self.limit = limit
        }

        /// It stands for the row in a command that names none.
        public static let noRow = RowID("")
    }
}
