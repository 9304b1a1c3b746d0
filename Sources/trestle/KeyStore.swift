import Glibc
import StrictYAML
import TableClient
import TableTransport

/// Keys in the XDG directory: `NAME.key` is a pair of ours, `servers` says which daemon has which key.
enum KeyStore {
    /// Nil where the environment names no home.
    static var directory: String? {
        if let directory = Output.environment("XDG_CONFIG_HOME"), directory.hasPrefix("/") {
            return directory + "/trestle"
        }
        guard let home = Output.environment("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.config/trestle"
    }

    static func found() throws(Failure) -> String {
        guard let directory else {
            throw Failure(.usage, "neither XDG_CONFIG_HOME nor HOME says where keys belong")
        }
        return directory
    }

    // MARK: Connecting

    /// A client of the daemon at an endpoint, with keys where that daemon's key is pinned.
    static func client(_ endpoint: String) throws -> Client {
        try Client(endpoint, keys: try keys(for: endpoint))
    }

    /// Several daemons that are one service have one key: that of the first endpoint.
    private static func keys(for list: String) throws -> ClientKeys? {
        let endpoint = String(list.prefix { $0 != "," })
        guard endpoint.hasPrefix("tcp://") else { return nil }
        let address = String(endpoint.dropFirst("tcp://".utf8.count))
        guard let server = try servers()[address] else {
            if isLoopback(address) { return nil }
            throw Failure(
                .notPermitted,
                "the key of \(address) is not known: ask who runs it for it (`trestled keys show`), "
                    + "then `trestle trust \(address) --key '…'`")
        }
        let path = try keyPath()
        guard access(path, F_OK) == 0 else {
            throw Failure(.notPermitted, "there is no \(path): `trestle keygen` makes it")
        }
        return try ClientKeys(server: server, secret: try secret(in: path))
    }

    /// As TRESTLE_KEY or the client's file says: a name or a path.
    private static func keyPath() throws(Failure) -> String {
        var name = Output.environment("TRESTLE_KEY") ?? ""
        for path in ClientFile.paths where name.isEmpty {
            name =
                try ClientFile.read(.key, in: path) { value throws(Fault) in
                    try value.string()
                } ?? ""
        }
        if name.hasPrefix("/") { return name }
        return try found() + "/\(name.isEmpty ? "client" : name).key"
    }

    /// The arguments, with a key behind `--key` told from an option: one key in 85 begins with a dash.
    static func joined(_ arguments: [String]) -> [String] {
        guard arguments.contains("trust"), let at = arguments.firstIndex(of: "--key"),
            at + 1 < arguments.count, arguments[at + 1].utf8.count == 40
        else { return arguments }
        return arguments[..<at] + ["--key=" + arguments[at + 1]] + arguments[(at + 2)...]
    }

    private static func isLoopback(_ address: String) -> Bool {
        guard let colon = address.lastIndex(of: ":") else { return false }
        let host = address[..<colon]
        if host == "localhost" || host == "[::1]" { return true }
        // 127.example.org is a name, and anywhere.
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    // MARK: Files

    private static func secret(in path: String) throws(Failure) -> CurveKey {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw Failure(.notPermitted, "\(path) is open to others: chmod 0600, or a new key")
        }
        let lines = try Files.text(at: path, atMost: 4_096).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("secret ") }),
            let key = CurveKey(String(line.dropFirst("secret ".utf8.count)))
        else { throw Failure(.badConfiguration, "\(path): no key is in it") }
        return key
    }

    /// By `HOST:PORT`.
    static func servers() throws(Failure) -> [String: CurveKey] {
        guard let path = directory.map({ $0 + "/servers" }), access(path, F_OK) == 0 else {
            return [:]
        }
        var servers: [String: CurveKey] = [:]
        for line in try Files.text(at: path, atMost: 1 << 20).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2, let key = CurveKey(String(words[1])) else {
                throw Failure(
                    .badConfiguration, "\(path): expected an address and a key, found \"\(line)\"")
            }
            servers[String(words[0])] = key
        }
        return servers
    }

    /// Makes a file that is ours alone, or replaces it as a whole.
    static func write(_ text: String, to name: String, replacing: Bool) throws(Failure) {
        let directory = try found()
        for index in directory.indices.dropFirst() where directory[index] == "/" {
            _ = mkdir(String(directory[..<index]), 0o700)
        }
        _ = mkdir(directory, 0o700)
        let path = "\(directory)/\(name)"
        let target = replacing ? "\(path).new-\(getpid())" : path
        let file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            guard errno == EEXIST else { throw Failure(.cannotCreate, cannot: "make \(path)") }
            throw Failure(
                .cannotCreate,
                "cannot make \(path): it is there, and is not replaced. "
                    + "Its line \"public\" has the public key")
        }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0,
            !replacing || rename(target, path) == 0
        else { throw Failure(cannot: "write \(path)") }
    }
}
