import JournalFormat

/// The state of the directory at the start: the log up to its end, and the newest checkpoint. `LogJournal.open` brings
/// the directory into order with it.
///
/// The end of the log is where the next entry is not what was written. That is a torn end if nobody was
/// told of it, and damage otherwise. Two things tell: an entry behind it that was written when more was
/// durable, and the file `acknowledged`, which knows of the newest one.
struct Opening {
    var log: Log
    var checkpoint: Checkpoint?
    var warnings: [JournalWarning]
    /// Payload bytes of the entries that the checkpoint does not cover.
    var bytesSinceCheckpoint: UInt64
}

/// Reads the directory of a journal that has begun.
struct LogReader {
    let disk: any Disk
    let id: UInt64
    let limits: Limits
    let promise: AcknowledgedFile.Content
    private var segments: [Log.Segment] = []
    private var offset = SegmentHeader.size
    /// The newest entry as it is in its file: the header before it, if it is the first, to its end.
    private var newest = 0..<0
    private var bytesSince: UInt64 = 0
    /// The chain at the position of the promise, if that is retained.
    private var chainAtPromise: UInt64?

    init(_ disk: any Disk, id: UInt64, _ limits: Limits, promise: AcknowledgedFile.Content) {
        (self.disk, self.id, self.limits, self.promise) = (disk, id, limits, promise)
    }

    /// `goesOn` is called with each segment.
    mutating func read(_ goesOn: () -> Void) throws -> Opening {
        let names = try disk.names()
        let (births, checkpoints) = (names.segments, names.checkpoints)
        let checkpoint = try checkpoints.last.map { try read(checkpoint: $0) }
        try read(births, checkpoint, goesOn)
        let warnings = try check(checkpoint)
        return try Opening(
            log: open(births, replaced: checkpoints.dropLast()), checkpoint: checkpoint,
            warnings: warnings, bytesSinceCheckpoint: bytesSince)
    }

    // MARK: The checkpoint

    private func read(checkpoint number: UInt64) throws -> Checkpoint {
        let name = FileName.checkpoint(number: number).text
        let path = disk.path(of: name)
        guard let found = try disk.open(name).checkpoint(), found.number == number else {
            throw JournalError.checkpointDamaged(path: path, position: nil, part: nil)
        }
        try Self.check(form: found.form, path)
        guard found.log == id else { throw JournalError.foreignFile(path: path) }
        return found
    }

    static func check(form: UInt64, _ path: String) throws {
        guard form <= Form.newest else {
            throw JournalError.newerForm(path: path, found: form, known: Form.newest)
        }
    }

    // MARK: The segments

    private mutating func read(
        _ births: [UInt64], _ checkpoint: Checkpoint?, _ goesOn: () -> Void
    ) throws {
        let covered = checkpoint?.covered.position ?? 0
        for birth in births {
            goesOn()
            let name = FileName.segment(birth: birth).text
            guard birth <= Form.largestNumber else {
                throw JournalError.foreignFile(path: disk.path(of: name))
            }
            let content = try disk.read(name)
            try content.with { try read($0, birth, isFirst: birth == births.first, covered) }
        }
        guard !segments.isEmpty else {
            throw JournalError.entryMissing(path: disk.path, position: covered + 1)
        }
    }

