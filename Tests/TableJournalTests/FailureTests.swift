import Glibc
import Testing

@testable import TableJournal

/// What a failing disk does: SQLite's descriptor of the write-ahead log is replaced by a device.
@Suite struct FailureTests {
    /// - Parameters:
    ///   - device: `/dev/full` fails every write, `/dev/null` fails every sync.
    ///   - code: the extended result code to be expected.
    @Test(arguments: [("/dev/full", 13 as Int32), ("/dev/null", 1034)])
    func aFailedAppendEndsAllWriting(device: String, code: Int32) throws {
        let scratch = Scratch()
        try {
            let journal = try scratch.open()
            try journal.append([1])
            try replaceLog(of: scratch, by: device)
            let error = #expect(throws: JournalError.self) { try journal.append([2]) }
            guard case .sqlite(let doing, let path, _, let extended, _) = error else {
                return #expect(Bool(false), "\(error)")
            }
            #expect(extended == code)
            #expect(doing == "append an entry")
            #expect(path == scratch.file("journal.db"))
            #expect(journal.durable == 1)
            try refusesAllWrites(journal, scratch)
            try journal.close()
        }()
        try scratch.session { journal in
            #expect(try Content(of: journal).entries == [[1]])
            try journal.append([3])
        }
        #expect(try scratch.content().entries == [[1], [3]])
    }

    private func refusesAllWrites(_ journal: SQLiteJournal, _ scratch: Scratch) throws {
        let poisoned = JournalError.poisoned(path: scratch.file("journal.db"))
        #expect(throws: poisoned) { try journal.append([2]) }
        #expect(throws: poisoned) { try journal.beginCheckpoint() }
        #expect(throws: poisoned) { try journal.abandonCheckpoint() }
        #expect(throws: poisoned) { try journal.compact(before: 1, atMost: 1) }
    }

    @Test func aFailedPartEndsAllWriting() throws {
        let scratch = Scratch()
        try {
            let journal = try scratch.open()
            try journal.append([1])
            try journal.beginCheckpoint()
            try replaceLog(of: scratch, by: "/dev/full")
            #expect(throws: JournalError.self) { try journal.appendToCheckpoint([1]) }
            try refusesAllWrites(journal, scratch)
        }()
        #expect(try scratch.content().entries == [[1]])
    }

    @Test func aFullDatabaseEndsAllWriting() throws {
        let scratch = Scratch()
        try {
            let journal = try scratch.open()
            try journal.append([1])
            let database = try journal.opened().database
            try database.execute("PRAGMA max_page_count = 20", doing: "test")
            #expect(throws: JournalError.self) {
                try journal.append(payload(1, count: 100_000))
            }
            try refusesAllWrites(journal, scratch)
        }()
        #expect(try scratch.content().entries == [[1]])
    }

    @Test func aPayloadBeyondTheLimitIsRefusedByName() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        journal.payloadLimit = 1_000
        try journal.append(payload(1, count: 1_000))
        #expect(throws: JournalError.payloadTooLarge(bytes: 1_001, limit: 1_000)) {
            try journal.append(payload(1, count: 1_001))
        }
        try refusesAllWrites(journal, scratch)
    }

    private func replaceLog(of scratch: Scratch, by device: String) throws {
        let log = scratch.file("journal.db-wal")
        for descriptor in Int32(3)..<1_024 {
            var name = [CChar](repeating: 0, count: 1_024)
            // The last byte stays 0.
            guard readlink("/proc/self/fd/\(descriptor)", &name, name.count - 1) > 0,
                strcmp(name, log) == 0
            else { continue }
            let replacement = try openFile(device, O_RDWR | O_CLOEXEC)
            #expect(dup2(replacement, descriptor) == descriptor)
            close(replacement)
            return
        }
        Issue.record("no descriptor of \(log)")
    }
}
