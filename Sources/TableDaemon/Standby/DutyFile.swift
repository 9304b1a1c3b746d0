import Glibc
import TableJournal

/// The file `duty` in the state directory: what became of this journal in the service of a daemon and its standbys.
/// Without the file it is an ordinary journal.
struct DutyFile {
    enum Duty: Equatable {
        /// An ordinary one; or one that is to follow another, and has not heard of it yet.
        case none
        /// A whole copy of another daemon's journal.
        case following
        /// The entry that begins this term is being written. If it is there, the next start leads.
        case promoting(UInt64)
        /// The standby that was promoted in this term.
        case leading(UInt64)
        /// Another daemon was promoted in this term, at these endpoints: this one writes no more.
        case fenced(UInt64, by: [String])
    }

    private let path: String
    private let directory: String

    init(_ state: StateDirectory) { (path, directory) = (state.file("duty"), state.path) }

    /// - Throws: `DaemonError` if it is not what was written.
    func read() throws -> Duty {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if file < 0, errno == ENOENT { return .none }
        guard file >= 0 else { throw failed("read") }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw failed("read") }
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ").map {
            String($0.filter { $0 != "\n" })
        }
        switch (words.first, words.count > 1 ? UInt64(words[1]) : nil) {
        case ("following", _): return .following
        case ("promoting", let term?): return .promoting(term)
        case ("leading", let term?): return .leading(term)
        case ("fenced", let term?): return .fenced(term, by: Array(words.dropFirst(2)))
        default:
            throw DaemonError(
                .badData, "\(path) is damaged: docs/STANDBY.md says what may stand there")
        }
    }

    /// Makes it durable before this returns.
    func write(_ duty: Duty) throws {
        let text: String
        switch duty {
        case .none:
            guard unlink(path) == 0 || errno == ENOENT else { throw failed("remove") }
            return try syncNames()
        case .following: text = "following\n"
        case .promoting(let term): text = "promoting \(term)\n"
        case .leading(let term): text = "leading \(term)\n"
        case .fenced(let term, let by):
            text = (["fenced", "\(term)"] + by).joined(separator: " ") + "\n"
        }
        let new = path + ".new"
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failed("write") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0,
            rename(new, path) == 0
        else { throw failed("write") }
        try syncNames()
    }

    private func syncNames() throws {
        let names = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard names >= 0 else { throw failed("write") }
        defer { close(names) }
        guard fsync(names) == 0 else { throw failed("write") }
    }

    private func failed(_ doing: String) -> DaemonError {
        DaemonError(.io, "cannot \(doing) \(path): \(String(cString: strerror(errno)))")
    }
}
