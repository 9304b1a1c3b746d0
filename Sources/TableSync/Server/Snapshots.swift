import TableModel

/// Snapshots that viewers are taking. All that ask at the same revision share one. The table can
/// change meanwhile; only rows that change are held twice.
struct Snapshots {
    /// A table at one revision, its rows in runs: a leaf of the tree, or a part of one.
    private struct OpenSnapshot {
        /// Chunk 0, without its rows and invocations.
        let head: SnapshotChunk
        let table: TableID
        let history: ID128
        let invocations: [Invocation]
        let runs: [CapturedRun]
        /// Which of them, and which invocations, are in each chunk.
        let runsOfChunks: [Range<Int>]
        let invocationsOfChunks: [Range<Int>]
        /// How many came before it.
        let number: Int
        /// The bytes that the table had superseded before.
        let supersededBytes: Int
        var usedAtMs: UInt64

        /// The bytes of this one alone, whatever changes.
        var ownBytes: Int {
            runs.count * MemoryLayout<CapturedRun>.stride + head.kinds.count
                * MemoryLayout<Kind>.stride + invocations.count * MemoryLayout<Invocation>.stride
        }
    }

    /// Runs in a chunk, each of at most 64 rows.
    private static let runsPerChunk = 16
    private static let invocationsPerChunk = 512
    /// The weight of a chunk, unless it is one row. It is twice a checkpoint's piece, since a joiner asks for each.
    static let mostWeight = 256 << 10
    /// Most open snapshots. Beyond it, the one goes that was unused for longest of the table that has most: who
    /// may read one table does not keep others from joining another.
    private static let most = 64
    /// The bytes that all of them may hold besides the tables as they are. Beyond it the oldest goes of the table whose
    /// snapshots hold most, but never the only one.
    static let mostBytes = 16 << 20
    /// How long an unused snapshot is kept.
    private static let keptMs: UInt64 = 30_000

    private var open: [String: OpenSnapshot] = [:]
    private var captures = 0
    private let makeID: () -> ID128

    /// Nobody takes one yet. `makeID` gives 128 random bits.
    init(makeID: @escaping () -> ID128) { self.makeID = makeID }

    /// Chunk 0 of a snapshot of the present state.
    ///
    /// - Parameter tables: the tables as they are.
    mutating func begin(
        _ table: Table, nowMs: UInt64, tables: (TableID) -> Table?
    ) -> SnapshotChunk {
        let present = open.values.first {
            $0.table == table.name && $0.history == table.history
                && $0.head.revision == table.revision
        }
        let id = present?.head.id ?? newID()
        if present == nil {
            let number = captures
            captures += 1
            if open.count >= Self.most { dropOneOfMost() }
            open[id] = Self.capture(table, id: id, number: number, nowMs: nowMs)
            makeRoom(tables)
        }
        return chunk(0, of: id, table: table, nowMs: nowMs)
            ?? SnapshotChunk(
                id: id, revision: table.revision, digest: table.digest, chunk: 0, chunks: 1, rows: 0
            )
    }

    /// Where chunks end depends on the shape of the tree, which differs after a restart and even
    /// after a trial, so no id may name two captures. And none tells how many there were: whoever
    /// may read one table would learn from a count how people come and go at others.
    private func newID() -> String {
        let random = makeID().description
        // However bad the source is.
        return open[random] == nil ? random : "\(random)-\(captures)"
    }

    private mutating func dropOneOfMost() {
        let counts = open.values.reduce(into: [TableID: Int]()) { $0[$1.table, default: 0] += 1 }
        guard let most = counts.values.max() else { return }
        let oldest = open.values.filter { counts[$0.table] == most }
            .min { ($0.usedAtMs, $0.number) < ($1.usedAtMs, $1.number) }
        if let oldest { open[oldest.head.id] = nil }
    }

