/// An item in memory: one object. Its id, texts and fields lie behind the head as a strip is hashed, so
/// that the hash of a thousand items copies bytes and writes nothing anew.
///
/// Immutable once it is made, so that many threads may read it.
final class ItemStore: ManagedBuffer<ItemHead, UInt8> {
    /// - Parameter fields: in the order of their keys, each key once.
    static func make(
        _ id: ID, title: String, kind: ID?, fields: [Row.Field], tap: [Effect]
    ) -> ItemStore {
        CanonicalWriter.bytes { writer in
            writer.write(id)
            writer.write(title)
            writer.write(fields)
            writer.write(tap.isEmpty ? 0 as UInt64 : CanonicalWriter.hash { $0.write(tap) })
        } lend: { bytes in
            let tapBytes = tap.isEmpty ? 0 : CanonicalWriter.bytes({ $0.write(tap) }, lend: \.count)
            let own = id.byteCount + title.utf8.count + (kind?.byteCount ?? 0)
            let head = ItemHead(
                id: id, kind: kind, tap: tap, count: bytes.count,
                byteCount: fields.reduce(own + tapBytes) {
                    $0 + $1.key.byteCount + $1.value.utf8.count
                })
            let buffer = ItemStore.create(minimumCapacity: bytes.count) { _ in head }
            buffer.withUnsafeMutablePointerToElements {
                UnsafeMutableRawBufferPointer(start: $0, count: bytes.count).copyMemory(from: bytes)
            }
            return unsafeDowncast(buffer, to: ItemStore.self)
        }
    }

    /// Lends its part of what is hashed.
    func lend<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeMutablePointers { head, bytes in
            body(UnsafeRawBufferPointer(start: bytes, count: head.pointee.count))
        }
    }

    var title: String {
        read { reader in
            _ = reader.text()
            return String(packed: reader.text())
        }
    }

    var fields: [Row.Field] {
        read { reader in
            _ = reader.text()
            _ = reader.text()
            let count = Int(reader.number())
            var fields: [Row.Field] = []
            fields.reserveCapacity(count)
            for _ in 0..<count {
                let key = ID(utf8: reader.text())
                fields.append(Row.Field(key, String(packed: reader.text())))
            }
            return fields
        }
    }

    /// By all properties. Texts are compared by their bytes.
    func isEqual(to other: ItemStore) -> Bool {
        if self === other { return true }
        let isSameText = lend { text in other.lend { text.hasSameBytes(as: $0) } }
        return isSameText && header.kind == other.header.kind && header.tap == other.header.tap
    }

    private func read<Result>(_ body: (inout CanonicalReader) -> Result) -> Result {
        withUnsafeMutablePointerToElements { bytes in
            var reader = CanonicalReader(bytes)
            return body(&reader)
        }
    }
}

/// The part that has the same size in every item.
struct ItemHead {
    let id: ID
    let kind: ID?
    let tap: [Effect]
    /// Bytes behind the head.
    let count: Int
    /// Bytes of all text, as the strip limit counts them.
    let byteCount: Int
}

/// Reads what a `CanonicalWriter` wrote in this process, so it checks nothing.
private struct CanonicalReader {
    private var place: UnsafeRawPointer

    init(_ place: UnsafeRawPointer) { self.place = place }

    mutating func number() -> UInt64 {
        let number = UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
        place += 8
        return number
    }

    mutating func text() -> UnsafeRawBufferPointer {
        let count = Int(number())
        let text = UnsafeRawBufferPointer(start: place, count: count)
        place += count
        return text
    }
}
