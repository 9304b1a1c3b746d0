import Glibc

/// The keys that `trestle keygen` and `trestle trust` keep: `NAME.key` is a pair of ours, `servers` says which daemon
/// has which key.
public enum KeyFiles {
    /// In the XDG directory; nil where the environment names no home.
    public static var directory: String? {
        if let directory = variable("XDG_CONFIG_HOME") { return directory + "/trestle" }
        return variable("HOME").map { $0 + "/.config/trestle" }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let path = String(cString: value)
        return path.hasPrefix("/") ? path : nil
    }

    /// The key of the daemon at this endpoint. Nil: it is on this machine, and none is remembered. One on another
    /// machine is not spoken to without.
    public static func server(
        at endpoint: String, in directory: String? = KeyFiles.directory
    ) throws(KeyFault) -> CurveKey? {
        guard endpoint.hasPrefix("tcp://") else { return nil }
        let address = String(endpoint.dropFirst("tcp://".utf8.count))
        if let server = try servers(in: directory)[address] { return server }
        if isLoopback(address) { return nil }
        throw KeyFault(
            .notPermitted,
            "the key of \(address) is not known: ask who runs it for it (`trestled keys show`), "
                + "then `trestle trust \(address) --key '…'`")
    }

    /// The secret key of a pair.
    public static func secret(in path: String) throws(KeyFault) -> CurveKey {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw KeyFault(.notPermitted, "there is no \(path): `trestle keygen` makes it")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw KeyFault(.notPermitted, "\(path) is open to others: chmod 0600, or a new key")
        }
        let lines = try text(at: path, atMost: 4_096).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("secret ") }),
            let key = CurveKey(String(line.dropFirst("secret ".utf8.count)))
        else { throw KeyFault(.malformed, "\(path): no key is in it") }
        return key
    }

    /// The keys that are remembered, by `HOST:PORT`.
    public static func servers(
        in directory: String? = KeyFiles.directory
    ) throws(KeyFault) -> [String: CurveKey] {
        guard let path = directory.map({ $0 + "/servers" }), access(path, F_OK) == 0 else {
            return [:]
        }
        var servers: [String: CurveKey] = [:]
        for line in try text(at: path, atMost: 1 << 20).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2, let key = CurveKey(String(words[1])) else {
                throw KeyFault(
                    .malformed, "\(path): expected an address and a key, found \"\(line)\"")
            }
            servers[String(words[0])] = key
        }
        return servers
    }

    private static func isLoopback(_ address: String) -> Bool {
        guard let colon = address.lastIndex(of: ":") else { return false }
        let host = address[..<colon]
        if host == "localhost" || host == "[::1]" { return true }
        // 127.example.org is a name, and anywhere.
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func text(at path: String, atMost limit: Int) throws(KeyFault) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw KeyFault(reading: path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw KeyFault(reading: path) }
            bytes += part[..<count]
            guard bytes.count <= limit else {
                throw KeyFault(.malformed, "\(path): more than \(limit) bytes")
            }
            guard count == 0 else { continue }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw KeyFault(.malformed, "\(path): not valid UTF-8")
            }
            return text
        }
    }
}

/// Why there is no key to connect with.
public struct KeyFault: Error {
    /// The kinds of faults.
    public enum Kind: Sendable {
        /// A key is missing, or others can read it.
        case notPermitted
        /// The file's contents are no keys.
        case malformed
        /// The system cannot read the file.
        case unreadable
    }

    /// The kind of fault.
    public let kind: Kind
    /// A sentence for people.
    public let message: String

    /// The code with which a program ends because of it, as in sysexits.h.
    public var exitCode: Int32 {
        switch kind {
        case .notPermitted: 77
        case .malformed: 78
        case .unreadable: 74
        }
    }

    init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

    init(reading path: String) {
        self.init(.unreadable, "cannot read \(path): \(String(cString: strerror(errno)))")
    }
}
