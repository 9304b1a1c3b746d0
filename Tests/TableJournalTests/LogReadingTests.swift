import JournalFormat
import Testing

@testable import TableJournal

/// A standby reads a log, and makes a copy of it.
@Suite struct LogReadingTests {
    /// Their lengths are no multiples of 8, so there is padding between them.
    private func entry(_ number: Int) -> [UInt8] { payload(number, count: 3_000 + number % 8) }

    private func fill(_ journal: LogJournal, _ count: Int, from first: Int = 0) throws {
        for number in first..<first + count { try journal.append(entry(number)) }
    }

    /// Reads all that is there, a little at a time.
    private func read(_ journal: LogJournal, behind place: LogPlace, atMost: Int) throws
        -> [[UInt8]]
    {
        var cursor = try #require(try journal.cursor(behind: place))
        var all: [[UInt8]] = []
        while true {
            let some = try #require(try journal.entries(from: &cursor, atMost: atMost))
            if some.isEmpty { return all }
            all += some
            #expect(cursor.position == place.position + UInt64(all.count))
        }
    }

    /// Some of what is read at once ends between an entry and its padding.
    @Test(arguments: [1, 5_000, 1 << 20] + Array(6_105..<6_125)) func readsOverSegments(atMost: Int)
        throws
    {
        let scratch = Scratch()
        let journal = try scratch.open()
        try fill(journal, 100)
        let start = LogPlace(log: journal.logNumber, position: 0, chain: 0)
        let all = try read(journal, behind: start, atMost: atMost)
        #expect(all == (0..<100).map(entry))
        // It goes on behind a later place, and at the newest there is nothing.
        let place = journal.place
        try fill(journal, 30, from: 100)
        #expect(try read(journal, behind: place, atMost: atMost).count == 30)
        #expect(try read(journal, behind: journal.place, atMost: atMost).isEmpty)
    }

    @Test func anotherHistoryIsNoPlace() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        try fill(journal, 50)
        var place = journal.place
        place.chain ^= 1
        #expect(try journal.cursor(behind: place) == nil)
        place = journal.place
        place.log ^= 1
        #expect(try journal.cursor(behind: place) == nil)
        place = journal.place
        place.position += 1
        #expect(try journal.cursor(behind: place) == nil)
    }

    /// The entries of one log in another one that began as its copy: the chain is the same, also after a start.
    @Test func aCopyGoesOnAlike() throws {
        let (first, second) = (Scratch(), Scratch())
        let journal = try first.open()
        try fill(journal, 20)
        try journal.wholeCheckpoint([payload(1, count: 100_000)])
        try fill(journal, 20, from: 20)
        let copied = try #require(journal.copied)
        let directory = try StateDirectory(path: second.path)
        try LogJournal(directory: directory).close()
        let copy = try CopiedLog(
            in: directory, copied.place, checkpoint: copied.number, size: copied.size)
        while !copy.isWhole {
            let piece = try #require(
                try journal.bytes(ofCheckpoint: copied.number, from: copy.count, atMost: 7_000))
            #expect(try copy.add(piece))
        }
        #expect(try !copy.add([1]))
        #expect(try copy.finish())
        let apart = try #require(try CopiedLog.settle(in: directory))
        #expect(apart.hasSuffix("/apart-1"))
        #expect(try CopiedLog.settle(in: directory) == nil)
        try CopiedLog.remove(apart: apart)
        let other = try LogJournal(directory: directory)
        #expect(other.place == copied.place)
        let rest = try read(journal, behind: other.place, atMost: 10_000)
        #expect(try !other.submit(copied: rest, leadingTo: journal.place.chain ^ 1))
        #expect(other.durable == 20)
        #expect(try other.submit(copied: rest, leadingTo: journal.place.chain))
        #expect(other.place == journal.place)
        try other.close()
        let again = try LogJournal(directory: directory)
        #expect(again.place == journal.place && again.warnings.isEmpty)
        #expect(try Content(of: again).entries == (20..<40).map(entry))
    }

    /// The files that a standby needs stay, and go when it needs them no longer.
    @Test func whatIsKeptStays() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        try fill(journal, 100)
        journal.kept.after = 10
        for number in 1...2 {
            try journal.wholeCheckpoint([[UInt8(number)]])
            if number == 1 { journal.kept.checkpoint = journal.copied?.number }
            while try journal.compact(before: .max, atMost: 1_000) > 0 {}
        }
        #expect(journal.base == 10)
        #expect(try journal.bytes(ofCheckpoint: 1, from: 0, atMost: 10)?.count == 10)
        journal.kept = Kept()
        try fill(journal, 1, from: 100)
        try journal.wholeCheckpoint([])
        while try journal.compact(before: .max, atMost: 1_000) > 0 {}
        #expect(try journal.bytes(ofCheckpoint: 2, from: 0, atMost: 10) == nil)
        #expect(journal.base >= 90)
        // The first segments are gone.
        let start = LogPlace(log: journal.logNumber, position: 0, chain: 0)
        #expect(try journal.cursor(behind: start) == nil)
    }
}
