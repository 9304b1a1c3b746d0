import Glibc
import StrictYAML

extension Configuration {
    /// The configuration of this process: flags over the file over the built-in defaults.
    ///
    /// Throws `DaemonError` with a sentence for each fault, which names the file and the line.
    public static func read(
        file: String?, stateDirectory: String?, endpoints: [String]
    ) throws -> Configuration {
        var configuration = defaults(
            environment: environment, userID: UInt32(geteuid()))
        var faults: [String] = []
        func collecting(_ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as DaemonError { faults += error.all }
        }
        if let file {
            try collecting {
                let (read, found) = check(try text(of: file), name: file, over: configuration)
                configuration = read
                faults += found.map(\.description)
            }
        }
        try collecting {
            if let stateDirectory { configuration.stateDirectory = try absolute(stateDirectory) }
        }
        if !endpoints.isEmpty {
            configuration.endpoints = []
            for endpoint in endpoints {
                try collecting { configuration.endpoints.append(try pair(endpoint)) }
            }
        }
        guard faults.isEmpty else { throw DaemonError(.badConfiguration, all: faults) }
        return configuration
    }

    /// The variables that say where sockets and journal belong, and what may be lost.
    static var environment: [String: String] {
        let names = [
            "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "CACHE_DIRECTORY", "XDG_RUNTIME_DIR",
            "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME",
        ]
        var found: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { found[name] = String(cString: value) }
        }
        return found
    }

    /// `publish.sock` beside the socket, or the next port.
    private static func pair(_ request: String) throws -> Endpoints {
        var publish = request
        if request.hasPrefix("tcp://"), let colon = request.lastIndex(of: ":"),
            let port = UInt16(request[request.index(after: colon)...]), port < UInt16.max
        {
            publish = "\(request[...colon])\(port + 1)"
        } else if let slash = request.lastIndex(of: "/") {
            let name = request[request.index(after: slash)...]
            publish =
                name == "request.sock"
                ? "\(request[...slash])publish.sock" : "\(request).publish"
        }
        for url in [request, publish] {
            if let fault = fault(inEndpoint: url) {
                throw DaemonError(.badConfiguration, "--endpoint \(url): \(fault)")
            }
        }
        return Endpoints(request: request, publish: publish)
    }

    /// A file of at most 1 MiB; `StrictYAML` refuses more.
    static func text(of path: String) throws(DaemonError) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw DaemonError(
                .badConfiguration, "cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= 2 << 20 {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0 {
                throw DaemonError(
                    .badConfiguration, "cannot read \(path): \(String(cString: strerror(errno)))")
            }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw DaemonError(.badConfiguration, "\(path) is not UTF-8")
        }
        return text
    }

    private static func absolute(_ path: String) throws -> String {
        if path.hasPrefix("/") { return path }
        guard let here = getcwd(nil, 0) else {
            throw DaemonError(.badConfiguration, "the working directory is not to be had")
        }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }

    /// For `trestled check-config`.
    public var summary: String {
        var lines = endpoints.map {
            "serves \($0.request), publishes on \($0.publish)"
                + ($0.usesCurve ? ", for known keys" : "")
        }
        let place = stateDirectory ?? "?"
        lines.append(
            etcd == nil
                ? "keeps its journal in \(place)"
                : "keeps its journal \(Self.text(of: etcd)), and its keys in \(place)")
        lines.append("logs \(logLevel) and above, heartbeat every \(heartbeatMs) ms")
        return lines.joined(separator: "\n")
    }
}
