// Ops on the items of one strip that follow each other are applied together: each alone would write the
// whole strip anew, and hash it.

/// An op, or several that are about the items of one strip and are applied together.
package typealias Run = ArraySlice<Op>

extension [Op] {
    /// The ops in order, in runs. Nearly every run is one op.
    @inline(__always)
    package func forEachRun<Failure: Error>(_ body: (Run) throws(Failure) -> Void) throws(Failure) {
        var start = 0
        while start < count {
            let end = endOfRun(from: start)
            try body(self[start..<end])
            start = end
        }
    }

    private func endOfRun(from start: Int) -> Int {
        guard case .item(let strip, _) = self[start] else { return start + 1 }
        var end = start + 1
        while end < count, case .item(let id, _) = self[end], id == strip { end += 1 }
        return end
    }
}

extension Run {
    /// The steps on the items, if the ops are about those of one strip; empty: they are not.
    package var steps: [Item.Step] {
        compactMap { if case .item(_, let step) = $0 { step } else { nil } }
    }
}
