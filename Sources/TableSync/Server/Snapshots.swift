import TableModel

/// Snapshots that viewers are taking. All that ask at the same revision share one. The table can
/// change meanwhile; only rows that change are held twice.
struct Snapshots {
    /// A table at one revision, its rows in the runs of the tree's leaves.
    private struct OpenSnapshot {
        let id: String
        let table: TableID
        let history: ID128
        let revision: UInt64
        let digest: UInt64
        let rows: Int
        let kinds: [Kind]
        let settings: Settings
        let isEditing: Bool
        let invocations: [Invocation]
        let runs: [CapturedRun]
        var usedAtMs: UInt64

        var chunks: Int {
            let parts = (invocations.count + invocationsPerChunk - 1) / invocationsPerChunk
            return max(1, (runs.count + runsPerChunk - 1) / runsPerChunk, parts)
        }
    }

    /// Leaves in a chunk, each of at most 64 rows: 200 KiB if a row has 200 bytes, 16 MiB at most.
    private static let runsPerChunk = 16
    private static let invocationsPerChunk = 512
    /// Most open snapshots. Beyond it, the one that was unused for longest is dropped.
    private static let most = 64
    /// How long an unused snapshot is kept.
    private static let keptMs: UInt64 = 30_000

    private var open: [String: OpenSnapshot] = [:]
    /// Part of the ids. Where chunks end depends on the shape of the tree, which differs after a
    /// restart and even after a trial, so no id may name two captures.
    private let epoch: ID128
    private var captures = 0

    init(epoch: ID128) {
        self.epoch = epoch
    }

    /// Chunk 0 of a snapshot of the present state.
    mutating func begin(_ table: Table, nowMs: UInt64) -> SnapshotChunk {
        let present = open.values.first {
            $0.table == table.name && $0.history == table.history && $0.revision == table.revision
        }
        let id = present?.id ?? "\(epoch)-\(captures)"
        if present == nil {
            captures += 1
            if open.count >= Self.most,
                let oldest = open.values.min(by: { $0.usedAtMs < $1.usedAtMs })
            {
                open[oldest.id] = nil
            }
            open[id] = Self.capture(table, id: id, nowMs: nowMs)
        }
        return chunk(0, of: id, table: table, nowMs: nowMs)
            ?? SnapshotChunk(
                id: id, revision: table.revision, digest: table.digest, chunk: 0, chunks: 1, rows: 0
            )
    }

    private static func capture(_ table: Table, id: String, nowMs: UInt64) -> OpenSnapshot {
        OpenSnapshot(
            id: id, table: table.name, history: table.history, revision: table.revision,
            digest: table.digest, rows: table.count,
            kinds: table.kinds.values.sorted { $0.id < $1.id },
            settings: table.settings, isEditing: table.isEditing,
            invocations: table.invocations.all, runs: table.capturedRuns(), usedAtMs: nowMs)
    }

    /// One chunk. Nil: the snapshot was dropped, has no such chunk, or is of an earlier table of
    /// this name, to which the reply would give the new history.
    mutating func chunk(
        _ index: Int, of id: String, table: Table, nowMs: UInt64
    ) -> SnapshotChunk? {
        guard let snapshot = open[id], snapshot.table == table.name,
            snapshot.history == table.history, index >= 0, index < snapshot.chunks
        else { return nil }
        open[id]?.usedAtMs = nowMs
        let start = index * Self.runsPerChunk
        let end = min(start + Self.runsPerChunk, snapshot.runs.count)
        var slices: [SnapshotChunk.Slice] = []
        for run in snapshot.runs[min(start, end)..<end] {
            if let last = slices.indices.last, slices[last].section == run.section {
                slices[last].rows += run.rows
            } else {
                slices.append(
                    .init(section: run.section, title: run.title, rows: Array(run.rows)))
            }
        }
        var part = SnapshotChunk(
            id: id, revision: snapshot.revision, digest: snapshot.digest, chunk: index,
            chunks: snapshot.chunks, rows: snapshot.rows,
            kinds: index == 0 ? snapshot.kinds : [],
            settings: index == 0 ? snapshot.settings : nil, slices: slices)
        part.isEditing = index == 0 && snapshot.isEditing
        part.invocations = Array(
            snapshot.invocations.dropFirst(index * Self.invocationsPerChunk)
                .prefix(Self.invocationsPerChunk))
        return part
    }

    /// Drops snapshots that nobody used for long.
    mutating func expire(nowMs: UInt64) {
        for (id, snapshot) in open where nowMs &- snapshot.usedAtMs > Self.keptMs {
            open[id] = nil
        }
    }
}
