import Glibc
import StrictYAML
import TableJournal
import TableTransport

extension Configuration {
    /// The configuration of this process: flags over the files over the built-in defaults.
    ///
    /// Throws `DaemonError` with a sentence for each fault, which names the file and the line.
    public static func read(
        file: String?, stateDirectory: String?, endpoints: [String]
    ) throws -> Configuration {
        try read(
            file: file, stateDirectory: stateDirectory, endpoints: endpoints,
            over: defaults(environment: environment, userID: UInt32(geteuid())))
    }

    /// Where an installed daemon's configuration is.
    public static let installedFile = "/etc/trestle/trestled.yaml"

    /// The file that a command about a daemon means which names neither a file nor a state directory: that of the
    /// installed daemon, whoever types it; nil: none is installed, or this user has tables of their own.
    public static func fileMeant(installed: String = installedFile) -> String? {
        let own = defaults(environment: environment, userID: UInt32(geteuid())).stateDirectory
        let hasOwn =
            own != defaults(environment: [:], userID: 0).stateDirectory
            && access(own ?? "", F_OK) == 0
        return hasOwn || access(installed, F_OK) != 0 ? nil : installed
    }

    /// Reads the configuration of the daemon that a command about a daemon means.
    public static func readMeant(
        file: String?, stateDirectory: String?, endpoints: [String],
        installed: String = installedFile
    ) throws -> Configuration {
        let meant = file ?? (stateDirectory == nil ? fileMeant(installed: installed) : nil)
        let base =
            try meant.flatMap { unitDefaults(of: try absolute($0), besides: installed) }
            ?? defaults(environment: environment, userID: UInt32(geteuid()))
        return try read(
            file: meant, stateDirectory: stateDirectory, endpoints: endpoints, over: base)
    }

    /// The directories that a unit gives its daemon, by the file that it reads: `trestled.service` the file that is
    /// installed, `trestled@NAME.service` the file NAME.yaml beside it; nil: no unit reads that file, or this process has
    /// directories of its own.
    private static func unitDefaults(of file: String, besides installed: String) -> Configuration? {
        let directory = installed.prefix(upTo: installed.lastIndex(of: "/") ?? installed.startIndex)
        guard file == installed || file.hasPrefix("\(directory)/") && file.hasSuffix(".yaml")
        else { return nil }
        let name = file.dropFirst(directory.count + 1).dropLast(".yaml".count)
        guard !name.isEmpty, !name.contains("/"), environment["STATE_DIRECTORY"] == nil else {
            return nil
        }
        let suffix = file == installed ? "" : "-\(name)"
        let state = "/var/lib/trestle\(suffix)"
        // Somebody's own daemon may have its file there, too.
        guard file == installed || geteuid() == 0 || access(state, F_OK) == 0 else { return nil }
        let given = ["STATE_DIRECTORY": state, "RUNTIME_DIRECTORY": "/run/trestle\(suffix)"]
        return defaults(environment: given, userID: 0)
    }

    private static func read(
        file: String?, stateDirectory: String?, endpoints: [String], over base: Configuration
    ) throws -> Configuration {
        var configuration = base
        var faults: [String] = []
        func collecting(_ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as DaemonError { faults += error.all }
        }
        if let file {
            try collecting {
                let texts = try files(of: file).map { (name: $0, text: try text(of: $0)) }
                let (read, found) = check(texts, over: configuration)
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

    /// The file, and those of the directory beside it in the order of their names: of `trestled.yaml` the files
    /// `trestled.d/*.yaml`. What a later one says holds.
    public static func files(of file: String) throws(DaemonError) -> [String] {
        guard file.hasSuffix(".yaml") else { return [file] }
        let directory = file.dropLast("yaml".count) + "d"
        guard let names = fileNames(in: String(directory)) else {
            if errno == ENOENT || errno == ENOTDIR { return [file] }
            throw DaemonError(
                .badConfiguration, "cannot read \(directory): \(String(cString: strerror(errno)))")
        }
        let parts = names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }
        return [file] + parts.sorted().map { "\(directory)/\($0)" }
    }

    /// The variables that say where sockets and journal belong, and what may be lost.
    static var environment: [String: String] {
        ServiceEnvironment.variables([
            "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "CACHE_DIRECTORY", "XDG_RUNTIME_DIR",
            "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME",
        ])
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
                name == "request.sock" ? "\(request[...slash])publish.sock" : "\(request).publish"
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
                : "keeps its journal \(Self.text(of: journal)), and its keys in \(place)")
        if let follow { lines.append("is a standby of \(follow.endpoint)") }
        lines.append("logs \(logLevel) and above, heartbeat every \(heartbeatMs) ms")
        return lines.joined(separator: "\n")
    }
}
