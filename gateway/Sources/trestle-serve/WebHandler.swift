import GatewayCore
import NIOCore
import NIOHTTP1
import NIOWebSocket
import typealias TableModel.TableID

/// Requests of HTTP, one at a time for each connection (NIO's pipelining handler sees to that).
final class WebHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The handlers of HTTP, which an upgrade removes.
    struct Parts {
        var encoder: HTTPResponseEncoder
        var decoder: ByteToMessageHandler<HTTPRequestDecoder>
        var pipelining: HTTPServerPipelineHandler
    }

    private enum State {
        case reading
        /// Refused before its end: what follows is dropped, and the connection is closed.
        case refused
        /// Arriving bytes are for the WebSocket, which is not there yet.
        case upgrading([NIOAny])
    }

    static let mostHeadBytes = 16 << 10
    static let mostBodyBytes = 64 << 10

    let gateway: Gateway
    let connection: ConnectionGuard
    /// Whether nothing but figures is shown here.
    let forFigures: Bool
    private let parts: Parts
    /// The header that renews the cookie with which the request came.
    var renewal: (String, String)?
    private var state = State.reading
    /// The answer to an upgrade was sent, so that nothing is parsed as HTTP any more.
    private var isSwitched = false
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    var context: ChannelHandlerContext?
    /// The latest reader of a snapshot.
    private var joining: PageID?
    /// An answer of which not all is handed over; nil: there is none.
    private var sending: (rest: ByteBuffer, keepAlive: Bool)?
    /// An answer for which there is no room yet.
    private var waiting: (answer: Answer, isHead: Bool, keepAlive: Bool)?
    /// The next request is not answered before.
    private var notBefore = NIODeadline.uptimeNanoseconds(0)

    init(_ gateway: Gateway, _ connection: ConnectionGuard, _ parts: Parts, forFigures: Bool) {
        self.forFigures = forFigures
        self.gateway = gateway
        self.connection = connection
        self.parts = parts
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { gone() }

    func channelInactive(context: ChannelHandlerContext) {
        gone()
        context.fireChannelInactive()
    }

    private func gone() {
        context = nil
        waiting = nil
        sending = nil
        if let joining { gateway.left(joining) }
        joining = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError, head == nil, case .reading = state {
            refuse(.badRequest, "badRequest", "That is no request of HTTP/1.1.")
        }
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .upgrading(var held) = state {
            // A client waits for the answer. What comes before it may still be parsed as HTTP.
            guard isSwitched else { return context.close(promise: nil) }
            held.append(data)
            state = .upgrading(held)
            return
        }
        guard case .reading = state else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head)
        case .body(let part):
            guard body.count + part.readableBytes <= Self.mostBodyBytes else {
                return refuse(
                    .payloadTooLarge, "tooLarge", "A body has at most \(Self.mostBodyBytes) bytes.")
            }
            body += Array(buffer: part)
        case .end:
            connection.requestEnded()
            guard let head else { return }
            gateway.hub.count(refusal: false)
            let whole = body
            body = []
            pace(context.eventLoop) { handler in handler.answer(head, whole) }
        }
    }

    /// Answers at once, or when a millisecond has passed since the answer before. NIO hands out the next request of a
    /// connection while this one is answered: without a pause, those of one read would be answered before any other
    /// connection is looked at.
    private func pace(_ loop: any EventLoop, _ answer: @escaping (WebHandler) -> Void) {
        let now = NIODeadline.now()
        let due = max(now, notBefore)
        notBefore = due + .milliseconds(1)
        guard due > now else { return answer(self) }
        loop.assumeIsolated().scheduleTask(deadline: due) { [weak self] in
            if let self, self.context != nil { answer(self) }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let (answer, isHead, keepAlive) = waiting {
            waiting = nil
            respond(answer, isHead: isHead, keepAlive: keepAlive)
        }
        sendOn()
        context.fireChannelWritabilityChanged()
    }

    /// Fields by which this server decides, and which have one value. Where there are two, another program that has
    /// passed the request on may have decided by the other.
    private static let deciding = [
        "Origin", "Sec-Fetch-Site", "Content-Type", "Sec-WebSocket-Key", "Sec-WebSocket-Version",
        "Authorization",
    ]

    private func begin(_ head: HTTPRequestHead) {
        self.head = head
        body = []
        // The next request of a proxy may be another browser's.
        renewal = nil
        let bytes = head.headers.reduce(head.uri.utf8.count) { sum, field in
            sum + field.name.utf8.count + field.value.utf8.count + 4
        }
        if bytes > Self.mostHeadBytes {
            refuse(.requestHeaderFieldsTooLarge, "tooLarge", "A head has at most 16 KiB.")
        } else if head.version != .http1_1 {
            refuse(.httpVersionNotSupported, "badRequest", "This server speaks HTTP/1.1.")
        } else if head.headers["host"].count != 1 {
            refuse(.badRequest, "badHost", "A request names one host.")
        } else if let name = Self.deciding.first(where: { head.headers[$0].count > 1 }) {
            refuse(.badRequest, "badRequest", "A request has \(name) once.")
        }
    }

    /// Answers before the request's end, and closes.
    private func refuse(_ status: HTTPResponseStatus, _ code: String, _ message: String) {
        state = .refused
        respond(
            Answer(status, json: JSONText.error(code, message)), isHead: false, keepAlive: false)
    }

    // MARK: Answers

    /// An answer, without the headers that every answer has.
    struct Answer {
        var status: HTTPResponseStatus
        var headers: [(String, String)] = []
        var body = ByteBuffer()

        init(_ status: HTTPResponseStatus, _ headers: [(String, String)] = [], _ body: ByteBuffer) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        init(_ status: HTTPResponseStatus, json: String) {
            self.init(
                status, [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
                ByteBuffer(string: json + "\n"))
        }

        init(refusing code: String, _ message: String, _ status: HTTPResponseStatus = .forbidden) {
            self.init(status, json: JSONText.error(code, message))
        }
    }

    /// The headers of every answer.
    static let protections = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                + "img-src 'self' data:; font-src 'self'; manifest-src 'self'; "
                + "worker-src 'self'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'; require-trusted-types-for 'script'; "
                + "trusted-types trestle"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// Answers the request that is complete.
    func respond(_ answer: Answer) {
        guard let head else { return }
        // Behind an `Upgrade` or a CONNECT the parser waits for another protocol for ever.
        let isLast = head.headers.contains(name: "upgrade") || head.method == .CONNECT
        let keepAlive = head.isKeepAlive && !isLast && !gateway.isStopping
        respond(answer, isHead: head.method == .HEAD, keepAlive: keepAlive)
    }

    private func respond(_ answer: Answer, isHead: Bool, keepAlive: Bool) {
        guard let context else { return }
        self.head = nil
        // Who does not read what was answered is not answered further: NIO's pipelining handler hands out
        // the next request when this answer is written.
        guard context.channel.isWritable else {
            waiting = (answer, isHead, keepAlive)
            return
        }
        if answer.status.code >= 400 { gateway.hub.count(refusal: true) }
        var headers = HTTPHeaders(Self.protections)
        for (name, value) in answer.headers { headers.add(name: name, value: value) }
        if let (name, value) = renewal, answer.status != .unauthorized {
            headers.add(name: name, value: value)
        }
        if answer.status != .notModified {
            headers.add(name: "Content-Length", value: "\(answer.body.readableBytes)")
        }
        if !keepAlive { headers.add(name: "Connection", value: "close") }
        let start = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
        context.write(wrapOutboundOut(.head(start)), promise: nil)
        sending = (isHead ? ByteBuffer() : answer.body, keepAlive)
        sendOn()
    }

    /// Bytes of an answer that are handed over at once. The next ones follow when these were taken, so that no more is
    /// encrypted, and held for one connection alone, than it reads.
    private static let pieceBytes = 64 << 10

    /// Hands over what there is room for.
    private func sendOn() {
        guard let context, let (whole, keepAlive) = sending else { return }
        var rest = whole
        // A write here may make room, and so call this again.
        sending = nil
        while self.context != nil, context.channel.isWritable, rest.readableBytes > 0,
            let piece = rest.readSlice(length: min(Self.pieceBytes, rest.readableBytes))
        {
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece))), promise: nil)
            connection.handedOn()
        }
        guard self.context != nil else { return }
        if rest.readableBytes > 0 {
            sending = (rest, keepAlive)
        } else {
            finish(context, keepAlive: keepAlive)
        }
    }

    private func finish(_ context: ChannelHandlerContext, keepAlive: Bool) {
        let isSent = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        let loop = context.eventLoop
        let (gateway, reader) = (gateway, joining)
        isSent.futureResult.whenComplete { _ in
            if let reader { gateway.left(reader) }
            if keepAlive { return }
            // Time for the answer to arrive: a close with unread bytes would take it back.
            loop.scheduleTask(in: .milliseconds(100)) { channel.close(promise: nil) }
        }
        connection.answered()
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: isSent)
    }

    /// Waits for a snapshot, and answers with it.
    func join(_ table: String) {
        guard head != nil else { return }
        joining = gateway.join(TableID(table)) { [weak self] page, result in
            guard let self else { return }
            // The answer may come before it is known who waits for it.
            self.joining = page
            switch result {
            case .success(let snapshot): self.give(snapshot, of: table, page)
            case .failure(let refusal):
                self.respond(
                    Answer(
                        refusing: refusal.code, refusal.message,
                        HTTPResponseStatus(statusCode: refusal.status)))
            }
        }
    }

    /// Answers with a snapshot. The device may have been revoked while it came, or may see less.
    private func give(_ snapshot: GzipSnapshot, of table: String, _ page: PageID) {
        guard let head else { return }
        guard let device = caller(head)?.device else { return respond(Self.noCookie) }
        if let refusal = Self.refusal(of: table, to: device) { return respond(refusal) }
        if head.method != .HEAD, let why = gateway.refusal(of: snapshot, to: device, page) {
            return respond(Answer(refusing: "tooMuch", why, .tooManyRequests))
        }
        let headers = [
            ("Content-Type", "application/x-ndjson"), ("Content-Encoding", "gzip"),
            ("Cache-Control", "no-store"),
        ]
        respond(Answer(.ok, headers, snapshot.whole))
    }

    // MARK: The upgrade

    /// Gives the connection to a WebSocket. The same order as NIO's own upgrade handler, which works
    /// for a connection's first request only; proxies use connections again.
    func upgrade(_ head: HTTPRequestHead, _ accept: String, _ device: Device) {
        guard let context else { return }
        state = .upgrading([])
        let pipeline = context.pipeline.syncOperations
        let gateway = gateway
        let handler = SocketHandler(
            gateway, device, page: gateway.nextID,
            mostBytes: gateway.hub.daemon.limits.requestBytes + 256)
        let (encoder, decoder) = (parts.encoder, parts.decoder)
        pipeline.removeHandler(parts.pipelining).assumeIsolated().flatMap {
            pipeline.removeHandler(decoder)
        }.flatMap { () -> EventLoopFuture<Void> in
            var headers = HTTPHeaders(Self.protections)
            headers.add(name: "Upgrade", value: "websocket")
            headers.add(name: "Connection", value: "Upgrade")
            headers.add(name: "Sec-WebSocket-Accept", value: accept)
            headers.add(name: "Sec-WebSocket-Protocol", value: Self.subprotocol)
            if let (name, value) = self.renewal { headers.add(name: name, value: value) }
            let response = HTTPResponseHead(
                version: .http1_1, status: .switchingProtocols, headers: headers)
            self.isSwitched = true
            return context.writeAndFlush(self.wrapOutboundOut(.head(response)))
        }.flatMap {
            pipeline.removeHandler(encoder)
        }.whenComplete { result in
            guard case .success = result else { return context.close(promise: nil) }
            // A slow reader may have been revoked meanwhile.
            guard gateway.register.devices.contains(device), gateway.hub.admits(device),
                !gateway.isStopping
            else { return context.close(promise: nil) }
            self.becomeSocket(handler, context)
        }
    }

    private func becomeSocket(_ handler: SocketHandler, _ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        let frames = ByteToMessageHandler(
            WebSocketFrameDecoder(maxFrameSize: gateway.hub.daemon.limits.requestBytes + 256))
        do {
            try pipeline.addHandlers([frames, handler])
        } catch {
            return context.close(promise: nil)
        }
        connection.upgraded(handler)
        if case .upgrading(let held) = state {
            state = .refused
            for data in held { context.fireChannelRead(data) }
        }
        pipeline.removeHandler(context: context, promise: nil)
    }

    static let subprotocol = "trestle.1"
}
