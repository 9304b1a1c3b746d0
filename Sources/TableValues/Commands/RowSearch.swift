/// Rows, and invocations, that are looked for in the bytes of changes: however many there are, each
/// change is gone through once, and not read.
public struct RowSearch: Sendable {
    /// The rows, and the texts of the invocations.
    public private(set) var ids: Set<RowID> = []
    /// By the first byte of a length in front of an id: whether one of the rows has such an id.
    private var isFirst = [Bool](repeating: false, count: 256)

    /// Looks for these rows.
    public init(_ ids: Set<RowID>) {
        self.ids.reserveCapacity(ids.count)
        for id in ids { insert(id) }
    }

    /// Looks for this row, too.
    package mutating func insert(_ id: RowID) {
        guard ids.insert(id).inserted else { return }
        let count = id.byteCount
        isFirst[count < 0x80 ? count : count & 0x7f | 0x80] = true
    }

    /// Whether one of the rows may stand in bytes where an id is a text of protocol buffers: behind its
    /// length. True may be wrong, false may not.
    package func mayBe(in bytes: UnsafeRawBufferPointer) -> Bool {
        isFirst.withUnsafeBufferPointer { isFirst in
            for place in bytes.indices where isFirst[Int(bytes[place])] {
                var (count, start) = (Int(bytes[place]), place + 1)
                if count >= 0x80 {
                    guard start < bytes.count else { continue }
                    count = count & 0x7f | Int(bytes[start]) << 7
                    start += 1
                }
                guard count <= bytes.count - start else { continue }
                let letters = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
                if ids.contains(ID(utf8: letters)) { return true }
            }
            return false
        }
    }
}
