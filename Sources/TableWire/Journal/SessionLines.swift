public import TableModel

/// A line of a session that `trestle record` wrote.
public enum SessionLine: Equatable, Sendable {
    /// The first line.
    case header(SessionHeader)
    /// The table at a time.
    indirect case state(SessionState)
    /// A revision.
    indirect case change(ChangeDocument, atMs: UInt64)
}

/// The head of a session.
public struct SessionHeader: Equatable, Sendable {
    /// The number of this file format.
    public static let format: UInt32 = 1
    /// The recorded table.
    public var table: TableID
    /// When the recording began, in milliseconds since 1970 (UTC).
    public var atMs: UInt64

    /// A header of this format.
    public init(table: TableID, atMs: UInt64) {
        self.table = table
        self.atMs = atMs
    }
}

/// A whole table at one time.
public struct SessionState: Equatable, Sendable {
    /// Rows, sections, invocations.
    public var document: StateDocument
    /// Sorted by id.
    public var kinds: [Kind]
    /// Settings for all rows.
    public var settings: Settings
    /// The time of this state, in milliseconds since 1970 (UTC).
    public var atMs: UInt64

    /// The table as it is now.
    public init(_ table: Table, epoch: ID128, atMs: UInt64) {
        document = StateDocument(table, epoch: epoch)
        kinds = table.kinds.values.sorted { $0.id < $1.id }
        settings = table.settings
        self.atMs = atMs
    }

    init(_ document: StateDocument, _ definitions: ([Kind], Settings), atMs: UInt64) {
        self.document = document
        (kinds, settings) = definitions
        self.atMs = atMs
    }

    /// Builds the table. Throws if its digest is not the recorded one.
    public func table() throws(Mismatch) -> Table {
        let table = Table(
            restoring: document.table, history: document.history, revision: document.revision,
            kinds: kinds, settings: settings)
        table.restoreEditing(document.isEditing)
        var rows = document.rows[...]
        for section in document.sections {
            try table.appendSection(section.id, title: section.title)
            while let entry = rows.first, entry.section == section.id {
                try table.appendRow(entry.row, to: section.id)
                rows.removeFirst()
            }
        }
        for invocation in document.invocations { table.restore(invocation) }
        guard rows.isEmpty, table.digest == document.digest else {
            throw .digest(table: table.digest, diff: document.digest)
        }
        return table
    }
}
