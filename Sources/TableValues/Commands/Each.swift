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

extension Command.Verb {
    /// This command about one row; nil: a condition cannot choose its rows.
    public func about(_ row: RowID) -> Command.Verb? {
        switch self {
        case .set(_, let changes): return .set(row, changes)
        case .act(var act):
            act.row = row
            return .act(act)
        case .retry(_, let action, let item): return .retry(row, action: action, item: item)
        case .remove, .move, .claim, .snooze, .recall: return about(Few.one(row))
        case .add, .swap, .swipe, .expand, .define, .section, .removeSection, .edit, .take,
            .release, .finish, .expandAll, .item, .scroll, .select, .mark, .unclaim, .undo, .redo,
            .pause, .next, .each:
            return nil
        }
    }

    /// This command about these rows together; nil: it takes one row at a time, or a condition cannot choose
    /// its rows.
    public func about(_ rows: Few<RowID>) -> Command.Verb? {
        switch self {
        case .remove(_, let hint): return .remove(rows, hint: hint)
        case .move(_, let section, let anchor, let policy):
            return .move(rows, section: section, anchor, policy)
        case .claim(_, let note, let ttl): return .claim(rows, note: note, ttlSeconds: ttl)
        case .snooze(_, let snooze): return .snooze(rows, snooze)
        case .recall: return .recall(rows)
        case .set, .act, .add, .swap, .swipe, .expand, .define, .section, .removeSection, .edit,
            .take, .release, .finish, .expandAll, .item, .scroll, .select, .mark, .unclaim, .undo,
            .redo, .pause, .next, .each, .retry:
            return nil
        }
    }
}
