/// Diffs in order, which come at the end and go at the beginning. They lie in runs of a fixed length, so that
/// nothing takes time for each that is kept: neither what goes, nor a copy for a checkpoint. A copy shares the
/// runs, and whoever changes one of them then copies that one.
struct DiffRuns: RandomAccessCollection {
    /// Neighbours, and the bytes of all that have ever been in it.
    struct Run {
        var entries: [DiffLog.Entry] = []
        var size = 0
    }

    /// Entries of a run that is full.
    static let length = 256

    private var runs: [Run] = []
    /// Entries of the first run that have gone.
    private var gone = 0

    let startIndex = 0
    private(set) var endIndex = 0

    subscript(place: Int) -> DiffLog.Entry {
        // Lent, not copied: whoever looks through the past asks for a part of each.
        _read {
            let place = place + gone
            yield runs[place / Self.length].entries[place % Self.length]
        }
        _modify {
            let place = place + gone
            yield &runs[place / Self.length].entries[place % Self.length]
        }
    }

    @inline(__always)  // Else the entry is moved for the call.
    mutating func append(_ entry: consuming DiffLog.Entry) {
        if runs.last.map({ $0.entries.count == Self.length }) ?? true {
            runs.append(Run())
            // The first one grows: many tables have few diffs.
            if runs.count > 1 { runs[runs.count - 1].entries.reserveCapacity(Self.length) }
        }
        runs[runs.count - 1].size += entry.size
        runs[runs.count - 1].entries.append(entry)
        endIndex += 1
    }

    /// Lets the oldest go. There has to be one.
    mutating func dropOldest() {
        runs[0].entries[gone] = DiffLog.Entry.gone
        gone += 1
        endIndex -= 1
        if gone == Self.length {
            runs.removeFirst()
            gone = 0
        }
    }

    /// The first so many in pieces of a checkpoint: runs as they are, where they are whole and not too
    /// heavy. `digest` is the table's before them.
    func captured(first count: Int, after digest: UInt64? = nil) -> [CapturedPiece] {
        var pieces: [CapturedPiece] = []
        pieces.reserveCapacity(runs.count)
        for (place, run) in runs.enumerated() {
            let start = place == 0 ? gone : 0
            let end = Swift.min(run.entries.count, gone + count - place * Self.length)
            if start >= end { break }
            let isWhole = end - start == run.entries.count
            let entries = isWhole ? run.entries : Array(run.entries[start..<end])
            guard run.size > CapturedPiece.mostWeight else {
                pieces.append(.log(entries, after: pieces.isEmpty ? digest : nil))
                continue
            }
            for some in CapturedPiece.neighbours(entries.map(\.weight), most: Self.length) {
                pieces.append(.log(Array(entries[some]), after: pieces.isEmpty ? digest : nil))
            }
        }
        return pieces
    }
}
