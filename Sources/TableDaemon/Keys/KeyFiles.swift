import Glibc
import TableTransport

/// The keys of CURVE in the state directory: the daemon's own pair, and those of clients that may
/// connect (docs/decisions/0029-curve.md). Both files are the daemon's user's alone.
public struct KeyFiles {
    /// Where they are.
    public let directory: String
    private let state: String

    /// Those of a state directory.
    public init(stateDirectory: String) {
        state = stateDirectory
        directory = stateDirectory + "/curve"
    }

    private func path(_ name: String) -> String { directory + "/" + name }

    /// A key that may connect, and what it is called: in causes, in the log, on the guest list.
    public struct Client: Equatable, Sendable {
        /// One word.
        public var name: String
        /// 40 characters of Z85.
        public var key: String
    }

    // MARK: The daemon's own key

    /// The public key, which clients pin; drawn at first need.
    public func publicKey() throws -> String { try secretKey().publicKey().text }

    func secretKey() throws -> CurveKey {
        if let key = try inDirectory(readSecret) ?? nil { return key }
        // If two first starts meet, the second takes the key that the first has drawn.
        return try locked { folder in
            if let key = try readSecret(in: folder) { return key }
            let key = try CurveKey.makePair().secret
            try write(key.text + "\n", to: "secret", in: folder)
            return key
        }
    }

    private func readSecret(in folder: Int32) throws -> CurveKey? {
        guard let text = try read("secret", in: folder) else { return nil }
        guard let key = CurveKey(text.filter { $0 != "\n" }) else {
            throw DaemonError(.badData, "\(path("secret")) holds no key: restore it from a backup")
        }
        return key
    }

    // MARK: Clients

    /// The keys that may connect, with their names.
    public func list() throws -> [Client] { try inDirectory(list) ?? [] }

    private func list(in folder: Int32) throws -> [Client] {
        guard let text = try read("clients", in: folder) else { return [] }
        var list: [Client] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            // A key may have any sign but a space.
            let words = line.split(separator: " ", omittingEmptySubsequences: false).map(
                String.init)
            guard words.count == 2, KeyName.isPlain(words[0]), CurveKey(words[1]) != nil,
                !list.contains(where: { $0.name == words[0] || $0.key == words[1] })
            else {
                throw DaemonError(
                    .badData,
                    "\(path("clients")):\(index + 1): expected a name and a key, each once in the file"
                )
            }
            list.append(Client(name: words[0], key: words[1]))
        }
        return list
    }

    /// Lets a key connect.
    public func add(_ name: String, _ key: String) throws {
        guard KeyName.isPlain(name) else {
            throw DaemonError(
                .usage,
                "a key's name has 1 to 64 letters, digits, dots, hyphens and underscores, and begins "
                    + "with a letter or a digit")
        }
        guard CurveKey(key) != nil else {
            throw DaemonError(
                .usage,
                "a public key has 40 characters of Z85, as `trestle keygen` prints it (put it in "
                    + "single quotes)")
        }
        try change { list in
            if let same = list.first(where: { $0.name == name || $0.key == key }) {
                let what = same.key == key ? "this key is there as" : "there is another key named"
                throw DaemonError(.cannotCreate, "\(what) \(same.name): revoke it first")
            }
            list.append(Client(name: name, key: key))
        }
    }

    /// Lets a key connect no more.
    public func revoke(_ name: String) throws {
        try change { list in
            guard list.contains(where: { $0.name == name }) else {
                throw DaemonError(.noInput, "there is no key named \(name)")
            }
            list.removeAll { $0.name == name }
        }
    }

    /// Numbers that tell one state of the list from another: a change replaces the file.
    var stamp: [UInt64] {
        var status = stat()
        guard stat(path("clients"), &status) == 0 else { return [] }
        return [
            UInt64(status.st_ino), UInt64(bitPattern: Int64(status.st_size)),
            UInt64(bitPattern: Int64(status.st_mtim.tv_sec)),
            UInt64(bitPattern: Int64(status.st_mtim.tv_nsec)),
            // A mode that was mended changes nothing else.
            UInt64(bitPattern: Int64(status.st_ctim.tv_sec)),
            UInt64(bitPattern: Int64(status.st_ctim.tv_nsec)),
        ]
    }

    // MARK: Files

    /// With the directory of the keys, open. What is done in it goes by this descriptor: no link that
    /// the daemon's user makes may lead root elsewhere. Nil where there is none.
    private func inDirectory<Result>(_ body: (Int32) throws -> Result) throws -> Result? {
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard folder >= 0 else {
            if errno == ENOENT { return nil }
            throw failed("open", directory)
        }
        defer { close(folder) }
        return try body(folder)
    }

    /// Reads, changes and replaces the list.
    private func change(_ body: (inout [Client]) throws -> Void) throws {
        try locked { folder in
            var list = try list(in: folder)
            try body(&list)
            let lines = list.map { "\($0.name) \($0.key)\n" }
            try write(
                "# Keys of clients that may connect: `trestled keys` changes them.\n"
                    + lines.joined(), to: "clients", in: folder)
        }
    }

    /// One process at a time, in a directory that is made at first need.
    private func locked<Result>(_ body: (Int32) throws -> Result) throws -> Result {
        var status = stat()
        guard stat(state, &status) == 0 else {
            throw DaemonError(.noInput, "there is no state directory \(state)")
        }
        let isNew = mkdir(directory, 0o700) == 0
        guard isNew || errno == EEXIST else { throw failed("make", directory) }
        let result = try inDirectory { folder in
            if isNew { try giveToOwner(folder, directory) }
            guard flock(folder, LOCK_EX) == 0 else { throw failed("lock", directory) }
            return try body(folder)
        }
        guard let result else { throw failed("open", directory) }
        return result
    }

    /// Nil where there is none.
    private func read(_ name: String, in folder: Int32) throws -> String? {
        let path = path(name)
        let file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failed("read", path)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw DaemonError(.badData, "\(path) is no file")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw DaemonError(
                .notPermitted, "\(path) is open to others: chmod 0600 \(path), and draw new keys")
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw failed("read", path) }
            if more == 0 { return String(decoding: bytes[..<count], as: UTF8.self) }
            count += more
        }
        throw DaemonError(.badData, "\(path) has more than 1 MiB")
    }

    /// All or nothing, also over a power cut.
    private func write(_ text: String, to name: String, in folder: Int32) throws {
        let new = name + ".new"
        _ = unlinkat(folder, new, 0)
        let file = openat(folder, new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failed("make", path(new)) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            throw failed("write", path(new))
        }
        try giveToOwner(file, path(new))
        guard renameat(folder, new, folder, name) == 0 else { throw failed("replace", path(name)) }
        guard fsync(folder) == 0 else { throw failed("sync", directory) }
    }

    /// Gives a file that root makes here to the daemon's user.
    private func giveToOwner(_ file: Int32, _ path: String) throws {
        var status = stat()
        guard geteuid() == 0, stat(state, &status) == 0, status.st_uid != 0 else { return }
        guard fchown(file, status.st_uid, status.st_gid) == 0 else {
            throw failed("give to its user", path)
        }
    }

    private func failed(_ doing: String, _ path: String) -> DaemonError {
        DaemonError(.io, "cannot \(doing) \(path): \(String(cString: strerror(errno)))")
    }
}
