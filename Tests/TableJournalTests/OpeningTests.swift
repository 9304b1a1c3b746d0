import Glibc
import Testing

@testable import TableJournal

@Suite struct StateDirectoryTests {
    @Test func isMadeForItsOwnerOnly() throws {
        let scratch = Scratch()
        let path = scratch.file("state")
        try {
            let directory = try StateDirectory(path: path)
            var status = stat()
            #expect(stat(directory.path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
            #expect(try scratch.read("state/lock") == Array("\(getpid())\n".utf8))
        }()
        unlink(scratch.file("state/lock"))
        rmdir(path)
    }

    @Test func isHeldOnce() throws {
        let scratch = Scratch()
        try {
            let journal = try scratch.open()
            let locked = JournalError.locked(directory: scratch.path, pid: getpid())
            for _ in 0..<2 {
                #expect(throws: locked) { try StateDirectory(path: scratch.path) }
            }
            try journal.append([1])
        }()
        #expect(try scratch.content().entries == [[1]])
    }

    @Test func mustBeADirectoryWithAParent() throws {
        let scratch = Scratch()
        try scratch.write("file", [1])
        let file = scratch.file("file")
        #expect(throws: JournalError.system(doing: "open", path: file + "/lock", code: ENOTDIR)) {
            try StateDirectory(path: file)
        }
        let orphan = scratch.file("no/such")
        #expect(
            throws: JournalError.system(
                doing: "create the directory", path: orphan, code: ENOENT)
        ) { try StateDirectory(path: orphan) }
    }
}

@Suite struct OpeningTests {
    @Test func refusesTheDatabaseOfAnotherProgramAndLeavesItAlone() throws {
        let scratch = Scratch()
        try scratch.execute("PRAGMA application_id = 7; CREATE TABLE theirs (a)")
        let before = try scratch.read("journal.db")
        let path = scratch.file("journal.db")
        #expect(throws: JournalError.foreignFile(path: path, applicationID: 7)) {
            try scratch.open()
        }
        try scratch.execute("PRAGMA application_id = 0")
        #expect(throws: JournalError.foreignFile(path: path, applicationID: 0)) {
            try scratch.open()
        }
        try scratch.execute("PRAGMA application_id = 7")
        #expect(try scratch.read("journal.db").count == before.count)
        #expect(try scratch.read("journal.db")[18] == 1, "still not in WAL mode")
    }

    @Test func refusesAFileThatIsNoDatabase() throws {
        let scratch = Scratch()
        let text = Array(String(repeating: "not a database\n", count: 400).utf8)
        try scratch.write("journal.db", text)
        let error = #expect(throws: JournalError.self) { try scratch.open() }
        guard case .sqlite(_, _, 26, _, _) = error else { return #expect(Bool(false), "\(error)") }
        #expect(try scratch.read("journal.db") == text)
    }

    @Test func refusesANewerSchema() throws {
        let scratch = Scratch()
        try scratch.session { try $0.append([1]) }
        try scratch.execute("PRAGMA user_version = 3")
        let path = scratch.file("journal.db")
        #expect(throws: JournalError.newerSchema(path: path, found: 3, known: 1)) {
            try scratch.open()
        }
    }

    @Test func keepsOtherConnectionsOut() throws {
        let scratch = Scratch()
        let journal = try scratch.open()
        try journal.append([1])
        let error = #expect(throws: JournalError.self) {
            let other = try Database(path: scratch.file("journal.db"))
            _ = try other.integer("SELECT count(*) FROM entries", doing: "look")
        }
        guard case .sqlite(_, _, 5, _, _) = error else { return #expect(Bool(false), "\(error)") }
    }

    @Test func migratesForwardAndKeepsACopy() throws {
        let scratch = Scratch()
        try scratch.session { journal in
            for number in 0..<20 { try journal.append(payload(number, count: 900)) }
        }
        let content = try scratch.content()
        let newer =
            Migration.all + [
                Migration(name: "notes", sql: "CREATE TABLE notes (text TEXT) STRICT")
            ]
        try {
            let journal = try scratch.open(newer)
            #expect(try Content(of: journal) == content)
            let applied = try journal.opened().database.integer(
                "SELECT applied_ms FROM migrations WHERE name = 'notes'", doing: "test")
            #expect(applied == 1_700_000)
            try journal.append([1])
        }()
        #expect(throws: JournalError.self) { try scratch.open() }
        #expect(
            scratch.names == [
                "acknowledged", "journal.db", "journal.db-wal", "journal.db.before-notes", "lock",
            ])
        let copy = Scratch()
        try copy.write("journal.db", scratch.read("journal.db.before-notes"))
        try copy.session { journal in
            let acknowledged = copy.file("acknowledged")
            #expect(journal.warnings == [.acknowledgedMissing(path: acknowledged)])
            #expect(try Content(of: journal) == content)
            _ = try journal.verify()
        }
    }

    @Test func aMigrationThatFailsChangesNothing() throws {
        let scratch = Scratch()
        try scratch.session { try $0.append([1]) }
        let broken = Migration(name: "broken", sql: "CREATE TABLE more (a); SELECT nonsense")
        #expect(throws: JournalError.self) { try scratch.open(Migration.all + [broken]) }
        #expect(try scratch.content().entries == [[1]])
        let good = Migration(name: "good", sql: "CREATE TABLE more (a)")
        _ = try scratch.open(Migration.all + [good])
    }
}
