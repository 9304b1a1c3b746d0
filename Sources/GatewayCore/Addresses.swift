/// Where pages may come from, and which names this server goes by. Both are compared exactly: a
/// foreign page is refused by its Origin, and a foreign name that leads here by its Host.
public struct Addresses: Equatable, Sendable {
    /// As browsers write them: `https://board.example`, `http://127.0.0.1:7580`.
    public private(set) var origins: Set<String> = []
    /// As browsers write them: `board.example`, `127.0.0.1:7580`.
    public private(set) var hosts: Set<String> = []

    /// Nobody may come.
    public init() {}

    /// Lets in the pages of an origin, and the name in it. False: it is no origin.
    public mutating func allow(origin: String) -> Bool {
        guard let parts = Self.parts(of: origin) else { return false }
        origins.insert(parts.origin)
        hosts.insert(parts.host)
        if parts.isDefaultPort { hosts.insert("\(parts.host):\(parts.port)") }
        return true
    }

    /// Lets a further name in, with or without a port.
    public mutating func allow(host: String) -> Bool {
        guard Self.isHost(host) else { return false }
        hosts.insert(host.lowercased())
        return true
    }

    /// Whether a request with this Host is for us.
    public func knows(host: String) -> Bool {
        host.utf8.count <= 300 && hosts.contains(host.lowercased())
    }

    /// Whether a page of this Origin may ask. Browsers write origins in one way only.
    public func knows(origin: String) -> Bool { origins.contains(origin) }

    /// Whether a plain page of this machine has this Host: then its cookie can not be Secure.
    public func isPlainLoopback(host: String) -> Bool {
        let host = host.lowercased()
        return origins.contains("http://\(host)") && Self.isLoopback(Self.name(of: host))
    }

    /// `localhost`, 127.0.0.1 and ::1.
    public static func isLoopback(_ name: String) -> Bool {
        ["localhost", "127.0.0.1", "[::1]", "::1"].contains(name)
    }

    /// A Host without its port.
    public static func name(of host: String) -> String {
        if host.hasPrefix("[") {
            return host.firstIndex(of: "]").map { String(host[...$0]) } ?? host
        }
        return String(host.prefix { $0 != ":" })
    }

    private struct Parts {
        var origin: String
        var host: String
        var port: Int
        var isDefaultPort: Bool
    }

    private static func parts(of origin: String) -> Parts? {
        for (scheme, usual) in [("https://", 443), ("http://", 80)] {
            guard origin.lowercased().hasPrefix(scheme) else { continue }
            let rest = origin.dropFirst(scheme.count).lowercased()
            guard isHost(rest) else { return nil }
            let name = name(of: rest)
            let port = rest == name ? usual : Int(rest.dropFirst(name.count + 1)) ?? usual
            let host = port == usual ? name : "\(name):\(port)"
            return Parts(
                origin: scheme + host, host: host, port: port, isDefaultPort: port == usual)
        }
        return nil
    }

    private static func isHost(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 300,
            text.utf8.allSatisfy({ byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
                default: return [UInt8](".-:[]_".utf8).contains(byte)
                }
            })
        else { return false }
        let rest = text.dropFirst(name(of: text).count)
        guard !rest.isEmpty else { return true }
        return rest.first == ":" && UInt16(rest.dropFirst()).map { $0 > 0 } ?? false
    }
}