    private static func capture(
        _ table: Table, id: String, number: Int, nowMs: UInt64
    ) -> OpenSnapshot {
        let (runs, weightsOfRuns) = table.capturedRuns()
        let invocations = table.invocations.all
        table.noteCaptured()
        let runsOfChunks = CapturedPiece.neighbours(
            weightsOfRuns, most: runsPerChunk, weighing: mostWeight)
        let invocationsOfChunks = CapturedPiece.neighbours(
            invocations.map(\.weight), most: invocationsPerChunk, weighing: mostWeight)
        var head = SnapshotChunk(
            id: id, revision: table.revision, digest: table.digest, chunk: 0,
            chunks: max(1, runsOfChunks.count, invocationsOfChunks.count), rows: table.count,
            kinds: table.kinds.values.sorted { $0.id < $1.id }, settings: table.settings)
        head.isEditing = table.isEditing
        return OpenSnapshot(
            head: head, table: table.name, history: table.history, invocations: invocations,
            runs: runs, runsOfChunks: runsOfChunks, invocationsOfChunks: invocationsOfChunks,
            number: number, supersededBytes: table.supersededBytes, usedAtMs: nowMs)
    }

    // MARK: What they hold

    /// The oldest open snapshot of a table, and the bytes that its snapshots hold besides the table.
    private struct Held {
        var oldest: OpenSnapshot
        var bytes = 0
    }

    private mutating func makeRoom(_ tables: (TableID) -> Table?) {
        // Nobody is answered from one of a table that is gone.
        for (id, snapshot) in open where tables(snapshot.table)?.history != snapshot.history {
            open[id] = nil
        }
        while open.count > 1 {
            let held = held(tables)
            guard held.reduce(0, { $0 + $1.bytes }) > Self.mostBytes,
                let most = held.max(by: { $0.bytes < $1.bytes })
            else { return }
            open[most.oldest.head.id] = nil
        }
    }

    private func held(_ tables: (TableID) -> Table?) -> [Held] {
        var all: [TableID: Held] = [:]
        for snapshot in open.values {
            all[snapshot.table, default: Held(oldest: snapshot)].bytes += snapshot.ownBytes
            if let oldest = all[snapshot.table]?.oldest, snapshot.number < oldest.number {
                all[snapshot.table]?.oldest = snapshot
            }
        }
        return all.map { name, held in
            let superseded = tables(name)?.supersededBytes ?? 0
            return Held(
                oldest: held.oldest, bytes: held.bytes + superseded - held.oldest.supersededBytes)
        }
    }

    /// The tables of which there are snapshots.
    var tables: Set<TableID> { Set(open.values.map(\.table)) }

    /// One chunk. Nil: the snapshot was dropped, has no such chunk, or is of an earlier table of
    /// this name, to which the reply would give the new history.
    mutating func chunk(
        _ index: Int, of id: String, table: Table, nowMs: UInt64
    ) -> SnapshotChunk? {
        guard let snapshot = open[id], snapshot.table == table.name,
            snapshot.history == table.history, index >= 0, index < snapshot.head.chunks
        else { return nil }
        open[id]?.usedAtMs = nowMs
        let isOfRows = snapshot.runsOfChunks.indices.contains(index)
        let runs = isOfRows ? snapshot.runs[snapshot.runsOfChunks[index]] : []
        var slices: [SnapshotChunk.Slice] = []
        for run in runs {
            if let last = slices.indices.last, slices[last].section == run.section {
                slices[last].rows += run.rows
            } else {
                slices.append(.init(section: run.section, title: run.title, rows: Array(run.rows)))
            }
        }
        let head = snapshot.head
        var part =
            index == 0
            ? head
            : SnapshotChunk(
                id: id, revision: head.revision, digest: head.digest, chunk: index,
                chunks: head.chunks, rows: head.rows)
        part.slices = slices
        if snapshot.invocationsOfChunks.indices.contains(index) {
            part.invocations = Array(snapshot.invocations[snapshot.invocationsOfChunks[index]])
        }
        return part
    }

    /// Drops snapshots that nobody used for long.
    mutating func expire(nowMs: UInt64) {
        for (id, snapshot) in open where nowMs &- snapshot.usedAtMs > Self.keptMs { open[id] = nil }
    }
}
