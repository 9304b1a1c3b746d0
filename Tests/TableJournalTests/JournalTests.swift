import Testing

@testable import TableJournal

@Suite struct JournalTests {
    @Test func handsBackWhatWasAppended() throws {
        let scratch = Scratch()
        let entries = [0, 1, 150, 4_096, 100_000].map { payload($0, count: $0) }
        let journal = try scratch.open()
        #expect(journal.durable == 0)
        for entry in entries { try journal.append(entry) }
        #expect(journal.durable == 5)
        #expect(try Content(of: journal).entries == entries)
        #expect(try journal.verify().entryBytes == 104_247)
        #expect(journal.warnings.isEmpty)
        #expect(journal.figures.commits == 5)
        #expect(journal.figures.bytesSinceCheckpoint == 104_247)
        #expect(journal.figures.bytesOnDisk > 104_247)
    }

    @Test(arguments: [false, true]) func continuesAfterBeingOpenedAgain(closing: Bool) throws {
        let scratch = Scratch()
        for round in 0..<4 {
            let journal = try scratch.open()
            #expect(journal.durable == UInt64(round))
            #expect(journal.warnings.isEmpty)
            try journal.append(payload(round, count: 2_000))
            if closing {
                try journal.close()
                try journal.close()
                #expect(throws: JournalError.closed(path: scratch.file("journal.db"))) {
                    try journal.append([])
                }
            }
        }
        let content = try scratch.content()
        #expect(content.positions == [1, 2, 3, 4])
        #expect(content.entries == (0..<4).map { payload($0, count: 2_000) })
    }

    @Test func keepsTheSettingsThatDurabilityDependsOn() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        let database = try journal.opened().database
        // A part of a checkpoint is not synced by itself; what follows it is.
        try journal.append([1])
        try journal.beginCheckpoint()
        try journal.appendToCheckpoint([2])
        for (setting, expected) in [
            ("synchronous", "2"), ("journal_mode", "wal"), ("locking_mode", "exclusive"),
            ("page_size", "4096"), ("mmap_size", "0"), ("wal_autocheckpoint", "0"),
        ] {
            #expect(try database.text("PRAGMA \(setting)", doing: "test") == expected)
        }
        #expect(scratch.names == ["acknowledged", "journal.db", "journal.db-wal", "lock"])
    }

    @Test func keepsTheLogShort() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        for round in 0..<120 { try journal.append(payload(round, count: 100_000)) }
        #expect(try scratch.read("journal.db-wal").count < 6 << 20)
        #expect(try scratch.read("journal.db").count > 8 << 20)
        try journal.close()
        #expect(try scratch.read("journal.db-wal").isEmpty)
    }

    @Test func aPositionIsTakenOnce() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        try journal.submit([1], position: 1, term: 1)
        let path = scratch.file("journal.db")
        #expect(throws: JournalError.entryOutOfTurn(path: path, position: 1, next: 2)) {
            try journal.submit([1], position: 1, term: 1)
        }
        // Whatever failed: nothing is written after it.
        #expect(throws: JournalError.poisoned(path: path)) { try journal.append([2]) }
        #expect(try Content(of: journal).entries == [[1]])
    }

    @Test func handsOverWhatFollowsAPosition() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        for number in 1...9 { try journal.append([UInt8(number)]) }
        func entries(after position: UInt64) throws -> [UInt64: [UInt8]] {
            var found: [UInt64: [UInt8]] = [:]
            try journal.entries(after: position) { found[$0] = Array($1) }
            return found
        }
        #expect(try entries(after: 7) == [8: [8], 9: [9]])
        #expect(try entries(after: 9).isEmpty && entries(after: 12).isEmpty)
        #expect(try entries(after: 0).count == 9)
        try journal.beginCheckpoint()
        try journal.appendToCheckpoint([0])
        try journal.finishCheckpoint()
        #expect(try journal.compact(before: 6, atMost: 100) == 5)
        #expect(try entries(after: 5) == [6: [6], 7: [7], 8: [8], 9: [9]])
        #expect(
            throws: JournalError.entryMissing(path: scratch.file("journal.db"), position: 4)
        ) { try entries(after: 3) }
    }

    @Test func passesOnWhatTheCallerThrows() throws {
        struct Enough: Error {}
        let scratch = Scratch()
        let journal = try scratch.open()
        try journal.append([1])
        #expect(throws: Enough.self) { try journal.recover { _ in throw Enough() } }
        try journal.append([2])
        #expect(try Content(of: journal).entries == [[1], [2]])
    }
}
