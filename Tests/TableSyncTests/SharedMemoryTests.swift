import SeededNumbers
import TableModel
import Testing

@testable import TableSync

/// What shares memory with others is as if it had its own.
struct SharedMemoryTests {
    /// Eight bytes of each number. Most of the time of these tests goes into making bytes.
    private static func bytes(_ count: Int, _ numbers: inout SplitMix64) -> [UInt8] {
        let words = (0..<(count + 7) / 8).map { _ in numbers.next() }
        return words.withUnsafeBytes { Array($0.prefix(count)) }
    }

    /// Answers in a ring against a list of them.
    @Test func answers() {
        for seed in 0..<200 {
            var numbers = SplitMix64(seed: UInt64(seed))
            var ring = AnswerRing()
            var model: [Sessions.Answered] = []
            let most = 1 + numbers.below(9)
            let usual = [0, 1, 30, 5_000][numbers.below(4)]
            var copies: [(AnswerRing, [Sessions.Answered])] = []
            for _ in 0..<150 {
                let size = numbers.below(usual + 1) * (numbers.below(20) == 0 ? 9 : 1)
                let isLate = numbers.below(10) == 0
                let highest = model.last?.number ?? 0
                let answer = Sessions.Answered(
                    number: isLate
                        ? UInt64(numbers.below(Int(highest) + 1))
                        : highest + 1 + UInt64(numbers.below(3)),
                    requestHash: UInt64(numbers.below(1 << 30)), reply: Self.bytes(size, &numbers))
                if model.contains(where: { $0.number == answer.number }) { continue }
                if answer.number > highest {
                    answer.reply.withUnsafeBytes {
                        ring.append(answer.number, answer.requestHash, $0)
                    }
                } else {
                    answer.reply.withUnsafeBytes {
                        ring.insert(answer.number, answer.requestHash, $0)
                    }
                }
                model.append(answer)
                model.sort { $0.number < $1.number }
                while model.count > most {
                    if model.count > 1, numbers.below(3) == 0 {
                        #expect(ring.removeNextToOldest() == model.remove(at: 1).number)
                    } else {
                        ring.removeOldest()
                        model.removeFirst()
                    }
                }
                #expect(ring.answers == model)
                #expect(ring.count == model.count && ring.lowest == model.first?.number)
                #expect(ring.highest == model.last?.number)
                #expect(ring.byteCount == model.reduce(0) { $0 + $1.reply.count })
                for one in model { #expect(ring.answer(to: one.number) == one) }
                #expect(ring.answer(to: highest + 9) == nil)
                if numbers.below(30) == 0 { copies.append((ring, model)) }
            }
            for (ring, model) in copies { #expect(ring.answers == model) }
        }
    }

    /// A ring moves its answers seldom, and what is large has no more than twice the memory of its answers.
    @Test(arguments: [20, 90, 700, 9_000]) func roomForAnswers(size: Int) {
        var numbers = SplitMix64(seed: 3)
        var ring = AnswerRing()
        var moves = 0
        for number in 0..<4_000 {
            if ring.count == 500 { ring.removeOldest() }
            let before = ring.memory.withUnsafeBytes { $0.baseAddress }
            // As replies, which have nearly the same size.
            Self.bytes(size - numbers.below(size / 10), &numbers).withUnsafeBytes {
                ring.append(UInt64(number), 0, $0)
            }
            moves += ring.memory.withUnsafeBytes { $0.baseAddress } == before ? 0 : 1
            #expect(ring.memory.count <= max(16 << 10, 2 * ring.byteCount))
        }
        #expect(moves < 30)
        while ring.count > 3 { ring.removeOldest() }
        Self.bytes(size, &numbers).withUnsafeBytes { ring.append(4_000, 0, $0) }
        #expect(ring.memory.count <= max(16 << 10, 2 * ring.byteCount))
    }

    /// Changes that lie together, also while somebody holds some of their bytes.
    @Test func changes() {
        var numbers = SplitMix64(seed: 5)
        var store = ChangeStore()
        var kept: [(change: EncodedChange, diff: [UInt8], inverse: [UInt8]?)] = []
        var held: [(ArraySlice<UInt8>, [UInt8])] = []
        for _ in 0..<2_000 {
            let most = numbers.below(30) == 0 ? 9_000 : 200
            let diff = Self.bytes(numbers.below(most), &numbers)
            let inverse: [UInt8]? =
                numbers.below(5) == 0 ? nil : Self.bytes(numbers.below(most), &numbers)
            let change = diff.withUnsafeBytes { diff in
                guard let inverse else { return store.keep(diff, nil) }
                return inverse.withUnsafeBytes { store.keep(diff, $0) }
            }
            kept.append((change, diff, inverse))
            if numbers.below(10) == 0 { held.append((change.diff, diff)) }
            #expect(change.byteCount == diff.count + (inverse?.count ?? 0))
            #expect(change == EncodedChange(diff: diff, inverse: inverse))
        }
        for one in kept {
            #expect(Array(one.change.diff) == one.diff)
            #expect(one.change.inverse.map { Array($0) } == one.inverse)
        }
        for (slice, diff) in held { #expect(Array(slice) == diff) }
    }
}
