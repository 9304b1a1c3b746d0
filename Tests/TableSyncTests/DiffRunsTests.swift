import SeededNumbers
import TableModel
import Testing

@testable import TableSync

/// Diffs in runs are what they would be in an array, and a copy stays as it was.
struct DiffRunsTests {
    private static func entry(_ number: Int, bytes: Int = 8) -> DiffLog.Entry {
        let cause = Cause(verb: "test", timeMs: UInt64(number))
        let content = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
        return DiffLog.Entry(
            DiffOutline(base: 0, digest: UInt64(number), cause: cause),
            EncodedChange(diff: content, inverse: nil))
    }

    private static func numbers(_ runs: some Sequence<DiffLog.Entry>) -> [UInt64] {
        runs.map(\.digest)
    }

    private static func captured(_ runs: DiffRuns, first: Int? = nil) -> [[DiffLog.Entry]] {
        runs.captured(first: first ?? runs.count).map { piece in
            guard case .log(let some, _) = piece else { return [] }
            return some
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func theyAreWhatAnArrayIs(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (runs, array) = (DiffRuns(), [UInt64]())
        var copies: [(runs: DiffRuns, array: [UInt64])] = []
        for number in 0..<3_000 {
            // Phases in which more comes, and in which more goes.
            if array.isEmpty || random.next() % 8 < (number / 700 % 2 == 0 ? 6 : 3) {
                runs.append(Self.entry(number))
                array.append(UInt64(number))
            } else {
                runs.dropOldest()
                array.removeFirst()
            }
            #expect(runs.count == array.count)
            if !array.isEmpty {
                let place = Int(random.next() % UInt64(array.count))
                #expect(runs[place].digest == array[place])
                runs[place].mark.undoneBy = 7
            }
            if number % 500 == 250 { copies.append((runs, array)) }
        }
        copies.append((runs, array))
        for copy in copies {
            #expect(Self.numbers(copy.runs) == copy.array)
            let pieces = Self.captured(copy.runs)
            #expect(Self.numbers(pieces.joined()) == copy.array)
            #expect(pieces.allSatisfy { 1...DiffRuns.length ~= $0.count })
            let first = Int(random.next() % UInt64(copy.array.count + 1))
            let some = Self.captured(copy.runs, first: first)
            #expect(Self.numbers(some.joined()) == copy.array.prefix(first).map { $0 })
            #expect(some.allSatisfy { 1...DiffRuns.length ~= $0.count })
        }
    }

    /// A change in what is kept is not seen by who has a copy: a checkpoint that is being written.
    @Test func aCopyStaysAsItWas() {
        var runs = DiffRuns()
        for number in 0..<600 { runs.append(Self.entry(number)) }
        for _ in 0..<10 { runs.dropOldest() }
        let pieces = Self.captured(runs)
        for _ in 0..<300 { runs.dropOldest() }
        runs[0].mark.undoneBy = 9
        runs.append(Self.entry(600))
        #expect(Self.numbers(pieces.joined()) == (10..<600).map { UInt64($0) })
        #expect(pieces.joined().allSatisfy { $0.mark.undoneBy == nil && $0.change.byteCount == 8 })
    }

    @Test func whatIsHeavyIsInPiecesOfItsOwn() {
        var runs = DiffRuns()
        let heavy = CapturedPiece.mostWeight / 3
        for number in 0..<300 {
            let bytes = number == 299 ? 4 * heavy : number / 100 * heavy / 40
            runs.append(Self.entry(number, bytes: bytes))
        }
        let pieces = Self.captured(runs)
        #expect(Self.numbers(pieces.joined()) == (0..<300).map { UInt64($0) })
        #expect(pieces.count > 2)
        for piece in pieces where piece.count > 1 {
            #expect(piece.reduce(0) { $0 + $1.weight } <= CapturedPiece.mostWeight)
        }
    }
}
