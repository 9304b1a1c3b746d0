import GatewayCore
import NIOCore
import NIOWebSocket

/// One WebSocket: frames in, put together to messages; shared buffers out.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = ByteBuffer

    private let gateway: Gateway
    let device: Device
    let page: PageID
    private var context: ChannelHandlerContext?
    private var message: [UInt8] = []
    private var fragments = 0
    private var isFragmented = false
    private var isEnding = false
    private let mostBytes: Int
    /// When something last came, or went.
    private(set) var heardAtMs = Clock.monotonicMs
    private var pingedAtMs = Clock.monotonicMs

    /// Fragments of one message.
    private static let mostFragments = 256
    /// How long a page may give no sign, or take nothing of what is sent to it.
    static let patienceMs = 90_000

    init(_ gateway: Gateway, _ device: Device, page: PageID, mostBytes: Int) {
        self.gateway = gateway
        self.device = device
        self.page = page
        self.mostBytes = mostBytes
    }

    // MARK: Out

    /// A message as a text frame, for any number of pages.
    static func frame(_ message: Message) -> ByteBuffer {
        let count = message.count
        var buffer = ByteBuffer()
        buffer.reserveCapacity(count + 10)
        buffer.writeInteger(0x81 as UInt8)
        if count < 126 {
            buffer.writeInteger(UInt8(count))
        } else if count <= 0xFFFF {
            buffer.writeInteger(126 as UInt8)
            buffer.writeInteger(UInt16(count))
        } else {
            buffer.writeInteger(127 as UInt8)
            buffer.writeInteger(UInt64(count))
        }
        buffer.writeString(message.head)
        if let body = message.body {
            buffer.writeInteger(UInt8(ascii: "\n"))
            buffer.writeBytes(body)
        }
        return buffer
    }

    func send(_ frame: ByteBuffer, counting count: Int) {
        guard let context, !isEnding else { return }
        let promise = context.eventLoop.makePromise(of: Void.self)
        let (gateway, page) = (gateway, page)
        promise.futureResult.whenComplete { _ in
            gateway.carryOut(gateway.hub.written(page, count))
        }
        context.write(wrapOutboundOut(frame), promise: promise)
    }

    func flush() { context?.flush() }

    /// Says why, and closes. Whoever does not read is closed all the same.
    func end(_ code: EndCode) {
        guard let context, !isEnding else { return }
        let text =
            #"{"code":\#(JSONText.quote(code.rawValue)),"#
            + #""message":\#(JSONText.quote(code.message))}"#
        context.write(wrapOutboundOut(Self.frame(Message("end", text: text))), promise: nil)
        close(status: code == .shutdown ? 1_001 : 1_008)
    }

    private func close(status: UInt16) {
        guard let context, !isEnding else { return }
        isEnding = true
        control(0x88, ByteBuffer(integer: status))
        let channel = context.channel
        context.eventLoop.scheduleTask(in: .milliseconds(400)) { channel.close(promise: nil) }
    }

    private func control(_ opcode: UInt8, _ payload: ByteBuffer = ByteBuffer()) {
        var buffer = ByteBuffer()
        buffer.writeInteger(opcode)
        buffer.writeInteger(UInt8(payload.readableBytes))
        buffer.writeImmutableBuffer(payload)
        context?.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    // MARK: Time

    func tick(nowMs: Int, hasProgress: Bool) {
        if hasProgress { heardAtMs = nowMs }
        if nowMs - heardAtMs > Self.patienceMs {
            context?.close(promise: nil)
        } else if nowMs - pingedAtMs > 25_000, context != nil, !isEnding {
            pingedAtMs = nowMs
            control(0x89)
        }
    }

    // MARK: In

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        gateway.sockets[page] = self
        gateway.carryOut(gateway.hub.opened(page, device))
        gateway.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        gone()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { gone() }

    private func gone() {
        context = nil
        guard gateway.sockets.removeValue(forKey: page) != nil else { return }
        gateway.carryOut(gateway.hub.closed(page))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Frames that are none: too long, unknown, broken. The decoder reads nothing more.
        close(status: error is NIOWebSocketError ? 1_009 : 1_002)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !isEnding else {
            if frame.opcode == .connectionClose { context.close(promise: nil) }
            return
        }
        heardAtMs = Clock.monotonicMs
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return close(status: 1_002)
        }
        switch frame.opcode {
        case .text, .continuation: take(frame)
        case .binary: close(status: 1_003)
        case .ping: pong(context, frame)
        case .pong: spend(frame.length)
        case .connectionClose:
            close(status: 1_000)
            context.close(promise: nil)
        default: close(status: 1_002)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        gateway.flush()
        context.fireChannelReadComplete()
    }

    private func take(_ frame: WebSocketFrame) {
        guard (frame.opcode == .continuation) == isFragmented else { return close(status: 1_002) }
        fragments += 1
        guard message.count + frame.length <= mostBytes else { return close(status: 1_009) }
        // A fragment costs at least what a message does.
        guard fragments <= Self.mostFragments, frame.fin || spend(0) else {
            return gateway.carryOut([.end(page, .tooMuch)])
        }
        message += Array(buffer: frame.unmaskedData)
        isFragmented = !frame.fin
        guard frame.fin else { return }
        let whole = message
        message = []
        fragments = 0
        gateway.carryOut(gateway.hub.said(page, whole, nowMs: heardAtMs))
    }

    private func pong(_ context: ChannelHandlerContext, _ frame: WebSocketFrame) {
        let bytes = frame.unmaskedData
        guard bytes.readableBytes <= 125, spend(bytes.readableBytes) else { return }
        // Whoever pings and does not read gets no pongs.
        if context.channel.isWritable { control(0x8A, bytes) }
    }

    @discardableResult
    private func spend(_ count: Int) -> Bool {
        if gateway.hub.spend(device, count, nowMs: heardAtMs) { return true }
        end(.tooMuch)
        return false
    }
}
