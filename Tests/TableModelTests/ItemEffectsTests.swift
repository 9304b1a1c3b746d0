import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Effects that set fields of one item are joined, since each writes the whole strip anew. What comes
/// of them is what comes of each by itself.
struct ItemEffectsTests {
    private func strip() -> Ledger {
        let ledger = Ledger()
        var content = Row.Content(kind: "strip")
        content.items = ["i", "j"].map { Item($0, fields: [.init("a", "first")]) }
        for verb in [define([]), .add(Command.Add(id: "s", content))] {
            #expect((try? ledger.perform(verb).get()) != nil)
        }
        return ledger
    }

    private func define(_ tap: [Effect]) -> Command.Verb {
        var kind = Kind("strip")
        kind.isStrip = true
        (kind.tap, kind.tapRepeats) = (tap, true)
        return .define(.init(kinds: [kind]))
    }

    /// Whether selecting the item with these effects was allowed.
    private func selects(_ effects: [Effect], _ ledger: Ledger) -> Bool {
        guard case .success = ledger.perform(define(effects)) else { return false }
        guard case .success = ledger.perform(.select("s", item: "i")) else { return false }
        return true
    }

    private func effect(_ dice: inout SplitMix64) -> Effect {
        let keys: [ID] = ["a", "b", "c"]
        func key() -> ID { keys.randomElement(using: &dice) ?? "a" }
        let value = "\(Int.random(in: 0..<100, using: &dice))"
        switch Int.random(in: 0..<12, using: &dice) {
        case 0..<6: return .setItem([.init(key(), value), .init(key(), value + "!")])
        case 6..<8: return .fill([.init(key(), "{a}{b}{c}")])
        case 8: return .set([.init(key(), value)])
        case 9: return .increment([.init("n", by: 1)])
        case 10: return .toggle
        default: return .expand(.collapsed)
        }
    }

    @Test func joinedEffectsComeToTheSame() {
        var dice = SplitMix64(seed: 26)
        for _ in 0..<100 {
            let count = Int.random(in: 1...10, using: &dice)
            // Fields that are not there cannot be filled in.
            let begin: [Effect] = [
                .setItem([.init("b", "1")]), .setItem([.init("c", "2")]),
            ]
            let effects = begin + (0..<count).map { _ in effect(&dice) }
            let (together, apart) = (strip(), strip())
            #expect(selects(effects, together))
            for effect in effects { #expect(selects([effect], apart)) }
            #expect(together.table.row("s")?.content == apart.table.row("s")?.content)
            #expect(together.table.row("s")?.expansion == apart.table.row("s")?.expansion)
        }
    }

    @Test func oneOpForManyEffects() throws {
        let ledger = strip()
        let effects: [Effect] = (0..<8).flatMap { number -> [Effect] in
            [.setItem([.init("a", "\(number)")]), .set([.init("n", "\(number)")])]
        }
        _ = try ledger.perform(define(effects)).get()
        let plan = try ledger.perform(.select("s", item: "i")).get()
        let steps = plan.ops.filter { if case .item = $0 { true } else { false } }
        #expect(steps.count == 1)
        #expect(ledger.table.row("s")?.content.items[0].fields == [.init("a", "7")])
    }
}
