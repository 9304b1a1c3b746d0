import Glibc
import TableJournal
import TableModel
import TableSync
import TableTurn
import TableWire

/// `trestled salvage`: reads what is whole before a damaged place of a state directory into a new one.
public enum Salvaging {
    /// Saves what it can, and says what there is and what is missing. `from` is only read; `to` must not
    /// be there, and appears when it is complete.
    ///
    /// - Throws: `DaemonError` or `JournalError` with what its description says where nothing is saved.
    public static func run(from: String, to: String) throws -> String {
        try check(from: from, to: to)
        let salvage = try Salvage(directory: from)
        var lines = faultLines(salvage, in: from)
        guard salvage.end.position > 0 else {
            lines.append(
                salvage.newest == 0
                    ? "Nothing can be saved: no commit was found in \(from)."
                    : "Nothing can be saved: neither a whole checkpoint nor commit 1 is there, and what "
                        + "is behind them means nothing without them.")
            lines += begun(salvage)
            throw DaemonError(.badData, all: [lines.joined(separator: "\n")])
        }
        let saved = try making(to) { try write(salvage, to: $0) }
        lines.append("Saved in \(to): all up to commit \(salvage.end.position)\(saved[0]).")
        lines += try missing(salvage)
        var status = stat()
        if stat("\(from)/curve", &status) == 0 {
            lines.append(
                "Not copied: \(from)/curve. Copy it too, or the daemon makes a key of its own there, which "
                    + "clients have to trust anew, and knows none of theirs.")
        }
        return (lines + saved[1...]).joined(separator: "\n")
    }

    // MARK: Before

    private static func check(from: String, to: String) throws {
        try refuseIfNoDirectory(from)
        try refuseIfThere(to)
        // The directory is not to be changed, so nothing may be made in it.
        let parent = to.lastIndex(of: "/").map { $0 == to.startIndex ? "/" : String(to[..<$0]) }
        guard let inner = real(parent ?? "."), let outer = real(from) else {
            throw DaemonError(
                .cannotCreate, "there is no directory \(parent ?? ".") to make \(to) in")
        }
        guard inner != outer, !inner.hasPrefix(outer + "/") else {
            throw DaemonError(.usage, "\(to) would be in \(from), which is not changed")
        }
    }

    static func refuseIfNoDirectory(_ path: String) throws(DaemonError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw DaemonError(.noInput, "there is no directory \(path)")
        }
    }

    static func refuseIfThere(_ path: String) throws(DaemonError) {
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw DaemonError(
                .cannotCreate,
                "\(path) is there, and nothing is written over: name a new directory")
        }
    }

    private static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    // MARK: What is said

    private static func faultLines(_ salvage: Salvage, in directory: String) -> [String] {
        salvage.faults.map { fault in
            guard let file = fault.file else { return "Found: \(fault.what)." }
            let place = fault.offset.map { " at byte \($0)" } ?? ""
            return "Found: \(directory)/\(file)\(place): \(fault.what)."
        }
    }

    private static func missing(_ salvage: Salvage) throws -> [String] {
        guard !salvage.isComplete else {
            let end =
                salvage.knowsNewest
                ? "Nothing is missing: it is the newest commit that was acknowledged."
                : "No later commit was found. Whether there was one is not known: "
                    + "the file \"acknowledged\" does not say it."
            return [end] + begun(salvage)
        }
        let (first, last) = (salvage.end.position + 1, salvage.newest)
        let known = salvage.knowsNewest ? "" : ", as far as is known"
        var lines = [
            first == last
                ? "Missing: commit \(last)\(known)."
                : "Missing: commits \(first) to \(last), \(last - first + 1) of them\(known)."
        ]
        try salvage.newestLegible { position, payload in
            guard let entry = try? Decode.entry(payload) else { return }
            lines.append("Commit \(position), which is lost, was made at \(text(entry.timeMs)).")
        }
        return lines + begun(salvage)
    }

    /// A torn end is not called missing: a start leaves it out without a word.
    private static func begun(_ salvage: Salvage) -> [String] {
        salvage.begun.map {
            ["Commit \($0) had begun; nobody is known to have been told of it."]
        } ?? []
    }

    private static func text(_ timeMs: UInt64) -> String {
        var seconds = time_t(clamping: timeMs / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var room = [CChar](repeating: 0, count: 32)
        let count = strftime(&room, room.count, "%Y-%m-%d %H:%M:%S UTC", &parts)
        return String(decoding: room[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: Saving

    /// Writes it, and reads it as a start would: the digests of all tables are compared.
    ///
    /// - Returns: when the newest commit was made, then a line for each table.
    private static func write(_ salvage: Salvage, to path: String) throws -> [String] {
        let directory = try StateDirectory(path: path)
        try salvage.write(to: directory)
        let journal = try LogJournal(directory: directory)
        let server = Server(limits: Limits(), retention: Retention())
        let summary = try Recovery.bring(server, upTo: journal)
        var time = ""
        if summary.position > 0, summary.entries > 0 {
            try journal.entries(after: summary.position - 1) { _, payload in
                time = ", made at \(text(try Decode.entry(payload).timeMs))"
            }
        }
        try journal.close()
        return [time] + server.tableLines
    }

    /// Makes a directory, which appears when it is complete, or not at all.
    static func making<Result>(_ to: String, _ body: (String) throws -> Result) throws -> Result {
        let unfinished = "\(to).unfinished-\(getpid())"
        do {
            let result = try body(unfinished)
            try moveIntoPlace(unfinished, to)
            return result
        } catch {
            remove(unfinished)
            throw error
        }
    }

    private static func moveIntoPlace(_ unfinished: String, _ to: String) throws {
        // It replaces no directory but an empty one, which may have been made meanwhile.
        guard rename(unfinished, to) == 0 else {
            throw JournalError.system(doing: "rename \(unfinished) to", path: to, code: errno)
        }
        let parent = open(to + "/..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else {
            throw JournalError.system(doing: "open the directory above", path: to, code: errno)
        }
        defer { close(parent) }
        guard fsync(parent) == 0 else {
            throw JournalError.system(doing: "sync the directory above", path: to, code: errno)
        }
    }

    /// Removes the leavings of an attempt. The directory was made by it, so all in it is its own.
    private static func remove(_ path: String) {
        for name in fileNames(in: path) ?? [] { _ = unlink(path + "/" + name) }
        _ = rmdir(path)
    }
}

extension Server {
    /// A server that serves nobody: a journal is read into it.
    convenience init(limits: Limits, retention: Retention) {
        self.init(
            epoch: .random(), limits: limits, codec: WireCodec(), retention: retention,
            makeID: ID128.random)
    }

    /// A line for each table.
    var tableLines: [String] {
        let lines = tables.values.map(\.table).sorted { $0.name < $1.name }.map {
            "Table \($0.name): revision \($0.revision), \($0.count) \($0.count == 1 ? "row" : "rows")."
        }
        return lines.isEmpty ? ["There was no table."] : lines
    }
}
