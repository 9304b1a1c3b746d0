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
        #expect(try journal.recover { _ in }.entryBytes == 104_247)
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
                #expect(throws: JournalError.closed(path: scratch.path)) {
                    try journal.append([])
                }
            }
        }
        let content = try scratch.content()
        #expect(content.positions == [1, 2, 3, 4])
        #expect(content.entries == (0..<4).map { payload($0, count: 2_000) })
    }

    /// Bytes behind the newest entry are gone up to the end of its page, though zeros are written there
    /// only by the first entry of a process and of a page.
    @Test func behindTheNewestEntryItsPageIsZeros() throws {
        let scratch = Scratch()
        let name = "log-0000000000000001"
        try scratch.session { try $0.append([1]) }
        var bytes = try scratch.read(name)
        // As a write leaves it that was torn.
        let end = 4_096 + 64
        bytes.replaceSubrange(end..<8_192, with: repeatElement(255, count: 8_192 - end))
        try scratch.write(name, bytes)
        try scratch.session { journal in
            var end = end
            for number in 0..<20 {
                try journal.append(payload(number, count: 500))
                end += (56 + 500 + 7) & ~7
                let log = try scratch.read(name)
                let pageEnd = min((end + 4_095) & ~4_095, log.count)
                #expect(log[end..<pageEnd].allSatisfy { $0 == 0 })
            }
        }
        #expect(try scratch.content().positions.count == 21)
    }

    /// A check reads what was there when it began, or it would not end while commits come.
    @Test func aVerificationEndsWhileEntriesCome() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        for number in 0..<100 { try journal.append(payload(number, count: 1_000)) }
        let verification = try journal.verification()
        var slices = 0
        while try verification.work(while: { false }) == nil, slices < 1_000 {
            try journal.append(payload(slices, count: 1_000))
            slices += 1
        }
        #expect((100..<1_000).contains(slices))
    }

    @Test func hasFewFiles() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        try journal.append([1])
        let first = "log-0000000000000001"
        #expect(scratch.names == ["acknowledged", "journal", "lock", first])
        #expect(try scratch.read(first).count == Scratch.small.segmentBytes)
    }

    /// Segments that a checkpoint covers are used again, so the directory stays as large as it is.
    @Test func segmentsAreRecycled() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        var births: Set<String> = []
        for round in 0..<200 {
            for number in 0..<10 { try journal.append(payload(10 * round + number, count: 1_000)) }
            try journal.wholeCheckpoint([])
            while try journal.compact(before: journal.durable, atMost: 100) > 0 {}
            while try journal.tend() {}
            births.formUnion(scratch.names.filter { $0.hasPrefix("log-") })
            #expect(scratch.names.filter { $0.hasPrefix("log-") }.count <= 4)
        }
        #expect(births.count > 25)
        #expect(try Content(of: journal).entries.last == payload(1_999, count: 1_000))
        try #require(journal.durable == 2_000)
    }

    /// Larger ones than a segment have a segment of their own, which is as large as it must be.
    @Test func anEntryMayBeLargerThanASegment() throws {
        let scratch = Scratch()
        let sizes = [10, 70_000, 20, 64 << 10, 300_000, 65_000, 1, (64 << 10) - 4096 - 56, 5]
        let entries = sizes.map { payload($0, count: $0) }
        try scratch.session { journal in
            for entry in entries { try journal.append(entry) }
            #expect(try Content(of: journal).entries == entries)
        }
        try scratch.session { journal in
            let found = try Content(of: journal).entries
            #expect(found == entries)
            try journal.wholeCheckpoint([[1]])
            while try journal.compact(before: .max, atMost: 100) > 0 {}
            try journal.append([7])
        }
        #expect(try scratch.content().entries.last == [7])
    }

    @Test func aPositionIsTakenOnce() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        try journal.submit([1], position: 1, term: 1)
        let path = scratch.path
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
        while try !journal.finishCheckpoint() {}
        #expect(try journal.compact(before: 6, atMost: 100) == 5)
        #expect(try entries(after: 5) == [6: [6], 7: [7], 8: [8], 9: [9]])
        #expect(
            throws: JournalError.entryMissing(path: scratch.path, position: 4)
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
