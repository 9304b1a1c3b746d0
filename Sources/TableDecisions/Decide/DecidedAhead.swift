package import TableModel

/// A command on very many rows, which is decided on ahead: a few rows at a time, between turns. Then one turn looks
/// which leaves of the table are still as they were, and decides only on the rows of others.
package protocol DecidedAhead: AnyObject {
    /// The time of the command: that of its beginning, since it stands in each row.
    var timeMs: UInt64 { get }

    /// Whether it can still be used: nothing has changed that it depends on besides rows.
    func fits(_ table: Table, _ limits: SharedLimits, _ context: DecisionContext) -> Bool
    /// Looks at some rows more; false: it has looked at all. `made` is shown a leaf some rows of which are to change, with
    /// the ops on these and the way back: once or, if the rows do not come together, more often.
    func work(on table: Table, _ made: (PreparedLeaf, [Op], [Op]) -> Void) -> Bool
    /// Whether one turn can do what is left. Otherwise there is more to look at.
    func isReady(for table: Table) -> Bool
    /// Decides on the command, on the table as it is now; nil: it is decided on as any other.
    func settled(
        _ command: Command, on table: Table, _ context: DecisionContext
    ) throws(Rejection) -> SettledAhead?
}

/// The change of a table, of which most was made ahead.
package struct SettledAhead {
    /// Leaves to exchange, in the table's order.
    package var leaves: [PreparedLeaf] = []
    /// The ops that are to be applied besides, and the rows that the answer tells of: none if they are very many.
    package var rest = Plan([])
    /// How many rows the command is about.
    package var found = 0
}

extension DecidedAhead {
    /// One row may take a millisecond: so few are looked at together.
    static var rowsAtOnce: Int { 8 }
    /// Rows that others changed meanwhile are looked at so often. Beyond that the turn has to do what is left, if it can.
    static var mostPasses: Int { 16 }
    /// How many rows a turn decides on beside those that were decided on ahead.
    static var mostLeft: Int { 1_024 }
}

/// The beginnings of decisions that are made ahead.
package enum Ahead {
    /// Whether a command may be decided on ahead. It costs little to ask.
    package static func isFor(
        _ command: Command, on table: Table, _ limits: SharedLimits, _ context: DecisionContext
    ) -> Bool {
        EachAhead.isFor(command, on: table, limits)
            || UndoAhead.isFor(command, on: table, limits, context)
    }

    /// Nil: the command is decided on in one go, as any other.
    package static func begin(
        _ command: Command, on table: Table, _ limits: SharedLimits, _ context: DecisionContext
    ) -> (any DecidedAhead)? {
        if let each = EachAhead(command, on: table, limits: limits, context) { return each }
        return UndoAhead(command, on: table, limits: limits, context)
    }
}
