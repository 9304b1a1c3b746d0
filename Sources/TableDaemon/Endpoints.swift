import Glibc
import TableTransport

/// The two sockets of the daemon, bound to every endpoint of the configuration, or to what systemd
/// has bound already.
final class Endpoints {
    let requests: Socket
    let publications: Socket
    /// Where requests are served, for the log.
    let served: [String]
    /// The endpoints that `hello` tells clients to subscribe to.
    let published: [String]
    private let locks: [SocketLock]
    /// The files of its own sockets: those that systemd passes are systemd's.
    private let paths: [String]

    /// Binds. `descriptors` are those of socket activation, by name.
    init(
        _ configuration: Configuration, in context: Context, descriptors: [String: Int32],
        secret: CurveKey?
    ) throws {
        let pairs = configuration.endpoints
        paths =
            descriptors.isEmpty
            ? pairs.flatMap { [$0.request, $0.publish] }.compactMap(Self.path) : []
        // First of all: a bind would take the path from a daemon that serves it.
        locks = try paths.map { try SocketLock(socketPath: $0) }
        served = descriptors.isEmpty ? pairs.map(\.request) : ["systemd"]
        published =
            try descriptors["publish"].map { [try Self.endpoint(of: $0)] }
            ?? pairs.map(\.shownPublish)
        requests = try Socket(.router, in: context, options: Self.requestOptions(configuration))
        publications = try Socket(.xpub, in: context, options: Self.publishOptions(configuration))
        if descriptors.isEmpty {
            try bind(pairs.filter { !$0.usesCurve })
            if let secret {
                // A listener keeps the options that its socket had when it was bound.
                try requests.secure(with: secret)
                try publications.secure(with: secret)
                try bind(pairs.filter(\.usesCurve))
            }
            try setMode(configuration.ipcMode)
        } else {
            try serve(descriptors)
        }
    }

    private func bind(_ pairs: [Configuration.Endpoints]) throws {
        for pair in pairs {
            try requests.bind(Self.bound(pair.request))
            try publications.bind(Self.bound(pair.publish))
        }
    }

    /// An endpoint as libzmq binds it, which takes a name for that of a network interface. Clients are told
    /// `localhost` as the file has it: when they connect, it is looked up.
    private static func bound(_ endpoint: String) -> String {
        let name = "tcp://localhost:"
        guard endpoint.hasPrefix(name) else { return endpoint }
        return "tcp://127.0.0.1:" + endpoint.dropFirst(name.count)
    }

    private static func requestOptions(_ configuration: Configuration) -> SocketOptions {
        var options = SocketOptions()
        // libzmq counts a message as gone only when half of the mark was read: a client that reads
        // has room for the mark of the configuration at any time. `PeerGuard` counts the bytes.
        options.sendHighWaterMark = Int32(configuration.highWaterMark) * 4
        // None on the way in: libzmq 4.3.4 aborts when a connection ends whose reading it had stopped
        // at the mark, at its next ping (`Assertion failed: !_io_error`). `PeerGuard` bounds it.
        options.receiveHighWaterMark = 0
        options.heartbeat = .init()
        // In a storm of them a client waits its turn, instead of being turned away.
        options.backlog = 4_096
        options.handshakeMilliseconds = 2_000
        options.domain = Authenticator.domain
        // The messages of a connection are let go with it, and not a second later.
        options.lingerMilliseconds = 0
        options.allowsIPv6 = configuration.endpoints.contains {
            ($0.request + $0.publish).utf8.contains(UInt8(ascii: "["))
        }
        // `PeerGuard` ends a connection before that; below there is a named refusal.
        options.maximumFrameBytes = Int64(PeerGuard.messageBytes)
        return options
    }

    private static func publishOptions(_ configuration: Configuration) -> SocketOptions {
        var options = requestOptions(configuration)
        options.sendHighWaterMark = Int32(configuration.highWaterMark)
        // A viewer whose pong waits at the guard's turnstile is there. One that is not is ended by the
        // guard when it has not read so much.
        options.heartbeat?.timeoutMilliseconds = 30_000
        // A viewer that may not read a table hears nothing of it.
        options.xpubManual = true
        // Subscribers send topics only.
        options.maximumFrameBytes = 1_024
        return options
    }

    /// Lets messages that were sent go out when the sockets are closed.
    func willClose() throws {
        try requests.linger(milliseconds: 1_000)
        try publications.linger(milliseconds: 1_000)
    }

    /// Sets who may connect to the sockets of `ipc://` endpoints from now on.
    func setMode(_ mode: UInt32) throws(DaemonError) {
        for path in paths {
            guard chmod(path, mode_t(mode)) == 0 else {
                throw DaemonError(
                    .cannotCreate,
                    "cannot set the mode of \(path): \(String(cString: strerror(errno)))")
            }
        }
    }

    private func serve(_ descriptors: [String: Int32]) throws {
        guard let request = descriptors["request"], let publish = descriptors["publish"]
        else {
            throw DaemonError(
                .badConfiguration,
                "systemd passed sockets named \(descriptors.keys.sorted()): "
                    + "\"request\" and \"publish\" are needed")
        }
        try requests.bind(Self.endpoint(of: request), serving: request)
        try publications.bind(Self.endpoint(of: publish), serving: publish)
    }

    /// Where systemd has bound a descriptor.
    private static func endpoint(of descriptor: Int32) throws -> String {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let known = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        guard known == 0, address.sun_family == sa_family_t(AF_UNIX) else {
            throw DaemonError(.badConfiguration, "systemd passed a socket that is not AF_UNIX")
        }
        let path = withUnsafeBytes(of: &address.sun_path) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard path.hasPrefix("/") else {
            throw DaemonError(.badConfiguration, "systemd passed a socket without a path")
        }
        return "ipc://" + path
    }

    private static func path(_ endpoint: String) -> String? {
        endpoint.hasPrefix("ipc:///") ? String(endpoint.dropFirst("ipc://".count)) : nil
    }
}
