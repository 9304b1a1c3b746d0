import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// An id is its bytes: whether they lie in the value or in an object, it is as a list of bytes is.
struct IDTests {
    /// Texts of every length near those at which the form changes, of few letters so that some are equal.
    private static let texts: [String] = {
        var dice = SplitMix64(seed: 11)
        let letters = ["a", "b", "é", "\u{0}"]
        var texts = ["é", "e\u{301}", "r0000001", "😀😀😀😀", "fifteen letters", "sixteen letters!"]
        for length in 0...40 {
            for _ in 0..<6 {
                let places = (0..<length).map { _ in Int.random(in: 0..<4, using: &dice) }
                texts.append(places.map { letters[$0] }.joined())
            }
        }
        return texts + texts.map { String($0.reversed()) }
    }()

    @Test(arguments: texts) func itsBytes(text: String) {
        let bytes = Array(text.utf8)
        let id = ID(text)
        #expect(id.byteCount == bytes.count)
        #expect(id.withLetters { Array($0) } == bytes)
        #expect(Array(id.text.utf8) == bytes && id.description == id.text)
        #expect((id.long == nil) == (bytes.count <= 15))
        // Wherever the bytes lie: nothing before or behind them is read.
        for offset in 0..<8 {
            let around = [UInt8](repeating: 0xff, count: offset) + bytes + [0xff, 0xff]
            let other = around.withUnsafeBytes {
                ID(utf8: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + bytes.count]))
            }
            #expect(other == id && other.key == id.key && other.hashValue == id.hashValue)
        }
    }

    @Test func theyCompareAsTheirBytesDo() {
        var equal = 0
        for (one, other) in Self.texts.flatMap({ one in Self.texts.map { (one, $0) } }) {
            let (a, b) = (ID(one), ID(other))
            let isSame = one.utf8.elementsEqual(other.utf8)
            equal += isSame ? 1 : 0
            if (a == b) != isSame || (b < a) != other.utf8.lexicographicallyPrecedes(one.utf8) {
                Issue.record("\(one.debugDescription) and \(other.debugDescription)")
            }
            if isSame, a.key != b.key { Issue.record("\(one.debugDescription): two hashes") }
        }
        #expect(equal > Self.texts.count)
    }

    /// Ids that differ in little have other hashes: in all bits, so that each is as good as another.
    @Test func theirHashesAreSpread() {
        let ids = (0..<4_096).map { ID("r\($0)") }
        for shift in stride(from: 0, through: 56, by: 8) {
            let places = Set(ids.map { $0.key >> UInt64(shift) & 0xff })
            #expect(places.count > 250, "bits from \(shift) on")
        }
        #expect(Set(ids.map(\.key)).count == ids.count)
        #expect(Set(ids.map { $0.key >> 32 }).count > ids.count - 8)
    }

    /// A copy of a long id is the same object; a short one has none.
    @Test func itTakesThreeWords() {
        #expect(MemoryLayout<ID>.size == 24 && MemoryLayout<ID?>.size == 24)
    }
}
