import TableModel

/// Backups that somebody is taking: all tables as they were at one moment. While one is held, the
/// tables go on, and only what changes is held twice.
struct Backups {
    private struct OpenBackup {
        let pieces: [CapturedPiece]
        var usedMs: UInt64
    }

    /// Beyond it, the one that was not asked for the longest goes.
    private static let most = 4
    /// One that nobody asks for.
    private static let keptMs: UInt64 = 30_000
    /// A part is sent back as one request, which has a limit.
    static let partBytes = 512 << 10

    private var open: [String: OpenBackup] = [:]
    /// Stands in the ids: where chunks end depends on the shape of the trees, which is another
    /// after a start and even after a trial, so that no id may name two captures.
    private let epoch: ID128
    private var captures = 0

    init(epoch: ID128) {
        self.epoch = epoch
    }

    /// Captures tables, and names what was captured. `nowMs` is monotonic.
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

    /// One chunk; nil where the backup was let go, or has no such chunk. One without tables has
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
        return BackupChunk(
            id: id, chunk: index, chunks: max(1, backup.pieces.count), parts: parts)
    }

    /// In parts that can be sent back; what cannot be divided stays as large as it is.
    private static func encoded(_ part: CheckpointPart, codec: any Codec) -> [[UInt8]] {
        let bytes = codec.encode(part)
        guard bytes.count > partBytes else { return [bytes] }
        let halves = part.halves
        return halves.isEmpty ? [bytes] : halves.flatMap { encoded($0, codec: codec) }
    }

    /// Lets go of what nobody asked for.
    mutating func expire(nowMs: UInt64) {
        for (id, backup) in open where nowMs - min(nowMs, backup.usedMs) > Self.keptMs {
            open[id] = nil
        }
    }
}

extension CheckpointPart {
    /// Two parts that come to the same, one after the other; none where it cannot be divided.
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
