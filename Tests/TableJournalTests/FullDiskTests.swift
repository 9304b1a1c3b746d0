import JournalFormat
import Testing

@testable import TableJournal

/// A disk that is full from some call on, whatever that call is, and later has room again.
@Suite struct FullDiskTests {
    @Test(arguments: [false, true]) func fromEachCallOn(copiesOnWrite: Bool) throws {
        var (calls, met) = (0, 0)
        while true {
            let disk = MemoryDisk(seed: UInt64(calls))
            (disk.fullAfter, disk.copiesOnWrite) = (calls, copiesOnWrite)
            var acknowledged: [[UInt8]] = []
            let isMet = !Self.goesWell { try Self.work(disk, &acknowledged) }
            if isMet { met += 1 }
            // Again and again on the full disk: it opens or says why, and changes nothing.
            disk.fullAfter = 0
            for _ in 0..<2 {
                let opens = Self.goesWell {
                    let journal = try LogJournal(disk, Lives.limits)
                    journal.hasRoom = false
                    for _ in 0..<5 { _ = try journal.tend() }
                    try Self.compare(journal, &acknowledged)
                }
                // A journal that was open once opens again without a free byte, where overwriting takes none.
                let wasOpen = disk.files["acknowledged"]?.content.isEmpty == false
                if !copiesOnWrite { #expect(opens == wasOpen, "full after \(calls) calls") }
            }
            disk.fullAfter = nil
            try Self.compare(LogJournal(disk, Lives.limits), &acknowledged)
            try Self.work(disk, &acknowledged)
            try Self.compare(LogJournal(disk, Lives.limits), &acknowledged)
            if !isMet { break }
            calls += 1
        }
        #expect(met > 60)
    }

    /// An entry that fits into prepared segments is committed, though nothing is free.
    @Test func aCommitKeepsItsRoom() throws {
        let disk = MemoryDisk(seed: 1)
        let journal = try LogJournal(disk, Lives.limits)
        for _ in 0..<3 { try journal.append(payload(1, count: 3_000)) }
        while try journal.tend() {}
        disk.fullAfter = 0
        journal.hasRoom = false
        let before = journal.durable
        #expect(throws: MemoryDisk.full("log-0000000000000003")) {
            while true {
                _ = try journal.tend()
                try journal.append(payload(2, count: 3_000))
            }
        }
        #expect(journal.durable >= before + 4)
    }

    /// Removed files give their room back, also where to rename something would need some.
    @Test(arguments: [false, true]) func withoutRoomSegmentsAreNotKeptForLater(
        hasRoom: Bool
    ) throws {
        let disk = MemoryDisk(seed: 1)
        let journal = try LogJournal(disk, Lives.limits)
        for number in 0..<6 { try journal.append(payload(number, count: 9_000)) }
        try journal.wholeCheckpoint([])
        (disk.fullAfter, disk.copiesOnWrite) = (hasRoom ? nil : 0, true)
        journal.hasRoom = hasRoom
        while try journal.compact(before: journal.durable, atMost: 9) > 0 {}
        let segments = disk.files.keys.filter { $0.hasPrefix("log-") }
        #expect(segments.count == (hasRoom ? 3 : 1), "\(segments)")
        disk.fullAfter = nil
        try journal.append([7])
        #expect(try Content(of: LogJournal(disk, Lives.limits)).positions.last == 7)
    }

    /// False if the disk was full; nothing else may go wrong.
    private static func goesWell(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            #expect("\(error)".contains("No space left on device"), "\(error)")
            return false
        }
    }

    /// Entries, a segment that is prepared, two checkpoints, and segments that are used again.
    private static func work(_ disk: MemoryDisk, _ acknowledged: inout [[UInt8]]) throws {
        let journal = try LogJournal(disk, Lives.limits)
        for (number, count) in [10, 9_000, 3_000, 40_000, 20, 9_000, 9_000, 5_000].enumerated() {
            let entry = payload(acknowledged.count, count: count)
            try journal.append(entry)
            acknowledged.append(entry)
            for _ in 0..<6 { _ = try journal.tend() }
            guard number % 4 == 2 else { continue }
            try journal.wholeCheckpoint([payload(number, count: 6_000)])
            while try journal.compact(before: journal.durable, atMost: 9) > 0 {}
        }
        try journal.close()
    }

    /// All acknowledged entries are there. Another entry may be there too, and counts from then on.
    private static func compare(_ journal: LogJournal, _ acknowledged: inout [[UInt8]]) throws {
        let content = try Content(of: journal)
        let count = Int(journal.durable)
        #expect(count >= acknowledged.count && count <= acknowledged.count + 1)
        for (position, entry) in zip(content.positions, content.entries) {
            if position > acknowledged.count { acknowledged.append(entry) }
            #expect(entry == acknowledged[Int(position) - 1])
        }
        let retained = content.positions.first.map { $0 - 1 } ?? journal.durable
        #expect(content.checkpoint ?? 0 >= retained)
    }
}
