// A checkpoint: a file of its own, in force by its name.
//
//     header:  mark, form, log, number, position and chain that it covers, seal
//     part:    mark, payload bytes, index, chain, seal; then the payload
//     end:     mark, parts, payload bytes of all, chain after the last, seal

/// A complete checkpoint: what it covers, and what its end says.
package struct Checkpoint: Equatable, Sendable {
    package var form: UInt64 = Form.newest
    package var log: UInt64
    package var number: UInt64
    /// The newest entry that it covers.
    package var covered: ChainPoint
    package var parts: UInt64 = 0
    package var partBytes: UInt64 = 0
    /// The chain after its last part.
    package var lastChain: UInt64

    package init(log: UInt64, number: UInt64, covering covered: ChainPoint) {
        (self.log, self.number, self.covered) = (log, number, covered)
        lastChain = Self.firstChain(log, number, covered)
    }

    /// The chain before its first part.
    package var firstChain: UInt64 { Self.firstChain(log, number, covered) }

    private static func firstChain(
        _ log: UInt64, _ number: UInt64, _ covered: ChainPoint
    ) -> UInt64 { Chain.seal(log, number, covered.position, covered.chain) }

    package static let headerSize = 56
    package static let endSize = 40

    package func encodeHeader(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeSealed([Form.checkpoint, form, log, number, covered.position, covered.chain])
    }

    package func encodeEnd(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeSealed([Form.end, parts, partBytes, lastChain], seed: firstChain)
    }

    /// Nil if they are not what was written, or not of one checkpoint.
    package init?(header: UnsafeRawBufferPointer, end: UnsafeRawBufferPointer) {
        guard let words = header.sealedWords(6), words[0] == Form.checkpoint,
            max(words[3], words[4]) <= Form.largestNumber
        else { return nil }
        self.init(
            log: words[2], number: words[3],
            covering: ChainPoint(position: words[4], chain: words[5]))
        form = words[1]
        guard let end = end.sealedWords(4, seed: firstChain), end[0] == Form.end else { return nil }
        (parts, partBytes, lastChain) = (end[1], end[2], end[3])
    }

    /// Bytes of the whole file; nil if what its end says is no size.
    package var fileBytes: Int? {
        let (heads, isMany) = parts.multipliedReportingOverflow(by: UInt64(PartHeader.size))
        let (all, isMore) = heads.addingReportingOverflow(partBytes)
        guard !isMany, !isMore, all < 1 << 62 else { return nil }
        return Self.headerSize + Int(all) + Self.endSize
    }

    /// Counts a part in; gives what it begins with.
    package mutating func add(_ payload: UnsafeRawBufferPointer) -> PartHeader {
        lastChain = Chain.link(after: lastChain, number: parts, payload: payload)
        let header = PartHeader(bytes: payload.count, index: parts, chain: lastChain)
        parts += 1
        partBytes += UInt64(payload.count)
        return header
    }
}

/// The beginning of a part of a checkpoint.
package struct PartHeader: Equatable, Sendable {
    package var bytes: Int
    /// Counts from 0.
    package var index: UInt64
    /// The chain after this part.
    package var chain: UInt64

    package static let size = 40

    package func encode(into bytes: UnsafeMutableRawBufferPointer, of checkpoint: Checkpoint) {
        bytes.storeSealed(
            [Form.part, UInt64(self.bytes), index, chain], seed: checkpoint.firstChain)
    }
}

/// Reads the parts of a checkpoint one after the other.
package struct PartReader {
    package let checkpoint: Checkpoint
    /// The next part.
    package private(set) var index: UInt64 = 0
    private var chain: UInt64
    private var bytes: UInt64 = 0

    package init(_ checkpoint: Checkpoint) {
        self.checkpoint = checkpoint
        chain = checkpoint.firstChain
    }

    package var hasMore: Bool { index < checkpoint.parts }

    /// Whether what was read is what the end says.
    package var isWhole: Bool {
        !hasMore && chain == checkpoint.lastChain && bytes == checkpoint.partBytes
    }

    /// The header of the next part; nil if it is damaged.
    package func header(_ bytes: UnsafeRawBufferPointer) -> PartHeader? {
        guard let words = bytes.sealedWords(4, seed: checkpoint.firstChain),
            words[0] == Form.part, words[1] <= UInt64(EntryHeader.mostBytes), words[2] == index
        else { return nil }
        return PartHeader(bytes: Int(words[1]), index: index, chain: words[3])
    }

    /// Takes the payload of the next part; false if it is not what was written.
    package mutating func take(_ payload: UnsafeRawBufferPointer, of header: PartHeader) -> Bool {
        let link = Chain.link(after: chain, number: index, payload: payload)
        guard payload.count == header.bytes, link == header.chain else { return false }
        chain = link
        index += 1
        bytes += UInt64(payload.count)
        return true
    }
}
