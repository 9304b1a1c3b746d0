import JournalFormat
public import JournalPort

extension LogJournal {
    /// Hands over everything retained, and checks the chain on the way; see `Journal`.
    ///
    /// - Throws: a `JournalError` that names the entry or the part at fault, or what `body` throws.
    public func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary {
        let log = try opened()
        defer { room = nil }
        var summary = JournalSummary()
        if let checkpoint {
            try body(.checkpoint(position: checkpoint.covered.position, parts: checkpoint.parts))
            var parts = try PartsRead(of: checkpoint, in: disk)
            while try parts.next({ try body(.part($0)) }) {}
            summary.add(checkpoint)
        }
        for segment in log.segments {
            var entries = try EntriesRead(of: segment, in: log)
            while try entries.next({ position, payload in
                guard position > base else { return }
                try body(.entry(position: position, payload))
                summary.addEntry(bytes: payload.count)
            }) {}
        }
        summary.position = log.head.position
        return summary
    }

    /// Hands over the entries after a position, checking the chain as it goes; see `Journal`.
    ///
    /// - Throws: a `JournalError` that names the entry at fault, or what `body` throws.
    public func entries(
        after position: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let log = try opened()
        if position >= log.head.position { return }
        guard position >= base else {
            throw JournalError.entryMissing(path: disk.path, position: position + 1)
        }
        for segment in log.segments where segment.end.position > position {
            var entries = try EntriesRead(of: segment, in: log)
            while try entries.next({ if $0 > position { try body($0, $1) } }) {}
        }
    }
}

extension JournalSummary {
    mutating func add(_ checkpoint: Checkpoint) {
        self.checkpoint = checkpoint.covered.position
        parts = checkpoint.parts
    }

    mutating func addEntry(bytes: Int) {
        entries += 1
        entryBytes += UInt64(bytes)
    }
}

/// The entries of a segment, as far as it reached when this began. It reads them from a copy, so the
/// segment may be used again meanwhile.
struct EntriesRead {
    /// Where the next entry is, and what was the last.
    private var last: ChainPoint
    private var offset = SegmentHeader.size
    private let identity: SegmentIdentity
    private let checks: SegmentChecks
    private let content: FileBytes
    private let end: ChainPoint
    private let path: String

    init(of segment: Log.Segment, in log: Log) throws {
        content = try log.bytes(of: segment)
        identity = SegmentIdentity(log: log.id, birth: segment.birth)
        (last, checks) = (segment.base, log.limits.checks)
        end = segment.end
        path = log.disk.path(of: segment.name)
    }

    /// The next entry; false behind the last.
    mutating func next(_ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard last.position < end.position else {
            guard last == end else { throw damaged(end.position) }
            return false
        }
        try content.with { bytes in
            var reader = SegmentReader(bytes, of: identity, after: last, at: offset, checks: checks)
            guard let (header, payload) = reader.next() else { throw damaged(last.position + 1) }
            (last, offset) = (reader.last, reader.offset)
            try body(header.position, payload)
        }
        return true
    }

    private func damaged(_ position: UInt64) -> JournalError {
        .entryDamaged(path: path, position: position)
    }
}

/// The parts of a checkpoint, one after the other.
struct PartsRead {
    private var reader: PartReader
    private let window: FileWindow
    /// Where the next part is.
    private(set) var offset = Checkpoint.headerSize
    private let path: String

    init(of checkpoint: Checkpoint, in disk: any Disk) throws {
        let name = FileName.checkpoint(number: checkpoint.number).text
        (reader, path) = (PartReader(checkpoint), disk.path(of: name))
        window = FileWindow(try disk.open(name))
    }

    var checkpoint: Checkpoint { reader.checkpoint }
    /// Which part is the next.
    var index: UInt64 { reader.index }

    /// The next part; false behind the last.
    mutating func next(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        try withExtendedLifetime(window) { try readNext(body) }
    }

    private mutating func readNext(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard reader.hasMore else {
            guard reader.isWhole else { throw damaged }
            return false
        }
        let head = try window.bytes(offset, count: PartHeader.size)
        guard let header = reader.header(head) else { throw damaged }
        let payload = try window.bytes(offset + PartHeader.size, count: header.bytes)
        let index = reader.index
        guard payload.count == header.bytes, reader.take(payload, of: header) else {
            throw JournalError.checkpointDamaged(
                path: path, position: checkpoint.covered.position, part: index)
        }
        offset += PartHeader.size + header.bytes
        try body(payload)
        return true
    }

    private var damaged: JournalError {
        .checkpointDamaged(path: path, position: checkpoint.covered.position, part: reader.index)
    }
}

/// A piece of a file in memory, so that small parts are not read one by one.
final class FileWindow {
    private let file: any DiskFile
    private var room: UnsafeMutableRawBufferPointer
    private var held = 0..<0

    private static let least = 1 << 20

    init(_ file: any DiskFile) {
        self.file = file
        room = .allocate(byteCount: Self.least, alignment: 8)
    }

    deinit { room.deallocate() }

    /// Bytes of the file, fewer if it ends before; valid until the next call.
    func bytes(_ offset: Int, count: Int) throws -> UnsafeRawBufferPointer {
        if offset < held.lowerBound || offset + count > held.upperBound {
            if count > room.count {
                room.deallocate()
                room = .allocate(byteCount: count, alignment: 8)
            }
            held = 0..<0
            held = offset..<offset + (try file.read(into: room, at: offset))
        }
        let start = offset - held.lowerBound
        let end = min(start + count, held.count)
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[start..<end])
    }
}
