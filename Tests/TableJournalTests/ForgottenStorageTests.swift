import Glibc
import Testing

@testable import TableJournal

/// Where the journal is to leave nothing behind, no file holds old bytes once a checkpoint covers them.
@Suite struct ForgottenStorageTests {
    private static let secret = "a nut allergy"

    private func holders(_ scratch: Scratch) throws -> [String] {
        try scratch.names.filter {
            String(decoding: try scratch.read($0), as: UTF8.self).contains(Self.secret)
        }
    }

    /// Files are removed by a thread.
    private func compact(_ journal: LogJournal, before position: UInt64? = nil) throws {
        while try journal.compact(before: position ?? journal.durable, atMost: 256) > 0 {
            _ = try journal.tend()
            usleep(100)
        }
    }

    private func checkpoint(_ journal: LogJournal) throws {
        try journal.beginCheckpoint()
        try journal.appendToCheckpoint([1])
        try journal.finishWhole()
        try compact(journal)
    }

    /// Also where segments that are full wait to be used again, and where the last one has few entries.
    @Test(arguments: [0, 3]) func noFileHoldsIt(segments: Int) throws {
        let scratch = Scratch()
        try scratch.session { try forget(scratch, $0, segments) }
        let (covered, newest) = try scratch.session { (try Content(of: $0).checkpoint, $0.durable) }
        #expect(covered == newest)
    }

    /// A standby on a quiet board has no next entry for months. What the log still has is not the last one then.
    @Test func noFileHoldsItThoughNoEntryFollows() throws {
        let scratch = Scratch()
        try scratch.session { journal in
            for _ in 0..<3 { try journal.append(Array(Self.secret.utf8)) }
            try journal.beginCheckpoint()
            try journal.forgetEarlier(beginsAnew: true)
            #expect(try !holders(scratch).isEmpty)
            try journal.appendToCheckpoint([1])
            try journal.finishWhole()
            try compact(journal, before: journal.durable + 1)
            #expect(try holders(scratch) == [])
            try journal.forgetEarlier(beginsAnew: true)
            try journal.close()
        }
        try scratch.session { journal in
            #expect(journal.durable == 3)
            try journal.append([9])
            try journal.close()
        }
        let entries = try scratch.session { try Content(of: $0).entries }
        #expect(entries == [[9]])
    }

    private func forget(_ scratch: Scratch, _ journal: LogJournal, _ segments: Int) throws {
        try journal.append(Array(Self.secret.utf8))
        for _ in 0..<segments * 8 { try journal.append([UInt8](repeating: 7, count: 8 << 10)) }
        if segments > 0 { try checkpoint(journal) }
        #expect(try !holders(scratch).isEmpty)
        try journal.append(Array(Self.secret.utf8))
        try journal.forgetEarlier(beginsAnew: true)
        try journal.append([9])
        try journal.beginCheckpoint()
        try journal.forgetEarlier(beginsAnew: false)
        try journal.finishWhole()
        try compact(journal)
        let left = try holders(scratch)
        #expect(left == [])
        // It goes on as before.
        for number in 0..<20 { try journal.append([UInt8(number)]) }
        try checkpoint(journal)
        #expect(try Content(of: journal).entries.last == [19])
        try journal.close()
    }
}
