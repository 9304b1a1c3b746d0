// A segment of the log: a page with its header, then entries one after the other.
//
//     0      header: mark, form, log, birth, position and chain before its first entry, seal
//     4096   entry:  mark, payload bytes, position, durable, birth, chain, seal; then the payload
//            …       each begins at a multiple of 8
//
// Segments are overwritten when their entries are no longer needed. What an earlier life left behind
// the newest entry may look like entries. Each seal is made with the log's number and the birth
// number, which is another one in each life.

/// Which segment some bytes should be of.
package struct SegmentIdentity: Equatable, Sendable {
    package let log: UInt64
    package let birth: UInt64
    /// The seed of its seals.
    let seed: UInt64

    package init(log: UInt64, birth: UInt64) {
        (self.log, self.birth) = (log, birth)
        seed = Chain.seal(log, birth)
    }
}

/// The beginning of a segment.
package struct SegmentHeader: Equatable, Sendable {
    package var form: UInt64 = Form.newest
    /// Where the segment before ended.
    package var base: ChainPoint

    package init(base: ChainPoint) { self.base = base }

    /// A page, so that to write the first entry never touches half of one.
    package static let size = 4096

    /// Fills the page.
    package func encode(into page: UnsafeMutableRawBufferPointer, of identity: SegmentIdentity) {
        page.initializeMemory(as: UInt8.self, repeating: 0)
        page.storeSealed(
            [Form.segment, form, identity.log, identity.birth, base.position, base.chain],
            seed: identity.seed)
    }

    /// The log that a header says it is of, whether or not the header is whole.
    package static func log(in bytes: UnsafeRawBufferPointer) -> UInt64? {
        bytes.count >= size && bytes.word(0) == Form.segment ? bytes.word(16) : nil
    }

    /// Nil if this segment has not begun, or its header is damaged.
    package init?(
        _ bytes: UnsafeRawBufferPointer, of identity: SegmentIdentity, checks: SegmentChecks = .all
    ) {
        guard bytes.count >= Self.size else { return nil }
        let birth = checks.contains(.births) ? identity.birth : bytes.word(24)
        let identity = SegmentIdentity(log: identity.log, birth: birth)
        guard let words = bytes.sealedWords(6, seed: identity.seed), words[0] == Form.segment,
            words[2] == identity.log, words[3] == identity.birth, words[4] <= Form.largestNumber
        else { return nil }
        form = words[1]
        base = ChainPoint(position: words[4], chain: words[5])
    }
}

/// The beginning of an entry.
package struct EntryHeader: Equatable, Sendable {
    package var position: UInt64
    /// Bytes of the payload.
    package var bytes: Int
    /// The newest entry that was durable when this one was written. An entry is written only after
    /// that, so whatever is missing up to there was lost, and is no torn end.
    package var durable: UInt64
    /// The chain after this entry.
    package var chain: UInt64

    package init(position: UInt64, bytes: Int, durable: UInt64, chain: UInt64) {
        (self.position, self.bytes) = (position, bytes)
        (self.durable, self.chain) = (durable, chain)
    }

    package static let size = 56
    /// Bytes of the largest payload: more is no size of ours.
    package static let mostBytes = 512 << 20

    /// Bytes in the segment of an entry with so large a payload.
    package static func room(for bytes: Int) -> Int { (size + bytes + 7) & ~7 }

    package func encode(into bytes: UnsafeMutableRawBufferPointer, of identity: SegmentIdentity) {
        bytes.storeSealed(
            [Form.entry, UInt64(self.bytes), position, durable, identity.birth, chain],
            seed: identity.seed)
    }

    /// Nil if there is none of this segment at this offset.
    package init?(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, of identity: SegmentIdentity,
        checks: SegmentChecks = .all
    ) {
        guard offset >= 0, offset <= bytes.count - Self.size, bytes.word(offset) == Form.entry
        else { return nil }
        let birth = checks.contains(.births) ? identity.birth : bytes.word(offset + 32)
        let identity = SegmentIdentity(log: identity.log, birth: birth)
        guard let words = bytes.sealedWords(6, at: offset, seed: identity.seed),
            words[4] == identity.birth, words[1] <= UInt64(Self.mostBytes), words[3] < words[2]
        else { return nil }
        self.init(position: words[2], bytes: Int(words[1]), durable: words[3], chain: words[5])
    }
}

/// The checks of a reader. Tests leave one out, and must notice it.
package struct SegmentChecks: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The birth number in headers and entries.
    package static let births = SegmentChecks(rawValue: 1)
    /// The chain through the payloads.
    package static let chain = SegmentChecks(rawValue: 2)
    /// How much was durable when a later entry was written.
    package static let durable = SegmentChecks(rawValue: 4)
    package static let all: SegmentChecks = [.births, .chain, .durable]
}

/// Reads the entries of a segment, from bytes that may be anything.
package struct SegmentReader {
    private let bytes: UnsafeRawBufferPointer
    private let identity: SegmentIdentity
    private let checks: SegmentChecks
    /// The newest entry that was read, or what was before the segment.
    package private(set) var last: ChainPoint
    /// Where the next entry would begin.
    package private(set) var offset: Int

    /// Reads on at `offset`, behind the entry `last`.
    package init(
        _ bytes: UnsafeRawBufferPointer, of identity: SegmentIdentity, after last: ChainPoint,
        at offset: Int = SegmentHeader.size, checks: SegmentChecks = .all
    ) {
        (self.bytes, self.identity, self.checks) = (bytes, identity, checks)
        (self.last, self.offset) = (last, offset)
    }

    /// The next entry; nil at the end, whatever ends it.
    package mutating func next() -> (header: EntryHeader, payload: UnsafeRawBufferPointer)? {
        guard let header = EntryHeader(bytes, at: offset, of: identity, checks: checks) else {
            return nil
        }
        let start = offset + EntryHeader.size
        let (position, isMore) = last.position.addingReportingOverflow(1)
        guard !isMore, header.position == position, bytes.count - start >= header.bytes else {
            return nil
        }
        let payload = UnsafeRawBufferPointer(rebasing: bytes[start..<start + header.bytes])
        guard isChained(header, payload) else { return nil }
        last = ChainPoint(position: position, chain: header.chain)
        offset = min(offset + EntryHeader.room(for: header.bytes), bytes.count)
        return (header, payload)
    }

    private func isChained(_ header: EntryHeader, _ payload: UnsafeRawBufferPointer) -> Bool {
        let chain = Chain.link(after: last.chain, number: header.position, payload: payload)
        return chain == header.chain || !checks.contains(.chain)
    }

    /// An entry behind the end that was written when more than `position` was durable. Then the end is
    /// none: something in front of it is damaged.
    package func laterEntry(than position: UInt64) -> EntryHeader? {
        guard checks.contains(.durable) else { return nil }
        var place = offset
        while place <= bytes.count - EntryHeader.size {
            if bytes.word(place) == Form.entry,
                let header = EntryHeader(bytes, at: place, of: identity, checks: checks),
                header.durable > position
            {
                return header
            }
            place += 8
        }
        return nil
    }
}