    private mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ birth: UInt64, isFirst: Bool, _ covered: UInt64
    ) throws {
        let name = FileName.segment(birth: birth).text
        let identity = SegmentIdentity(log: id, birth: birth)
        guard let header = SegmentHeader(bytes, of: identity, checks: limits.checks) else {
            // The first one has begun, whatever it says.
            if segments.isEmpty, isFirst, covered == 0 {
                throw JournalError.fileDamaged(path: disk.path(of: name))
            }
            return try refuseLater(bytes, identity, at: SegmentHeader.size, name)
        }
        try Self.check(form: header.form, disk.path(of: name))
        if let last = segments.last, header.base != last.end {
            // Segments in front of a gap were let go of by compaction, or there is damage.
            guard header.base.position <= covered, header.base.position > last.end.position
            else { throw damage(after: last.end, name) }
            forget()
        } else if segments.isEmpty, header.base.position > covered {
            throw JournalError.entryMissing(path: disk.path, position: header.base.position)
        }
        try read(bytes, header, birth, covered)
    }

    private mutating func forget() {
        segments = []
        (bytesSince, chainAtPromise) = (0, nil)
    }

    private mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ header: SegmentHeader, _ birth: UInt64, _ covered: UInt64
    ) throws {
        let identity = SegmentIdentity(log: id, birth: birth)
        var reader = SegmentReader(bytes, of: identity, after: header.base, checks: limits.checks)
        note(header.base)
        newest = 0..<SegmentHeader.size
        while true {
            let start = reader.offset
            guard let (entry, _) = reader.next() else { break }
            if entry.position > covered { bytesSince += UInt64(entry.bytes) }
            note(reader.last)
            // A standby syncs several entries at once: all of them are the newest.
            if entry.durable &+ 1 == entry.position || start == SegmentHeader.size {
                newest = (start == SegmentHeader.size ? 0 : start)..<reader.offset
            } else {
                newest = newest.lowerBound..<reader.offset
            }
        }
        offset = reader.offset
        segments.append(
            Log.Segment(birth: birth, base: header.base, end: reader.last, fileBytes: bytes.count))
        let name = FileName.segment(birth: birth).text
        try refuseLater(bytes, identity, at: reader.offset, name)
    }

    private mutating func note(_ point: ChainPoint) {
        if case .promise(let promise) = promise, promise.newest.position == point.position {
            chainAtPromise = point.chain
        }
    }

    /// An entry behind the end says that the end is none.
    private func refuseLater(
        _ bytes: UnsafeRawBufferPointer, _ identity: SegmentIdentity, at offset: Int, _ name: String
    ) throws {
        let last = segments.last?.end ?? .start
        let reader = SegmentReader(
            bytes, of: identity, after: last, at: offset, checks: limits.checks)
        if reader.laterEntry(than: last.position) != nil { throw damage(after: last, name) }
    }

    private func damage(after last: ChainPoint, _ name: String) -> JournalError {
        .entryDamaged(path: disk.path(of: name), position: last.position + 1)
    }

    // MARK: What was promised

    /// Refuses a journal that holds less than was acknowledged, or something else.
    private func check(_ checkpoint: Checkpoint?) throws -> [JournalWarning] {
        guard let first = segments.first, let last = segments.last else { return [] }
        let path = disk.path(of: last.name)
        let covered = checkpoint?.covered.position
        guard covered ?? 0 >= first.base.position else {
            throw JournalError.checkpointDamaged(path: disk.path, position: covered, part: nil)
        }
        guard covered ?? 0 <= last.end.position else {
            throw JournalError.entryMissing(path: path, position: last.end.position + 1)
        }
        return try promise.check(
            in: disk, log: path, head: last.end, base: first.base.position,
            covered: covered, chain: chainAtPromise)
    }

    // MARK: In order

    /// The log, ready for the next entry.
    private func open(_ births: [UInt64], replaced: ArraySlice<UInt64>) throws -> Log {
        guard let last = segments.last, let first = segments.first else {
            throw JournalError.entryMissing(path: disk.path, position: 1)
        }
        let file = try disk.open(last.name)
        if limits.rewritesNewest { try rewriteNewest(in: file) }
        try file.sync()
        let log = Log(
            disk, id: id, limits, segments: segments, file: file, offset: offset,
            nextBirth: (births.last ?? 0) + 1,
            unneeded: replaced.map { FileName.checkpoint(number: $0).text })
        for birth in births where birth > last.birth || birth < first.birth {
            // Each gets another birth number: it may hold what a lost commit left.
            let name = FileName.segment(birth: birth).text
            try log.spares.recycle(name, fileBytes: try disk.open(name).size())
        }
        return log
    }

    /// A sync may have failed in the process before this one. Then the system holds pages that are not
    /// on the disk and that no later sync writes. Only what that sync was for can be among them, the newest entry or
    /// a standby's newest entries: nothing is written after a failed sync. So it is written once more, before anybody
    /// relies on it.
    private func rewriteNewest(in file: any DiskFile) throws {
        let end = PageBuffer.wholePages(newest.upperBound)
        let size = try file.size()
        let bytes = try file.bytes(newest.lowerBound..<min(end, size))
        try bytes.withUnsafeBytes { try file.write($0, at: newest.lowerBound) }
    }
}

extension DiskFile {
    /// Some bytes of a file, fewer if it ends before.
    func bytes(_ range: Range<Int>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { room, count in
            count = try read(into: .init(room), at: range.lowerBound)
        }
    }

    /// The checkpoint in this file, by its beginning and its end; nil if they are not what was written.
    func checkpoint() throws -> Checkpoint? {
        let (size, head, end) = (try size(), Checkpoint.headerSize, Checkpoint.endSize)
        guard size >= head + end else { return nil }
        let (first, last) = (try bytes(0..<head), try bytes(size - end..<size))
        let found = first.withUnsafeBytes { first in
            last.withUnsafeBytes { Checkpoint(header: first, end: $0) }
        }
        return found?.fileBytes == size ? found : nil
    }
}

extension [String] {
    /// The births of the segments with these names, in their order.
    var segments: [UInt64] {
        compactMap { if case .segment(let birth) = FileName($0) { birth } else { nil } }.sorted()
    }

    /// The numbers of the checkpoints with these names, in their order.
    var checkpoints: [UInt64] {
        compactMap { if case .checkpoint(let number) = FileName($0) { number } else { nil } }
            .sorted()
    }
}
