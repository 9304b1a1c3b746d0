internal import TableModel
internal import TableSync

// The list of tables in JSON: a daemon may have many, and whoever waits for one asks for it often.

extension Encode {
    /// A reply with summaries of tables. The schema's objects write all but the summaries.
    static func hotJSONTables(_ reply: Reply) -> [UInt8]? {
        guard case .tables(let summaries) = reply.answer, !summaries.isEmpty else { return nil }
        var outer = reply
        outer.answer = .tables([])
        let encoded = WireReply(outer, .json).bytes(.json)
        // The list is the last member of the reply, so two objects end here.
        guard
            var writer = FieldWriter(
                encoded, open: "}}", adding: FieldWriter.summaryBytes * summaries.count)
        else { return nil }
        var separator: StaticString = "\"tables\":["
        for summary in summaries {
            guard summary.table.byteCount > 0 else { return nil }
            writer.put(separator)
            writer.put(summary)
            separator = ","
        }
        writer.put("]}}")
        return writer.bytes
    }
}

extension FieldWriter {
    fileprivate static var summaryBytes: Int { 192 }

    fileprivate mutating func put(_ summary: TableSummary) {
        put("{\"table\":")
        put(quoted: summary.table)
        put(",\"history\":\"")
        put(digitsOf: summary.history)
        put("\"")
        put(",\"revision\":", summary.revision)
        put(",\"rows\":", UInt64(clamping: summary.rows))
        put(",\"sections\":", UInt64(clamping: summary.sections))
        put(",\"digest\":")
        put(hex: summary.digest)
        put(",\"oldest\":", summary.oldest)
        put("}")
    }
}
