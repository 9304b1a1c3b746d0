import Testing

@testable import TableJournal

@Suite struct CheckpointTests {
    private func begun(_ scratch: Scratch, entries: Int = 10) throws -> LogJournal {
        let journal = try scratch.open()
        for number in 1...entries { try journal.append([UInt8(number)]) }
        try journal.beginCheckpoint()
        try journal.appendToCheckpoint([1, 1])
        try journal.append([99])
        try journal.appendToCheckpoint([])
        return journal
    }

    @Test func coversWhatWasThereWhenItBegan() throws {
        let scratch = Scratch()
        let journal = try begun(scratch)
        #expect(journal.figures.checkpoint == nil)
        #expect(try Content(of: journal).checkpoint == nil)
        try journal.finishWhole()
        #expect(journal.figures.checkpoint == 10)
        #expect(journal.figures.bytesSinceCheckpoint == 1)
        let content = try Content(of: journal)
        #expect(content.checkpoint == 10)
        #expect(content.parts == [[1, 1], []])
        #expect(content.positions == Array(1...11))
    }

    @Test(arguments: [false, true]) func isThereAfterBeingOpenedAgain(closing: Bool) throws {
        let scratch = Scratch()
        let content = try {
            let journal = try begun(scratch)
            try journal.finishWhole()
            let content = try Content(of: journal)
            if closing { try journal.close() }
            return content
        }()
        try scratch.session { journal in
            #expect(journal.figures.checkpoint == 10)
            #expect(journal.figures.bytesSinceCheckpoint == 1)
            let found = try Content(of: journal)
            #expect(found == content)
        }
    }

    @Test func mayHaveNoPartsAndCoverNothing() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        try journal.beginCheckpoint()
        try journal.finishWhole()
        #expect(try Content(of: journal).checkpoint == 0)
    }

    @Test func thatIsUnfinishedIsForgottenByTheNextStart() throws {
        let scratch = Scratch()
        try {
            _ = try begun(scratch)
            #expect(scratch.names.contains("checkpoint.new"))
        }()
        try scratch.session { journal in
            let content = try Content(of: journal)
            #expect(content.checkpoint == nil)
            #expect(content.entries.count == 11)
            #expect(!scratch.names.contains("checkpoint.new"))
        }
    }

    @Test func replacesTheOlderOneWhichIsRemoved() throws {
        let scratch = Scratch()
        var limits = Scratch.small
        // In pieces.
        limits.cutBytes = 10_000
        let journal = try scratch.open(limits)
        try journal.append([1])
        try journal.wholeCheckpoint([payload(1, count: 35_000)])
        // An unfinished one lies between the two.
        try journal.beginCheckpoint()
        try journal.appendToCheckpoint([3])
        try journal.abandonCheckpoint()
        try journal.wholeCheckpoint([[2]])
        #expect(try Content(of: journal).parts == [[2]])
        #expect(try journal.compact(before: 1, atMost: 2) == 1)
        while try journal.compact(before: 1, atMost: 2) > 0 {}
        let content = try Content(of: journal)
        #expect(content.parts == [[2]])
        #expect(content.checkpoint == 1)
        #expect(
            scratch.names.filter { $0.hasPrefix("checkpoint") } == ["checkpoint-0000000000000002"])
    }

    /// Nothing is added once its end is written, and it takes a few turns until it is durable.
    @Test func isFinishedWithoutWaiting() throws {
        let scratch = Scratch()
        let journal = try begun(scratch)
        #expect(try !journal.finishCheckpoint())
        #expect(throws: JournalError.self) { try journal.appendToCheckpoint([1]) }
        try journal.append([1])
        try journal.finishWhole()
        #expect(journal.figures.checkpoint == 10)
    }

    @Test func outOfTurnIsRefusedAndHarmless() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        #expect(throws: JournalError.self) { try journal.finishWhole() }
        #expect(throws: JournalError.self) { try journal.appendToCheckpoint([]) }
        try journal.abandonCheckpoint()
        try journal.beginCheckpoint()
        #expect(throws: JournalError.self) { try journal.beginCheckpoint() }
        try journal.append([1])
        try journal.finishWhole()
        #expect(journal.figures.checkpoint == 0)
    }

    @Test func letsCompactionRemoveOnlyWhatItCovers() throws {
        let scratch = Scratch()
        try {
            let journal = try begun(scratch)
            #expect(try journal.compact(before: .max, atMost: 100) == 0)
            try journal.finishWhole()
            try compactInSteps(journal)
        }()
        // A segment is kept as a whole: they may be there again, and are covered all the same.
        let content = try scratch.content()
        #expect(content.positions.last == 11)
        #expect(content.parts == [[1, 1], []])
    }

    private func compactInSteps(_ journal: LogJournal) throws {
        #expect(try journal.compact(before: 0, atMost: 100) == 0)
        #expect(try journal.compact(before: 4, atMost: 2) == 2)
        #expect(try journal.compact(before: 4, atMost: 2) == 1)
        #expect(try journal.compact(before: 4, atMost: 2) == 0)
        #expect(journal.base == 3)
        #expect(journal.figures.entries == 8)
        #expect(try Content(of: journal).positions == Array(4...11))
        #expect(try journal.compact(before: .max, atMost: 100) == 7)
    }

    @Test func mayLeaveNoEntryAtAll() throws {
        let scratch = Scratch()
        try {
            let journal = try begun(scratch)
            try journal.abandonCheckpoint()
            try journal.beginCheckpoint()
            try journal.finishWhole()
            while try journal.compact(before: .max, atMost: 100) > 0 {}
            #expect(journal.figures.entries == 0)
            try journal.close()
        }()
        try scratch.session { journal in
            #expect(journal.durable == 11)
            try journal.append([12])
            let content = try Content(of: journal)
            #expect(content.checkpoint == 11)
            #expect(content.positions.last == 12)
            #expect(try journal.recover { _ in }.position == 12)
        }
    }
}
