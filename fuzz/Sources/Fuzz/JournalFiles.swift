import JournalFormat

// The files of the journal, as bytes that may be anything. No input finds the seals by itself, so each is
// tried twice: as it is, and with seals that fit over numbers that the input chose.

private let identity = SegmentIdentity(log: 5, birth: 3)

/// Takes numbers and bytes from an input.
private struct Source {
    var bytes: UnsafeRawBufferPointer
    var offset = 0

    mutating func byte() -> Int {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return Int(bytes[offset])
    }

    /// Small, near the end of what numbers can be, or anything.
    mutating func word() -> UInt64 {
        let kind = byte()
        if kind < 128 { return UInt64(kind) }
        if kind < 160 { return .max - UInt64(kind - 128) }
        return (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) }
    }

    var isEmpty: Bool { offset >= bytes.count }
}

func segment(_ input: UnsafeRawBufferPointer) {
    read(input)
    var made = [UInt8](repeating: 0, count: SegmentHeader.size + 4096)
    var source = Source(bytes: input)
    made.withUnsafeMutableBytes { made in
        let base = ChainPoint(position: source.word(), chain: source.word())
        SegmentHeader(base: base).encode(
            into: .init(rebasing: made[..<SegmentHeader.size]), of: identity)
        var (last, at) = (base, SegmentHeader.size)
        while !source.isEmpty, at + 512 < made.count {
            let room = UnsafeMutableRawBufferPointer(rebasing: made[at...])
            let count = source.byte()
            let payload = UnsafeMutableRawBufferPointer(
                rebasing: room[EntryHeader.size..<EntryHeader.size + count])
            for index in 0..<count { payload[index] = UInt8(source.byte()) }
            let isRight = source.byte() < 192
            let position = isRight ? last.position &+ 1 : source.word()
            let bytes = isRight ? count : Int(source.word() >> 1)
            let chain =
                isRight
                ? Chain.link(after: last.chain, number: position, payload: .init(payload))
                : source.word()
            EntryHeader(position: position, bytes: bytes, durable: source.word(), chain: chain)
                .encode(into: room, of: identity)
            last = ChainPoint(position: position, chain: chain)
            at += EntryHeader.room(for: count)
        }
        read(UnsafeRawBufferPointer(made))
        read(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(made)[..<at]))
    }
}

private func read(_ bytes: UnsafeRawBufferPointer) {
    let header = SegmentHeader(bytes, of: identity)
    for base in [header?.base ?? .start, ChainPoint(position: .max, chain: 0)] {
        for offset in [0, SegmentHeader.size, bytes.count] {
            var reader = SegmentReader(bytes, of: identity, after: base, at: offset)
            var (last, place) = (base.position, offset)
            while let (entry, payload) = reader.next() {
                precondition(entry.position == last + 1 && payload.count == entry.bytes)
                precondition(reader.offset > place && reader.offset <= max(bytes.count, offset))
                (last, place) = (entry.position, reader.offset)
            }
            if let later = reader.laterEntry(than: last) { precondition(later.durable > last) }
        }
    }
}

func checkpointFile(_ input: UnsafeRawBufferPointer) {
    parts(of: input, nil)
    var source = Source(bytes: input)
    var checkpoint = Checkpoint(
        log: source.word(), number: source.word(),
        covering: ChainPoint(position: source.word(), chain: source.word()))
    var made: [UInt8] = [UInt8](repeating: 0, count: Checkpoint.headerSize)
    made.withUnsafeMutableBytes { checkpoint.encodeHeader(into: $0) }
    while !source.isEmpty, made.count < 4096 {
        let payload = (0..<source.byte()).map { _ in UInt8(source.byte()) }
        var header = payload.withUnsafeBytes { checkpoint.add($0) }
        if source.byte() > 192 {
            (header.bytes, header.index, header.chain) = (
                Int(source.word() >> 1), source.word(), source.word()
            )
        }
        var head = [UInt8](repeating: 0, count: PartHeader.size)
        head.withUnsafeMutableBytes { header.encode(into: $0, of: checkpoint) }
        made += head + payload
    }
    if source.byte() > 192 {
        (checkpoint.parts, checkpoint.partBytes) = (source.word(), source.word())
        checkpoint.lastChain = source.word()
    }
    var end = [UInt8](repeating: 0, count: Checkpoint.endSize)
    end.withUnsafeMutableBytes { checkpoint.encodeEnd(into: $0) }
    (made + end).withUnsafeBytes { parts(of: $0, checkpoint) }
}

private func parts(of bytes: UnsafeRawBufferPointer, _ made: Checkpoint?) {
    _ = Manifest(bytes)
    _ = Promise(bytes)
    let ends = Checkpoint.headerSize + Checkpoint.endSize
    guard bytes.count >= ends else { return }
    let header = UnsafeRawBufferPointer(rebasing: bytes[..<Checkpoint.headerSize])
    let end = UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - Checkpoint.endSize)...])
    guard let found = Checkpoint(header: header, end: end) else {
        // What was made is read, unless it has a number that no log can have.
        return precondition(
            made.map { max($0.number, $0.covered.position) > Form.largestNumber } ?? true)
    }
    if let made { precondition(made == found) }
    _ = found.fileBytes
    var reader = PartReader(found)
    var offset = Checkpoint.headerSize
    while reader.hasMore {
        let head = UnsafeRawBufferPointer(
            rebasing: bytes[offset..<min(offset + PartHeader.size, bytes.count)])
        guard let part = reader.header(head) else { return }
        offset += PartHeader.size
        guard bytes.count - offset >= part.bytes else { return }
        let payload = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + part.bytes])
        guard reader.take(payload, of: part) else { return }
        offset += part.bytes
    }
    _ = reader.isWhole
}
