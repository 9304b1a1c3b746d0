public import JournalPort

extension SQLiteJournal {
    /// Starts reading everything, in slices.
    public func verification() throws -> any Verification {
        _ = try opened()
        return SlicedVerification(self)
    }

    /// Copies the log and starts the check of the file's structure. Nil if the log cannot be
    /// copied.
    fileprivate func structureCheck() throws -> StructureCheck? {
        // The disk may be full. Then SQLite checks the open database as it is, in one go.
        guard canCopyLog, try write({ connection in try connection.database.copyWholeLog() })
        else { return nil }
        let check = try StructureCheck(path: path)
        // The check is running, and nothing was copied since: only this thread could.
        try opened().database.isCopyingHeld = true
        return check
    }

    fileprivate func endStructureCheck() {
        // A closed journal copies nothing.
        if let connection = try? opened() { connection.database.isCopyingHeld = false }
    }
}

private final class SlicedVerification: Verification {
    private let journal: SQLiteJournal
    private var summary = JournalSummary()
    private var step: Step
    private var structure: StructureCheck?

    private enum Step {
        case parts(SQLiteJournal.PartsRead)
        case entries(SQLiteJournal.EntriesRead)
        case structure
    }

    init(_ journal: SQLiteJournal) {
        self.journal = journal
        step = Self.first(of: journal)
    }

    deinit {
        endStructure()
    }

    private static func first(of journal: SQLiteJournal) -> Step {
        if let checkpoint = journal.checkpoint { return .parts(.init(of: checkpoint)) }
        return .entries(.init(after: journal.base))
    }

    func work(while goesOn: () -> Bool) throws -> JournalSummary? {
        let database = try journal.opened().database
        switch step {
        case .parts(var parts):
            // A newer checkpoint has replaced this one, and its parts are being removed.
            if parts.checkpoint != journal.checkpoint { parts = Self.parts(of: journal, or: parts) }
            let isDone = try journal.read(&parts, from: database, while: goesOn) { _ in }
            step = isDone ? .entries(.init(after: journal.base)) : .parts(parts)
            if isDone { parts.add(to: &summary) }
        case .entries(var entries):
            // Compaction may have removed entries that a newer checkpoint covers.
            if entries.last.position < journal.base.position { entries.last = journal.base }
            let isDone = try journal.read(&entries, from: database, while: goesOn) { _ in }
            step = isDone ? .structure : .entries(entries)
            if isDone { entries.add(to: &summary) }
        case .structure:
            return try lookAtStructure(of: database) ? summary : nil
        }
        return nil
    }

    private static func parts(
        of journal: SQLiteJournal, or old: SQLiteJournal.PartsRead
    ) -> SQLiteJournal.PartsRead {
        journal.checkpoint.map { .init(of: $0) } ?? old
    }

    private func lookAtStructure(of database: Database) throws -> Bool {
        if structure == nil {
            structure = try journal.structureCheck()
            if structure != nil { return false }
            try journal.accept(
                structure: database.text(
                    "PRAGMA integrity_check(1)", doing: "check the structure"))
            return true
        }
        guard let found = try structure?.finding() else { return false }
        endStructure()
        try journal.accept(structure: found)
        return true
    }

    private func endStructure() {
        guard structure != nil else { return }
        structure = nil
        journal.endStructureCheck()
    }
}
