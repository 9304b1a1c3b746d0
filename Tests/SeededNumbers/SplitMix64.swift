/// Steele, Lea and Flood's generator: the same seed, the same numbers, on every machine and in every
/// process. What the tests draw from it they can draw again.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// In 0..<bound.
    package mutating func below(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &self)
    }

    /// True once in `number` times.
    package mutating func once(in number: Int) -> Bool {
        below(number) == 0
    }

    /// One of these; they are not empty.
    package mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[below(choices.count)]
    }
}
