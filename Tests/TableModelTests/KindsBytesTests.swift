import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// The bytes of all kinds of a table together are bounded.
@Suite struct KindsBytesTests {
    private let table = Table(name: "t", history: ID128(high: 1, low: 2))

    private func kind(_ id: String, _ bytes: Int) -> Kind {
        var kind = Kind(ID(id))
        kind.tap = [.set([.init("f", String(repeating: "x", count: bytes))])]
        return kind
    }

    private func define(_ what: Command.Definitions, _ limits: Limits) -> Rejection.Code? {
        switch reduce(Command(.define(what)), on: table, limits: limits, nowMs: 0) {
        case .failure(let rejection): return rejection.code
        case .success(let plan):
            _ = table.apply(plan, cause: Cause(verb: "test"))
            let sum = table.kinds.values.reduce(0) { $0 + $1.byteCount }
            #expect(table.kindsBytes == sum && table.copy().kindsBytes == sum)
            return nil
        }
    }

    @Test func aTableThatHasMoreKeepsItAndMayBecomeSmaller() {
        var limits = Limits()
        #expect(define(.init(kinds: [kind("a", 4_000), kind("b", 4_000)]), limits) == nil)
        (limits.kindsBytes, limits.kindBytes) = (5_000, 4_500)
        #expect(define(.init(kinds: [kind("c", 10)]), limits) == .tooLarge)
        #expect(define(.init(kinds: [kind("b", 4_001)]), limits) == .tooLarge)
        #expect(define(.init(kinds: [kind("b", 3_000)]), limits) == nil)
        #expect(define(.init(kinds: [kind("c", 3_900)], dropped: ["a"]), limits) == nil)
        #expect(define(.init(kinds: [kind("c", 100)]), limits) == nil)
        #expect(define(.init(kinds: [kind("d", 100)]), limits) == nil)
        #expect(define(.init(kinds: [kind("d", 3_000)]), limits) == .tooLarge)
        // One kind alone may always be as large as a kind.
        limits.kindsBytes = 100
        #expect(define(.init(kinds: [kind("d", 4_000)], dropped: ["b", "c"]), limits) == nil)
    }
}
