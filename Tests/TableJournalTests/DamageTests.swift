import Glibc
import Testing

@testable import TableJournal

/// Changes behind the journal's back; each must be found and named.
@Suite struct DamageTests {
    /// Entries 1…20, those up to 4 compacted away, a checkpoint of three parts at 10.
    private func sample() throws -> Scratch {
        let scratch = Scratch()
        try scratch.session { journal in
            for number in 1...10 { try journal.append([UInt8(number), 0]) }
            try journal.beginCheckpoint()
            for part in 0..<3 { try journal.appendToCheckpoint([UInt8(part)]) }
            for number in 11...20 { try journal.append([UInt8(number), 0]) }
            try journal.finishCheckpoint()
            #expect(try journal.compact(before: 5, atMost: 100) == 4)
            try journal.close()
        }
        return scratch
    }

    static let changes: [(sql: String, expected: @Sendable (String) -> JournalError)] = [
        (
            "DELETE FROM entries WHERE position = 7",
            { .entryMissing(path: $0, position: 7) }
        ),
        (
            "DELETE FROM entries WHERE position = 5",
            { .entryMissing(path: $0, position: 5) }
        ),
        (
            "DELETE FROM entries WHERE position = 20",
            { .acknowledgedLost(path: $0, end: 19, acknowledged: 20) }
        ),
        (
            "UPDATE entries SET payload = x'0700' WHERE position = 8",
            { .entryDamaged(path: $0, position: 8) }
        ),
        (
            "UPDATE entries SET payload = x'0A' WHERE position = 10",
            { .entryDamaged(path: $0, position: 10) }
        ),
        (
            "UPDATE entries SET chain = chain + 1 WHERE position = 9",
            { .entryDamaged(path: $0, position: 9) }
        ),
        (
            "UPDATE entries SET chain = chain + 1 WHERE position = 20",
            { .acknowledgedDiffers(path: $0, position: 20) }
        ),
        (
            """
            UPDATE entries SET position = 100 WHERE position = 12;
            UPDATE entries SET position = 12 WHERE position = 13;
            UPDATE entries SET position = 13 WHERE position = 100;
            """,
            { .entryDamaged(path: $0, position: 12) }
        ),
        (
            "INSERT INTO entries VALUES (3, 0, x'')",
            { .entryDamaged(path: $0, position: 3) }
        ),
        (
            "INSERT INTO entries VALUES (21, 0, x'')",
            { .entryDamaged(path: $0, position: 21) }
        ),
        (
            "INSERT INTO entries VALUES (-1, 0, x'')",
            { .entryMissing(path: $0, position: 5) }
        ),
        ("UPDATE base SET position = 5", { .baseDamaged(path: $0) }),
        ("UPDATE base SET chain = chain + 1", { .baseDamaged(path: $0) }),
        ("DELETE FROM base", { .baseDamaged(path: $0) }),
        (
            "UPDATE checkpoint SET position = 11",
            { .checkpointDamaged(path: $0, position: 11, part: nil) }
        ),
        (
            "UPDATE checkpoint SET parts = 2",
            { .checkpointDamaged(path: $0, position: 10, part: nil) }
        ),
        (
            "DELETE FROM checkpoint",
            { .checkpointDamaged(path: $0, position: nil, part: nil) }
        ),
        (
            "UPDATE parts SET payload = x'07' WHERE number = 2",
            { .checkpointDamaged(path: $0, position: 10, part: 1) }
        ),
        (
            "DELETE FROM parts WHERE number = 1",
            { .checkpointDamaged(path: $0, position: 10, part: 0) }
        ),
        (
            "DELETE FROM parts WHERE number = 3",
            { .checkpointDamaged(path: $0, position: 10, part: 2) }
        ),
    ]

    @Test(arguments: changes.indices) func isNamed(_ index: Int) throws {
        let (sql, expected) = Self.changes[index]
        let scratch = try sample()
        #expect(try scratch.content().positions == Array(5...20))
        try scratch.execute(sql)
        let error = expected(scratch.file("journal.db"))
        #expect(throws: error, "\(sql)") { try scratch.content() }
        #expect(error.description.contains(scratch.path))
    }

    @Test func aCheckpointThatVanishedIsNoticed() throws {
        let scratch = Scratch()
        try scratch.session { journal in
            try journal.append([1])
            try journal.beginCheckpoint()
            try journal.finishCheckpoint()
        }
        try scratch.execute("DELETE FROM checkpoint")
        let path = scratch.file("journal.db")
        #expect(throws: JournalError.checkpointLost(path: path, found: nil, acknowledged: 1)) {
            try scratch.open()
        }
    }

    @Test(arguments: [["journal.db-wal"], ["journal.db", "journal.db-wal"]])
    func aMissingFileIsNoticedAndNothingIsWritten(names: [String]) throws {
        let scratch = Scratch()
        try scratch.session { journal in
            try journal.append([1])
            try journal.close()
        }
        try scratch.session { for _ in 0..<3 { try $0.append([2]) } }
        for name in names { unlink(scratch.file(name)) }
        let lost = JournalError.acknowledgedLost(
            path: scratch.file("journal.db"), end: names.count == 1 ? 1 : 0, acknowledged: 4)
        for _ in 0..<2 { #expect(throws: lost) { try scratch.content() } }
    }

    @Test func anOlderCopyOfTheDatabaseIsNoticed() throws {
        let scratch = Scratch()
        try scratch.session { journal in
            try journal.append([1])
            try journal.close()
        }
        let older = try scratch.read("journal.db")
        try scratch.session { journal in
            try journal.append([2])
            try journal.close()
        }
        try scratch.write("journal.db", older)
        #expect(throws: JournalError.self) { try scratch.content() }
        unlink(scratch.file("acknowledged"))
        #expect(try scratch.content().entries == [[1]], "restored on purpose")
    }

    @Test func aPromiseOfAnotherJournalIsNoticed() throws {
        let (one, other) = (Scratch(), Scratch())
        try one.session { for _ in 0..<3 { try $0.append([1]) } }
        try other.session { for _ in 0..<2 { try $0.append([2]) } }
        try one.write("acknowledged", other.read("acknowledged"))
        let differs = JournalError.acknowledgedDiffers(
            path: one.file("journal.db"), position: 2)
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
