import StrictYAML
import TableTransport

/// Finds the daemon: by a flag, the environment, a configuration file, or its usual place.
enum Endpoint {
    /// The endpoint or list of endpoints. Errors name `option` as the source of `flag`.
    static func find(flag: String?, option: String = "--endpoint") throws -> String {
        if let flag { return try checked(flag, option, .usage) }
        if let value = Output.environment("TRESTLE_ENDPOINT"), !value.isEmpty {
            return try checked(value, "TRESTLE_ENDPOINT", .usage)
        }
        for path in ClientFile.paths {
            if let value = try endpoint(in: path) {
                return try checked(value, path, .badConfiguration)
            }
        }
        return UsualEndpoint.found(runtimeDirectory: Output.environment("XDG_RUNTIME_DIR"))
    }

    /// Several daemons that are one service are a list with commas.
    private static func checked(
        _ list: String, _ source: String, _ status: ExitStatus
    ) throws(Failure) -> String {
        let all = list.split(separator: ",", omittingEmptySubsequences: false)
        return try all.map { one throws(Failure) in
            try checkedOne(String(one.drop { $0 == " " }), source, status)
        }.joined(separator: ",")
    }

    private static func checkedOne(
        _ endpoint: String, _ source: String, _ status: ExitStatus
    ) throws(Failure) -> String {
        // The daemon serves at absolute paths only: a relative one never leads to it.
        let isPath = endpoint.hasPrefix("ipc:///") && endpoint.utf8.count > "ipc:///".utf8.count
        let isAddress = endpoint.hasPrefix("tcp://") && hasPort(endpoint)
        if isPath || isAddress { return endpoint }
        let isRelative = endpoint.hasPrefix("ipc://") && !endpoint.hasPrefix("ipc:///")
        let hint = isRelative ? ": the path begins with a slash" : ""
        throw Failure(
            status,
            "\(source): expected ipc:///path or tcp://host:port, found \"\(endpoint)\"\(hint)")
    }

    private static func hasPort(_ endpoint: String) -> Bool {
        guard let colon = endpoint.lastIndex(of: ":") else { return false }
        return UInt16(endpoint[endpoint.index(after: colon)...]).map { $0 > 0 } ?? false
    }

    private static func endpoint(in path: String) throws(Failure) -> String? {
        try ClientFile.read(.endpoint, in: path) { value throws(Fault) in try value.string() }
    }
}
