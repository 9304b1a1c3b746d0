import JournalFormat
import Testing

@testable import TableJournal

/// A failing disk ends the journal, and loses nothing.
@Suite struct FailureTests {
    /// Each call by its number: after it fails nothing is written any more, and the next start has all
    /// that was acknowledged.
    @Test func theNthCallFails() throws {
        var number = 0
        while true {
            let disk = MemoryDisk(seed: UInt64(number))
            disk.fuse = number
            var acknowledged: [[UInt8]] = []
            let isDone = (try? Self.work(disk, &acknowledged)) != nil
            disk.fuse = nil
            let journal = try LogJournal(disk, Lives.limits)
            let entries = try Content(of: journal).entries
            #expect(entries.count >= acknowledged.count && entries.count <= acknowledged.count + 1)
            #expect(Array(entries.prefix(acknowledged.count)) == acknowledged)
            number += 1
            if isDone { break }
        }
        #expect(number > 60)
    }

    /// Whatever the journal does, once, and as far as it comes.
    private static func work(_ disk: MemoryDisk, _ acknowledged: inout [[UInt8]]) throws {
        let journal = try LogJournal(disk, Lives.limits)
        func append(_ count: Int) throws {
            let entry = payload(acknowledged.count, count: count)
            do {
                try journal.append(entry)
            } catch {
                let calls = disk.calls
                #expect(throws: JournalError.poisoned(path: disk.path)) { try journal.append([1]) }
                #expect(throws: JournalError.poisoned(path: disk.path)) { try journal.tend() }
                #expect(throws: JournalError.poisoned(path: disk.path)) {
                    try journal.compact(before: 9, atMost: 9)
                }
                try journal.close()
                #expect(disk.calls == calls, "written after a failure")
                throw error
            }
            acknowledged.append(entry)
        }
        for count in [10, 3_000, 9_000, 40_000, 20, 5_000, 9_000] {
            try append(count)
            for _ in 0..<12 { _ = try journal.tend() }
        }
        try journal.wholeCheckpoint([payload(1, count: 10_000)])
        try append(10)
        try journal.wholeCheckpoint([payload(2, count: 10)])
        while try journal.compact(before: 1, atMost: 9) > 0 {}
        try journal.close()
    }

    /// A commit may need a segment whose name is being synced: whatever fails meanwhile, it fails too.
    @Test func aFailedSyncOfANameIsHeardOf() throws {
        var failures = 0
        for seed in 0..<40 as Range<UInt64> {
            for fuse in 0..<6 {
                let disk = MemoryDisk(seed: seed)
                let journal = try LogJournal(disk, Lives.limits)
                try journal.append(payload(1, count: 9_000))
                // Until the next segment has its name, which is not durable yet.
                while disk.files["log-0000000000000002"] == nil { _ = try journal.tend() }
                disk.fuse = fuse
                let isDone = (try? journal.append(payload(2, count: 9_000))) != nil
                #expect(isDone == (disk.fuse != nil), "seed \(seed), call \(fuse)")
                if !isDone { failures += 1 }
            }
        }
        #expect(failures >= 80)
    }

    /// A failed sync is reported also of a checkpoint that has its name, and is given up.
    @Test func aFailedSyncOfAnAbandonedCheckpointIsHeardOf() throws {
        let disk = MemoryDisk(seed: 1)
        let journal = try LogJournal(disk, Lives.limits)
        try journal.append([1])
        try journal.beginCheckpoint()
        while disk.files["checkpoint-0000000000000001"] == nil {
            #expect(try !journal.finishCheckpoint())
        }
        disk.fuse = 0
        #expect(throws: MemoryDisk.Broken.self) { try journal.abandonCheckpoint() }
    }

    @Test func aPayloadBeyondTheLimitIsRefusedByName() throws {
        var limits = Lives.limits
        limits.payloadBytes = 1_000
        let journal = try LogJournal(MemoryDisk(seed: 1), limits)
        try journal.append(payload(1, count: 1_000))
        #expect(throws: JournalError.payloadTooLarge(bytes: 1_001, limit: 1_000)) {
            try journal.append(payload(1, count: 1_001))
        }
        #expect(throws: JournalError.poisoned(path: "/disk")) { try journal.append([1]) }
    }

    /// A commit is one write and one sync, wherever in a segment it is.
    @Test func anEntryIsTwoCalls() throws {
        let disk = MemoryDisk(seed: 1)
        let journal = try LogJournal(disk, Lives.limits)
        for number in 0..<200 {
            for _ in 0..<30 { _ = try journal.tend() }
            let before = disk.calls
            try journal.append(payload(number, count: 700))
            #expect(disk.calls == before + 2)
        }
    }
}
