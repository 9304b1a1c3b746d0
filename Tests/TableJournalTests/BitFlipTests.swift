import Glibc
import TableHash
import Testing

@testable import TableJournal

/// Single flipped bits and cut files: each is either named or harmless, never silently something
/// else. More of them are tried with `TRESTLE_FLIPS=20000`.
@Suite struct BitFlipTests {
    private static let names = ["journal.db", "journal.db-wal", "acknowledged"]
    private let trials = getenv("TRESTLE_FLIPS").flatMap { Int(String(cString: $0)) } ?? 250

    /// A journal that has lived: entries and parts in the database and in a live log, compacted
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
            #expect(try journal.compact(before: 30, atMost: 29) == 29)
            try journal.close()
        }
        try scratch.session { journal in
            for entry in entries[45..<60] { try journal.append(entry) }
            try checkpoint(journal, seed: 2_000, with: entries[60..<65])
            #expect(try journal.compact(before: 50, atMost: 4) == 4)
            #expect(try journal.compact(before: 50, atMost: 100) == 20)
            for entry in entries[65...] { try journal.append(entry) }
            try journal.beginCheckpoint()
            try journal.appendToCheckpoint(payload(3_000, count: 5_000))
        }
        let files = try Dictionary(
            uniqueKeysWithValues: Self.names.map { ($0, try scratch.read($0)) })
        let content = try scratch.content()
        #expect(content.checkpoint == 60)
        #expect(content.positions == Array(50...80))
        #expect(content.entries == Array(entries[49...]))
        #expect(content.parts == (2_000..<2_004).map { payload($0, count: 3_000) })
        return (files, entries, content)
    }

    private func checkpoint(
        _ journal: SQLiteJournal, seed: Int, with entries: ArraySlice<[UInt8]>
    ) throws {
        try journal.beginCheckpoint()
        for part in 0..<4 {
            try journal.appendToCheckpoint(payload(seed + part, count: 3_000))
            try journal.append(entries[entries.startIndex + part])
        }
        try journal.finishCheckpoint()
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

    /// Where the retained payloads and their chains lie in a file: windows of 8 bytes.
    private func windows(in file: [UInt8], of entries: [[UInt8]]) -> [Int] {
        var wanted: Set<UInt64> = []
        var chain = Chain.start
        for (index, entry) in entries.enumerated() {
            entry.withUnsafeBytes { bytes in
                chain = Chain.link(after: chain, number: UInt64(index + 1), payload: bytes)
                guard index >= 49 else { return }
                // SQLite stores integers with the most significant byte first.
                wanted.insert(chain.byteSwapped)
                for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                    wanted.insert(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                }
            }
        }
        return file.withUnsafeBytes { bytes in
            (0..<max(0, bytes.count - 7)).filter {
                wanted.contains(bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
    }

    @Test(arguments: [1, 2] as [UInt64]) func inPayloadsAndChains(seed: UInt64) throws {
        let (files, entries, content) = try sample()
        var random = SplitMix64(seed: seed)
        var named = 0
        let places = Self.names[..<2].flatMap { name in
            windows(in: files[name] ?? [], of: entries).map { (name, $0) }
        }
        for _ in 0..<trials {
            let (name, window) = try #require(places.randomElement(using: &random))
            let (byte, bit) = (window + Int.random(in: 0..<8, using: &random), UInt8(1))
            var damaged = files
            damaged[name]?[byte] ^= bit << UInt8.random(in: 0..<8, using: &random)
            named += try isNamed(damaged, content, "seed \(seed), \(name) byte \(byte)") ? 1 : 0
        }
        // The rest lies in pages of the log that later commits have replaced.
        #expect(named > trials / 2)
    }

    @Test(arguments: names, [3] as [UInt64]) func anywhere(name: String, seed: UInt64) throws {
        let (files, _, content) = try sample()
        var random = SplitMix64(seed: seed)
        for _ in 0..<trials {
            let byte = Int.random(in: 0..<(files[name]?.count ?? 1), using: &random)
            let bit = UInt8.random(in: 0..<8, using: &random)
            var damaged = files
            damaged[name]?[byte] ^= 1 << bit
            let place = "seed \(seed), \(name) byte \(byte) bit \(bit)"
            let isNamed = try isNamed(damaged, content, place)
            #expect(name != "acknowledged" || !isNamed, "a promise in doubt is only a warning")
        }
    }

    @Test(arguments: names) func aFileCutShort(name: String) throws {
        let (files, _, content) = try sample()
        var random = SplitMix64(seed: 4)
        for _ in 0..<trials / 4 {
            let count = Int.random(in: 0..<(files[name]?.count ?? 1), using: &random)
            var damaged = files
            damaged[name] = Array((files[name] ?? []).prefix(count))
            _ = try isNamed(damaged, content, "\(name) cut to \(count) bytes")
        }
    }
}
