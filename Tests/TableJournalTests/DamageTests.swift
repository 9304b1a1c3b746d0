import Glibc
import JournalFormat
import Testing

@testable import TableJournal

/// Changes behind the journal's back; each must be found and named.
@Suite struct DamageTests {
    /// Entries 1 to 30 in several segments, a checkpoint of three parts at 10.
    private func sample() throws -> Scratch {
        let scratch = Scratch()
        try scratch.session { journal in
            for number in 1...10 { try journal.append(payload(number, count: 9_000)) }
            try journal.wholeCheckpoint((0..<3).map { [UInt8($0)] })
            for number in 11...30 { try journal.append(payload(number, count: 9_000)) }
            try journal.close()
        }
        return scratch
    }

    private func segments(_ scratch: Scratch) -> [String] {
        scratch.names.filter { $0.hasPrefix("log-") }
    }

    private func refusal(_ scratch: Scratch) -> JournalError? {
        do {
            _ = try scratch.content()
            return nil
        } catch {
            #expect("\(error)".contains(scratch.path) && "\(error)".hasSuffix("."))
            return error as? JournalError
        }
    }

    @Test func eachMissingSegmentIsNoticed() throws {
        let names = try segments(sample())
        #expect(names.count >= 5)
        for index in names.indices {
            let scratch = try sample()
            unlink(scratch.file(names[index]))
            let refusal = refusal(scratch)
            // The first one is covered by the checkpoint, wholly.
            #expect(
                (refusal == nil) == (index == 0), "\(names[index]): \(String(describing: refusal))")
        }
    }

    @Test func swappedSegmentsAreNoticed() throws {
        let scratch = try sample()
        let names = segments(scratch)
        let (one, other) = (try scratch.read(names[2]), try scratch.read(names[3]))
        try scratch.write(names[2], other)
        try scratch.write(names[3], one)
        #expect(refusal(scratch) != nil)
    }

    @Test func aSegmentOfAnotherJournalIsNoticed() throws {
        let (scratch, other) = (try sample(), try sample())
        let name = segments(scratch)[3]
        try scratch.write(name, other.read(name))
        #expect(refusal(scratch) != nil)
    }

    @Test func aCheckpointOfAnotherJournalIsNoticed() throws {
        let (scratch, other) = (try sample(), try sample())
        let name = "checkpoint-0000000000000001"
        try scratch.write(name, other.read(name))
        #expect(refusal(scratch) == .foreignFile(path: scratch.file(name)))
    }

    @Test func aMissingManifestIsNoticedAndNothingIsRemoved() throws {
        let scratch = try sample()
        unlink(scratch.file("journal"))
        let before = scratch.names
        for _ in 0..<2 {
            #expect(refusal(scratch) == .manifestMissing(path: scratch.file("journal")))
        }
        #expect(scratch.names == before)
    }

    @Test func aMissingCheckpointIsNoticed() throws {
        let scratch = try sample()
        unlink(scratch.file("checkpoint-0000000000000001"))
        let lost = JournalError.checkpointLost(path: scratch.path, found: nil, acknowledged: 10)
        #expect(refusal(scratch) == lost)
    }

    @Test func allFilesGoneIsNoticed() throws {
        let scratch = try sample()
        for name in scratch.names where name != "acknowledged" { unlink(scratch.file(name)) }
        #expect(
            refusal(scratch)
                == .acknowledgedLost(path: scratch.path, end: 0, acknowledged: 30))
    }

    /// An older copy of the log, with the promise of today.
    @Test func anOlderCopyIsNoticed() throws {
        let scratch = Scratch()
        try scratch.session { try $0.append([1]) }
        let (name, older) = ("log-0000000000000001", try scratch.read("log-0000000000000001"))
        try scratch.session { try $0.append([2]) }
        try scratch.write(name, older)
        #expect(
            refusal(scratch)
                == .acknowledgedLost(path: scratch.file(name), end: 1, acknowledged: 2))
        unlink(scratch.file("acknowledged"))
        #expect(try scratch.content().entries == [[1]], "restored on purpose")
    }

    @Test func aPromiseOfAnotherJournalIsNoticed() throws {
        let (one, other) = (Scratch(), Scratch())
        try one.session { for _ in 0..<3 { try $0.append([1]) } }
        try other.session { for _ in 0..<2 { try $0.append([2]) } }
        try one.write("acknowledged", other.read("acknowledged"))
        let differs = JournalError.acknowledgedDiffers(
            path: one.file("log-0000000000000001"), position: 2)
        #expect(throws: differs) { try one.content() }
    }

    @Test func anUnreadablePromiseIsAWarningOnce() throws {
        let scratch = Scratch()
        try scratch.session { try $0.append([1]) }
        let path = scratch.file("acknowledged")
        let good = try scratch.read("acknowledged")
        var flipped = good
        flipped[9] ^= 1
        for (bytes, warning) in [
            (flipped, JournalWarning.acknowledgedUnreadable(path: path)),
            (Array(good.dropLast()), .acknowledgedUnreadable(path: path)),
            (good + [0], .acknowledgedUnreadable(path: path)),
            ([], .acknowledgedMissing(path: path)),
        ] {
            try scratch.write("acknowledged", bytes)
            try scratch.session { journal in
                #expect(journal.warnings == [warning])
                #expect(journal.warnings.first?.description.contains(path) == true)
                let content = try Content(of: journal)
                #expect(content.entries == [[1]])
            }
            #expect(try scratch.read("acknowledged") == good)
            #expect(try scratch.session { journal in journal.warnings }.isEmpty)
        }
    }
}
