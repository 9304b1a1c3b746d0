import Glibc
import StrictYAML
import TableClient
import TableTransport

/// Keys in the XDG directory: `NAME.key` is a pair of ours, `servers` says which daemon has which key.
enum KeyStore {
    static var directory: String? { KeyFiles.directory }

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
        try failing { () throws in
            guard let server = try KeyFiles.server(at: String(list.prefix { $0 != "," })) else {
                return nil
            }
            return try ClientKeys(server: server, secret: try KeyFiles.secret(in: try keyPath()))
        }
    }

    /// The keys that are remembered, by `HOST:PORT`.
    static func servers() throws -> [String: CurveKey] {
        try failing { try KeyFiles.servers() }
    }

    private static func failing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let fault as KeyFault {
            throw Failure(ExitStatus(rawValue: fault.exitCode) ?? .io, fault.message)
        }
    }

    /// As TRESTLE_KEY or the client's file says: a name or a path.
    private static func keyPath() throws(Failure) -> String {
        var name = Output.environment("TRESTLE_KEY") ?? ""
        for path in ClientFile.paths where name.isEmpty {
            name =
                try ClientFile.read(.key, in: path) { value throws(Fault) in try value.string() }
                ?? ""
        }
        if name.hasPrefix("/") { return name }
        return try found() + "/\(name.isEmpty ? "client" : name).key"
    }

    /// The arguments, with a key behind `--key` told from an option: one key in 85 begins with a dash.
    static func joined(_ arguments: [String]) -> [String] {
        guard arguments.contains("trust"), let at = arguments.firstIndex(of: "--key"),
            at + 1 < arguments.count, arguments[at + 1].utf8.count == 40
        else { return arguments }
        var joined = arguments
        joined.replaceSubrange(at...at + 1, with: ["--key=" + arguments[at + 1]])
        return joined
    }

    // MARK: Files

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
