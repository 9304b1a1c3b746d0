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

    /// Of a change. On a small machine 0.1 s.
    public static let changing = BatchWork(rows: 10_000, walked: 100_000, free: 1)
    /// Of an explanation, which nobody needs as much: 30 ms.
    public static let explaining = BatchWork(rows: 4_096, walked: 16_384, free: 0)

    /// Why a batch takes too much; nil: it does not.
    func refusal(of commands: [Command], on table: Table) -> Rejection? {
        guard commands.count > 1 else { return nil }
        let named = commands.reduce(0) { $0 + $1.verb.namedRows }
        guard named <= rows else {
            return .tooLarge("rows named in a batch", named, limit: rows, field: "commands")
        }
        let walks = max(0, commands.count { $0.verb.concernsAllRows } - free)
        let (sum, isOver) = walks.multipliedReportingOverflow(by: table.count)
        guard !isOver, sum <= walked else {
            return .tooLarge(
                "rows that a batch goes through", isOver ? .max : sum, limit: walked,
                field: "commands")
        }
        return nil
    }
}

extension Command.Verb {
    /// How many rows it names.
    public var namedRows: Int {
        switch self {
        case .claim(let ids, _, _), .unclaim(let ids, _), .recall(let ids): ids.count
        case .add, .set, .remove, .move, .swap, .swipe, .expand, .define, .section, .removeSection,
            .act, .edit, .take, .release, .finish, .expandAll, .item, .scroll, .select, .mark,
            .undo,
            .redo:
            rows?.count ?? 1
        }
    }

    /// Whether the decision looks at every row of the table.
    public var concernsAllRows: Bool {
        switch self {
        case .define, .expandAll: true
        case .add, .set, .remove, .move, .swap, .swipe, .expand, .section, .removeSection, .act,
            .edit, .take, .release, .finish, .item, .scroll, .select, .mark, .claim, .unclaim,
            .undo,
            .redo, .recall:
            false
        }
    }
}
