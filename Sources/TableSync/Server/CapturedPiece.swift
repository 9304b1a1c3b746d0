public import TableModel

/// A piece of a table as it was at one moment, to encode later. Rows are immutable, so the table
/// can change meanwhile. Capturing a table costs O(rows / 64).
public enum CapturedPiece {
    /// A finished part.
    case whole(CheckpointPart)
    /// Rows in the runs of the tree's leaves.
    case rows([CapturedRun])
    /// Some of the latest diffs. Not a slice, which would hold the whole log until it is written.
    case log([DiffLog.Entry])

    /// The part for a checkpoint or a backup.
    public var part: CheckpointPart {
        switch self {
        case .whole(let part): return part
        case .rows(let runs):
            return .rows(
                runs.map { .init(section: $0.section, title: $0.title, rows: Array($0.rows)) })
        case .log(let kept): return .log(kept.map { .init(diff: $0.bytes, inverse: $0.inverse) })
        }
    }
}

/// Rows of a section, from one leaf.
public struct CapturedRun {
    let section: SectionID
    let title: String
    let rows: ContiguousArray<Row>
}

extension Table {
    /// All rows in order; a section without rows has one empty run.
    func capturedRuns() -> [CapturedRun] {
        sections.flatMap { section in
            let runs = section.runs()
            return (runs.isEmpty ? [[]] : runs).map {
                CapturedRun(section: section.id, title: section.title, rows: $0)
            }
        }
    }

    /// Leaves in a piece, each of at most 64 rows.
    private static let runsPerPiece = 8
    private static let invocationsPerPiece = 256

    /// Everything that the table's digest covers, in the order in which a restore takes it.
    public func captured() -> [CapturedPiece] {
        var pieces: [CapturedPiece] = [
            .whole(
                .table(
                    CheckpointPart.Start(
                        table: name, history: history, revision: revision, digest: digest,
                        kinds: Array(kinds.values), settings: settings, isEditing: isEditing)))
        ]
        let all = invocations.all
        for start in stride(from: 0, to: all.count, by: Self.invocationsPerPiece) {
            let some = all[start..<min(start + Self.invocationsPerPiece, all.count)]
            pieces.append(.whole(.invocations(Array(some))))
        }
        let runs = capturedRuns()
        for start in stride(from: 0, to: runs.count, by: Self.runsPerPiece) {
            pieces.append(.rows(Array(runs[start..<min(start + Self.runsPerPiece, runs.count)])))
        }
        return pieces
    }
}
