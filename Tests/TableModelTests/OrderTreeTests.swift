import TableModel
import Testing

/// An order tree, compared with an array.
struct OrderTreeTests {
    final class Item: TreeElement {
        let value: Int
        init(_ value: Int) { self.value = value }
        var summary: Sum { Sum(values: value, count: 1, last: value) }
    }

    struct Sum: Summary, Equatable {
        var values = 0
        var count = 0
        /// Tells in which order sums were added.
        var last: Int?

        static var empty: Sum { Sum() }

        mutating func append(_ next: Sum) {
            values += next.values
            count += next.count
            last = next.last ?? last
        }
    }

    /// A tree, its map, and an array that must have the same elements.
    final class Pair {
        private(set) var leaves: [ObjectIdentifier: OrderTree<Item>.Node] = [:]
        var array: [Item] = []
        lazy var tree = OrderTree<Item> { [unowned self] item, leaf in
            leaves[ObjectIdentifier(item)] = leaf
        }

        func leaf(_ item: Item) throws -> OrderTree<Item>.Node {
            try #require(leaves[ObjectIdentifier(item)])
        }

        func insert(_ item: Item, at index: Int) throws {
            if index == 0 {
                tree.insertFirst(item)
            } else if index == array.count {
                tree.append(item)
            } else {
                let other = array[index - 1]
                tree.insert(item, after: other, in: try leaf(other))
            }
            array.insert(item, at: index)
        }

        func remove(at index: Int) throws {
            let item = array.remove(at: index)
            tree.remove(item, in: try leaf(item))
            leaves[ObjectIdentifier(item)] = nil
        }

        func append(_ items: [Item]) {
            tree.append(contentsOf: items)
            array += items
        }

        func replace(at index: Int, with item: Item) throws {
            let old = array[index]
            tree.replace(old, with: item, in: try leaf(old))
            leaves[ObjectIdentifier(old)] = nil
            array[index] = item
        }

        func requireSame() throws {
            try #require(tree.fault() == nil, "\(tree.fault() ?? "")")
            try #require(tree.count == array.count)
            try #require(tree.runs().flatMap { $0 }.map(\.value) == array.map(\.value))
            let sum = array.reduce(into: Sum.empty) { $0.append($1.summary) }
            try #require(tree.summary == sum)
            try #require(tree.last === array.last)
        }

        func requireSame(at index: Int) throws {
            let item = array[index]
            let leaf = try leaf(item)
            try #require(tree.element(at: index) === item)
            try #require(tree.index(of: item, in: leaf) == index)
            let before = index > 0 ? array[index - 1] : nil
            let after = index + 1 < array.count ? array[index + 1] : nil
            try #require(tree.predecessor(of: item, in: leaf) === before)
            try #require(tree.successor(of: item, in: leaf) === after)
        }
    }

    @Test(arguments: 1...6)
    func agreesWithAnArray(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let pair = Pair()
        // It grows to thousands, shrinks to nothing, and grows again.
        for (steps, chance) in [(6_500, 90), (6_500, 10), (1_500, 60)] {
            for step in 0..<steps {
                let count = pair.array.count
                if count == 0 || (count < 5_000 && random.below(100) < chance) {
                    let place = random.pick([0, count, random.below(count + 1)])
                    try pair.insert(Item(step), at: place)
                } else if random.once(in: 10) {
                    try pair.replace(at: random.below(count), with: Item(-step))
                } else {
                    try pair.remove(at: random.below(count))
                }
                if step % 97 == 0, !pair.array.isEmpty {
                    try pair.requireSame(at: random.below(pair.array.count))
                }
                if step % 501 == 0 { try pair.requireSame() }
            }
            try pair.requireSame()
        }
        #expect(pair.tree.element(at: -1) == nil && pair.tree.element(at: 5_001) == nil)
    }

    @Test func runsAreNotTouchedByLaterChanges() throws {
        let pair = Pair()
        for value in 0..<1_000 { try pair.insert(Item(value), at: value) }
        let runs = pair.tree.runs()
        for _ in 0..<900 { try pair.remove(at: pair.array.count / 3) }
        #expect(runs.flatMap { $0 }.map(\.value) == Array(0..<1_000))
        try pair.requireSame()
    }

    /// Runs of every length, with changes of existing elements between them.
    @Test(arguments: 1...6)
    func appendsMany(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let pair = Pair()
        for _ in 0..<40 {
            let longest = random.pick([0, 1, 3, 56, 57, 64, 500])
            pair.append((0..<random.below(longest + 1)).map { Item($0) })
            try pair.requireSame()
            for step in 0..<min(pair.array.count, 20) {
                try pair.requireSame(at: random.below(pair.array.count))
                if random.once(in: 2) { try pair.remove(at: random.below(pair.array.count)) }
                try pair.insert(Item(step), at: random.below(pair.array.count + 1))
            }
        }
        try pair.requireSame()
    }

    @Test func filledInOrderHasFullLeaves() throws {
        let pair = Pair()
        for value in 0..<5_000 { try pair.insert(Item(value), at: value) }
        #expect(pair.tree.runs().count < 5_000 / 48)
    }

    @Test func findsElementsBySum() throws {
        let pair = Pair()
        for value in 0..<2_000 { try pair.insert(Item(value % 500 == 7 ? 1 : 0), at: value) }
        #expect(pair.tree.elements { $0.values > 0 }.count == 4)
        #expect(pair.tree.elements { $0.values > 1 }.isEmpty)
    }
}
