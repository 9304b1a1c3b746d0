import TableDecisions
import TableModel

/// The latest diffs of one table, encoded, with their inverses, for viewers that missed some and
/// for undo. Bounded in number, bytes and age: the oldest are dropped.
public struct DiffLog: Sendable {
    /// One diff, as journaled and published.
    public struct Entry: Sendable {
        /// The diff and its inverse, encoded.
        public let change: EncodedChange
        /// The table's digest after the diff.
        public let digest: UInt64
        /// The commit's time.
        let timeMs: UInt64
        /// The mark of the revision that undo needs.
        var mark: PastMark
        /// Some op is about more than the rows that it names.
        let isTableWide: Bool
        /// Something of it was forgotten: it leads to no older state, and no viewer from one to the next.
        var isPartial = false

        /// Bytes of it in a checkpoint.
        public var weight: Int { size }
        var size: Int { change.byteCount }
        /// Whether it is a change of many rows, as an import makes: one row seldom has so much text.
        var isBulk: Bool { size > Self.mostOfFew }
        private static let mostOfFew = 32 << 10

        /// The memory of an entry besides these bytes.
        static let overhead = 256

        /// An entry of a diff, and both as journaled.
        init(_ diff: borrowing Diff, _ change: consuming EncodedChange) {
            self.init(diff.ops, of: diff.cause, digest: diff.digest, change)
        }

        /// An entry of a diff's parts.
        @inline(__always)  // Else all of it is moved.
        init(
            _ ops: [Op], of cause: borrowing Cause, digest: UInt64,
            _ change: consuming EncodedChange
        ) {
            self.init(
                cause, digest: digest, isTableWide: ops.contains(where: \.isTableWide),
                isOfHandler: ops.contains(where: \.isOfHandler), change)
        }

        /// An entry of a diff's outline.
        init(_ outline: DiffOutline, _ change: consuming EncodedChange) {
            self.init(
                outline.cause, digest: outline.digest, isTableWide: outline.isTableWide,
                isOfHandler: outline.isOfHandler, change)
        }

        @inline(__always)  // The same.
        private init(
            _ cause: borrowing Cause, digest: UInt64, isTableWide: Bool, isOfHandler: Bool,
            _ change: consuming EncodedChange
        ) {
            self.digest = digest
            timeMs = cause.timeMs
            mark = PastMark(
                undoes: cause.undoes,
                // More is known where the undo is kept.
                isRedo: cause.undoes != nil && cause.verb == "redo",
                actor: cause.actor, user: cause.user,
                isPickedForUndo: PastChange.isPickedForUndo(
                    cause, isOfHandler: isOfHandler, changesNothing: change.changesNothing),
                isLook: PastChange.isLook(cause.verb))
            self.isTableWide = isTableWide
            self.change = change
        }

        /// An entry of which something was forgotten, with what is left of it.
        init(restOf entry: Entry, _ change: EncodedChange, changesNothing: Bool) {
            (digest, timeMs, mark, isTableWide) = (
                entry.digest, entry.timeMs, entry.mark, entry.isTableWide
            )
            mark.isPickedForUndo = mark.isPickedForUndo && !changesNothing
            isPartial = true
            self.change = change
        }

        /// In the place of one that has gone.
        static let gone = Entry()

        private init() {
            change = EncodedChange(diff: [], inverse: nil)
            digest = 0
            timeMs = 0
            mark = PastMark(isPickedForUndo: false)
            isTableWide = false
        }
    }

    private var entries = DiffRuns()
    private var changes = ChangeStore()
    private var bytes = 0
    /// The count and bytes of changes of many rows.
    private var bulk = (count: 0, bytes: 0)
    /// The memory that the log takes, about.
    var weight: Int { bytes + count * Entry.overhead }
    /// The revision before the first entry.
    private(set) var oldest: UInt64
    /// The latest revision of which something was forgotten; 0: none is kept.
    private var partial: UInt64 = 0
    /// The oldest revision that replays begin at, and rewinds lead to.
    var replayable: UInt64 { max(oldest, partial) }
    /// The table's digest at `oldest`, if it is known.
    private var oldestDigest: UInt64?

