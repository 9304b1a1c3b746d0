import Glibc

/// How far the journal had come when it was served last: a file outside of the state directory,
/// which a copy of that directory does not put back too.
///
/// It is for a line in the log, and nothing relies on it: a file that cannot be read or written is left alone.
final class LastSeen {
    /// The state that is remembered.
    struct State: Equatable {
        var directory: String
        /// The number of the log, as the journal has it.
        var log: UInt64
        var position: UInt64

        var text: String {
            "state \(directory)\nlog \(String(log, radix: 16))\nposition \(position)\n"
        }

        init(directory: String, log: UInt64, position: UInt64) {
            (self.directory, self.log, self.position) = (directory, log, position)
        }

        /// Nil if it is not what was written.
        init?(_ text: String) {
            let values = zip(
                ["state ", "log ", "position "],
                text.split(separator: "\n", omittingEmptySubsequences: false)
            )
            .compactMap { $1.hasPrefix($0) ? String($1.dropFirst($0.utf8.count)) : nil }
            guard values.count == 3, let log = UInt64(values[1], radix: 16),
                let position = UInt64(values[2])
            else { return nil }
            self.init(directory: values[0], log: log, position: position)
        }
    }

    private let descriptor: Int32
    private let directory: String
    private let log: UInt64
    private var written: State?

    /// Remembers the log with this number in a state directory: in the first of the directories where
    /// that can be written, else beside the first socket with a path, where a reboot may forget it. Nil where it
    /// can be written nowhere.
    init?(of directory: String, log: UInt64, directories: [String], endpoints: [String]) {
        let socket = endpoints.first { $0.hasPrefix("ipc:///") }?.dropFirst("ipc://".count)
        var paths = directories.map { "\($0)/trestled.seen" }
        if let socket { paths.append("\(socket).seen") }
        var found: Int32 = -1
        for path in paths where found < 0 {
            Directories.makeParents(of: path)
            found = Self.descriptor(of: path)
        }
        guard found >= 0 else { return nil }
        descriptor = found
        (self.directory, self.log) = (directory, log)
    }

    deinit { close(descriptor) }

    /// -1 where it is not a file of our own. Others may write in the directory: what they put there
    /// may keep who opens it waiting, say what they like, or be another link to a file that matters.
    private static func descriptor(of path: String) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let opened = open(path, flags, 0o600)
        guard opened >= 0 else { return -1 }
        var status = stat()
        if fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), status.st_nlink == 1
        {
            return opened
        }
        close(opened)
        return -1
    }

    /// The difference from when the journal was served before, as a sentence without a full stop; nil if it
    /// has gone on since, or is not the same directory.
    func complaint(atPosition position: UInt64) -> String? {
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0, let before = State(String(decoding: bytes[..<count], as: UTF8.self)),
            before.directory == directory
        else { return nil }
        return Self.complaint(
            about: State(directory: directory, log: log, position: position), before)
    }

    static func complaint(about now: State, _ before: State) -> String? {
        let place = "the state directory \(now.directory)"
        if now.position == 0, before.position > 0 {
            return "\(place) is empty, and had \(before.position) commits when it was served before"
        }
        if now.position < before.position {
            return "\(place) is older than when it was served before: it ends at commit "
                + "\(now.position), and had \(before.position)"
        }
        guard now.log != before.log else { return nil }
        return "\(place) holds another journal than when it was served before"
    }

    /// Remembers a position, if it is a new one.
    func write(position: UInt64) {
        let now = State(directory: directory, log: log, position: position)
        guard now != written else { return }
        written = now
        let bytes = Array(now.text.utf8)
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { return }
        _ = ftruncate(descriptor, off_t(bytes.count))
    }
}
