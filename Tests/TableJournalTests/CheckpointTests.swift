import Testing

@testable import TableJournal

@Suite struct CheckpointTests {
    private func begun(_ scratch: Scratch, entries: Int = 10) throws -> SQLiteJournal {
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
        try journal.finishCheckpoint()
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
            try journal.finishCheckpoint()
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
        try journal.finishCheckpoint()
        #expect(try Content(of: journal).checkpoint == 0)
    }

    @Test func thatIsUnfinishedIsForgottenByTheNextStart() throws {
        let scratch = Scratch()
        let count = "SELECT count(*) FROM parts"
        try {
            let journal = try begun(scratch)
            #expect(try journal.opened().database.integer(count, doing: "test") == 2)
        }()
        try scratch.session { journal in
            let content = try Content(of: journal)
            #expect(content.checkpoint == nil)
            #expect(content.entries.count == 11)
            #expect(try journal.opened().database.integer(count, doing: "test") == 0)
        }
    }

    @Test func replacesTheOlderOneWhosePartsAreRemovedInSlices() throws {
        let scratch = Scratch()
        let journal = try begun(scratch)
        try journal.finishCheckpoint()
        // An unfinished one lies between the two.
        try journal.beginCheckpoint()
        for _ in 0..<3 { try journal.appendToCheckpoint([3]) }
        try journal.abandonCheckpoint()
        try journal.beginCheckpoint()
        try journal.appendToCheckpoint([2])
        #expect(try journal.compact(before: 1, atMost: 2) == 2)
        try journal.finishCheckpoint()
        #expect(try Content(of: journal).parts == [[2]])
        for expected in [2, 1, 0] {
            #expect(try journal.compact(before: 1, atMost: 2) == expected)
        }
        let content = try Content(of: journal)
        #expect(content.parts == [[2]])
        #expect(content.checkpoint == 11)
        #expect(try Content(of: journal).positions == Array(1...11))
    }

    @Test func outOfTurnIsRefusedAndHarmless() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        #expect(throws: JournalError.self) { try journal.finishCheckpoint() }
        #expect(throws: JournalError.self) { try journal.appendToCheckpoint([]) }
        try journal.abandonCheckpoint()
        try journal.beginCheckpoint()
        #expect(throws: JournalError.self) { try journal.beginCheckpoint() }
        try journal.append([1])
        try journal.finishCheckpoint()
        #expect(journal.figures.checkpoint == 0)
    }

    @Test func letsCompactionRemoveOnlyWhatItCovers() throws {
        let scratch = Scratch()
        try {
            let journal = try begun(scratch)
            #expect(try journal.compact(before: .max, atMost: 100) == 0)
            try journal.finishCheckpoint()
            try compactInSteps(journal)
        }()
        let content = try scratch.content()
        #expect(content.positions == [11])
        #expect(content.parts == [[1, 1], []])
    }

    private func compactInSteps(_ journal: SQLiteJournal) throws {
        #expect(try journal.compact(before: 0, atMost: 100) == 0)
        #expect(try journal.compact(before: 4, atMost: 2) == 2)
        #expect(try journal.compact(before: 4, atMost: 2) == 1)
        #expect(try journal.compact(before: 4, atMost: 2) == 0)
        #expect(journal.figures.oldest == 4)
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
            try journal.finishCheckpoint()
            while try journal.compact(before: .max, atMost: 100) > 0 {}
            #expect(journal.figures.oldest == nil)
            try journal.close()
        }()
        try scratch.session { journal in
            #expect(journal.durable == 11)
            try journal.append([12])
            let content = try Content(of: journal)
            #expect(content.checkpoint == 11)
            #expect(content.positions == [12])
            #expect(try journal.verify().position == 12)
        }
    }

    /// After a restore that was let go, most of the file is free.
    @Test func whatIsFreeGoesBackToTheDiskWhenItIsOpened() throws {
        let scratch = Scratch()
        try scratch.session { journal in
            for number in 0..<40 { try journal.append(payload(number, count: 1 << 20)) }
            try journal.beginCheckpoint()
            try journal.appendToCheckpoint([1, 2, 3])
            try journal.finishCheckpoint()
            while try journal.compact(before: journal.durable + 1, atMost: 64) > 0 {}
            try journal.append([4])
        }
        #expect(try scratch.read("journal.db").count > 40 << 20)
        try scratch.session { journal in
            #expect(try Content(of: journal).entries.last == [4])
            _ = try journal.verify()
            try journal.append([5])
        }
        #expect(try scratch.read("journal.db").count < 1 << 20)
        #expect(try scratch.content().entries.last == [5])
    }
}
