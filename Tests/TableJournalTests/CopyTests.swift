import TableHash
import Testing

@testable import TableJournal

/// A state directory that is copied file by file while the daemon writes: the copy is refused with a
/// sentence, or has a state that was there, and nothing else.
@Suite struct CopyTests {
    @Test func copiedWhileItIsWritten() throws {
        var (refused, taken) = (0, 0)
        for seed in 0..<60 as Range<UInt64> {
            var dice = SplitMix64(seed: seed)
            let disk = MemoryDisk(seed: seed)
            let journal = try LogJournal(disk, Lives.limits)
            var entries: [[UInt8]] = []
            func work() throws {
                for _ in 0..<Int.random(in: 0..<12, using: &dice) {
                    let entry = payload(
                        entries.count, count: Int.random(in: 0..<3_000, using: &dice))
                    try journal.append(entry)
                    entries.append(entry)
                    _ = try journal.tend()
                }
                guard Int.random(in: 0..<3, using: &dice) == 0 else { return }
                try journal.wholeCheckpoint([[UInt8(truncatingIfNeeded: entries.count)]])
                while try journal.compact(before: journal.durable, atMost: 100) > 0 {}
            }
            for _ in 0..<5 { try work() }
            let copy = MemoryDisk(seed: seed)
            for name in disk.files.keys.sorted().shuffled(using: &dice) {
                try work()
                // It may have been removed or renamed since it was listed.
                guard let file = disk.files[name] else { continue }
                let new = MemoryDisk.Inode()
                new.content = file.content
                copy.files[name] = new
            }
            do {
                let content = try Content(of: LogJournal(copy, Lives.limits))
                for (position, entry) in zip(content.positions, content.entries) {
                    #expect(entry == entries[Int(position) - 1])
                }
                let covered = content.checkpoint ?? 0
                #expect(
                    content.parts == (covered == 0 ? [] : [[UInt8(truncatingIfNeeded: covered)]]))
                taken += 1
            } catch let error as JournalError {
                #expect("\(error)".hasSuffix("."))
                refused += 1
            }
        }
        #expect(refused > 0 && taken > 0, "\(refused) refused, \(taken) taken")
    }
}
