/// The latest diffs of one table, encoded, for viewers that missed some. Bounded in number and
/// bytes: the oldest go.
public struct DiffLog: Sendable {
    /// One diff, as journaled and published.
    public struct Entry: Sendable {
        /// The diff, encoded.
        public let bytes: [UInt8]
        /// Of the table afterwards.
        public let digest: UInt64
    }

    private var entries: [Entry] = []
    private var first = 0
    private var bytes = 0
    /// The revision from which `entries` lead on.
    private(set) var oldest: UInt64
    /// Of the table at `oldest`, if that is known.
    private var oldestDigest: UInt64?
    private let limit: Retention

    /// Leads on from a revision, at which the table had this digest.
    init(from revision: UInt64, digest: UInt64?, limit: Retention) {
        oldest = revision
        oldestDigest = digest
        self.limit = limit
    }

    /// The revision that the last entry leads to.
    var head: UInt64 { oldest + UInt64(count) }
    private var count: Int { entries.count - first }

    /// Adds the diff that leads on from `head`.
    mutating func append(_ encoded: [UInt8], digest: UInt64) {
        entries.append(Entry(bytes: encoded, digest: digest))
        bytes += encoded.count
        while count > limit.diffs || (bytes > limit.bytes && count > 1) {
            bytes -= entries[first].bytes.count
            oldestDigest = entries[first].digest
            entries[first] = Entry(bytes: [], digest: 0)
            first += 1
            oldest += 1
        }
        if first > 1_024, first > entries.count / 2 {
            entries.removeFirst(first)
            first = 0
        }
    }

    /// The digest that the table had at a revision, if that is still known.
    func digest(at revision: UInt64) -> UInt64? {
        if revision == oldest { return oldestDigest }
        guard revision > oldest, revision <= head else { return nil }
        return entries[first + Int(revision - oldest) - 1].digest
    }

    /// Diffs that lead on from a revision, oldest first, until `maximumBytes` are full; at least
    /// one if there is any. Nil: the revision is too old, or was never reached.
    func diffs(since revision: UInt64, maximumBytes: Int) -> ArraySlice<Entry>? {
        guard revision >= oldest, revision <= head else { return nil }
        let start = first + Int(revision - oldest)
        var end = start
        var size = 0
        while end < entries.count, end == start || size + entries[end].bytes.count <= maximumBytes {
            size += entries[end].bytes.count
            end += 1
        }
        return entries[start..<end]
    }
}

/// How much is kept for replay, of each table.
public struct Retention: Equatable, Sendable {
    /// At most so many diffs.
    public var diffs: Int
    /// At most so many bytes of encoded diffs.
    public var bytes: Int

    /// Bounds for one table; by default 50 000 diffs in 8 MiB.
    public init(diffs: Int = 50_000, bytes: Int = 8 << 20) {
        self.diffs = diffs
        self.bytes = bytes
    }
}
