import GatewayCore
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TableTransport

/// The gateway's two threads: an event loop with everything that people reach, and the main thread
/// with libzmq. They exchange plain bytes.
struct Server {
    let settings: Settings
    let store: DeviceStore
    let assets: Assets

    /// Serves until a signal ends it.
    func run() throws {
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
        signal(SIGPIPE, SIG_IGN)
        let notify = try Notify()
        Self.raiseFileLimit()
        let upstream = try Upstream(
            endpoint: DaemonChoice(settings.endpoint).present, keys: settings.keys)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.so_sndbuf), value: 128 << 10)
        let gateway = try Gateway(
            settings: settings, loop: loop, upstream: upstream, store: store, assets: assets,
            addresses: Addresses())
        gateway.certificate = try settings.tls.map { try Certificate($0) }
        func listen(_ place: Settings.Listen, forFigures: Bool) throws -> any Channel {
            try bind(
                place,
                bootstrap.childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try Self.prepare(channel, gateway, forFigures: forFigures)
                    }
                })
        }
        let listener = try listen(settings.listen, forFigures: false)
        if let place = settings.figures {
            let port = try listen(place, forFigures: true).localAddress?.port
            Log.say("figures at http://\(place.host ?? ""):\(port ?? 0)/metrics")
        }
        let (addresses, origin) = try settings.addresses(port: listener.localAddress?.port)
        try loop.submit {
            gateway.addresses = addresses
            gateway.store.origin = origin
        }.wait()
        let ticking = loop.scheduleRepeatedTask(
            initialDelay: .zero, delay: .milliseconds(200)
        ) { _ in gateway.tick() }
        Log.say("serving \(origin), for the daemon at \(settings.endpoint)")
        notify.ready(status: "serving \(origin)")

        try upstream.run(signals: signals, notify: notify) { batch, bytes in
            if batch.contains(where: { if case .stop = $0 { true } else { false } }) {
                notify.stopping()
                loop.execute {
                    gateway.stop()
                    listener.close(promise: nil)
                    ticking.cancel()
                    // Until the pages have heard why.
                    loop.scheduleTask(in: .milliseconds(500)) { upstream.order(.stop) }
                }
            }
            if batch.contains(where: { if case .reload = $0 { true } else { false } }) {
                reload(gateway, loop)
            }
            loop.execute { gateway.heard(batch, bytes: bytes) }
        }
        try? group.syncShutdownGracefully()
    }

    /// Reads the page's files and the certificate again. New connections get the new certificate.
    private func reload(_ gateway: Gateway, _ loop: any EventLoop) {
        do {
            let certificate = try settings.tls.map { try Certificate($0) }
            try certificate?.check()
            let assets = try Assets(directory: settings.web)
            loop.execute {
                gateway.certificate = certificate
                gateway.isReloadRefused = false
                gateway.assets = assets
                gateway.carryOut(gateway.hub.serves(assets: assets.hash))
                gateway.flush()
            }
            Log.say("read \(settings.web)\(certificate == nil ? "" : " and the certificate") again")
        } catch {
            loop.execute { gateway.isReloadRefused = true }
            Log.say("goes on with the files of before: \(error)")
        }
    }

    private func bind(
        _ place: Settings.Listen, _ bootstrap: ServerBootstrap
    ) throws -> any Channel {
        do {
            switch place {
            case .address(let host, let port):
                return try bootstrap.bind(host: host, port: port).wait()
            case .unix(let path):
                let channel = try bootstrap.bind(
                    unixDomainSocketPath: path, cleanupExistingSocketFile: true
                ).wait()
                // The proxy's user is in the socket's group.
                chmod(path, 0o660)
                return channel
            }
        } catch {
            // NIO puts the name of its own function before the reason.
            let why =
                (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
            let name =
                switch place {
                case .address(let host, let port): "\(host):\(port)"
                case .unix(let path): path
                }
            throw SystemFailure(saying: "cannot listen at \(name): \(why)", exitCode: 73)
        }
    }

    /// The handlers of a connection, from its bytes to its requests.
    private static func prepare(
        _ channel: any Channel, _ gateway: Gateway, forFigures: Bool
    ) throws {
        guard gateway.makesRoom() else {
            throw SystemFailure(saying: "too many connections", exitCode: 75)
        }
        let pipeline = channel.pipeline.syncOperations
        let connection = ConnectionGuard(gateway)
        try pipeline.addHandler(connection)
        if !forFigures, let certificate = gateway.certificate {
            try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context))
        }
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = WebHandler.mostHeadBytes
        limits.maxHeaderListSize = WebHandler.mostHeadBytes
        limits.maxHeaderFieldCount = 128
        let parts = WebHandler.Parts(
            encoder: HTTPResponseEncoder(),
            decoder: ByteToMessageHandler(
                HTTPRequestDecoder(
                    leftOverBytesStrategy: .forwardBytes, informationalResponseStrategy: .drop,
                    limitConfiguration: limits)), pipelining: HTTPServerPipelineHandler())
        try pipeline.addHandlers([
            parts.encoder, parts.decoder, parts.pipelining,
            WebHandler(gateway, connection, parts, forFigures: forFigures),
        ])
    }

    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
