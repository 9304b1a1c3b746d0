internal import TableModel
internal import TableSync

// Rows in JSON, of which a snapshot has so many.

extension Encode {
    /// A reply with a chunk of a snapshot. The schema's objects write all but the rows.
    static func hotJSONChunk(_ reply: Reply) -> [UInt8]? {
        guard case .snapshot(let chunk) = reply.answer, !chunk.slices.isEmpty else { return nil }
        var (outer, head) = (reply, chunk)
        head.slices = []
        outer.answer = .snapshot(head)
        let encoded = WireReply(outer, .json).bytes(.json)
        let rows = 2 * FieldWriter.rowBytes * chunk.slices.reduce(16) { $0 + $1.rows.count }
        // The chunk is the last member of the reply, so two objects end here.
        guard var writer = FieldWriter(encoded, open: "}}", adding: rows) else { return nil }
        var separator: StaticString = ",\"slices\":["
        for slice in chunk.slices {
            writer.put(separator)
            guard writer.put(slice) else { return nil }
            separator = ","
        }
        writer.put("]}}")
        return writer.bytes
    }
}

extension FieldWriter {
    /// False: the section has no id, so a reader would not look for it.
    fileprivate mutating func put(_ slice: SnapshotChunk.Slice) -> Bool {
        guard slice.section.byteCount > 0 else { return false }
        put("{\"section\":")
        put(quoted: slice.section)
        put(",\"title\":")
        put(quoted: slice.title)
        var separator: StaticString = ",\"rows\":["
        for row in slice.rows {
            put(separator)
            put(row)
            separator = ","
        }
        put(slice.rows.isEmpty ? "}" : "]}")
        return true
    }

    /// A row in a snapshot. One with parts that few rows have is the schema's.
    private mutating func put(_ row: Row) {
        if !putPlain(row) { write(encoded: WireRow(row, .json).bytes(.json)) }
    }

    private mutating func putPlain(_ row: Row) -> Bool {
        guard !row.hasRareParts, row.id.byteCount > 0 else { return false }
        let start = count
        let isPlain = row.content.withTexts { texts -> Bool in
            guard !texts.kind.isEmpty else { return false }
            put("{\"id\":")
            put(quoted: row.id)
            put(",\"kind\":", texts.kind)
            put(",\"title\":", texts.title)
            return put(fieldsOf: texts)
        }
        guard isPlain else {
            removeAll(from: start)
            return false
        }
        put(",\"version\":", row.version)
        put(",\"createdMs\":", row.createdMs)
        put(",\"expand\":")
        put(quoted: row.expansion.text)
        put(",\"swipe\":")
        put(quoted: Edge.word(row.swipe))
        if row.changedMs != 0 { put(",\"changedMs\":", row.changedMs) }
        if row.movedMs != 0 { put(",\"movedMs\":", row.movedMs) }
        put("}")
        return true
    }

    private mutating func put(fieldsOf texts: RowTexts) -> Bool {
        guard texts.fieldCount > 0 else { return true }
        var isPlain = true
        var separator: StaticString = ",\"fields\":{"
        texts.forEachField { key, value in
            // The schema's writer has its own order for other letters.
            isPlain = isPlain && key.isPrintableASCII
            put(separator)
            put(quoted: key)
            put(":", value)
            separator = ","
        }
        put("}")
        return isPlain
    }
}
