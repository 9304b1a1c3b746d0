import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Lists of fixed capacity, and the two changes of an array in place, compared with arrays.
struct FixedListTests {
    /// Is let go of exactly once.
    private final class Part {
        let number: Int
        private let end: () -> Void

        init(_ number: Int, _ end: @escaping () -> Void) { (self.number, self.end) = (number, end) }

        deinit { end() }
    }

    @Test func agreesWithAnArray() throws {
        var dice = SplitMix64(seed: 3)
        var (made, gone) = (0, 0)
        func part() -> Part {
            made += 1
            return Part(made) { gone += 1 }
        }
        do {
            var list = FixedList<Part>(capacity: 65)
            var other = FixedList<Part>(capacity: 65)
            var (array, rest): ([Part], [Part]) = ([], [])
            for _ in 0..<5_000 {
                switch dice.below(8) {
                case 0...2 where array.count < 65:
                    let (new, place) = (part(), dice.below(array.count + 1))
                    list.insert(new, at: place)
                    array.insert(new, at: place)
                case 3 where !array.isEmpty:
                    let place = dice.below(array.count)
                    try #require(list.remove(at: place) === array.remove(at: place))
                case 4 where !array.isEmpty:
                    let (new, place) = (part(), dice.below(array.count))
                    list[place] = new
                    array[place] = new
                case 5:
                    let number = dice.below(min(array.count, 65 - rest.count) + 1)
                    other.take(first: number, of: &list)
                    rest += array.prefix(number)
                    array.removeFirst(number)
                case 6:
                    let number = dice.below(min(rest.count, 65 - array.count) + 1)
                    list.take(last: number, of: &other)
                    array.insert(contentsOf: rest.suffix(number), at: 0)
                    rest.removeLast(number)
                case 7 where dice.once(in: 50):
                    other.removeAll()
                    rest = []
                default: break
                }
                try #require(list.all.map(\.number) == array.map(\.number))
                try #require(other.all.map(\.number) == rest.map(\.number))
                try #require(list.last === array.last && list.count == list.indices.count)
                try #require(made - gone == array.count + rest.count)
            }
        }
        #expect(made == gone && made > 1_000)
    }

    @Test func anArrayInPlace() throws {
        var dice = SplitMix64(seed: 4)
        var (array, other): (ContiguousArray<Part>, [Part]) = ([], [])
        var (made, gone) = (0, 0)
        for step in 0..<3_000 {
            if array.isEmpty || dice.below(100) < (step < 1_500 ? 60 : 40) {
                made += 1
                let (new, place) = (Part(made) { gone += 1 }, dice.below(array.count + 1))
                array.put(new, at: place)
                other.insert(new, at: place)
            } else {
                let place = dice.below(array.count)
                // A copy goes on having it.
                let copy = array
                let part = array.takeOut(at: place)
                try #require(part === other.remove(at: place) && part === copy[place])
            }
            try #require(array.map(\.number) == other.map(\.number))
            try #require(made - gone == array.count)
        }
    }
}
