import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Sums are brought up to date by the difference that an edit makes. They are what adding up all
/// elements anew comes to.
struct DigestByDifferenceTests {
    private static func digest(_ hashes: some Sequence<UInt64>) -> SequenceDigest {
        hashes.reduce(into: .empty) { $0.append(SequenceDigest(hash: $1)) }
    }

    @Test func theInverseOfTheBase() {
        #expect(SequenceDigest.product(SequenceDigest.base, SequenceDigest.inverseOfBase) == 1)
    }

    @Test(arguments: [0, 1, 1_023, 1_024, 1_025, 1_048_575, 1_048_576, 3_000_000])
    func powersOfTheBase(exponent: Int) {
        var (power, square, rest) = (1 as UInt64, SequenceDigest.base, exponent)
        while rest > 0 {
            if rest & 1 == 1 { power = SequenceDigest.product(power, square) }
            square = SequenceDigest.product(square, square)
            rest >>= 1
        }
        #expect(Powers.ofBase(exponent) == power)
    }

    /// A part in the middle goes for one with as many elements, or one more or less, also from and to
    /// none; told by either side of it.
    @Test func aPartIsExchanged() {
        var dice = SplitMix64(seed: 5)
        func some(_ numbers: ClosedRange<Int>) -> [UInt64] {
            (0..<Int.random(in: numbers, using: &dice)).map { _ in dice.next() }
        }
        var counts: [Int: Int] = [:]
        for _ in 0..<4_000 {
            let (front, old, rest) = (some(0...70), some(0...4), some(0...70))
            let new = some(max(0, old.count - 1)...(old.count + 1))
            let before = Self.digest(front + old + rest)
            let after = Self.digest(front + new + rest)
            let (one, other) = (Self.digest(old), Self.digest(new))
            if new.count == old.count {
                var sum = before
                sum.exchange(one, for: other, before: rest.count)
                #expect(sum == after)
            } else {
                var (sum, same) = (before, before)
                sum.exchange(
                    one, for: other, before: rest.count, front: Self.digest(front).value)
                same.exchange(
                    one, for: other, before: rest.count, rest: Self.digest(rest).value)
                #expect(sum == after && same == after)
            }
            counts[new.count - old.count, default: 0] += 1
        }
        #expect((-1...1).allSatisfy { counts[$0, default: 0] > 20 })
    }

    /// A tree of rows has the right digest after one edit between two looks, up to a hundred, or none.
    @Test(arguments: 1...2 as ClosedRange<UInt64>) func aTreeOfRows(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        var leaves: [RowID: OrderTree<Row>.Node] = [:]
        let tree = OrderTree<Row> { leaves[$0.id] = $1 }
        var rows: [Row] = []
        var hashes: [UInt64] = []
        var made = 0
        func row(_ id: RowID) -> Row {
            made += 1
            return Row(
                id: id, content: .init(title: "\(made)"),
                expansion: made % 3 == 0 ? .expanded : .collapsed)
        }
        func edit() throws {
            let place = rows.isEmpty ? 0 : Int.random(in: 0..<rows.count, using: &dice)
            // It grows at first, and shrinks in the end.
            let grows = made < 6_000 ? 60 : 15
            switch rows.isEmpty ? 0 : Int.random(in: 0..<100, using: &dice) {
            case 0..<grows:
                let new = row(ID("r\(made)"))
                if rows.isEmpty {
                    tree.append(new)
                    rows.append(new)
                    hashes.append(new.hash)
                } else {
                    let leaf = try #require(leaves[rows[place].id])
                    tree.insert(new, after: rows[place], in: leaf)
                    rows.insert(new, at: place + 1)
                    hashes.insert(new.hash, at: place + 1)
                }
                let index = tree.index(of: new, in: try #require(leaves[new.id]))
                #expect(rows[index].isSame(as: new))
            case grows..<70:
                let new = row(rows[place].id)
                tree.replace(rows[place], with: new, in: try #require(leaves[new.id]))
                rows[place] = new
                hashes[place] = new.hash
                let other = rows[dice.below(rows.count)]
                for row in [new, other] {
                    let index = tree.index(of: row, in: try #require(leaves[row.id]))
                    #expect(rows[index].isSame(as: row))
                }
            default:
                let old = rows.remove(at: place)
                hashes.remove(at: place)
                tree.remove(old, in: try #require(leaves[old.id]))
            }
        }
        for _ in 0..<700 {
            for _ in 0..<(Bool.random(using: &dice) ? 1 : Int.random(in: 0..<100, using: &dice)) {
                try edit()
            }
            #expect(tree.summary.digest == Self.digest(hashes))
            #expect(tree.summary.openCount == rows.count { $0.expansion != .collapsed })
        }
        #expect(tree.fault() == nil && made > 6_000)
    }
}
