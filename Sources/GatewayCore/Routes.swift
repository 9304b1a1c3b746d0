/// The purpose of a request.
public enum Route: Equatable, Sendable {
    /// `index.html`, which reads its own address.
    case page
    /// A file of `web/`, if there is one of that path.
    case asset(String)
    case pair, unpair, ask, devices, changeDevices, socket, health, ready, metrics
    case snapshot(table: String)
    /// There is nothing of that name.
    case unknown
    /// The path takes this method only.
    case wrongMethod(allowed: String)

    /// Reads the first line of a request. Paths of files are compared, never decoded.
    public static func of(method: String, target: String) -> Route {
        let path = String(target.prefix { $0 != "?" })
        guard path.utf8.count <= 2_048, path.hasPrefix("/"), !path.utf8.contains(UInt8(ascii: "#"))
        else { return .unknown }
        if path == "/pair", method == "POST" { return .pair }
        if path == "/unpair" { return method == "POST" ? .unpair : .wrongMethod(allowed: "POST") }
        if path == "/ask" { return method == "POST" ? .ask : .wrongMethod(allowed: "POST") }
        if path == "/devices", method == "POST" { return .changeDevices }
        guard method == "GET" || method == "HEAD" else { return .wrongMethod(allowed: "GET, HEAD") }
        switch path {
        case "/", "/pair", "/index.html": return .page
        case "/socket": return .socket
        case "/devices": return .devices
        case "/healthz": return .health
        case "/readyz": return .ready
        case "/metrics": return .metrics
        default: break
        }
        if path.hasPrefix("/board/") {
            return table(in: path.dropFirst("/board/".count)) == nil ? .unknown : .page
        }
        if path.hasPrefix("/tables/"), path.hasSuffix("/snapshot"),
            path.utf8.count > "/tables//snapshot".utf8.count
        {
            let name = path.dropFirst("/tables/".count).dropLast("/snapshot".count)
            return table(in: name).map { .snapshot(table: $0) } ?? .unknown
        }
        return .asset(path)
    }

    /// A table's name with its `%xx` undone; nil where it can be none.
    static func table(in text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit),
                let low = rest.popFirst().flatMap(digit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        let name = String(validating: bytes, as: UTF8.self)
        return name.flatMap { Hub.isTableName($0) ? $0 : nil }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: return byte - 0x30
        case 0x41...0x46: return byte - 0x41 + 10
        case 0x61...0x66: return byte - 0x61 + 10
        default: return nil
        }
    }
}
