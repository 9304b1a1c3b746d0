import Testing

@testable import TableTransport

@Suite struct KeyPaceTests {
    private static let second: UInt64 = 1_000_000_000

    private static func key(_ byte: UInt8) throws -> CurveKey {
        try #require(CurveKey(bytes: [UInt8](repeating: byte, count: 32)))
    }

    @Test func aKeyHasItsBurstThenItsPace() throws {
        var pace = KeyPace(burst: 5)
        let key = try Self.key(1)
        let start = 1_000 * Self.second
        func count(_ key: CurveKey, at now: UInt64) -> Int {
            (0..<100).count { _ in pace.lets(key, at: now) }
        }
        #expect(count(key, at: start) == 5)
        #expect(count(key, at: start) == 0)
        #expect(try count(Self.key(2), at: start) == 5, "another key")
        #expect(count(key, at: start + Self.second / 10) == 2)
        #expect(count(key, at: start + 60 * Self.second) == 5)
        pace.keep([])
        #expect(count(key, at: start + 60 * Self.second) == 5, "forgotten")
        #expect(count(key, at: 1) == 0, "the clock has just begun")
    }
}
