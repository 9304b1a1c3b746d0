import TableHash
import Testing

@testable import TableJournal

/// Single flipped bits in records that are in force: all of them are named at the start.
///
/// `BitFlipTests` flips bits anywhere, also in pages that later ones have replaced: there a flip may
/// be harmless, and how many were named says little.
@Suite struct RecordFlipTests {
    private static let flips = 400

    /// A closed journal, all of which is in the database: 60 entries, a checkpoint of 4 parts
    /// over the first 30.
    private func sample() throws -> (files: [String: [UInt8]], records: [[UInt8]]) {
        let scratch = Scratch()
        let entries = (0..<60).map { payload($0, count: 200 + 10 * $0) }
        let parts = (0..<4).map { payload(1_000 + $0, count: 3_000) }
        try scratch.session { journal in
            for entry in entries[..<30] { try journal.append(entry) }
            try journal.beginCheckpoint()
            for part in parts { try journal.appendToCheckpoint(part) }
            try journal.finishCheckpoint()
            for entry in entries[30...] { try journal.append(entry) }
            try journal.close()
        }
        let names = ["journal.db", "acknowledged"]
        let files = try Dictionary(uniqueKeysWithValues: names.map { ($0, try scratch.read($0)) })
        return (files, entries + parts)
    }

    /// Where each record's bytes lie, of those that lie in one place only: where a page was split,
    /// a copy may have been left behind that nobody reads.
    private func places(of records: [[UInt8]], in file: [UInt8]) -> [Range<Int>] {
        var starts: [UInt64: [Int]] = [:]
        file.withUnsafeBytes { bytes in
            for place in 0..<max(0, bytes.count - 7) {
                let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                starts[word, default: []].append(place)
            }
        }
        return records.compactMap { record in
            let word = record.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            guard let places = starts[word], places.count == 1 else { return nil }
            let range = places[0]..<places[0] + record.count
            return range.upperBound <= file.count && Array(file[range]) == record ? range : nil
        }
    }

    private func isNamed(_ files: [String: [UInt8]]) throws -> Bool {
        let scratch = Scratch()
        for (name, bytes) in files { try scratch.write(name, bytes) }
        do {
            _ = try scratch.content()
            return false
        } catch {
            #expect(error is JournalError)
            return true
        }
    }

    @Test(arguments: [1] as [UInt64]) func allAreNamed(seed: UInt64) throws {
        let (files, records) = try sample()
        let database = try #require(files["journal.db"])
        let places = places(of: records, in: database)
        #expect(places.count > records.count / 2, "\(places.count) of \(records.count)")
        #expect(try !isNamed(files))
        var random = SplitMix64(seed: seed)
        var named = 0
        for _ in 0..<Self.flips {
            let record = try #require(places.randomElement(using: &random))
            let byte = Int.random(in: record, using: &random)
            var damaged = files
            damaged["journal.db"]?[byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            named += try isNamed(damaged) ? 1 : 0
        }
        #expect(named == Self.flips)
    }
}
