import Glibc
import StrictYAML

extension Configuration {
    enum EndpointsKey: String, CaseIterable { case request, publish, curve }

    /// Pairs of sockets: each as many viewers' door as it likes, and none twice. Nil where there is
    /// nothing, or something is wrong.
    static func endpoints(_ value: Value?, _ faults: inout Faults) -> [Endpoints]? {
        guard let value, let pairs = faults.reading({ () throws(Fault) in try value.list() })
        else { return nil }
        var seen: Set<String> = []
        var all: [Endpoints] = []
        for pair in pairs {
            let count = faults.found.count
            guard let fields = faults.fields(pair, EndpointsKey.self) else { continue }
            // A key that is missing beside an unknown one was most likely meant by it.
            let isClear = faults.found.count == count
            var urls: [String] = []
            var usesCurve = false
            faults.read(fields[.curve], into: &usesCurve) { value throws(Fault) in
                try value.bool()
            }
            for key in [EndpointsKey.request, .publish] where isClear || fields[key] != nil {
                let read = faults.reading { () throws(Fault) in
                    try url(fields, key, usesCurve, &seen)
                }
                if let read { urls.append(read) }
            }
            if urls.count == 2 {
                all.append(Endpoints(request: urls[0], publish: urls[1], usesCurve: usesCurve))
            }
        }
        guard 1...16 ~= pairs.count else {
            faults.append(value.fault("expected 1 to 16 pairs of endpoints, found \(pairs.count)"))
            return nil
        }
        // A connection is told by its port to be one of CURVE.
        let (sealed, open) = (ports(of: all, usingCurve: true), ports(of: all, usingCurve: false))
        if let port = sealed.intersection(open).min() {
            faults.append(
                value.fault("port \(port) is served with `curve: true` and without: take another"))
            return nil
        }
        return all.count == pairs.count ? all : nil
    }

    private static func ports(of pairs: [Endpoints], usingCurve: Bool) -> Set<UInt16> {
        Set(
            pairs.filter { $0.usesCurve == usingCurve }.flatMap { [$0.request, $0.publish] }
                .compactMap(port))
    }

    /// The port of a tcp URL.
    static func port(_ url: String) -> UInt16? {
        guard url.hasPrefix("tcp://"), let colon = url.lastIndex(of: ":") else {
            return nil
        }
        return UInt16(url[url.index(after: colon)...])
    }

    private static func url(
        _ fields: Fields<EndpointsKey>, _ key: EndpointsKey, _ usesCurve: Bool,
        _ seen: inout Set<String>
    ) throws(Fault) -> String {
        let value = try fields.required(key)
        let url = try value.string()
        if let fault = fault(inEndpoint: url, usesCurve: usesCurve) { throw value.fault(fault) }
        guard seen.insert(url).inserted else { throw value.fault("`\(url)` stands twice") }
        return url
    }

    /// Why the daemon does not serve at this URL, in a sentence; nil when it does.
    ///
    /// Taken are `ipc://` with an absolute path and `tcp://` with a loopback address and a port; with
    /// CURVE `tcp://` with any numeric address.
    public static func fault(inEndpoint url: String, usesCurve: Bool = false) -> String? {
        let rest = String(url.dropFirst("ipc://".count))
        if url.hasPrefix("tcp://") { return fault(inAddress: rest, usesCurve) }
        if url.hasPrefix("ipc://") {
            return usesCurve
                ? "`curve: true` is for tcp: on a socket with a path the system says who connects"
                : fault(inPath: rest)
        }
        return "expected an ipc:// or tcp:// URL"
    }

    /// 108 bytes is the room for a socket's path in the system's address, and a NUL ends it.
    private static func fault(inPath path: String) -> String? {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.last != UInt8(ascii: "/") else {
            return "expected an absolute path of a socket behind ipc://"
        }
        guard path.utf8.count <= 107 else {
            return "a socket's path has at most 107 bytes, not \(path.utf8.count)"
        }
        guard path.utf8.allSatisfy({ $0 > 31 && $0 != 127 }) else {
            return "a socket's path has no control characters"
        }
        return nil
    }

