public import TableModel

/// A piece of a table as it was at one moment, to encode later. Rows that it holds are not
/// changed in place, so the table can change meanwhile. Capturing a table costs O(rows / 64).
public enum CapturedPiece {
    /// A finished part.
    case whole(CheckpointPart)
    /// Rows in the runs of the tree's leaves.
    case rows([CapturedRun])
    /// Some of the latest diffs; with the first of them the table's digest before it.
    case log([DiffLog.Entry], after: UInt64?)

    /// The weight of a piece: it is written at once, and others wait for so long. A heavier value is
    /// alone in its piece.
    public static let mostWeight = 128 << 10

    /// Neighbours put together: so many at most, and not heavier than this, unless it is one alone.
    public static func neighbours(
        _ weights: [Int], most: Int, weighing mostWeight: Int = mostWeight
    ) -> [Range<Int>] {
        var all: [Range<Int>] = []
        var (start, weight) = (0, 0)
        for (place, own) in weights.enumerated() {
            if place > start, place - start == most || weight + own > mostWeight {
                all.append(start..<place)
                (start, weight) = (place, 0)
            }
            weight += own
        }
        return start < weights.count ? all + [start..<weights.count] : all
    }

    /// The part for a checkpoint or a backup.
    public var part: CheckpointPart {
        switch self {
        case .whole(let part): return part
        case .rows(let runs):
            return .rows(
                runs.map { .init(section: $0.section, title: $0.title, rows: Array($0.rows)) })
        case .log(let kept, let digest):
            return .log(
                CheckpointPart.Log(
                    changes: kept.map(\.change),
                    redos: kept.indices.filter { kept[$0].mark.isRedo },
                    partial: kept.indices.filter { kept[$0].isPartial }, digest: digest))
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
    /// All rows in order, in runs, with what each weighs. A section without rows has one empty run.
    /// None is heavier than a piece, unless it is of one row.
    func capturedRuns() -> (runs: [CapturedRun], weights: [Int]) {
        var all: [CapturedRun] = []
        var weights: [Int] = []
        for section in sections {
            func add(_ rows: ContiguousArray<Row>, _ weight: Int) {
                all.append(CapturedRun(section: section.id, title: section.title, rows: rows))
                weights.append(weight)
            }
            if section.count == 0 { add([], 0) }
            for (rows, weight) in section.weighedRuns() {
                if weight <= CapturedPiece.mostWeight {
                    add(rows, weight)
                    continue
                }
                let own = rows.map(\.weight)
                for part in CapturedPiece.neighbours(own, most: rows.count) {
                    add(ContiguousArray(rows[part]), own[part].reduce(0, +))
                }
            }
        }
        return (all, weights)
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
        for piece in CapturedPiece.neighbours(all.map(\.weight), most: Self.invocationsPerPiece) {
            pieces.append(.whole(.invocations(Array(all[piece]))))
        }
        let (runs, weights) = capturedRuns()
        for piece in CapturedPiece.neighbours(weights, most: Self.runsPerPiece) {
            pieces.append(.rows(Array(runs[piece])))
        }
        return pieces
    }
    /// Removed rows in a piece. What each keeps of its actions is bounded: all of them are no heavier than
    /// a piece may be.
    private static let removedPerPiece = 512

    /// Where removed rows stood, the oldest first.
    public func capturedRemovedPlaces() -> [CapturedPiece] {
        removed.entries.chunks(of: Self.removedPerPiece).map { .whole(.removed($0)) }
    }
}

extension Owners {
    private static let perPiece = 1_024

    /// All of them, in pieces of claims, of invocations, of claims that have ended, and of the edit mode.
    public func captured() -> [CapturedPiece] {
        Self.pieces(of: claims.mapValues(\.user)) { Owners(claims: $0, invocations: [:]) }
            + Self.pieces(of: invocations) { Owners(claims: [:], invocations: $0) }
            + endedClaims.chunks(of: Self.perPiece).map {
                .whole(.owners(Owners(claims: [:], invocations: [:], ended: $0)))
            }
            + (editor == nil
                ? [] : [.whole(.owners(Owners(claims: [:], invocations: [:], editor: editor)))])
    }

    private static func pieces<Key>(
        of all: [Key: ProvenID], _ make: ([Key: ProvenID]) -> Owners
    ) -> [CapturedPiece] {
        var pieces: [CapturedPiece] = []
        var some: [Key: ProvenID] = [:]
        for (id, owner) in all {
            some[id] = owner
            guard some.count == perPiece else { continue }
            pieces.append(.whole(.owners(make(some))))
            some = [:]
        }
        return some.isEmpty ? pieces : pieces + [.whole(.owners(make(some)))]
    }
}

extension Array {
    /// All of it in order, so many at once; fewer the last time.
    func chunks(of most: Int) -> [[Element]] {
        stride(from: 0, to: count, by: most).map { Array(self[$0..<Swift.min(count, $0 + most)]) }
    }
}
