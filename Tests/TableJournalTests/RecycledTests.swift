import JournalFormat
import Testing

@testable import TableJournal

/// The bytes of a segment's earlier life look like entries: with the position that is next, and
/// the right chain. Only the birth number tells.
@Suite struct RecycledTests {
    private let now = SegmentIdentity(log: 7, birth: 9)

    private func segment(_ entries: [([UInt8], SegmentIdentity)]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        var (last, offset) = (ChainPoint.start, SegmentHeader.size)
        bytes.withUnsafeMutableBytes { bytes in
            SegmentHeader(base: last).encode(
                into: .init(rebasing: bytes[..<SegmentHeader.size]), of: now)
            for (entry, identity) in entries {
                entry.withUnsafeBytes { payload in
                    let position = last.position + 1
                    let chain = Chain.link(after: last.chain, number: position, payload: payload)
                    let header = EntryHeader(
                        position: position, bytes: payload.count, durable: last.position,
                        chain: chain)
                    let room = UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
                    header.encode(into: room, of: identity)
                    UnsafeMutableRawBufferPointer(rebasing: room[EntryHeader.size...])
                        .copyMemory(from: payload)
                    last = ChainPoint(position: position, chain: chain)
                    offset += EntryHeader.room(for: payload.count)
                }
            }
        }
        return bytes
    }

    private func count(_ bytes: [UInt8], _ checks: SegmentChecks = .all) -> Int {
        bytes.withUnsafeBytes { bytes in
            var reader = SegmentReader(bytes, of: now, after: .start, checks: checks)
            var count = 0
            while reader.next() != nil { count += 1 }
            return count
        }
    }

    @Test(arguments: [
        SegmentIdentity(log: 7, birth: 8), SegmentIdentity(log: 6, birth: 9),
    ])
    func tailsOfAnotherLifeAreNoEntries(old: SegmentIdentity) throws {
        let entries = (1...6).map { payload($0, count: 100 * $0) }
        let bytes = segment(
            entries[..<3].map { ($0, now) } + entries[3...].map { ($0, old) })
        #expect(count(bytes) == 3)
        // And they prove nothing of what was durable.
        bytes.withUnsafeBytes { bytes in
            var reader = SegmentReader(bytes, of: now, after: .start)
            while reader.next() != nil {}
            #expect(reader.laterEntry(than: 3) == nil)
        }
        #expect(count(segment(entries.map { ($0, now) })) == 6)
        // Without the birth number the tail of the same log would be taken for entries.
        if old.log == now.log { #expect(count(bytes, [.chain, .durable]) == 6) }
    }

    /// A payload that somebody chose, made of a whole segment, is a payload.
    @Test func aPayloadThatLooksLikeASegmentIsOne() throws {
        let scratch = Scratch()
        try scratch.session { for number in 0..<9 { try $0.append([UInt8(number)]) } }
        let log = try scratch.read("log-0000000000000001")
        try scratch.session { journal in
            try journal.append(Array(log[4096..<6000]))
            try journal.append([1])
        }
        #expect(try scratch.content().positions.last == 11)
    }
}