    /// Where less is kept than before, so many go at most with each that comes: no turn gets long.
    private static let mostGoing = 64

    /// Leads on from a revision, at which the table had this digest.
    init(from revision: UInt64, digest: UInt64?) {
        oldest = revision
        oldestDigest = digest
    }

    /// The revision of the last entry.
    var head: UInt64 { oldest + UInt64(count) }
    private var count: Int { entries.count }

    /// Copies a diff and its inverse to where all of this log are, for an entry.
    mutating func store(
        _ diff: UnsafeRawBufferPointer, _ inverse: UnsafeRawBufferPointer?
    ) -> EncodedChange { changes.keep(diff, inverse) }

    /// Stores a change that has memory of its own.
    mutating func store(_ change: EncodedChange) -> EncodedChange { changes.keep(change) }

    /// Adds the diff that leads on from `head`, to a table that has so many rows then; the oldest beyond
    /// the bounds go.
    @inline(__always)  // Else the entry is moved for the call.
    mutating func append(_ entry: consuming Entry, within limit: Retention, rows: Int) {
        bytes += entry.size
        if entry.isBulk { bulk = (bulk.count + 1, bulk.bytes + entry.size) }
        if let undone = entry.mark.undoes, let index = index(of: undone) {
            entries[index].mark.undoneBy = head + 1
            let mark = entries[index].mark
            entry.mark.isRedo = mark.undoes != nil && !mark.isRedo
        }
        if entry.isPartial { partial = head + 1 }
        entries.append(entry)
        var left = Self.mostGoing
        while left > 0, isBeyond(limit, rows) {
            dropOldest()
            left -= 1
        }
    }

    /// Puts what is left of an entry in its place: its bytes are those of this log.
    mutating func replace(at index: Int, by change: EncodedChange, changesNothing: Bool) {
        let old = entries[index]
        let rest = Entry(restOf: old, change, changesNothing: changesNothing)
        bytes += rest.size - old.size
        if old.isBulk { bulk = (bulk.count - 1, bulk.bytes - old.size) }
        if rest.isBulk { bulk = (bulk.count + 1, bulk.bytes + rest.size) }
        entries[index] = rest
        partial = max(partial, oldest + UInt64(index) + 1)
    }

    /// The bytes that count. A change of many rows that alone has nearly as many as are kept, or up to twice as many, does not:
    /// it could not be undone any more once somebody has changed something else.
    private func counted(_ limit: Retention) -> Int {
        guard bulk.count == 1, bulk.bytes > limit.bytes / 4 * 3 else { return bytes }
        return bytes - min(bulk.bytes, 2 * limit.bytes)
    }

    private func isBeyond(_ limit: Retention, _ rows: Int) -> Bool {
        count > limit.diffs || (counted(limit) > limit.bytes && count > 1)
            || (bulk.count > 1 && bulk.bytes > limit.bulkBytes(rows: rows))
    }

    /// Lets go of what is too old by now, and of what is too much since less is kept: at most
    /// `left`, which becomes less by as many. True: some were too old.
    @discardableResult
    mutating func trim(
        nowMs: UInt64, within limit: Retention, rows: Int, atMost left: inout Int
    ) -> Bool {
        let (age, overflow) = limit.seconds.multipliedReportingOverflow(by: 1_000)
        let since = limit.seconds > 0 && !overflow && nowMs > age ? nowMs - age : 0
        var hasLostOld = false
        while left > 0, count > 0 {
            let isOld = entries[0].timeMs < since
            if !isOld, !isBeyond(limit, rows) { break }
            hasLostOld = hasLostOld || isOld
            dropOldest()
            left -= 1
        }
        return hasLostOld
    }

    /// Lets the oldest go until the log weighs no more than this: at most `left`, which becomes less
    /// by as many.
    mutating func shrink(to most: Int, atMost left: inout Int) {
        while left > 0, count > 0, weight > most {
            dropOldest()
            left -= 1
        }
    }

