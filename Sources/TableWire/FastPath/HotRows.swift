internal import TableModel
internal import TableSync

// Writes binary rows field by field. Snapshots and checkpoints consist mostly of rows, and the
// library takes eight times as long for a map of fields.

extension FieldWriter {
    /// A `Row` in a snapshot or checkpoint (`hasVersion`), or in an insert.
    mutating func write(_ field: UInt64, _ row: Row, hasVersion: Bool) {
        // Rows of less than 128 bytes, or more than 16 KB, are moved afterwards.
        write(field, about: 0x80) { message in
            message.write(unlessEmpty: 1, row.id)
            row.content.withTexts { texts in
                if !texts.kind.isEmpty { message.write(2, texts.kind) }
                if !texts.title.isEmpty { message.write(5, texts.title) }
                texts.forEachField { key, value in
                    message.write(6) { entry in
                        entry.write(1, key)
                        entry.write(2, value)
                    }
                }
            }
            if hasVersion, row.version != 0 { message.write(7, row.version) }
            if row.createdMs != 0 { message.write(8, row.createdMs) }
            if row.expansion != .collapsed { message.write(9, row.expansion.text) }
            if row.swipe != nil { message.write(10, Edge.word(row.swipe)) }
            if let actions = row.content.actions {
                message.write(11, WireRowActions(actions).bytes(.binary))
            }
            for one in row.performed { message.write(12, WirePerformance(one).bytes(.binary)) }
            for item in row.content.items {
                message.write(13, WireStripItem(item, .binary).bytes(.binary))
            }
            if let scroll = row.scroll {
                message.write(14, WireRow.Scroll(scroll, .binary).bytes(.binary))
            }
            if row.changedMs != 0 { message.write(15, row.changedMs) }
            if row.movedMs != 0 { message.write(16, row.movedMs) }
            if let claim = row.claim {
                message.write(17, WireRow.Claim(claim, .binary).bytes(.binary))
            }
            for state in row.content.states {
                message.write(40, WireKind.State(state).bytes(.binary))
            }
            if let what = row.selection {
                message.write(42, WireRow.Selection(what).bytes(.binary))
            }
        }
    }

    /// The guessed size of a row in a chunk, in bytes. A wrong guess costs a little more.
    static let rowBytes = 256

    /// A map of fields, sorted by the bytes of their keys.
    mutating func write(_ field: UInt64, _ fields: [Row.Field]) {
        for item in fields {
            write(field) { entry in
                entry.write(1, item.key)
                entry.write(2, item.value)
            }
        }
    }

    /// A `SnapshotChunk.Slice`.
    mutating func write(_ field: UInt64, _ slice: SnapshotChunk.Slice) {
        write(field, about: Self.rowBytes * slice.rows.count) { message in
            message.write(unlessEmpty: 1, slice.section)
            if !slice.title.isEmpty { message.write(2, slice.title) }
            for row in slice.rows { message.write(3, row, hasVersion: true) }
        }
    }
}

extension Encode {
    /// The part of a checkpoint that holds these rows.
    static func hot(_ slices: [SnapshotChunk.Slice]) -> [UInt8] {
        let size = FieldWriter.rowBytes * slices.reduce(16) { $0 + $1.rows.count }
        var writer = FieldWriter(capacity: size)
        writer.write(2, about: size) { rows in for slice in slices { rows.write(1, slice) } }
        return writer.bytes
    }

    /// A reply with a chunk of a snapshot. The schema's objects write all but the rows.
    static func hotChunk(_ reply: Reply) -> [UInt8]? {
        guard case .snapshot(let chunk) = reply.answer else { return nil }
        var (outer, head) = (reply, chunk)
        outer.answer = .done(rows: [], unchanged: false)
        head.slices = []
        let encodedHead = WireSnapshotChunk(head, .binary).bytes(.binary)
        let rows = FieldWriter.rowBytes * chunk.slices.reduce(16) { $0 + $1.rows.count }
        let size = encodedHead.count + rows
        var writer = FieldWriter(Encode.reply(outer, form: .binary), adding: size)
        writer.write(23, about: size) { body in
            body.write(encoded: encodedHead)
            for slice in chunk.slices { body.write(9, slice) }
        }
        return writer.bytes
    }
}
