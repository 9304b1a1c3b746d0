import Glibc
import JournalFormat
import TableHash
import Testing

@testable import TableJournal

/// Salvage gives what the journal once was, or nothing, whatever was done to its files; and it leaves
/// them as they are.
@Suite struct SalvageTests {
    private let trials = getenv("TRESTLE_FLIPS").flatMap { Int(String(cString: $0)) } ?? 250

    /// A journal of 60 entries with a checkpoint at 40, and older entries that are still there.
    private struct Sample {
        var files: [String: [UInt8]] = [:]
        let entries = (1...60).map { payload($0, count: 100 + $0 * 37) }
        let parts = (0..<4).map { payload(1_000 + $0, count: 3_000) }

        init(hasCheckpoint: Bool = true) throws {
            let scratch = Scratch()
            try scratch.session { journal in
                for entry in entries[..<40] { try journal.append(entry) }
                if hasCheckpoint {
                    try journal.wholeCheckpoint(parts)
                    while try journal.compact(before: 41, atMost: 100) > 0 {}
                }
                for entry in entries[40...] { try journal.append(entry) }
                try journal.close()
            }
            for name in scratch.names where name != "lock" {
                files[name] = try scratch.read(name)
            }
        }

        var segments: [String] { files.keys.filter { $0.hasPrefix("log-") }.sorted() }
        var checkpoint: String {
            get throws { try #require(files.keys.first { $0.hasPrefix("checkpoint-") }) }
        }
    }

    /// Salvages some files: the findings, and the content that a start finds in the new directory.
    private func salvage(_ files: [String: [UInt8]]) throws -> (Salvage, Content?) {
        let (old, new) = (Scratch(), Scratch())
        for (name, bytes) in files { try old.write(name, bytes) }
        let salvage = try Salvage(directory: old.path)
        var saved: Content?
        if salvage.end.position > 0 {
            try salvage.write(to: FileDisk(path: new.path), Scratch.small)
            saved = try new.content()
        }
        #expect(old.names == files.keys.sorted(), "a name was changed")
        for (name, bytes) in files { #expect(try old.read(name) == bytes, "\(name) was changed") }
        return (salvage, saved)
    }

    /// Whether what was saved is what the sample once was.
    private func isPrefix(_ saved: Content, of sample: Sample) -> Bool {
        let covered = Int(saved.checkpoint ?? 0)
        let last = covered + saved.entries.count
        return [0, 40].contains(covered) && (covered == 0 || saved.parts == sample.parts)
            && last <= 60 && saved.entries == Array(sample.entries[covered..<last])
            && saved.positions == (covered..<last).map { UInt64($0 + 1) }
    }

    @Test func wholeJournalIsSavedAsItIs() throws {
        for hasCheckpoint in [false, true] {
            let sample = try Sample(hasCheckpoint: hasCheckpoint)
            let (salvage, saved) = try salvage(sample.files)
            let content = try #require(saved)
            #expect(salvage.isComplete && salvage.knowsNewest && salvage.faults.isEmpty)
            #expect(isPrefix(content, of: sample) && salvage.end.position == 60)
            #expect(content.checkpoint == (hasCheckpoint ? 40 : nil))
        }
    }

    @Test func flippedBitsSaveAPrefix() throws {
        var dice = SplitMix64(seed: 21)
        var ends: Set<UInt64> = []
        for hasCheckpoint in [false, true] {
            let sample = try Sample(hasCheckpoint: hasCheckpoint)
            let names = sample.files.keys.sorted()
            for _ in 0..<trials / 2 {
                let name = names[Int.random(in: 0..<names.count, using: &dice)]
                var files = sample.files
                let used = files[name]?.lastIndex(where: { $0 != 0 }) ?? 0
                let bit = Int.random(in: 0..<8 * (used + 1), using: &dice)
                files[name]?[bit / 8] ^= 1 << (bit % 8)
                let (salvage, saved) = try salvage(files)
                ends.insert(salvage.end.position)
                guard let saved else {
                    // Only the base of everything is worth everything.
                    #expect(name.hasPrefix("checkpoint-") || salvage.newest > 0)
                    continue
                }
                #expect(isPrefix(saved, of: sample), "\(name), bit \(bit)")
                #expect(salvage.isComplete == (salvage.end.position == 60), "\(name), bit \(bit)")
                #expect(salvage.isComplete || !salvage.faults.isEmpty, "\(name), bit \(bit)")
            }
        }
        #expect(ends.count > 5, "the flips did not meet entries")
    }

    @Test func cutFilesSaveAPrefix() throws {
        var dice = SplitMix64(seed: 22)
        let sample = try Sample()
        let names = sample.files.keys.sorted()
        for _ in 0..<trials / 2 {
            let name = names[Int.random(in: 0..<names.count, using: &dice)]
            var files = sample.files
            let size = files[name]?.count ?? 0
            files[name] = Array(files[name]?.prefix(Int.random(in: 0..<size, using: &dice)) ?? [])
            let (salvage, saved) = try salvage(files)
            #expect(saved.map { isPrefix($0, of: sample) } ?? true, "\(name)")
            #expect(salvage.isComplete == (salvage.end.position == 60), "\(name)")
        }
    }

    @Test func missingFilesAreNamed() throws {
        let sample = try Sample()
        let names = sample.files.keys.sorted()
        for name in names {
            var files = sample.files
            files[name] = nil
            let (salvage, saved) = try salvage(files)
            #expect(saved.map { isPrefix($0, of: sample) } ?? true)
            if name == FileName.manifest || name == FileName.acknowledged {
                #expect(salvage.end.position == 60)
                #expect(salvage.faults.contains { $0.file == name && $0.what == "is missing" })
            }
        }
        let last = try #require(sample.segments.last)
        var files = sample.files
        files[last] = nil
        let (salvage, _) = try salvage(files)
        #expect(!salvage.isComplete && salvage.newest == 60)
    }

    @Test func lostCheckpointWithoutOlderCommitsSavesNothing() throws {
        let sample = try Sample()
        var files = sample.files
        files[try sample.checkpoint] = nil
        // The segments of before went with the checkpoint.
        let first = try #require(sample.segments.first)
        files[first] = nil
        let (salvage, saved) = try salvage(files)
        #expect(saved == nil && salvage.newest == 60 && !salvage.faults.isEmpty)
    }

    @Test func placeOfTheDamageIsNamed() throws {
        let sample = try Sample(hasCheckpoint: false)
        let name = try #require(sample.segments.first)
        // Entry 1 begins behind the header's page. A bit of its payload, then of the one behind it.
        let second = SegmentHeader.size + EntryHeader.room(for: sample.entries[0].count)
        var files = sample.files
        files[name]?[second + EntryHeader.size + 5] ^= 4
        let (salvage, saved) = try salvage(files)
        #expect(salvage.end.position == 1 && saved?.entries == [sample.entries[0]])
        #expect(
            salvage.faults == [
                .init(
                    file: name, offset: second,
                    what: "the content of commit 2 is not what was written")
            ])
        let scratch = Scratch()
        for (name, bytes) in files { try scratch.write(name, bytes) }
        var newest: UInt64?
        try Salvage(directory: scratch.path).newestLegible { position, payload in
            newest = position
            #expect(Array(payload) == sample.entries[59])
        }
        #expect(newest == 60)
    }

