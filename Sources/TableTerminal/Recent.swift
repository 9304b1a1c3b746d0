import TableModel

/// What was removed or acted upon lately, newest first: what can be recalled.
struct Recent {
    struct Entry: Equatable {
        var row: RowID
        var title: String
        var what: String
        var atMs: UInt64
        /// The action that was performed on the row, and the revision of that; nil: none was.
        var action: ID?
        var revision: UInt64?
        /// That has to be taken back to undo it: the same, or the latest redo of it.
        var top: UInt64?
        /// The row was not in the table any more.
        var isGone = true
    }

    private(set) var entries: [Entry] = []
    /// Of rows that were seen: a row that is gone does not say any more what it was.
    private var titles: [RowID: String] = [:]
    /// By the undo that took them off the list: a redo puts them on it again.
    private var undone: [UInt64: Entry] = [:]
    private static let most = 100

    mutating func saw(_ row: Row) {
        if titles.count >= 4_096 { titles = [:] }
        titles[row.id] = row.content.title
    }

    mutating func removed(_ id: RowID, atMs: UInt64) {
        // What removed it is worth more than that it is gone.
        if let first = entries.first, first.row == id, first.atMs == atMs {
            entries[0].isGone = true
            return
        }
        add(Entry(row: id, title: "", what: "removed", atMs: atMs))
    }

    mutating func performed(
        _ action: ID, on id: RowID, in revision: UInt64, atMs: UInt64
    ) {
        add(
            Entry(
                row: id, title: "", what: action.text, atMs: atMs, action: action,
                revision: revision, top: revision, isGone: false))
    }

    /// What went before the board began, or unseen.
    mutating func add(_ earlier: [Removed]) {
        var known = Set(entries.map(\.row))
        for one in earlier where known.insert(one.row).inserted {
            let title = titles[one.row] ?? ""
            entries.append(Entry(row: one.row, title: title, what: one.what, atMs: one.atMs))
        }
        entries.sort { $0.atMs > $1.atMs }
        entries = Array(entries.prefix(Self.most))
    }

    /// A revision was taken back: of an action what it did, of an undo that it did so.
    mutating func undone(_ revision: UInt64, by latest: UInt64) {
        if var again = undone.removeValue(forKey: revision) {
            again.top = latest
            return add(again)
        }
        guard let index = entries.firstIndex(where: { $0.top == revision }) else { return }
        if undone.count >= Self.most { undone = [:] }
        undone[latest] = entries.remove(at: index)
    }

    /// How a table came to be what it is.
    enum Passage {
        /// By diffs that were seen.
        case seen
        /// It was fetched anew: what happened meanwhile is not known.
        case unseen
        /// It is another one, of the same name.
        case another
    }

    /// Lets go of rows that are back in the table.
    mutating func forget(in table: Table, _ passage: Passage) {
        if passage == .another { (entries, undone) = ([], [:]) }
        entries.removeAll { entry in
            guard let row = table.row(entry.row) else { return false }
            guard !entry.isGone, let action = entry.action else { return true }
            // Undone while nobody looked, as far as can be told: nothing of the action is left.
            return passage == .unseen && row.version != entry.revision
                && !row.performed.contains { $0.action == action }
        }
    }

    private mutating func add(_ entry: Entry) {
        entries.removeAll { $0.row == entry.row }
        var entry = entry
        if entry.title.isEmpty { entry.title = titles[entry.row] ?? "" }
        entries.insert(entry, at: 0)
        if entries.count > Self.most { entries.removeLast() }
    }
}
