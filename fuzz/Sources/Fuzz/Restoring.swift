import TableModel
import TableSync
import TableWire

// What puts a backup back: the file, and its parts.

/// Parts as a restore brings them, each behind its length in two bytes.
func parts(_ bytes: UnsafeRawBufferPointer) {
    let limits = bytes.count % 4 == 0 ? .small : Limits()
    let staging = StagedTables(codec: WireCodec())
    do {
        var rest = bytes[...]
        while let low = rest.popFirst() {
            let length = Int(low) | Int(rest.popFirst() ?? 0) << 8
            try staging.add(Array(rest.prefix(length)), within: limits)
            rest = rest.dropFirst(length)
        }
        try staging.finish(within: limits)
    } catch {
        precondition(!error.message.isEmpty)
        return
    }
    for table in staging.tables {
        precondition(table.fault() == nil, table.fault() ?? "")
        precondition(table.recomputedDigest() == table.digest, "the digest kept is another")
        let again = StagedTables(codec: WireCodec())
        do {
            for piece in table.captured() {
                try again.add(WireCodec().encode(piece.part), within: limits)
            }
            try again.finish(within: limits)
        } catch { preconditionFailure("\(table.name) was taken, and is not again: \(error)") }
        precondition(again.tables.first?.digest == table.digest, "comes back as another table")
    }
}

/// A backup's file. One that is read to its end is written again as it was.
func backupFile(_ bytes: [UInt8]) {
    var writer = BackupWriter()
    var written = writer.beginning
    do {
        var reader = try BackupReader(bytes)
        while let part = try reader.next() { written += writer.part(part) }
    } catch {
        precondition(!error.description.isEmpty)
        return
    }
    precondition(written + writer.end == bytes, "written otherwise")
}
