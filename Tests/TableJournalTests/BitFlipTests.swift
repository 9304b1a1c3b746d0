import Glibc
import TableHash
import Testing

@testable import TableJournal

/// Single flipped bits and cut files: each is either named or harmless, never silently something
/// else. More of them are tried with `TRESTLE_FLIPS=20000`.
@Suite struct BitFlipTests {
    private static let kinds = ["journal", "log-", "checkpoint-", "acknowledged"]
    private let trials = getenv("TRESTLE_FLIPS").flatMap { Int(String(cString: $0)) } ?? 250

    /// A journal that has lived: several segments, some used again, compacted
    /// twice, with a replaced and an unfinished checkpoint.
    private func sample() throws -> (files: [String: [UInt8]], entries: [[UInt8]], Content) {
        let scratch = Scratch()
        var sizes = SplitMix64(seed: 1)
        let entries = (0..<80).map { index in
            payload(index, count: index == 70 ? 20_000 : Int.random(in: 0...900, using: &sizes))
        }
        try scratch.session { journal in
            for entry in entries[..<40] { try journal.append(entry) }
            try checkpoint(journal, seed: 1_000, with: entries[40..<45])
            while try journal.compact(before: 41, atMost: 29) > 0 {}
            while try journal.tend() {}
            try journal.close()
        }
        try scratch.session { journal in
            for entry in entries[45..<60] { try journal.append(entry) }
            try checkpoint(journal, seed: 2_000, with: entries[60..<65])
            while try journal.compact(before: 60, atMost: 100) > 0 {}
            while try journal.tend() {}
            for entry in entries[65...] { try journal.append(entry) }
            try journal.beginCheckpoint()
            try journal.appendToCheckpoint(payload(3_000, count: 5_000))
        }
        var files: [String: [UInt8]] = [:]
        for name in scratch.names where name != "lock" { files[name] = try scratch.read(name) }
        let content = try scratch.content()
        #expect(content.checkpoint == 60)
        #expect(content.positions.contains(61) && content.positions.last == 80)
        #expect(content.entries.suffix(20) == entries[60...])
        #expect(content.parts == (2_000..<2_004).map { payload($0, count: 3_000) })
        #expect(files.keys.filter { $0.hasPrefix("log-") }.count > 1)
        return (files, entries, content)
    }

    private func checkpoint(
        _ journal: LogJournal, seed: Int, with entries: ArraySlice<[UInt8]>
    ) throws {
        try journal.beginCheckpoint()
        for part in 0..<4 {
            try journal.appendToCheckpoint(payload(seed + part, count: 3_000))
            try journal.append(entries[entries.startIndex + part])
        }
        try journal.finishWhole()
        try journal.append(entries[entries.startIndex + 4])
    }

    /// Opens and recovers the damaged files.
    ///
    /// - Returns: true if the damage was named, false if the content is what it was.
    private func isNamed(
        _ files: [String: [UInt8]], _ content: Content, _ damage: String
    ) throws -> Bool {
        let scratch = Scratch()
        for (name, bytes) in files { try scratch.write(name, bytes) }
        do {
            let found = try scratch.content()
            #expect(found == content, "silently different: \(damage)")
            return false
        } catch {
            #expect(error is JournalError, "\(damage): \(error)")
            return true
        }
    }

    /// Where the needed payloads lie: behind what the checkpoint covers.
    private func places(
        _ files: [String: [UInt8]], _ entries: ArraySlice<[UInt8]>
    ) -> [(name: String, range: Range<Int>)] {
        files.sorted { $0.key < $1.key }.flatMap { name, bytes in
            entries.compactMap { entry in
                guard entry.count >= 16, let at = Self.find(entry, in: bytes) else { return nil }
                return (name, at..<at + entry.count)
            }
        }
    }

    private static func find(_ entry: [UInt8], in bytes: [UInt8]) -> Int? {
        let word = entry.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        let places = bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count - entry.count, by: 8).filter {
                bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self) == word
            }
        }
        return places.first { Array(bytes[$0..<$0 + entry.count]) == entry }
    }

    /// All of them: also in the newest entry, which looks like a torn end then.
    @Test(arguments: [1, 2] as [UInt64]) func inPayloadsAllAreNamed(seed: UInt64) throws {
        let (files, entries, content) = try sample()
        var random = SplitMix64(seed: seed)
        let places = places(files, entries[60...])
        #expect(places.count > 15)
        for _ in 0..<trials {
            let (name, range) = try #require(places.randomElement(using: &random))
            let byte = Int.random(in: range.lowerBound - 56..<range.upperBound, using: &random)
            var damaged = files
            damaged[name]?[byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            #expect(try isNamed(damaged, content, "seed \(seed), \(name) byte \(byte)"))
        }
    }

    @Test(arguments: kinds, [3] as [UInt64]) func anywhere(kind: String, seed: UInt64) throws {
        let (files, _, content) = try sample()
        var random = SplitMix64(seed: seed)
        let names = files.keys.sorted().filter { $0.hasPrefix(kind) }
        var named = 0
        for name in names where kind == "log-" || name.count == kind.count || kind.hasSuffix("-") {
            for _ in 0..<trials {
                let byte = Int.random(in: 0..<(files[name]?.count ?? 1), using: &random)
                let bit = UInt8.random(in: 0..<8, using: &random)
                var damaged = files
                damaged[name]?[byte] ^= 1 << bit
                let place = "seed \(seed), \(name) byte \(byte) bit \(bit)"
                let isNamed = try isNamed(damaged, content, place)
                named += isNamed ? 1 : 0
                #expect(kind != "acknowledged" || !isNamed, "a promise in doubt is only a warning")
            }
        }
        // In these two nothing is unused.
        if ["journal", "checkpoint-"].contains(kind) { #expect(named == names.count * trials) }
    }

    @Test(arguments: kinds) func aFileCutShort(kind: String) throws {
        let (files, _, content) = try sample()
        var random = SplitMix64(seed: 4)
        for name in files.keys.sorted() where name.hasPrefix(kind) {
            for _ in 0..<trials / 4 {
                let count = Int.random(in: 0..<(files[name]?.count ?? 1), using: &random)
                var damaged = files
                damaged[name] = Array((files[name] ?? []).prefix(count))
                _ = try isNamed(damaged, content, "\(name) cut to \(count) bytes")
            }
        }
    }
}
