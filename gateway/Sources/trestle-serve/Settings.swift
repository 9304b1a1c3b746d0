import ArgumentParser
import GatewayCore
import Glibc
import TableTransport

/// Lines for people, on standard error.
enum Log {
    static func say(_ text: String) {
        let plain = text.unicodeScalars.map { $0.value < 0x20 ? " " : String($0) }.joined()
        LogLines.standardError.write("trestle-serve: \(plain)") { "trestle-serve: \($0)" }
    }
}

/// The settings of `run`.
struct Settings: Sendable {
    enum Listen: Equatable {
        case address(host: String, port: Int)
        case unix(path: String)

        var host: String? { if case .address(let host, _) = self { host } else { nil } }
    }

    var listen: Listen
    /// Where the figures are besides; nil: nowhere.
    var figures: Listen?
    /// The daemon's endpoint; of a service of several daemons a list with commas.
    var endpoint: String
    /// The keys for those of its endpoints that are served with CURVE.
    var keys: [String: SocketOptions.Curve]
    var web: String
    var origins: [String]
    var hosts: [String]
    var tls: (certificate: String, key: String)?
    var opensMetrics: Bool
    var mostConnections = 1_024

    /// Reads `127.0.0.1:7580`, `[::1]:7580`, `unix:/run/trestle-serve/http.sock`.
    static func listen(_ text: String) throws -> Listen {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard path.hasPrefix("/"), path.utf8.count <= 107 else {
                throw ValidationError(
                    "--listen unix:PATH takes an absolute path of at most 107 bytes.")
            }
            return .unix(path: path)
        }
        let name = Addresses.name(of: text)
        guard name.utf8.count < text.utf8.count, !name.isEmpty,
            let port = UInt16(text.dropFirst(name.count + 1))
        else { throw ValidationError("--listen takes HOST:PORT or unix:PATH, not \"\(text)\".") }
        let host = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
        return .address(host: host, port: Int(port))
    }

    /// Which pages and names are known, once the port is.
    func addresses(port: Int?) throws -> (Addresses, first: String) {
        var addresses = Addresses()
        var first: String?
        for origin in origins {
            guard addresses.allow(origin: origin) else {
                throw ValidationError(
                    "--origin takes https://HOST or https://HOST:PORT, not \"\(origin)\".")
            }
            first = first ?? origin
        }
        if case .address(let host, _) = listen, let port {
            let scheme = tls == nil ? "http" : "https"
            let written = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
            var names = Addresses.isLoopback(written) ? [written, "localhost"] : []
            if tls != nil { names += hosts }
            if names.isEmpty, host != "0.0.0.0", host != "::" { names = [written] }
            for name in names {
                let origin =
                    Addresses.name(of: name) == name
                    ? "\(scheme)://\(name):\(port)" : "\(scheme)://\(name)"
                guard addresses.allow(origin: origin) else { continue }
                first = first ?? origin
            }
        }
        for host in hosts {
            guard addresses.allow(host: host) else {
                throw ValidationError("--allow-host takes HOST or HOST:PORT, not \"\(host)\".")
            }
        }
        guard let first else {
            throw ValidationError(
                "Say by which address browsers come: --origin https://board.example.")
        }
        return (addresses, first)
    }

    /// A browser keeps no Secure cookie from a plain address, and sends secrets in the clear to it.
    func check() throws {
        if case .address(let host, _) = listen, tls == nil, !Addresses.isLoopback(host) {
            throw ValidationError(
                "\(host) can be reached by others: use --tls-cert and --tls-key, or listen on "
                    + "127.0.0.1 or a unix socket behind a proxy that speaks TLS.")
        }
        guard figures.map({ Addresses.isLoopback($0.host ?? "") }) ?? true else {
            throw ValidationError(
                "--metrics-listen takes 127.0.0.1:PORT or [::1]:PORT: what is there is not sealed.")
        }
    }
}

/// Where things are, if nobody says.
enum Places {
    static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    static func stateDirectory(_ option: String?) -> String {
        if let option { return option }
        if let given = variable("STATE_DIRECTORY") { return String(given.prefix { $0 != ":" }) }
        if geteuid() == 0 || access("/var/lib/trestle-serve", R_OK) == 0 {
            return "/var/lib/trestle-serve"
        }
        let home = variable("HOME") ?? "/tmp"
        return "\(variable("XDG_STATE_HOME") ?? "\(home)/.local/state")/trestle-serve"
    }

    static func endpoint(_ option: String?) throws -> String {
        let list =
            option ?? variable("TRESTLE_ENDPOINT")
            ?? UsualEndpoint.found(runtimeDirectory: variable("XDG_RUNTIME_DIR"))
        let endpoints = DaemonChoice(list).endpoints
        for endpoint in endpoints.isEmpty ? [list] : endpoints
        where !endpoint.hasPrefix("ipc:///") && !endpoint.hasPrefix("tcp://") {
            throw ValidationError("-e takes ipc:///path or tcp://host:port, not \"\(endpoint)\".")
        }
        return endpoints.joined(separator: ",")
    }

    /// The keys for a list of endpoints, which stand where the command line keeps its own.
    static func keys(for list: String, pair name: String?) throws -> [String: SocketOptions.Curve] {
        var keys: [String: SocketOptions.Curve] = [:]
        do {
            for endpoint in DaemonChoice(list).endpoints {
                guard let server = try KeyFiles.server(at: endpoint) else { continue }
                let name = name ?? variable("TRESTLE_KEY") ?? "client"
                let path = name.hasPrefix("/") ? name : "\(KeyFiles.directory ?? "")/\(name).key"
                let secret = try KeyFiles.secret(in: path)
                keys[endpoint] = .init(
                    server: server, publicKey: try secret.publicKey(), secret: secret)
            }
        } catch let fault as KeyFault {
            throw SystemFailure(saying: fault.message, exitCode: fault.exitCode)
        }
        return keys
    }

    /// `share/trestle/web` beside the program's `bin` or `libexec`, or `web` of the source.
    static func web(_ option: String?) -> String {
        if let option { return option.hasSuffix("/") ? String(option.dropLast()) : option }
        var room = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &room, room.count - 1)
        let program = String(
            decoding: room.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var directory = program
        for _ in 0..<6 {
            guard let slash = directory.lastIndex(of: "/") else { break }
            directory = String(directory[..<slash])
            for candidate in ["\(directory)/share/trestle/web", "\(directory)/web"]
            where access("\(candidate)/index.html", R_OK) == 0 {
                return candidate
            }
        }
        return "/usr/share/trestle/web"
    }
}
