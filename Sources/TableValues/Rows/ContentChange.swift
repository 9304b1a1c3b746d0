// Texts of a row are changed as they are packed: most commands change one of many, and none of the
// others is made a text for it.

extension Row.Content {
    /// Hands over the packed text after changes of kind, title and fields: its number of bytes, and what writes
    /// them. Whoever makes a row makes it of that at once. Of two fields to set with one key, the last counts.
    func withText<Result>(
        after changes: borrowing Command.Changes,
        _ body: (_ count: Int, _ text: (inout PackedWriter) -> Void) -> Result
    ) -> Result {
        if changes.unset.isEmpty, changes.fields.count <= 1 {
            return withText(kind: changes.kind, title: changes.title, changes.fields.first, body)
        }
        let set = Row.Field.sorted(changes.fields)
        let (kind, title) = (changes.kind, changes.title)
        let unset = changes.unset.count > 1 ? changes.unset.sorted() : changes.unset
        return withTexts { texts in
            var count: UInt64 = 0
            var size = 0
            texts.forEachField(without: unset, with: set) { key, value in
                count += 1
                size += PackedWriter.size(key) + PackedWriter.size(value)
            }
            size += PackedWriter.size(count) + texts.headSize(kind: kind, title: title)
            return body(size) { writer in
                texts.putHead(kind: kind, title: title, into: &writer)
                writer.put(count)
                texts.forEachField(without: unset, with: set) { key, value in
                    writer.put(text: key)
                    writer.put(text: value)
                }
            }
        }
    }

    /// Does so where one field changes at most: what stands around it is copied as it is.
    private func withText<Result>(
        kind: KindID?, title: String?, _ field: Row.Field?,
        _ body: (_ count: Int, _ text: (inout PackedWriter) -> Void) -> Result
    ) -> Result {
        withTexts { texts in
            let headSize = texts.headSize(kind: kind, title: title)
            guard let field else {
                return body(headSize + texts.fields.count) { writer in
                    texts.putHead(kind: kind, title: title, into: &writer)
                    writer.put(texts.fields)
                }
            }
            let (front, behind, isThere) = texts.around(field.key)
            let count = UInt64(texts.fieldCount + (isThere ? 0 : 1))
            let size =
                headSize + PackedWriter.size(count) + front.count + PackedWriter.size(field.key)
                + PackedWriter.size(field.value) + behind.count
            return body(size) { writer in
                texts.putHead(kind: kind, title: title, into: &writer)
                writer.put(count)
                writer.put(front)
                writer.put(field.key)
                writer.put(field.value)
                writer.put(behind)
            }
        }
    }

    /// This content after changes of kind, title and fields. Its other parts stay.
    func with(_ changes: borrowing Command.Changes) -> Row.Content {
        withText(after: changes) { count, text in
            Row.Content(
                of: RowStore.make(id: .none, .init(extras: ownExtras), textCount: count, text: text)
            )
        }
    }
}

extension RowTexts {
    /// The packed fields before and behind the one with this key, or its place if there is none.
    fileprivate func around(
        _ key: ID
    ) -> (front: UnsafeRawBufferPointer, behind: UnsafeRawBufferPointer, isThere: Bool) {
        var reader = PackedReader(firstField)
        var (start, end) = (firstField, firstField)
        var isThere = false
        for _ in 0..<fieldCount where !isThere {
            let order = key.compare(to: reader.text())
            if order < 0 { break }
            _ = reader.text()
            isThere = order == 0
            end = reader.place
            if !isThere { start = end }
        }
        let last = fields.count - (end - (firstField - PackedWriter.size(UInt64(fieldCount))))
        return (
            UnsafeRawBufferPointer(start: firstField, count: start - firstField),
            UnsafeRawBufferPointer(start: end, count: last), isThere
        )
    }

    /// Bytes of kind and title, with those that are new.
    fileprivate func headSize(kind: KindID?, title: String?) -> Int {
        if kind == nil, title == nil { return head.count }
        let kindSize = kind.map { PackedWriter.size(kind: $0) } ?? packedKind.count
        return kindSize + (title.map { PackedWriter.size($0) } ?? PackedWriter.size(self.title))
    }

