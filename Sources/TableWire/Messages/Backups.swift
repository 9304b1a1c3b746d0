internal import TableModel
internal import TableSync

// Backups and restores.

extension WireRequest.Restore {
    init(_ step: RestoreStep) {
        switch step {
        case .parts(let contents, let index):
            parts.index = UInt32(clamping: index)
            parts.contents = contents.map { .init($0) }
        case .finish(let parts, let replaces):
            finish.parts = UInt32(clamping: parts)
            if replaces { finish.replace = true }
        }
    }
}

extension RequestReader {
    func restore(_ wire: WireRequest.Restore) throws(Rejection) -> RestoreStep {
        switch wire.step {
        case .parts(let parts):
            guard parts.hasIndex else { throw .missing("restore.parts.index") }
            return .parts(parts.contents.map { [UInt8]($0) }, index: Int(parts.index))
        case .finish(let finish):
            guard finish.hasParts else { throw .missing("restore.finish.parts") }
            return .finish(parts: Int(finish.parts), replaces: finish.replace)
        case nil: throw Rejection(.malformed, "One of: parts, finish.", field: "restore")
        }
    }
}

extension WireBackupChunk {
    init(_ chunk: BackupChunk, _ form: Form) {
        id = chunk.id
        self.chunk = UInt32(clamping: chunk.chunk)
        chunks = UInt32(clamping: chunk.chunks)
        tables = chunk.tables.map { WireTableSummary($0, form) }
        parts = chunk.parts.map { .init($0) }
    }

    func read() throws(Rejection) -> BackupChunk {
        BackupChunk(
            id: id, chunk: Int(chunk), chunks: Int(chunks),
            tables: try tables.readAll("tables") { table throws(Rejection) in try table.read() },
            parts: parts.map { [UInt8]($0) })
    }
}

extension Decode {
    /// A part of a backup. With limits it comes from outside: what takes long to build is measured
    /// before it is built.
    static func part(_ bytes: [UInt8], limits: Limits?) throws(Rejection) -> CheckpointPart {
        let parsed = bytes.withUnsafeBytes { bytes in
            Result { () throws(Rejection) in try WireCheckpointPart.parse(bytes, .binary) }
        }
        let wire = try parsed.get()
        if let limits {
            let reader = RequestReader(shared: SharedLimits(limits))
            switch wire.part {
            case .table(let start): for kind in start.kinds { _ = try reader.kind(kind) }
            case .kinds(let wire): for kind in wire.kinds { _ = try reader.kind(kind) }
            case .rows(let wire):
                for slice in wire.slices { for row in slice.rows { try reader.check(row) } }
            default: break
            }
        }
        return try wire.read()
    }
}

extension RequestReader {
    /// Counts what takes long to build, before it is built.
    fileprivate func check(_ row: WireRow) throws(Rejection) {
        guard row.fields.count <= limits.fields else {
            throw .tooMuch("fields", row.fields.count, limit: limits.fields, "fields")
        }
        guard row.items.count <= limits.items else {
            throw .tooMuch("items", row.items.count, limit: limits.items, "items")
        }
        if row.hasActions { _ = try actions(row.actions) }
    }
}