    /// A start takes the newest entry for a torn end if nothing says that somebody was told of it. So does salvage.
    @Test(arguments: [false, true]) func tornEndIsNotMissing(isPromised: Bool) throws {
        let sample = try Sample(hasCheckpoint: false)
        var files = sample.files
        if !isPromised { files[FileName.acknowledged] = nil }
        let name = try #require(sample.segments.last)
        let last = try #require(sample.entries.last)
        let used = try #require(files[name]?.lastIndex(of: last[last.count - 1]))
        files[name]?[used] ^= 1
        let (salvage, saved) = try salvage(files)
        #expect(saved?.positions.last == 59)
        #expect(salvage.isComplete == !isPromised && salvage.newest == (isPromised ? 60 : 59))
        #expect(salvage.begun == (isPromised ? nil : 60))
        let scratch = Scratch()
        for (name, bytes) in files { try scratch.write(name, bytes) }
        if isPromised {
            #expect(throws: JournalError.self) { try scratch.open() }
        } else {
            #expect(try scratch.content().positions.last == 59)
        }
    }

    @Test func directoryInUseIsRefused() throws {
        let scratch = Scratch()
        let held = try StateDirectory(path: scratch.path)
        #expect(throws: JournalError.locked(directory: scratch.path, pid: getpid())) {
            _ = try Salvage(directory: scratch.path)
        }
        unlink(scratch.file("lock"))
        #expect(throws: JournalError.locked(directory: scratch.path, pid: nil)) {
            _ = try Salvage(directory: scratch.path)
        }
        withExtendedLifetime(held) {}
    }
}
