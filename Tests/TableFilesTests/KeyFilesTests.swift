import Glibc
import Testing

@testable import TableDaemon

/// The daemon's files of keys: who is let in is never more than what the file plainly says.
@Suite final class KeyFilesTests {
    private let path: String
    private let files: KeyFiles
    private let one = String(repeating: "1", count: 40)
    private let two = String(repeating: "2", count: 40)

    init() throws {
        var template = Array("/tmp/trestle-keys-XXXXXX".utf8CString)
        path = try #require(mkdtemp(&template).map { String(cString: $0) })
        files = KeyFiles(stateDirectory: path)
    }

    deinit {
        for name in ["clients", "secret"] { unlink("\(path)/curve/\(name)") }
        rmdir(path + "/curve")
        rmdir(path)
    }

    private func write(_ text: String, mode: mode_t = 0o600) throws {
        mkdir(path + "/curve", 0o700)
        let file = open("\(path)/curve/clients", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(file >= 0)
        let bytes = Array(text.utf8)
        #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
        fchmod(file, mode)
        close(file)
    }

    @Test func keysComeAndGo() throws {
        #expect(try files.list().isEmpty)
        let before = files.stamp
        try files.add("anna", one)
        #expect(files.stamp != before)
        try files.add("bert-2.x", two)
        #expect(try files.list().map(\.name) == ["anna", "bert-2.x"])
        #expect(throws: DaemonError.self) { try files.add("anna", two) }
        #expect(throws: DaemonError.self) { try files.add("carl", one) }
        try files.revoke("anna")
        #expect(try files.list() == [KeyFiles.Client(name: "bert-2.x", key: two)])
        #expect(throws: DaemonError.self) { try files.revoke("anna") }
    }

    @Test func daemonsKeyIsDrawnOnce() throws {
        let key = try files.publicKey()
        #expect(try files.publicKey() == key)
        #expect(try files.secretKey().publicKey().text == key)
    }

    /// Root changes the keys of a directory that the daemon's user may write to.
    @Test func noLinkLeadsElsewhere() throws {
        mkdir(path + "/other", 0o700)
        defer { rmdir(path + "/other") }
        #expect(symlink(path + "/other", path + "/curve") == 0)
        #expect(throws: DaemonError.self) { try files.add("anna", one) }
        #expect(throws: DaemonError.self) { try files.publicKey() }
        #expect(throws: DaemonError.self) { try files.list() }
        #expect(rmdir(path + "/other") == 0, "something was written there")
        unlink(path + "/curve")
        try files.add("anna", one)
        #expect(try files.list().count == 1)
    }

    @Test func namesAndKeysAreChecked() {
        for name in ["", "-a", "a b", "a/b", "a\nb", "ä", String(repeating: "a", count: 65)] {
            #expect(throws: DaemonError.self, "\(name)") { try files.add(name, one) }
        }
        for key in ["", "short", String(repeating: "#", count: 40)] {
            #expect(throws: DaemonError.self, "\(key)") { try files.add("a", key) }
        }
    }

    @Test func otherTextIsNoList() throws {
        for text in [
            "anna\n", "anna \(one) more\n", "anna \(one)\nanna \(two)\n",
            "anna \(one)\nbert \(one)\n", "anna  \(one)\n", "\u{0}\n",
        ] {
            try write(text)
            #expect(throws: DaemonError.self, "\(text)") { try files.list() }
        }
        try write("# a remark\n\nanna \(one)\n")
        #expect(try files.list().count == 1)
        try write("anna \(one)\n", mode: 0o644)
        #expect(throws: DaemonError.self) { try files.list() }
    }
}
