/// One step of putting tables back. They are numbered, and the daemon counts them: a part that came
/// twice is there once.
public enum RestoreStep: Equatable, Sendable {
    /// The next parts of a backup, as `backup` gave them; `index` is that of the first. Part 0
    /// begins anew.
    case parts([[UInt8]], index: Int)
    /// These were all parts. With `replaces` the tables take the place of those with their names;
    /// else it is refused if there are any.
    case finish(parts: Int, replaces: Bool)
}

/// A piece of a backup of all tables, as they were at one moment.
public struct BackupChunk: Equatable, Sendable {
    /// Names the backup in further requests.
    public var id: String
    /// Which piece this is, from 0.
    public var chunk: Int
    /// How many pieces there are.
    public var chunks: Int
    /// In chunk 0 only: what was captured.
    public var tables: [TableSummary]
    /// Encoded: small enough to be sent back one by one.
    public var parts: [[UInt8]]

    /// A chunk as given.
    public init(
        id: String, chunk: Int, chunks: Int, tables: [TableSummary] = [], parts: [[UInt8]]
    ) {
        self.id = id
        self.chunk = chunk
        self.chunks = chunks
        self.tables = tables
        self.parts = parts
    }
}
