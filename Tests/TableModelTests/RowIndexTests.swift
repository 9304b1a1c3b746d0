import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// The index of a table's rows, compared with a dictionary.
struct RowIndexTests {
    /// Checks that both say the same of these ids.
    private func compare(
        _ index: inout RowIndex, _ rows: [ID: Row], _ ids: some Sequence<ID>
    ) throws {
        try #require(index.count == rows.count)
        for id in ids {
            let (found, expected) = (index[id]?.row, rows[id])
            try #require((found == nil) == (expected == nil), "\(id)")
            if let found, let expected { try #require(found.isSame(as: expected), "\(id)") }
        }
        try #require(index.fault() == nil)
    }

    /// `id` of 0 is the empty text; longer ids do not fit into a string's own 16 bytes.
    private func id(_ number: Int) -> ID {
        number == 0 ? "" : ID(String(repeating: "x", count: number % 31) + "\(number)")
    }

    /// Few ids, so that rows meet; growing and shrinking, so that places wrap and move up.
    @Test(arguments: [3, 13, 14, 90, 1_000])
    func isADictionary(_ bound: Int) throws {
        let tree = OrderTree<Row> { _, _ in }
        for seed in 0..<8 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var index = RowIndex()
            var rows: [ID: Row] = [:]
            for step in 0..<4 * bound + 200 {
                let id = id(random.below(bound))
                // Waves: more come than go, then more go than come.
                if random.below(10) < (step / bound % 2 == 0 ? 7 : 3) {
                    let row = Row(id: id, content: .init())
                    index.put(.init(row: row, leaf: tree.root))
                    rows[id] = row
                } else {
                    index.remove(id)
                    rows[id] = nil
                }
                if bound < 100 || step % 97 == 0 {
                    try compare(&index, rows, (0..<bound).map(self.id))
                }
            }
            for id in rows.keys.sorted() { index.remove(id) }
            try compare(&index, [:], (0..<bound).map(self.id))
        }
    }

    @Test func growsInSteps() throws {
        let tree = OrderTree<Row> { _, _ in }
        var (index, reserved) = (RowIndex(), RowIndex())
        reserved.reserve(5_000)
        // The index does not keep them.
        let rows = (0..<5_000).map { Row(id: ID("\($0)"), content: .init()) }
        for (number, row) in rows.enumerated() {
            index.put(.init(row: row, leaf: tree.root))
            reserved.put(.init(row: row, leaf: tree.root))
            if number & (number + 1) == 0 { try #require(index.fault() == nil) }
        }
        for number in 0..<5_000 {
            try #require(index[ID("\(number)")]?.row.id == ID("\(number)"))
            try #require(reserved[ID("\(number)")]?.row.id == ID("\(number)"))
        }
        #expect(index[ID("5000")] == nil)
        #expect(index.fault() == nil && reserved.fault() == nil)
        #expect(rows.count == index.count)
        index.reserve(0)
        reserved.reserve(-1)
        #expect(index.count == 5_000 && reserved.count == 5_000)
    }
}