    private static func fault(inAddress address: String, _ usesCurve: Bool) -> String? {
        guard let colon = address.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = decimal(address[address.utf8.index(after: colon)...]), 1...65_535 ~= port
        else { return "expected tcp://HOST:PORT with a port from 1 to 65535" }
        let host = address[..<colon]
        if host == "localhost" || host == "[::1]" { return nil }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap(decimal).filter { $0 <= 255 }
        let isNumeric = parts.count == 4 && bytes.count == 4
        if isNumeric, bytes[0] == 127 { return nil }
        guard usesCurve else {
            return "beyond loopback (127.0.0.0/8, [::1], localhost) tcp is served with "
                + "`curve: true` only: see docs/REMOTE.md"
        }
        if isNumeric || isSixth(host) { return nil }
        return "expected a numeric address, as 0.0.0.0, 192.0.2.7 or [2001:db8::7]"
    }

    /// An address of IPv6 in brackets.
    private static func isSixth(_ host: Substring) -> Bool {
        guard host.hasPrefix("["), host.hasSuffix("]"), host.utf8.count <= 47 else { return false }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
    }

    /// One to five digits, without leading zeros: some systems take `0177` for octal.
    private static func decimal(_ text: Substring) -> Int? {
        guard 1...5 ~= text.utf8.count, text.utf8.allSatisfy({ 48...57 ~= $0 }),
            text.utf8.count == 1 || text.utf8.first != 48
        else { return nil }
        return Int(text)
    }
}

extension Configuration {
    /// The built-in configuration of a daemon started like this.
    ///
    /// Under systemd it serves in `RUNTIME_DIRECTORY` and keeps its journal in `STATE_DIRECTORY`;
    /// otherwise root has /run/trestle and /var/lib/trestle, and a user the XDG directories.
    public static func defaults(environment: [String: String], userID: UInt32) -> Configuration {
        let runtime: String
        let state: String
        let own = "/tmp/trestle-\(userID)"
        if userID == 0 {
            runtime = "/run/trestle"
            state = "/var/lib/trestle"
        } else {
            runtime = environment.path("XDG_RUNTIME_DIR").map { "\($0)/trestle" } ?? own
            let home =
                environment.path("XDG_STATE_HOME")
                ?? environment.path("HOME").map { "\($0)/.local/state" }
            state = home.map { "\($0)/trestle" } ?? "\(own)/state"
        }
        let sockets = environment.path("RUNTIME_DIRECTORY") ?? runtime
        var configuration = Configuration()
        configuration.stateDirectory = environment.path("STATE_DIRECTORY") ?? state
        configuration.endpoints = [
            Endpoints(
                request: "ipc://\(sockets)/request.sock", publish: "ipc://\(sockets)/publish.sock")
        ]
        return configuration
    }

    /// Directories for what is of use and may be lost, the one that lasts longest first; perhaps
    /// none.
    ///
    /// Under systemd they are `CACHE_DIRECTORY`, then `RUNTIME_DIRECTORY`. Otherwise
    /// /var/cache/trestle goes with /var/lib/trestle, and a user's XDG directory with the user's: a
    /// daemon that keeps its journal elsewhere leaves nothing in either.
    static func cacheDirectories(
        environment: [String: String], userID: UInt32, stateDirectory: String
    ) -> [String] {
        let given = ["CACHE_DIRECTORY", "RUNTIME_DIRECTORY"].compactMap { environment.path($0) }
        let builtIn = defaults(environment: environment, userID: userID).stateDirectory
        // The home of a service's user may be its state directory.
        guard environment.path("CACHE_DIRECTORY") == nil,
            environment.path("STATE_DIRECTORY") == nil, stateDirectory == builtIn
        else { return given }
        if userID == 0 { return ["/var/cache/trestle"] + given }
        let home =
            environment.path("XDG_CACHE_HOME") ?? environment.path("HOME").map { "\($0)/.cache" }
        return (home.map { ["\($0)/trestle"] } ?? []) + given
    }
}

extension [String: String] {
    /// The first of a list of absolute paths; the XDG rules say to ignore any other.
    fileprivate func path(_ name: String) -> String? {
        let isList = name.hasSuffix("_DIRECTORY")
        let value = self[name] ?? ""
        let path = isList ? value.split(separator: ":").first.map(String.init) ?? "" : value
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        return path.utf8.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
