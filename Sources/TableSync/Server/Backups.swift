import TableModel

/// Backups that clients are taking: all tables as they were at one moment. The tables can change
/// meanwhile; only rows that change are held twice.
struct Backups {
    private struct OpenBackup {
        let pieces: [CapturedPiece]
        var usedMs: UInt64
    }

    /// Most open backups. Beyond it, the one that was unused for longest is dropped.
    private static let most = 4
    /// How long an unused backup is kept.
    private static let keptMs: UInt64 = 30_000
    /// Bound on a part: it is sent back as one request, which has a limit.
    static let partBytes = 512 << 10

    private var open: [String: OpenBackup] = [:]
    /// Part of the ids. Where chunks end depends on the shape of the trees, which differs after a
    /// restart and even after a trial, so no id may name two captures.
    private let epoch: ID128
    private var captures = 0

    init(epoch: ID128) { self.epoch = epoch }

    /// Captures tables; returns the backup's id. `nowMs` is monotonic.
    mutating func begin(_ tables: [Table], nowMs: UInt64) -> String {
        if open.count >= Self.most,
            let oldest = open.min(by: { $0.value.usedMs < $1.value.usedMs })?.key
        {
            open[oldest] = nil
        }
        let id = "\(epoch)-\(captures)"
        captures += 1
        open[id] = OpenBackup(pieces: tables.flatMap { $0.captured() }, usedMs: nowMs)
        return id
    }

    /// One chunk; nil: the backup was dropped, or has no such chunk. A backup without tables has
    /// one chunk without parts.
    mutating func chunk(
        _ index: Int, of id: String, codec: any Codec, nowMs: UInt64
    ) -> BackupChunk? {
        guard let backup = open[id], index >= 0, index < max(1, backup.pieces.count) else {
            return nil
        }
        open[id]?.usedMs = nowMs
        let parts =
            backup.pieces.isEmpty ? [] : Self.encoded(backup.pieces[index].part, codec: codec)
        return BackupChunk(id: id, chunk: index, chunks: max(1, backup.pieces.count), parts: parts)
    }

    /// Divides a part until each piece can be sent back. What cannot be divided stays large.
    private static func encoded(_ part: CheckpointPart, codec: any Codec) -> [[UInt8]] {
        let bytes = codec.encode(part)
        guard bytes.count > partBytes else { return [bytes] }
        let halves = part.halves
        return halves.isEmpty ? [bytes] : halves.flatMap { encoded($0, codec: codec) }
    }

    /// Drops backups that nobody used for long.
    mutating func expire(nowMs: UInt64) {
        for (id, backup) in open where nowMs - min(nowMs, backup.usedMs) > Self.keptMs {
            open[id] = nil
        }
    }
}

extension CheckpointPart {
    /// Two parts that together have the same content; none if it cannot be divided.
    var halves: [CheckpointPart] {
        switch self {
        case .table(var start) where !start.kinds.isEmpty:
            let kinds = start.kinds
            start.kinds = []
            return [.table(start), .kinds(kinds)]
        case .kinds(let kinds) where kinds.count > 1:
            let middle = kinds.count / 2
            return [.kinds(Array(kinds[..<middle])), .kinds(Array(kinds[middle...]))]
        case .invocations(let all) where all.count > 1:
            let middle = all.count / 2
            return [.invocations(Array(all[..<middle])), .invocations(Array(all[middle...]))]
        case .rows(let slices) where slices.count > 1:
            let middle = slices.count / 2
            return [.rows(Array(slices[..<middle])), .rows(Array(slices[middle...]))]
        case .rows(let slices) where (slices.first?.rows.count ?? 0) > 1:
            return Self.halves(of: slices[0]).map { .rows([$0]) }
        default: return []
        }
    }

    private static func halves(of slice: SnapshotChunk.Slice) -> [SnapshotChunk.Slice] {
        let middle = slice.rows.count / 2
        return [slice.rows[..<middle], slice.rows[middle...]].map {
            SnapshotChunk.Slice(section: slice.section, title: slice.title, rows: Array($0))
        }
    }
}
