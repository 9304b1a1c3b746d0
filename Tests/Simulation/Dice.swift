package import TableModel

/// SplitMix64: the same numbers from the same seed on every machine, shared by reference so that
/// all parts of one run draw from one stream.
package final class Dice {
    private var state: UInt64

    package init(_ seed: UInt64) {
        state = seed
    }

    package func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// In 0..<bound.
    package func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// True in so many of a thousand cases.
    package func chance(_ perMille: Int) -> Bool { below(1_000) < perMille }

    package func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

    package func id128() -> ID128 { ID128(high: next(), low: next()) }

    /// In 0..<1.
    package func fraction() -> Double { Double(next() >> 11) / Double(UInt64(1) << 53) }
}
