import Glibc
import TableTransport

/// The two sockets of the daemon, bound to every endpoint of the configuration, or to what systemd
/// has bound already.
struct Endpoints: ~Copyable {
    let requests: Socket
    let publications: Socket
    /// What `hello` tells clients to subscribe to.
    let published: [String]
    private let locks: [SocketLock]

    /// Binds. `descriptors` are those of socket activation, by name.
    init(
        _ configuration: Configuration, in context: Context, descriptors: [String: Int32]
    ) throws {
        var options = SocketOptions()
        options.sendHighWaterMark = Int32(configuration.highWaterMark)
        options.receiveHighWaterMark = Int32(configuration.highWaterMark)
        options.heartbeat = .init()
        options.lingerMilliseconds = 1_000
        // Above it libzmq closes the connection; between the limit and it there is a named refusal.
        options.maximumFrameBytes = Int64(configuration.limits.requestBytes) * 4
        requests = try Socket(.router, in: context, options: options)
        // Subscribers send topics only.
        options.maximumFrameBytes = 1_024
        publications = try Socket(.xpub, in: context, options: options)
        published = configuration.endpoints.map(\.publish)

        if descriptors.isEmpty {
            var locks: [SocketLock] = []
            for endpoint in configuration.endpoints.flatMap({ [$0.request, $0.publish] }) {
                if let path = Self.path(endpoint) { locks.append(try SocketLock(socketPath: path)) }
            }
            self.locks = locks
            for pair in configuration.endpoints {
                try requests.bind(pair.request)
                try publications.bind(pair.publish)
            }
            for pair in configuration.endpoints {
                Self.open(pair.request, mode: configuration.ipcMode)
                Self.open(pair.publish, mode: configuration.ipcMode)
            }
        } else {
            locks = []
            guard let first = configuration.endpoints.first,
                let request = descriptors["request"], let publish = descriptors["publish"]
            else {
                throw DaemonError(
                    .badConfiguration,
                    "systemd passed sockets named \(descriptors.keys.sorted()): "
                        + "\"request\" and \"publish\" are needed")
            }
            try requests.bind(first.request, serving: request)
            try publications.bind(first.publish, serving: publish)
        }
    }

    private static func path(_ endpoint: String) -> String? {
        endpoint.hasPrefix("ipc:///") ? String(endpoint.dropFirst("ipc://".count)) : nil
    }

    private static func open(_ endpoint: String, mode: UInt32) {
        if let path = path(endpoint) { chmod(path, mode_t(mode)) }
    }
}
