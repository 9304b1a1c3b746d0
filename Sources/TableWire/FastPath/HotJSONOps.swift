internal import TableModel

// The ops of a diff in JSON, from their binary form.

extension FieldWriter {
    /// An op of a diff. The schema's objects write one that is rare, by itself: in the same turn others may
    /// have done what is frequent. False: it is no op.
    mutating func op(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let start = count
        if frequentOp(bytes) { return true }
        removeAll(from: start)
        guard let op = Decode.hotOp(bytes) else { return false }
        write(encoded: WireOp(op.inDiff, .json).bytes(.json))
        return true
    }

    /// False: it is not a frequent one.
    private mutating func frequentOp(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var op = PlainFields(bytes)
        var isPlain = false
        if let content = op.content(3) {
            isPlain = move(content)
        } else if let content = op.content(6) {
            isPlain = row(",\"state\":", "{\"expand\":{\"row\":", content)
        } else if let content = op.content(4) {
            isPlain = set(content)
        } else if let content = op.content(1) {
            isPlain = insert(content)
        } else if let content = op.content(2) {
            var fields = PlainFields(content)
            guard let row = fields.content(1) else { return false }
            put("{\"remove\":{\"row\":", row)
            isPlain = fields.isAtEnd
        } else if let content = op.content(5) {
            isPlain = row(",\"edge\":", "{\"swipe\":{\"row\":", content)
        } else if let content = op.content(12) {
            isPlain = perform(content)
        }
        put("}}")
        return isPlain && op.isAtEnd
    }

    /// An op of a row and a word.
    @inline(__always)  // Names that are known are written as words.
    private mutating func row(
        _ name: StaticString, _ start: StaticString, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        var fields = PlainFields(bytes)
        guard let row = fields.content(1), let word = fields.content(2) else { return false }
        put(start, row)
        put(name, word)
        return fields.isAtEnd
    }

    private mutating func move(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var fields = PlainFields(bytes)
        put("{\"move\":{")
        let isPlain = each(1, of: &fields, "\"rows\":[") { row, json in
            json.put(quoted: row)
            return true
        }
        return isPlain && place(&fields)
    }

    private mutating func place(_ fields: inout PlainFields) -> Bool {
        put(",\"after\":", fields.content(2))
        put(",\"section\":", fields.content(3))
        return fields.isAtEnd
    }

    private mutating func set(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var fields = PlainFields(bytes)
        guard let row = fields.content(1) else { return false }
        put("{\"set\":{\"row\":", row)
        put(",\"title\":", fields.content(2))
        guard map(3, of: &fields),
            each(
                4, of: &fields, ",\"unset\":[",
                { key, json in
                    json.put(quoted: key)
                    return true
                })
        else { return false }
        put(",\"kind\":", fields.content(5))
        return fields.isAtEnd
    }

    private mutating func insert(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var fields = PlainFields(bytes)
        guard let content = fields.content(1) else { return false }
        put("{\"insert\":{\"row\":")
        return insertedRow(content) && place(&fields)
    }

    /// A row without the parts that few have.
    private mutating func insertedRow(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var fields = PlainFields(bytes)
        guard let id = fields.content(1), let kind = fields.content(2) else { return false }
        put("{\"id\":", id)
        put(",\"kind\":", kind)
        put(",\"title\":", fields.content(5) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        guard map(6, of: &fields) else { return false }
        put(",\"createdMs\":", fields.number(8) ?? 0)
        if let state = fields.content(9) {
            put(",\"expand\":", state)
        } else {
            put(",\"expand\":\"collapsed\"")
        }
        if let edge = fields.content(10) {
            put(",\"swipe\":", edge)
        } else {
            put(",\"swipe\":\"closed\"")
        }
        put(",\"changedMs\":", fields.number(15))
        put(",\"movedMs\":", fields.number(16))
        put("}")
        return fields.isAtEnd
    }

    private mutating func perform(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var fields = PlainFields(bytes)
        guard let row = fields.content(1), let content = fields.content(2) else { return false }
        var performance = PlainFields(content)
        guard let action = performance.content(1), let state = performance.content(2)
        else { return false }
        put("{\"perform\":{\"row\":", row)
        put(",\"performance\":{\"action\":", action)
        put(",\"state\":", state)
        put(",\"reason\":", performance.content(3))
        put(",\"invocation\":", performance.content(4))
        put(",\"item\":", performance.content(70))
        put("}")
        return performance.isAtEnd && fields.isAtEnd
    }

    /// A map of fields in the order of its keys.
    private mutating func map(_ field: UInt64, of message: inout PlainFields) -> Bool {
        var last: UnsafeRawBufferPointer?
        return each(field, of: &message, ",\"fields\":{", closing: "}") { entry, json in
            var parts = PlainFields(entry)
            // The schema's writer has its own order for other letters.
            guard let key = parts.content(1), key.isPrintableASCII, let value = parts.content(2),
                parts.isAtEnd, last.map({ $0.lexicographicallyPrecedes(key) }) ?? true
            else { return false }
            last = key
            json.put(quoted: key)
            json.put(":", value)
            return true
        }
    }
}
