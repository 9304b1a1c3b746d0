/// One step of a restore. Parts are numbered, and the daemon counts them, so a part that comes
/// twice is staged once.
public enum RestoreStep: Equatable, Sendable {
    /// The next parts of a backup, as `backup` gave them; `index` is that of the first. Part 0
    /// starts the restore again.
    case parts([[UInt8]], index: Int)
    /// All parts have been sent. With `replaces` the restored tables take the place of tables with
    /// their names; without it, such a table is a reason to refuse.
    case finish(parts: Int, replaces: Bool)
}

/// A piece of a backup of all tables, as they were at one moment.
public struct BackupChunk: Equatable, Sendable {
    /// The backup's id in further requests.
    public var id: String
    /// Which piece this is, from 0.
    public var chunk: Int
    /// How many pieces there are.
    public var chunks: Int
    /// The captured tables; in chunk 0 only.
    public var tables: [TableSummary]
    /// The encoded parts, small enough to be sent back one by one.
    public var parts: [[UInt8]]

    /// A chunk with these values.
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
