import JournalFormat

// A standby reads the log of the daemon that it follows, a little at a time, while that daemon writes it.

/// A place in a log: the hash chain ties its entry to all before it.
package struct LogPlace: Equatable, Sendable {
    /// The number of the log.
    package var log: UInt64
    /// The position of the entry.
    package var position: UInt64
    /// The chain after it.
    package var chain: UInt64

    package init(log: UInt64, position: UInt64, chain: UInt64) {
        (self.log, self.position, self.chain) = (log, position, chain)
    }

    var point: ChainPoint { ChainPoint(position: position, chain: chain) }
}

/// Where the entry behind a place lies, so that a reader need not look for it again.
package struct LogCursor {
    var birth: UInt64
    var offset: Int
    var point: ChainPoint

    /// The entry that was read last.
    package var position: UInt64 { point.position }
    /// The chain after it.
    package var chain: UInt64 { point.chain }
}

/// The parts of a journal that are kept for standbys, though a checkpoint covers them.
package struct Kept {
    /// Entries behind this position; nil: none.
    package var after: UInt64?
    /// The checkpoint that a standby copies.
    package var checkpoint: UInt64?
    /// Checkpoints that are replaced and have not gone yet.
    var replaced: [UInt64] = []
}

extension LogJournal {
    /// The newest entry.
    package var place: LogPlace {
        LogPlace(log: logNumber, position: head.position, chain: head.chain)
    }

    /// Where the entry behind a place lies; nil: it is not retained any more, or the place is of another history.
    package func cursor(behind place: LogPlace) throws -> LogCursor? {
        let (log, point) = (try opened(), place.point)
        guard place.log == logNumber, point.position >= log.base.position,
            let segment = log.segments.last(where: { $0.base.position <= point.position })
        else { return nil }
        var cursor = LogCursor(
            birth: segment.birth, offset: SegmentHeader.size, point: segment.base)
        if point.position > segment.end.position { return nil }
        let bytes = try log.bytes(of: segment)
        bytes.with { bytes in
            var reader = SegmentReader(
                bytes, of: SegmentIdentity(log: log.id, birth: segment.birth), after: segment.base,
                checks: limits.checks)
            while reader.last.position < point.position, reader.next() != nil {}
            (cursor.offset, cursor.point) = (reader.offset, reader.last)
        }
        return cursor.point == point ? cursor : nil
    }

    /// The entries behind a cursor, which goes on: at least one, if there is one, and no more than so many bytes of
    /// them. Nil: they are not retained any more.
    package func entries(from cursor: inout LogCursor, atMost most: Int) throws -> [[UInt8]]? {
        let log = try opened()
        var (found, bytes): ([[UInt8]], Int) = ([], 0)
        while bytes < most {
            guard let place = log.segments.firstIndex(where: { $0.birth == cursor.birth }) else {
                // The segment that was read to its end has gone, and the next one begins there.
                guard let next = log.segments.first(where: { $0.base == cursor.point }) else {
                    return nil
                }
                cursor = LogCursor(birth: next.birth, offset: SegmentHeader.size, point: next.base)
                continue
            }
            let segment = log.segments[place]
            guard cursor.point == segment.end else {
                let end = place == log.segments.count - 1 ? log.offset : segment.fileBytes
                let some = try read(&cursor, in: segment, end, most - bytes, log.id)
                // The next one is larger than what is left of the bound.
                if some.isEmpty, !found.isEmpty { return found }
                found += some
                bytes += some.reduce(0) { $0 + $1.count }
                continue
            }
            guard place + 1 < log.segments.count else { break }
            let next = log.segments[place + 1]
            guard next.base == cursor.point else { return nil }
            cursor = LogCursor(birth: next.birth, offset: SegmentHeader.size, point: next.base)
        }
        return found
    }

    /// Reads entries of a segment, at least one.
    private func read(
        _ cursor: inout LogCursor, in segment: Log.Segment, _ end: Int, _ most: Int, _ log: UInt64
    ) throws -> [[UInt8]] {
        let identity = SegmentIdentity(log: log, birth: segment.birth)
        let file = try disk.open(segment.name)
        let damaged = JournalError.entryDamaged(
            path: disk.path(of: segment.name), position: cursor.position + 1)
        let first = try file.bytes(cursor.offset..<min(end, cursor.offset + EntryHeader.size))
        guard
            let header = first.withUnsafeBytes({
                EntryHeader($0, at: 0, of: identity, checks: limits.checks)
            })
        else { throw damaged }
        // A whole number of words: where the last entry's payload is there, its padding is too, and the cursor stands
        // where the next one begins.
        let count = (max(most, EntryHeader.room(for: header.bytes)) + 7) & ~7
        let window = try file.bytes(cursor.offset..<min(end, cursor.offset + count))
        return try window.withUnsafeBytes { bytes in
            var reader = SegmentReader(
                bytes, of: identity, after: cursor.point, at: 0, checks: limits.checks)
            var found: [[UInt8]] = []
            while reader.last.position < segment.end.position, let (_, payload) = reader.next() {
                found.append(Array(payload))
            }
            if found.isEmpty { throw damaged }
            cursor.offset += reader.offset
            cursor.point = reader.last
            return found
        }
    }

    /// Bytes on the disk of the segments with entries behind a position.
    package func bytes(behind position: UInt64) throws -> Int {
        try opened().segments.reduce(0) { $0 + ($1.end.position > position ? $1.fileBytes : 0) }
    }

    // MARK: A copy

    /// The newest checkpoint, to copy it: what it covers, its number and the bytes of its file. Nil: there is none, and
    /// all entries are retained.
    package var copied: (place: LogPlace, number: UInt64, size: Int)? {
        checkpoint.flatMap { one in
            one.fileBytes.map {
                let covered = LogPlace(
                    log: logNumber, position: one.covered.position, chain: one.covered.chain)
                return (covered, one.number, $0)
            }
        }
    }

    /// Bytes of a checkpoint's file; nil: it is not there any more.
    package func bytes(ofCheckpoint number: UInt64, from offset: Int, atMost: Int) throws
        -> [UInt8]?
    {
        guard number == checkpoint?.number || kept.replaced.contains(number) else { return nil }
        return try disk.open(FileName.checkpoint(number: number).text)
            .bytes(offset..<offset + atMost)
    }
}
