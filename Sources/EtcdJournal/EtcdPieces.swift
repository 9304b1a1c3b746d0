import JournalFormat

/// Cuts the parts of a checkpoint into pieces that etcd takes, and counts what its manifest says of them.
struct EtcdPieces {
    /// Those that were cut and not sent yet.
    var waiting: [[UInt8]] = []
    /// Bytes of the parts.
    private(set) var partBytes: UInt64 = 0
    private var parts: UInt64 = 0
    private var cut: UInt64 = 0
    private var chain = Chain.start
    private var buffer: [UInt8] = []

    static let pieceBytes = 512 << 10

    mutating func add(_ part: [UInt8]) {
        parts += 1
        partBytes += UInt64(part.count)
        buffer.append(UInt64(part.count))
        buffer += part
        while buffer.count >= Self.pieceBytes { cutPiece(Self.pieceBytes) }
    }

    /// There are no more parts.
    mutating func close() { cutPiece(buffer.count) }

    /// Nothing of it is sent any more.
    mutating func discard() { (waiting, buffer) = ([], []) }

    func manifest(named name: String, covering covered: ChainPoint, previous: UInt64)
        -> EtcdManifest
    {
        EtcdManifest(
            covered: covered, previous: previous, pieces: cut, parts: parts, partBytes: partBytes,
            chain: chain, name: name)
    }

    private mutating func cutPiece(_ count: Int) {
        guard count > 0 else { return }
        let piece = Array(buffer.prefix(count))
        buffer.removeFirst(count)
        chain = piece.withUnsafeBytes { Chain.link(after: chain, number: cut, payload: $0) }
        cut += 1
        waiting.append(piece)
    }
}
