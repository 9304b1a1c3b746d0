// Makes rows from texts where they lie in a message. A table of 100,000 rows is read at each start and
// by each viewer that joins: a string for every text would take most of that time.

extension Row {
    /// Lends the fields of a message to a visitor, each time in the same order.
    package typealias FieldVisit = (
        _ visitor: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) -> Void

    /// A row without performed actions, scroll position, claim, items, and actions and states of its
    /// own.
    ///
    /// Nil if a text is not UTF-8, or the fields' keys are not in ascending order of their bytes.
    package init?(
        id: RowID, kind: UnsafeRawBufferPointer, title: UnsafeRawBufferPointer,
        fields: FieldVisit, version: UInt64, createdMs: UInt64, expansion: Expansion,
        swipe: Edge?, changedMs: UInt64, movedMs: UInt64
    ) {
        guard let fieldSizes = FieldSizes(of: fields), kind.isUTF8, title.isUTF8 else { return nil }
        // As in `Row.Content`: a plain kind is 0, any other the size of its name and one.
        let kindCount = kind.isPlainKind ? 0 : kind.count + 1
        let size =
            PackedWriter.size(UInt64(kindCount)) + max(0, kindCount - 1)
            + PackedWriter.size(title) + fieldSizes.bytes
        let stamps = Stamps(
            version: version, createdMs: createdMs, changedMs: changedMs, movedMs: movedMs)
        let store = RowStore.make(
            id: id, .init(stamps: stamps, expansion: expansion, swipe: swipe), textCount: size
        ) { writer in
            writer.put(UInt64(kindCount))
            if kindCount > 0 { writer.put(kind) }
            writer.put(text: title)
            writer.put(UInt64(fieldSizes.count))
            fields { key, value in
                writer.put(text: key)
                writer.put(text: value)
            }
        }
        self.init(store)
    }
}

/// How many fields there are, and the bytes that they take packed.
private struct FieldSizes {
    private(set) var count = 0
    private(set) var bytes = 0

    /// Nil if a text is not UTF-8, or the keys do not ascend.
    init?(of fields: Row.FieldVisit) {
        var (count, bytes, isGood) = (0, 0, true)
        var last: UnsafeRawBufferPointer?
        fields { key, value in
            count += 1
            bytes += PackedWriter.size(key) + PackedWriter.size(value)
            isGood = isGood && key.isUTF8 && value.isUTF8
            if let last { isGood = isGood && last.lexicographicallyPrecedes(key) }
            last = key
        }
        guard isGood else { return nil }
        self.count = count
        self.bytes = bytes + PackedWriter.size(UInt64(count))
    }
}

extension UnsafeRawBufferPointer {
    package var isUTF8: Bool {
        var bits: UInt8 = 0
        // Reads to the end, so that the compiler can test many bytes at once.
        for byte in self { bits |= byte }
        return bits < 0x80 || String(validating: self, as: UTF8.self) != nil
    }

    /// Whether these are the bytes of `ID.plainKind`.
    fileprivate var isPlainKind: Bool {
        count == 3 && self[0] == UInt8(ascii: "r") && self[1] == UInt8(ascii: "o")
            && self[2] == UInt8(ascii: "w")
    }
}
