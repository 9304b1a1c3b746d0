import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// A list whose one element lies in the value is what an array with the same elements is.
struct FewTests {
    @Test func itIsWhatAnArrayIs() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<2_000 {
            var few = Few<ID>.none
            var array: [ID] = []
            for _ in 0..<random.below(5) {
                let id = ID("\(random.below(4))")
                few.append(id)
                array.append(id)
            }
            #expect(few.array == array && Array(few) == array && few.count == array.count)
            #expect(few.isEmpty == array.isEmpty && few.first == array.first)
            var visited: [ID] = []
            few.forEach { visited.append($0) }
            #expect(visited == array)
            // However it is kept.
            for other in [Few(array), Few.many(array)] {
                #expect(other == few && other.array == array)
                for id in ["0", "3", "other"] as [ID] {
                    #expect(other.contains(id) == array.contains(id))
                    #expect(other.contains { $0 < id } == array.contains { $0 < id })
                }
            }
            #expect(few != Few(array + ["more"]))
        }
    }

    /// Nearly every id is plainly in order, and is looked at no further.
    @Test func anIDThatIsPlainlyInOrderIsInOrder() throws {
        var random = SplitMix64(seed: 4)
        let pieces = [
            "", "a", "~", " ", "\u{1f}", "\u{7f}", "\u{9b}", "é", "z1", "\u{0}", "long one",
        ]
        var wrong = 0
        for _ in 0..<5_000 {
            let id = ID((0..<random.below(4)).map { _ in random.pick(pieces) }.joined())
            var limits = Limits()
            if random.below(2) == 0 { limits.idBytes = random.below(20) }
            let decision = Decision(
                table: Table(name: "t", history: ID128(high: 0, low: 1)), limits: limits,
                context: DecisionContext(nowMs: 1), suffix: nil)
            let expected = Self.refusal { () throws(Rejection) in
                try id.check(limits: limits, field: "id")
            }
            let found = Self.refusal { () throws(Rejection) in
                try decision.checkID(id, field: "id")
            }
            #expect(found == expected, "\(Array(id.text.utf8))")
            let content = Row.Content(fields: [Row.Field(id, "")])
            if content.hasPlainKeys(atMost: limits.idBytes) { #expect(expected == nil) }
            if expected != nil { wrong += 1 }
        }
        #expect((500...4_500).contains(wrong))
    }

    private static func refusal(_ body: () throws(Rejection) -> Void) -> Rejection? {
        do throws(Rejection) {
            try body()
            return nil
        } catch { return error }
    }
}
