import GatewayCore
import NIOCore

/// The first handler of each connection: it counts bytes and time before anything is parsed.
final class ConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum Phase {
        /// Nothing of the next request has come.
        case idle
        /// Some of it has come.
        case request
        /// It is complete, and its answer is under way.
        case answer
        case socket(SocketHandler)
    }

    /// A head of 16 KiB, a body of 64 KiB, and what chunks and TLS add.
    private static let mostBytes = 128 << 10
    private static let requestMs = 10_000
    private static let idleMs = 75_000
    private static let answerMs = 30_000
    /// How long an answer may go without a byte of it being taken.
    private static let stuckMs = 60_000

    private let gateway: Gateway
    private var context: ChannelHandlerContext?
    private var phase = Phase.request
    private var bytes = 0
    private var sinceMs = Clock.monotonicMs
    private var unsent = 0
    private var progressAtMs = Clock.monotonicMs
    /// Whether the latest request that was looked at came with the cookie of a device.
    var hasDevice = false

    init(_ gateway: Gateway) { self.gateway = gateway }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        gateway.connections[ObjectIdentifier(self)] = self
    }

    func handlerRemoved(context: ChannelHandlerContext) { gone() }

    func channelInactive(context: ChannelHandlerContext) {
        gone()
        context.fireChannelInactive()
    }

    private func gone() {
        gateway.connections[ObjectIdentifier(self)] = nil
        context = nil
    }

    /// How soon it makes room for another one; nil: it stays.
    var leaving: Leaving? {
        if case .socket = phase { return nil }
        return Leaving(hasDevice: hasDevice, sinceMs: sinceMs)
    }

    /// Makes room at once: from here the close does not pass TLS, which would wait for the other end's.
    func leave() {
        let context = context
        gone()
        context?.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .socket = phase { return context.fireChannelRead(data) }
        bytes += unwrapInboundIn(data).readableBytes
        if case .idle = phase { enter(.request) }
        guard bytes <= Self.mostBytes else { return context.close(promise: nil) }
        context.fireChannelRead(data)
    }

    /// A request is complete.
    func requestEnded() {
        bytes = 0
        enter(.answer)
    }

    /// A piece of its answer was handed over, since the one before was taken.
    func handedOn() { progressAtMs = Clock.monotonicMs }

    /// Its answer was handed over.
    func answered() { enter(.idle) }

    /// It is a WebSocket from now on.
    func upgraded(_ handler: SocketHandler) { enter(.socket(handler)) }

    private func enter(_ phase: Phase) {
        self.phase = phase
        sinceMs = Clock.monotonicMs
    }

    /// Looks at the clock.
    func tick(nowMs: Int) {
        guard let channel = context?.channel else { return }
        let pending =
            (try? channel.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0
        let hasProgress = pending < unsent
        if hasProgress || pending == 0 { progressAtMs = nowMs }
        unsent = pending
        switch phase {
        case .socket where pending > 0 && nowMs - progressAtMs > SocketHandler.patienceMs:
            channel.close(promise: nil)
        case .socket(let handler): handler.tick(nowMs: nowMs, hasProgress: hasProgress)
        case .idle where nowMs - sinceMs > Self.idleMs && pending == 0,
            .request where nowMs - sinceMs > Self.requestMs,
            .answer where nowMs - sinceMs > Self.answerMs && pending == 0:
            channel.close(promise: nil)
        default:
            if nowMs - progressAtMs > Self.stuckMs { channel.close(promise: nil) }
        }
    }
}
