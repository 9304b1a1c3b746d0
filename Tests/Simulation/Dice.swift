import SeededNumbers
package import TableModel

/// Random numbers that depend on the seed alone on every machine, shared by reference so that all parts of
/// one run draw from one stream.
package final class Dice {
    private var numbers: SplitMix64

    package init(_ seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    package func next() -> UInt64 { numbers.next() }

    /// In 0..<bound.
    package func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// True in so many of a thousand cases.
    package func chance(_ perMille: Int) -> Bool { below(1_000) < perMille }

    package func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

    package func id128() -> ID128 { ID128(high: next(), low: next()) }

    /// In 0..<1.
    package func fraction() -> Double { Double(next() >> 11) / Double(UInt64(1) << 53) }
}