    private mutating func dropOldest() {
        let size = entries[0].size
        bytes -= size
        if entries[0].isBulk { bulk = (bulk.count - 1, bulk.bytes - size) }
        oldestDigest = entries[0].digest
        entries.dropOldest()
        oldest += 1
    }

    /// The revisions up to this one go with the next tenth of what is kept; nil: there is room,
    /// and time.
    func leaving(nowMs: UInt64, within limit: Retention, rows: Int) -> UInt64? {
        let tenth = max(1, limit.diffs / 10)
        var last = 0
        if count > limit.diffs - tenth { last = count - (limit.diffs - tenth) }
        var (size, many) = (counted(limit), bulk.bytes)
        var byBytes = 0
        let most = limit.bulkBytes(rows: rows)
        while byBytes < entries.count,
            size > limit.bytes - limit.bytes / 10 || (bulk.count > 1 && many > most - most / 10)
        {
            size -= entries[byBytes].size
            if entries[byBytes].isBulk { many -= entries[byBytes].size }
            byBytes += 1
        }
        last = max(last, byBytes)
        if limit.seconds > 0 {
            let (age, overflow) = limit.seconds.multipliedReportingOverflow(by: 900)
            while !overflow, nowMs > age, last < entries.count, entries[last].timeMs < nowMs - age {
                last += 1
            }
        }
        return last > 0 ? oldest + UInt64(last) : nil
    }

    /// The entry of a revision; nil: it is not kept.
    func entry(of revision: UInt64) -> Entry? { index(of: revision).map { entries[$0] } }

    /// The mark of a revision; nil: it is not kept.
    func mark(of revision: UInt64) -> PastMark? { index(of: revision).map { entries[$0].mark } }

    private func index(of revision: UInt64) -> Int? {
        guard revision > oldest, revision <= head else { return nil }
        return Int(revision - oldest) - 1
    }

    /// All kept entries, oldest first.
    var kept: DiffRuns { entries }

    /// Those up to a revision, in pieces of a checkpoint.
    func captured(upTo revision: UInt64) -> [CapturedPiece] {
        let last = min(revision, head)
        return last > oldest ? entries.captured(first: Int(last - oldest), after: oldestDigest) : []
    }

    /// The table's digest at a revision, if it is still known.
    func digest(at revision: UInt64) -> UInt64? {
        if revision == oldest { return oldestDigest }
        return index(of: revision).map { entries[$0].digest }
    }

    /// The diffs after a revision, oldest first, up to `maximumBytes`; at least one if there is
    /// any. Nil: the revision is too old, or was never reached.
    func diffs(since revision: UInt64, maximumBytes: Int) -> Slice<DiffRuns>? {
        guard revision >= replayable, revision <= head else { return nil }
        let start = Int(revision - oldest)
        var end = start
        var size = 0
        while end < entries.count,
            end == start || size + entries[end].change.diffByteCount <= maximumBytes
        {
            size += entries[end].change.diffByteCount
            end += 1
        }
        return entries[start..<end]
    }
}

/// How much of each table is kept for replay and undo.
public struct Retention: Equatable, Sendable {
    /// At most so many diffs.
    public var diffs: Int
    /// At most so many bytes of encoded diffs and of their inverses.
    public var bytes: Int
    /// How long diffs are kept, in seconds; 0: without a bound.
    public var seconds: UInt64
    /// At most so many bytes of memory for the diffs of all tables together.
    public var totalBytes: Int

    /// The bytes of it that changes of many rows may have: a quarter, and more in a table of many rows.
    ///
    /// An import would else fill all of it. Whoever missed more than an eighth of a table, which this is for rows
    /// of some words, takes a snapshot as well.
    func bulkBytes(rows: Int) -> Int { max(bytes / 4, 24 * rows) }

    /// Bounds for one table, by default 50 000 diffs in 8 MiB, of any age; and for all tables.
    public init(
        diffs: Int = 50_000, bytes: Int = 8 << 20, seconds: UInt64 = 0, totalBytes: Int = 32 << 20
    ) {
        self.diffs = diffs
        self.bytes = bytes
        self.seconds = seconds
        self.totalBytes = totalBytes
    }
}
