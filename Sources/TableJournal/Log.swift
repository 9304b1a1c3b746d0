import JournalFormat

/// The log: the segments that hold entries, oldest first, and those that wait to be used.
///
/// An entry is one write and one sync. The segment has the blocks already, so that the sync has no
/// metadata to write. The first entry in a page writes the rest of it with zeros, so that no page has to be read.
final class Log {
    /// A segment that has begun.
    struct Segment {
        var birth: UInt64
        /// The point of the chain before its first entry.
        var base: ChainPoint
        /// Its newest entry, or `base`.
        var end: ChainPoint
        var fileBytes: Int
        var name: String { FileName.segment(birth: birth).text }
    }

    let disk: any Disk
    let id: UInt64
    let limits: Limits
    private(set) var segments: [Segment]
    /// The file of the last segment, and where the next entry goes.
    private var file: any DiskFile
    private(set) var offset: Int
    /// The identity with which the entries of the last segment are sealed.
    private var identity: SegmentIdentity
    /// Up to there this process has filled the last segment's file with zeros, behind the newest entry.
    private var zeroed = 0
    let spares: SpareSegments
    /// Files that nobody needs any more: segments that are not used again, replaced checkpoints.
    let removals: Removals
    private var buffer = PageBuffer()
    private static let zeros = [UInt8](repeating: 0, count: PageBuffer.wholePages(1))
    /// Segments up to this one are not used again.
    private var forgottenTo: UInt64 = 0

    init(
        _ disk: any Disk, id: UInt64, _ limits: Limits, segments: [Segment], file: any DiskFile,
        offset: Int, nextBirth: UInt64, suffix: String = "", unneeded: [String] = []
    ) {
        (self.disk, self.id, self.limits) = (disk, id, limits)
        (self.segments, self.file, self.offset) = (segments, file, offset)
        identity = SegmentIdentity(log: id, birth: segments[segments.count - 1].birth)
        removals = Removals(disk, limits, unneeded)
        spares = SpareSegments(disk, limits, removals, nextBirth: nextBirth, suffix: suffix)
    }

    /// The newest entry.
    var head: ChainPoint { segments[segments.count - 1].end }
    /// The point of the chain before the oldest entry.
    var base: ChainPoint { segments[0].base }
    var fileBytes: Int { segments.reduce(0) { $0 + $1.fileBytes } + spares.fileBytes }

    /// Whether the next segment should be prepared.
    var isHalfFull: Bool { offset > limits.segmentBytes / 2 }

    /// Writes an entry. It is durable when this returns, unless `isSynced` is off; `durable` is then the newest
    /// entry that is.
    func append(
        _ payload: UnsafeRawBufferPointer, isSynced: Bool = true, durable: UInt64? = nil
    ) throws {
        let room = EntryHeader.room(for: payload.count)
        let isFresh = offset <= SegmentHeader.size
        if offset + room > limits.segmentBytes, !isFresh {
            try beginSegment(payload, isSynced, durable)
        } else {
            try write(payload, at: offset, behind: head, isSynced, durable)
        }
    }

    /// The first entry of a segment is written with the header.
    private func beginSegment(
        _ payload: UnsafeRawBufferPointer, _ isSynced: Bool, _ durable: UInt64?
    ) throws {
        // Bytes that were written without a sync are synced now: nothing would do it later.
        if !isSynced { try file.sync() }
        let isNew = try takeSegment()
        try write(payload, at: offset, behind: head, withHeader: true, isSynced, durable)
        if isNew, limits.syncsNames { try disk.sync() }
    }

    /// Goes on in another file, whose header is to be written. True: its name is not durable yet.
    private func takeSegment() throws -> Bool {
        let spare = try spares.take()
        file = spare.file
        segments.append(
            Segment(
                birth: spare.birth, base: head, end: head,
                fileBytes: spare.isNew ? 0 : limits.segmentBytes))
        (identity, zeroed) = (SegmentIdentity(log: id, birth: spare.birth), 0)
        offset = SegmentHeader.size
        return spare.isNew
    }

