import TableHash
import TableWire
import Testing

/// The file in which a backup stands.
@Suite("Backup files")
struct BackupFileTests {
    private static let parts: [[UInt8]] = [[1, 2, 3], Array(repeating: 7, count: 300), [0]]

    private static func file(_ parts: [[UInt8]]) -> [UInt8] {
        var writer = BackupWriter()
        var bytes = writer.beginning
        for part in parts { bytes += writer.part(part) }
        return bytes + writer.end
    }

    /// The parts, or why there are none.
    private static func read(_ bytes: [UInt8]) -> Result<[[UInt8]], BackupFault> {
        Result { () throws(BackupFault) in
            var reader = try BackupReader(bytes)
            var parts: [[UInt8]] = []
            while let part = try reader.next() { parts.append(part) }
            return parts
        }
    }

    private static func fault(_ bytes: [UInt8]) -> String? {
        if case .failure(let fault) = read(bytes) { return fault.description }
        return nil
    }

    @Test func whatIsWrittenIsRead() {
        for count in 0...3 {
            let parts = Array(Self.parts.prefix(count))
            #expect(Self.read(Self.file(parts)) == .success(parts))
        }
    }

    /// The form is fixed: old backups are read by new programs.
    @Test func theFormIsFixed() {
        let bytes = Self.file([[1, 2, 3]])
        #expect(bytes.count == 17 + 4 + 3 + 8 + 4 + 8 + 8)
        #expect(
            Array(bytes.prefix(24)) == Array("trestle-backup 1\n".utf8) + [3, 0, 0, 0, 1, 2, 3])
        #expect(XXH64.hash(bytes) == 0xA144285C2A23E7D8)
    }

    @Test func everyFlippedBitIsFound() {
        let whole = Self.file(Self.parts)
        for place in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[place] ^= 1 << UInt8(bit)
                #expect(Self.fault(bytes) != nil, "byte \(place), bit \(bit)")
            }
        }
    }

    @Test func everyCutIsFound() {
        let whole = Self.file(Self.parts)
        for count in 0..<whole.count {
            #expect(Self.fault(Array(whole.prefix(count))) != nil, "cut to \(count) bytes")
        }
    }

    @Test func partsThatAreMissingTwiceOrSwappedAreFound() {
        let whole = Self.file(Self.parts)
        let first = 17..<17 + 15
        let second = 32..<32 + 312
        let without = whole[..<first.lowerBound] + whole[first.upperBound...]
        #expect(Self.fault(Array(without)) == "is damaged in part 0")
        let twice = whole[..<second.lowerBound] + whole[first] + whole[second.lowerBound...]
        #expect(Self.fault(Array(twice)) == "is damaged in part 1")
        let swapped =
            whole[..<first.lowerBound] + whole[second] + whole[first]
            + whole[second.upperBound...]
        #expect(Self.fault(Array(swapped)) == "is damaged in part 0")
    }

    @Test func whatItIsNotIsSaid() {
        let whole = Self.file(Self.parts)
        #expect(Self.fault([]) == "is no backup")
        #expect(Self.fault(Array("{\"id\":\"a\"}\n".utf8)) == "is no backup")
        #expect(
            Self.fault(Array("trestle-backup 2\n".utf8))
                == "is a backup of version 2; this program reads version 1")
        #expect(Self.fault(whole + [0]) == "has something after its end")
        #expect(Self.fault(Array(whole.dropLast())) == "is cut off: it ends in part 3")
        let length: [UInt8] = [255, 255, 255, 255]
        #expect(Self.fault(whole.prefix(17) + length) == "is cut off: it ends in part 0")
    }
}
