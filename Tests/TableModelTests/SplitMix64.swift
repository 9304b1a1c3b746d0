import SeededNumbers
import Testing

/// By this name the fuzzer has something else, which compiles `RandomCommands.swift` too.
typealias SplitMix64 = SeededNumbers.SplitMix64

struct SplitMix64Tests {
    /// The numbers that others give for this seed.
    @Test func itsNumbersAreThoseOfEverybody() {
        var random = SplitMix64(seed: 1_234_567)
        let drawn = (0..<5).map { _ in random.next() }
        #expect(
            drawn == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }
}