    private func write(
        _ payload: UnsafeRawBufferPointer, at offset: Int, behind last: ChainPoint,
        withHeader: Bool = false, _ isSynced: Bool, _ durable: UInt64?
    ) throws {
        let position = last.position + 1
        let chain = Chain.link(after: last.chain, number: position, payload: payload)
        let header = EntryHeader(
            position: position, bytes: payload.count, durable: durable ?? last.position,
            chain: chain)
        let start = withHeader ? 0 : offset
        let end = offset + EntryHeader.room(for: payload.count)
        let pagesEnd = PageBuffer.wholePages(end)
        // A small entry lies in a page that the one before it has begun, and filled.
        let filled = zeroed
        let isFilled = pagesEnd <= filled
        // Nobody knows what a write that fails leaves behind.
        zeroed = 0
        let headBytes = offset - start + EntryHeader.size
        let restBytes = (isFilled ? end : pagesEnd) - start - headBytes - payload.count
        // The payload is written from where it is. The rest of the page: zeros, so that it never has to be read before it
        // is written.
        try buffer.with(bytes: headBytes) { bytes in
            if withHeader {
                SegmentHeader(base: last).encode(
                    into: .init(rebasing: bytes[..<SegmentHeader.size]), of: identity)
            }
            header.encode(
                into: UnsafeMutableRawBufferPointer(rebasing: bytes[(offset - start)...]),
                of: identity)
            try Self.zeros.withUnsafeBytes { zeros in
                try file.write(
                    UnsafeRawBufferPointer(bytes), payload,
                    UnsafeRawBufferPointer(rebasing: zeros[..<restBytes]), at: start)
            }
        }
        if isSynced { try file.sync() }
        let index = segments.count - 1
        segments[index].end = ChainPoint(position: position, chain: chain)
        segments[index].fileBytes = max(segments[index].fileBytes, pagesEnd)
        (self.offset, zeroed) = (end, max(filled, pagesEnd))
    }

    /// Makes durable what was appended without a sync.
    func sync() throws { try file.sync() }

    /// Lets go of the oldest segment, all of whose entries are at most `position`. False: there is none.
    func retire(upTo position: UInt64, recycles: Bool) throws -> Bool {
        guard segments.count > 1, segments[0].end.position <= position else { return false }
        let oldest = segments.removeFirst()
        if recycles, oldest.birth > forgottenTo {
            try spares.recycle(oldest.name, fileBytes: oldest.fileBytes)
        } else {
            try removals.begin(oldest.name)
        }
        return true
    }

    /// No segment so far is used again, nor one that waits for it; `beginsAnew`: nor the last for another entry. An empty
    /// one takes its place at once: on a quiet board the next entry may be months away.
    func forgetEarlier(beginsAnew: Bool) throws {
        forgottenTo = segments[segments.count - 1].birth
        try spares.discard()
        guard beginsAnew, offset > SegmentHeader.size else { return }
        try file.sync()
        let isNew = try takeSegment()
        try withUnsafeTemporaryAllocation(byteCount: SegmentHeader.size, alignment: 8) { page in
            SegmentHeader(base: head).encode(into: page, of: identity)
            try file.write(UnsafeRawBufferPointer(page), at: 0)
        }
        try file.sync()
        if isNew, limits.syncsNames { try disk.sync() }
    }

    /// Reads entries of a segment that is retained, in a copy of what is there now.
    func bytes(of segment: Segment) throws -> FileBytes { try disk.read(segment.name) }
}

/// Whole pages of memory that are used again and again.
struct PageBuffer: ~Copyable {
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 4096)
    private static let kept = 1 << 20

    static func wholePages(_ bytes: Int) -> Int { (bytes + 4095) & ~4095 }

    deinit { bytes.deallocate() }

    mutating func with<Result>(
        bytes count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        if count > bytes.count { grow(to: count) }
        // One large entry does not stay in memory.
        defer { if bytes.count > Self.kept { grow(to: 64 << 10) } }
        return try body(UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]))
    }

    private mutating func grow(to count: Int) {
        bytes.deallocate()
        bytes = .allocate(byteCount: Self.wholePages(count), alignment: 4096)
    }
}
