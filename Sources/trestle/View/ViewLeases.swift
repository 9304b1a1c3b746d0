import TableModel
import TableSync
import TableTerminal

/// What the daemon cannot do yet, in one place: rows are lifted on this screen alone, and dropped
/// by an ordinary move. When the protocol has leases, undo and recall, `answer` says nil, and `verb`
/// names theirs: `.lift(rows, ttlSeconds:)`, `.hover`, `.drop`, `.cancel`, `.undo`, `.redo`,
/// `.recall`. `ViewCommands.outcome` is then to make `.lifted(lease:)` of the answer to a lift.
struct ViewLeases {
    private var last = 0

    /// What is answered without the daemon; nil: it is to be asked.
    mutating func answer(_ wish: Intent.Wish) -> Outcome? {
        switch wish {
        case .lift:
            last += 1
            return .lifted(lease: "local-\(last)")
        case .hover, .cancel: return .done(nil)
        case .undo: return .refused("Undo is not there yet.")
        case .redo: return .refused("Redo is not there yet.")
        case .recall: return .refused("Recall is not there yet.")
        default: return nil
        }
    }

    /// The command for it; nil: none is needed.
    func verb(for wish: Intent.Wish) -> Request.Verb? {
        guard case .drop(_, let rows, let anchor, let section) = wish else { return nil }
        return .command(Command(.move(rows, section: section, anchor, .rebase)))
    }
}
