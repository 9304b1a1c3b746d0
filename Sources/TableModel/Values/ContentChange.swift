// Fields of a row are changed as they are packed: most commands change one of many, and none of the
// others is made a text for it.

extension Row.Content {
    /// Removes fields, then sets others. Of two to set with one key, the last counts.
    mutating func change(unset: [ID], set: [Row.Field]) {
        if unset.isEmpty, set.isEmpty { return }
        let set = Row.Field.sorted(set)
        let store = withTexts { texts in
            var count: UInt64 = 0
            var size = 0
            texts.forEachField(without: unset, with: set) { key, value in
                count += 1
                size += PackedWriter.size(key) + PackedWriter.size(value)
            }
            return RowStore.make(
                id: .none, .init(extras: ownExtras),
                textCount: texts.head.count + PackedWriter.size(count) + size
            ) { writer in
                writer.put(texts.head)
                writer.put(count)
                texts.forEachField(without: unset, with: set) { key, value in
                    writer.put(text: key)
                    writer.put(text: value)
                }
            }
        }
        self = Row.Content(of: store)
    }
}

extension RowTexts {
    /// Visits the fields after a change, in the order of their keys. `set` is in that order too.
    @inline(__always)
    fileprivate func forEachField(
        without unset: [ID], with set: [Row.Field],
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        var next = 0
        forEachField { key, value in
            while next < set.count {
                let order = set[next].key.compare(to: key)
                if order > 0 { break }
                set[next].lend(body)
                next += 1
                if order == 0 { return }
            }
            if !unset.contains(where: { $0.compare(to: key) == 0 }) { body(key, value) }
        }
        for field in set[next...] { field.lend(body) }
    }
}

extension Row.Field {
    /// Lends key and value.
    @inline(__always)
    func lend(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void) {
        key.withLetters { key in value.withLetters { body(key, $0) } }
    }
}

extension ID {
    /// Below 0: this comes first; 0: the same bytes.
    fileprivate func compare(to other: UnsafeRawBufferPointer) -> Int {
        withLetters { bytes in
            for place in 0..<min(bytes.count, other.count) where bytes[place] != other[place] {
                return Int(bytes[place]) - Int(other[place])
            }
            return bytes.count - other.count
        }
    }
}
