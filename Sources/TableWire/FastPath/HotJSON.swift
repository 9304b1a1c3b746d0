internal import TableModel
internal import TableSync

// JSON of what is encoded in binary already: replies and diffs are written once, and here read field by
// field, without a text or an object for any of them. A part that is rare goes through the schema's
// objects by itself, and so do other messages as a whole (nil): only one place knows every field.

extension Encode {
    /// The reply to a command that was accepted, from its binary form.
    static func hotJSON(reply bytes: ArraySlice<UInt8>) -> [UInt8]? {
        transcribed(within: 2 * bytes.count + 256) { json in
            bytes.withUnsafeBytes { json.reply($0) }
        }
    }

    /// A publication of diffs, from their binary forms.
    static func hotJSON(_ publication: Publication, _ encoded: EncodedDiffs) -> [UInt8]? {
        guard let history = publication.history, !publication.isWelcome, !publication.isDropped,
            publication.welcome == nil, publication.heartbeat == nil, !encoded.isEmpty,
            publication.table.byteCount > 0
        else { return nil }
        // Beside texts, JSON has the names of members, and more digits.
        let room = encoded.reduce(256) { $0 + $1.count + 256 }
        return transcribed(within: room) { json in
            json.put("{\"table\":")
            json.put(quoted: publication.table)
            json.put(",\"history\":\"")
            json.put(digitsOf: history)
            json.put("\",\"epoch\":\"")
            json.put(digitsOf: publication.epoch)
            json.put("\"")
            json.put(",\"timeMs\":", publication.timeMs)
            var separator: StaticString = ",\"diffs\":["
            for diff in encoded {
                json.put(separator)
                guard diff.withUnsafeBytes({ json.diff($0) }) else { return false }
                separator = ","
            }
            json.put("]}")
            return true
        }
    }

    /// The bytes that `body` writes, about so many; nil if it meets something else than it knows.
    private static func transcribed(
        within room: Int, _ body: (inout FieldWriter) -> Bool
    ) -> [UInt8]? {
        var isPlain = false
        let bytes = FieldWriter.bytes(within: room) { isPlain = body(&$0) }
        return isPlain ? bytes : nil
    }
}

extension FieldWriter {
    fileprivate mutating func reply(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var fields = PlainFields(bytes)
        guard fields.number(1) == 1 else { return false }
        put("{\"ok\":true")
        put(",\"client\":", fields.content(2))
        put(",\"number\":", fields.number(3))
        put(",\"table\":", fields.content(4))
        put(",\"history\":", fields.content(5))
        put(",\"epoch\":", fields.content(6))
        put(",\"revision\":", fields.number(7))
        guard let isUnchanged = fields.flag(8) else { return false }
        put(isUnchanged ? ",\"unchanged\":true" : ",\"unchanged\":false")
        let hasRows = each(10, of: &fields, ",\"rows\":[") { landing, json in
            var fields = PlainFields(landing)
            guard let row = fields.content(1) else { return false }
            json.put("{\"row\":", row)
            json.put(",\"section\":", fields.content(2))
            json.put(",\"index\":", fields.number(3))
            json.put(",\"after\":", fields.content(4))
            json.put(",\"version\":", fields.number(5))
            json.put(",\"note\":", fields.content(6))
            json.put("}")
            return fields.isAtEnd
        }
        guard hasRows,
            each(11, of: &fields, ",\"invocations\":[", { one, json in json.invocation(one) })
        else { return false }
        put("}")
        return fields.isAtEnd
    }

    /// The schema's objects write it, since it may hold a row with all its parts.
    private mutating func invocation(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let parsed = try? WireInvocation.parse(bytes, .binary, level: Level.invocation).read()
        guard let parsed else { return false }
        write(encoded: WireInvocation(parsed, .json, isWhole: true).bytes(.json))
        return true
    }

    fileprivate mutating func diff(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var fields = PlainFields(bytes)
        put("{\"base\":")
        put(decimal: fields.number(1) ?? 0)
        guard let content = fields.content(3) else { return false }
        // JSON has the digest in front of the ops, binary behind them.
        guard bytes.count > 9, bytes[bytes.count - 9] == 5 << 3 | 1 else { return false }
        put(",\"digest\":")
        put(
            hex: UInt64(
                littleEndian: bytes.loadUnaligned(
                    fromByteOffset: bytes.count - 8, as: UInt64.self)))
        guard cause(content),
            each(4, of: &fields, ",\"ops\":[", { content, json in json.op(content) })
        else { return false }
        put("}")
        return fields.fixed(5) != nil && fields.isAtEnd
    }

    private mutating func cause(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var fields = PlainFields(bytes)
        let (client, number, verb) = (fields.content(1), fields.number(2), fields.content(3))
        guard let verb else { return false }
        put(",\"cause\":{")
        if let client {
            put("\"client\":", client)
            put(",\"number\":", number)
            put(",")
        } else if number != nil {
            return false
        }
        put("\"verb\":", verb)
        put(",\"name\":", fields.content(4))
        put(",\"timeMs\":", fields.number(5))
        put(",\"undoes\":", fields.number(6))
        put(",\"user\":", fields.content(7))
        put("}")
        return fields.isAtEnd
    }

    /// A list of messages, texts or map entries. False: one of them is not plain.
    @inline(__always)
    mutating func each(
        _ field: UInt64, of message: inout PlainFields, _ name: StaticString,
        closing: StaticString = "]",
        _ write: (UnsafeRawBufferPointer, inout FieldWriter) -> Bool
    ) -> Bool {
        guard let first = message.content(field) else { return true }
        put(name)
        guard write(first, &self) else { return false }
        while let next = message.content(field) {
            put(",")
            guard write(next, &self) else { return false }
        }
        put(closing)
        return true
    }
}