    fileprivate func putHead(kind: KindID?, title: String?, into writer: inout PackedWriter) {
        if kind == nil, title == nil { return writer.put(head) }
        if let kind { writer.put(kind: kind) } else { writer.put(packedKind) }
        if let title { writer.put(title) } else { writer.put(text: self.title) }
    }
}

extension PackedWriter {
    /// Bytes of a kind: its number of bytes and one more, then these, or 0 for the plain kind.
    static func size(kind: KindID) -> Int {
        kind == .plainKind ? 1 : size(UInt64(kind.byteCount + 1)) + kind.byteCount
    }

    /// Writes a kind in this form.
    mutating func put(kind: KindID) {
        if kind == .plainKind { return put(0) }
        put(UInt64(kind.byteCount + 1))
        kind.withLetters { put($0) }
    }
}

extension RowTexts {
    /// Visits the fields after a change, in the order of their keys. `unset` and `set` are in that order too, so that
    /// each is gone through once.
    @inline(__always)
    fileprivate func forEachField(
        without unset: [ID], with set: [Row.Field],
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        var (next, gone) = (0, 0)
        forEachField { key, value in
            while next < set.count {
                let order = set[next].key.compare(to: key)
                if order > 0 { break }
                set[next].lend(body)
                next += 1
                if order == 0 { return }
            }
            while gone < unset.count {
                let order = unset[gone].compare(to: key)
                if order > 0 { break }
                gone += 1
                if order == 0 { return }
            }
            body(key, value)
        }
        for field in set[next...] { field.lend(body) }
    }
}

extension Row.Field {
    /// Lends key and value.
    @inline(__always)
    package func lend(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void) {
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

extension Command.Changes {
    /// Each of so few fields is looked for among all others.
    private static let fewFields = 4

    /// Whether the changes are plainly in order: a title and few fields that come or go, of a row that has nothing else,
    /// within all bounds even if nothing goes for what comes, and other than before. Most are, and the content need not
    /// be made to know it. False says nothing. The limits are shared: a copy of them would take as long as all
    /// the rest.
    package func arePlain(on content: Row.Content, within shared: SharedLimits) -> Bool {
        guard fields.count + unset.count <= 1 || areFewAndDistinct, kind == nil,
            actions == nil, states == nil, content.hasOnlyTexts
        else { return false }
        return content.withTexts { texts in
            var byteCount = texts.kind.count + texts.head.count + texts.fields.count
            var (isWithinBounds, isOther) = (texts.title.count <= shared.limits.titleBytes, false)
            if let title {
                title.withLetters { title in
                    byteCount += title.count
                    isWithinBounds = title.count <= shared.limits.titleBytes && !title.hasNUL
                    isOther = !title.hasSameBytes(as: texts.title)
                }
            }
            // No two ASCII keys mean the same (`checkKeys`).
            var keyBits: UInt8 = 0
            for field in fields {
                field.lend { newKey, newValue in
                    byteCount += newKey.count + newValue.count
                    isWithinBounds = isWithinBounds && !newValue.hasNUL
                    for byte in newKey { keyBits |= byte }
                    var isSame = false
                    texts.forEachField { key, value in
                        for byte in key { keyBits |= byte }
                        if key.hasSameBytes(as: newKey) {
                            isSame = value.hasSameBytes(as: newValue)
                        }
                    }
                    isOther = isOther || !isSame
                }
            }
            for key in unset {
                key.withLetters { old in
                    texts.forEachField { key, _ in isOther = isOther || key.hasSameBytes(as: old) }
                }
            }
            let limits = (row: shared.limits.rowBytes, fields: shared.limits.fields)
            return isWithinBounds && isOther && keyBits < 0x80 && byteCount <= limits.row
                && texts.fieldCount + fields.count <= limits.fields
        }
    }

    /// Whether no key is named twice: of two fields the last counts, and one that goes may come, so that it is not plain
    /// what is other.
    private var areFewAndDistinct: Bool {
        let keys = fields.map(\.key) + unset
        if keys.count > Self.fewFields { return false }
        return keys.indices.allSatisfy { !keys[..<$0].contains(keys[$0]) }
    }
}
