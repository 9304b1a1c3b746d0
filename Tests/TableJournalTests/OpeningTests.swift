import Glibc
import JournalFormat
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
            // To remove the file removes only the name of the process that holds the directory.
            unlink(scratch.file("lock"))
            let nameless = JournalError.locked(directory: scratch.path, pid: nil)
            #expect(throws: nameless) { try StateDirectory(path: scratch.path) }
            #expect(!scratch.names.contains("lock"))
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
    @Test func whatABeginningLeftIsNoJournal() throws {
        let scratch = Scratch()
        for name in ["log-0000000000000001.begin", "journal.new", "log.new", "checkpoint.new"] {
            try scratch.write(name, [1, 2, 3])
        }
        try scratch.session { try $0.append([1]) }
        #expect(try scratch.content().entries == [[1]])
        #expect(!scratch.names.contains { $0.hasSuffix(".new") || $0.hasSuffix(".begin") })
    }

    @Test func aNewerFormIsRefused() throws {
        let scratch = Scratch()
        try scratch.session { try $0.append([1]) }
        let bytes = try scratch.read("journal")
        var manifest = try #require(bytes.withUnsafeBytes { Manifest($0) })
        manifest.form = 2
        var newer = bytes
        newer.withUnsafeMutableBytes { manifest.encode(into: $0) }
        try scratch.write("journal", newer)
        let path = scratch.file("journal")
        #expect(throws: JournalError.newerForm(path: path, found: 2, known: 1)) {
            try scratch.open()
        }
        #expect(try scratch.read("journal") == newer)
    }

    /// The next segment would get a number behind it.
    @Test func aSegmentThatLeavesNoNextNumberIsRefused() throws {
        let scratch = Scratch()
        try scratch.session { try $0.append([1]) }
        let name = "log-ffffffffffffffff"
        try scratch.write(name, [7])
        #expect(throws: JournalError.foreignFile(path: scratch.file(name))) { try scratch.open() }
        #expect(unlink(scratch.file(name)) == 0)
        #expect(try scratch.content().entries == [[1]])
    }
}
