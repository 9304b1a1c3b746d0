// Ops that change one row and follow each other are applied together, since each alone would write the row
// anew and hash it: those on the items of one strip, what an action does to a row's texts with its performance, and the
// texts of a row with its traces, as an undo brings them back.

/// An op, or several on one row that are applied together.
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
        var end = start + 1
        // Nearly every plan is one op.
        if end == count { return end }
        if self[end].goes(withTextsOf: self[start]) { return end + 1 }
        guard case .item(let strip, _) = self[start] else { return end }
        while end < count, case .item(let id, _) = self[end], id == strip { end += 1 }
        return end
    }
}

extension Op {
    /// Whether it is about the traces of a row whose texts the op before it sets.
    fileprivate func goes(withTextsOf before: Op) -> Bool {
        guard case .set(let row, _) = before else { return false }
        if case .perform(row, _) = self { return true }
        return facts.contains(.restoresTraces) && self.row == row
    }
}

extension Run {
    /// Whether the ops are on the items of one strip.
    package var isOfItems: Bool { if case .item = self[startIndex] { true } else { false } }

    /// The steps on the items, if the ops are about those of one strip; empty: they are not.
    package var steps: [Item.Step] {
        compactMap { if case .item(_, let step) = $0 { step } else { nil } }
    }
}
