import TableModel

/// The rows that were removed or acted upon lately and can be recalled, newest first.
struct Recent {
    struct Entry: Equatable {
        var row: RowID
        var title: String
        var what: String
        var atMs: UInt64
        /// The action that was performed on the row, and its revision; nil: none was.
        var action: Deed?
        var revision: UInt64?
        /// The revision to undo: that of the action, or of its latest redo.
        var top: UInt64?
        var isGone = true
        /// The place of the row for people, such as its order and table, and the person who did it.
        var facts = ""
        var who: String?
        /// Nothing is known of its end but that it was removed.
        var isPlainRemoval = false
    }

    /// A press of an action, on one row or in a batch on several.
    struct Press {
        var action: ID
        var rows: [RowID]
        /// Nil: this viewer.
        var who: ID?
    }

    private(set) var entries: [Entry] = []
    /// Titles of the rows that were drawn: a removed row has none to ask for.
    private var titles: [RowID: (title: String, facts: String)] = [:]
    /// The latest presses, by their revisions.
    private(set) var presses: [UInt64: Press] = [:]
    /// Entries that an undo took off the list, by its revision. Its undo puts them back.
    private var undone: [UInt64: Entry] = [:]
    private static let most = 100

    mutating func saw(_ row: Row, _ facts: String) {
        if titles.count >= 4_096 { titles = [:] }
        titles[row.id] = (row.content.title, facts)
    }

    /// The title that a row had when it was drawn last; nil: it was not, or had none.
    func title(of row: RowID) -> String? {
        titles[row].flatMap { $0.title.isEmpty ? nil : $0.title }
    }

    mutating func removed(_ id: RowID, by who: ID?, atMs: UInt64) {
        // The entry names the action that removed the row, which says more than "removed".
        if let first = entries.first, first.row == id, first.atMs == atMs {
            entries[0].isGone = true
            return
        }
        add(Entry(row: id, title: "", what: "", atMs: atMs, who: who?.text, isPlainRemoval: true))
    }

    mutating func performed(
        _ action: Deed, on id: RowID, by who: ID?, in revision: UInt64, atMs: UInt64
    ) {
        if presses.count >= Self.most { presses = [:] }
        presses[revision, default: Press(action: action.action, rows: [], who: who)].rows.append(id)
        add(
            Entry(
                row: id, title: "", what: action.action.text, atMs: atMs, action: action,
                revision: revision, top: revision, isGone: false, who: who?.text))
    }

    /// Adds rows that were removed before the board started, or unseen.
    mutating func add(_ earlier: [Removed]) {
        var known = Set(entries.map(\.row))
        for one in earlier where known.insert(one.row).inserted {
            let seen = titles[one.row] ?? ("", "")
            entries.append(
                Entry(
                    row: one.row, title: seen.title, what: one.what, atMs: one.atMs,
                    facts: seen.facts))
        }
        entries.sort { $0.atMs > $1.atMs }
        entries = Array(entries.prefix(Self.most))
    }

    /// Takes the entry of an action that was undone off the list, or puts it back if its undo was undone.
    mutating func undone(_ revision: UInt64, by latest: UInt64) {
        if var again = undone.removeValue(forKey: revision) {
            again.top = latest
            return add(again)
        }
        guard let index = entries.firstIndex(where: { $0.top == revision }) else { return }
        if undone.count >= Self.most { undone = [:] }
        undone[latest] = entries.remove(at: index)
    }

    /// How the table reached its present state.
    enum Passage {
        /// By diffs that the board took.
        case seen
        /// By a snapshot: what happened meanwhile is not known.
        case unseen
        /// It is another table of the same name.
        case another
    }

    /// Drops the entries of rows that are back in the table.
    mutating func forget(in table: Table, _ passage: Passage) {
        if passage == .another { (entries, undone) = ([], [:]) }
        entries.removeAll { entry in
            guard let row = table.row(entry.row) else { return false }
            guard !entry.isGone, let action = entry.action else { return true }
            // Nothing of the action is left in the row: somebody undid it unseen, most likely.
            return passage == .unseen && row.version != entry.revision
                && !row.performed.contains { $0.deed == action }
        }
    }

    private mutating func add(_ entry: Entry) {
        entries.removeAll { $0.row == entry.row }
        var entry = entry
        if entry.title.isEmpty { (entry.title, entry.facts) = titles[entry.row] ?? ("", "") }
        entries.insert(entry, at: 0)
        if entries.count > Self.most { entries.removeLast() }
    }
}
