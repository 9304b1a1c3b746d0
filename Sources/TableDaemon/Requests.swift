import CPeerGuard
import TableHash
import TableModel
import TableSync
import TableTransport
import TableTurn
import TableWire

/// The daemon's inbox: requests from the ROUTER socket, and subscriptions from the XPUB socket. The frames of
/// a request: routing id, perhaps an empty delimiter, header, perhaps on whose behalf, body.
final class DaemonInbox: Inbox {
    let sockets: Endpoints
    let routes = Routes()
    let connections: Connections
    let subscriptions: Subscriptions
    let counters: Counters
    var incoming: Frames
    /// Requests that let others by.
    var costly = CostlyRequests<Postponed>()
    /// Senders whose requests took long, and let others by.
    var slow = SlowSenders()
    /// The thread's processor time when it was asked for last, and that moment.
    var mark = (processorNs: UInt64(0), atNs: UInt64(0))
    /// The origin of the postponed request that is being decided.
    var originOfPostponed: String?
    /// The count of what had arrived when the turn began to take in.
    private var arrived: UInt64 = 0
    /// Whether a connection does not read all replies, as of this turn.
    private var isAnyoneBlocked = false
    /// Whether so many requests wait that it is counted whose they are.
    private var isCrowded = false

    init(
        _ sockets: Endpoints, _ connections: Connections, _ subscriptions: Subscriptions,
        _ counters: Counters, mostFrames: Int
    ) {
        (self.sockets, self.connections, self.subscriptions) = (sockets, connections, subscriptions)
        self.counters = counters
        incoming = Frames(limit: mostFrames + 1)
    }

    /// A turn begins to take in requests.
    func begin(monotonicNs: UInt64, processorNs: UInt64) {
        counters.told = nil
        mark = (processorNs, monotonicNs)
        isAnyoneBlocked = peer_guard_turn()
        isCrowded = PeerGuard.Inbox.isCrowded
        arrived = PeerGuard.Inbox.requests.arrived
    }

    /// Hands the next request to the server, or lets it wait.
    func receive(into server: Server) throws -> Received? {
        if try sockets.requests.receive(into: &incoming) {
            let (taken, noted) = (costly.taken, slow.noted)
            let bytes = decode(into: server)
            if costly.taken != taken { return .postponed }
            return .decided(bytes: bytes, isSlow: slow.noted != noted)
        }
        PeerGuard.Inbox.requests.drained(of: arrived)
        return nil
    }

    /// Whether a request waits that was postponed.
    var hasPostponed: Bool { costly.count > 0 }

    func isThere(_ route: Route) -> Bool { PeerGuard.isThere(routes[route].connection) }

    func newcomers() throws -> [Newcomer] { try subscriptions.newcomers() }

    /// Takes in the message in `incoming`; returns its size in bytes, with what is kept for it.
    private func decode(into server: Server) -> Int {
        // Without the routing id, which libzmq puts in front.
        let bytes = incoming.receivedBytes - incoming.byteCount(at: 0)
        let isKnown = isCrowded && incoming.count > 1
        PeerGuard.Inbox.requests.took(
            frames: incoming.count + incoming.excess - 1, bytes: bytes,
            from: isKnown ? incoming.descriptor(at: incoming.count - 1) : -1)
        if connections.areSealed, incoming.count > 1 {
            peer_guard_took_sealed(incoming.descriptor(at: incoming.count - 1))
        }
        counters.requests += 1
        counters.requestBytes += UInt64(bytes)
        let hasDelimiter = incoming.count > 1 && incoming.byteCount(at: 1) == 0
        let header = hasDelimiter ? 2 : 1
        guard incoming.count > header else {
            // Nothing that an answer could be given to.
            counters.dropped += 1
            return bytes
        }
        let visitor = connections.visitors.sender(of: incoming)
        if visitor.revokedNs > 0,
            connection(at: incoming.count - 1).number <= visitor.revokedNs
        {
            // Sent with a key that was revoked since: libzmq still held it.
            counters.dropped += 1
            return bytes
        }
        visitor.requests += 1
        visitor.requestBytes += UInt64(bytes)
        let route = routes.add(
            ReplyRoute(
                peer: incoming.withBytes(at: 0) { RoutingID($0) }, hasDelimiter: hasDelimiter,
                visitor: visitor))
        if routes.areLogged { routes[route].asked = AskedRequest() }
        if incoming.excess > 0 {
            let most = server.limits.frames
            server.refuse(Rejection(.tooManyFrames, "A request has at most \(most) frames."), route)
            return bytes
        }
        if let form = incoming.withBytes(at: header, { Header.form($0) }) {
            routes[route].form = form
            decode(form: form, bodyAt: header + 1, bytes: bytes, route, into: server)
        } else if let form = incoming.withBytes(at: header, { Header.behalf($0) }) {
            routes[route].form = form
            decodeOnBehalf(form: form, at: header + 1, bytes: bytes, route, into: server)
            // Until it is answered the child is kept for it, which may be another one for each request.
            return bytes + routes[route].visitor.keptBytes
        } else {
            server.refuse(Header.unsupported, route)
        }
        return bytes
    }

    /// A request with a frame before it that says on whose behalf it is.
    private func decodeOnBehalf(
        form: Form, at index: Int, bytes: Int, _ route: Route, into server: Server
    ) {
        guard index + 1 < incoming.count else {
            return server.refuse(Rejection(.malformed, "The request has no body frame."), route)
        }
        let parent = routes[route].visitor
        if bytes > Self.mostOfStrangers, server.admission.isStranger(parent.principal) {
            return turnAwayStranger(bodyAt: index + 1, form, route, into: server)
        }
        do throws(Rejection) {
            let child = try connections.visitors.child(
                of: parent, incoming.bytes(at: index), form, server.limits)
            // It is the child's, and not its parent's too.
            parent.requests -= 1
            parent.requestBytes -= UInt64(bytes)
            child.requests += 1
            child.requestBytes += UInt64(bytes)
            routes[route].visitor = child
        } catch {
            guard bytes <= server.limits.requestBytes else { return server.refuse(error, route) }
            let decoded = incoming.withBytes(at: index + 1) {
                Decode.request($0, form: form, limits: server.limits)
            }
            return server.refuse(error, client: decoded.client, number: decoded.number, from: route)
        }
        decode(form: form, bodyAt: index + 1, bytes: bytes, route, into: server)
    }

    private func decode(
        form: Form, bodyAt index: Int, bytes: Int, _ route: Route, into server: Server
    ) {
        guard index < incoming.count else {
            return server.refuse(Rejection(.malformed, "The request has no body frame."), route)
        }
        guard bytes <= server.limits.requestBytes else {
            return server.refuse(
                Rejection(
                    .tooLarge, "request bytes: \(bytes), at most \(server.limits.requestBytes)."),
                route)
        }
        if bytes > Self.mostOfStrangers,
            server.admission.isStranger(routes[route].visitor.principal)
        {
            return turnAwayStranger(bodyAt: index, form, route, into: server)
        }
        // To ask libzmq for it takes time: for small answers only where somebody does not read.
        if isAnyoneBlocked { routes[route].connection = connection(at: index) }
        let begin = Clock.monotonicNs
        let isQuiet = costly.count == 0 && begin >= slow.quietFromNs
        let sender = bytes > Self.mostCheapBytes || !isQuiet ? routes.sender(route) : nil
        if let sender,
            bytes > Self.mostCheapBytes || costly.hasAny(of: sender)
                || slow.mustWait(sender, nowNs: begin)
        {
            routes[route].connection = connection(at: index)
            return postpone(bodyAt: index, form, route, from: sender, into: server)
        }
        let hash = incoming.withBytes(at: index) { XXH64.hash($0) }
        var request = Request(.hello)
        let isRead = incoming.withBytes(at: index) {
            read($0, form: form, route, into: &request, for: server)
        }
        guard isRead else { return }
        routes.sign(&request, route)
        guard request.isCostly else {
            // Nearly all are one, and to ask for a verb's name copies it.
            if case .command = request.verb {} else { prepare(request, route, at: index) }
            server.receive(request, requestHash: hash, from: route)
            if server.isWaiting(route) {
                routes[route].connection = connection(at: index)
                routes[route].asked?.isToWait = true
            }
            return noteTime(since: begin, of: routes.sender(route), hasWaited: false)
        }
        routes[route].connection = connection(at: index)
        guard isAwaited(request, route) else { return }
        // Once read, it may be a hundred times as large. So only one request waits that has been read.
        if let sender { return postpone(bodyAt: index, form, route, from: sender, into: server) }
        postpone(
            .request(request, hash: hash), route, bytes: bytes, from: routes.sender(route),
            into: server)
    }

    /// Reads a request, which nobody has signed then. False: it cannot be read, and is refused or
    /// forgotten.
    func read(
        _ body: UnsafeRawBufferPointer, form: Form, _ route: Route,
        into request: inout Request, for server: Server
    ) -> Bool {
        let rejection = Decode.request(
            body, form: form, limits: server.bounds.shared, into: &request)
        guard let rejection else { return true }
        guard isRead(route) else { return false }
        let outline = Decode.outline(body, form: form, limits: server.limits)
        server.refuse(rejection, client: outline.client, number: outline.number, from: route)
        return false
    }

    /// Whether the sender reads its replies. Else its request is forgotten: the answer could not be
    /// told, and others need not wait while it is made.
    func isRead(_ route: Route) -> Bool {
        if !isAnyoneBlocked || PeerGuard.reads(routes[route].connection) { return true }
        counters.repliesDropped += 1
        routes.forget(route)
        return false
    }

    /// Whether the request is worth carrying out: its sender is there, or it changes something. A sender
    /// that has gone may have left thousands of questions, and nobody reads their answers.
    func isAwaited(_ request: Request, _ route: Route) -> Bool {
        if !request.verb.request.has(.reads) || PeerGuard.isThere(routes[route].connection) {
            return true
        }
        counters.repliesDropped += 1
        routes.forget(route)
        return false
    }

    func connection(at index: Int) -> PeerGuard.Connection {
        PeerGuard.Connection(
            descriptor: incoming.descriptor(at: index),
            number: incoming.property(Authenticator.connection, at: index).flatMap { UInt64($0) }
                ?? 0)
    }

    /// The origin of the request in `incoming`, for the audit.
    var originOfRequest: String {
        if let originOfPostponed { return originOfPostponed }
        guard incoming.count > 1 else { return "" }
        let address = incoming.property("Peer-Address", at: incoming.count - 1) ?? ""
        // As libzmq writes it of a unix socket: localhost:UID:GID:PID.
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "localhost" else { return "tcp:\(address)" }
        return "pid:\(parts[3])"
    }
}

extension DaemonInbox {
    /// Keeps what the daemon's own answer needs, when the message is gone.
    @inline(never)
    private func prepare(_ request: Request, _ route: Route, at index: Int) {
        let name = request.verb.request
        if name.isNotedByDaemon { routes[route].origin = originOfRequest }
        // Its answer may be large.
        if name == .replicate { routes[route].connection = connection(at: index) }
    }
}

extension Request.Name {
    /// Whether the daemon itself tells the audit of it, when the message is gone.
    fileprivate var isNotedByDaemon: Bool {
        self == .stepDown || self == .endConnection || self == .promote
    }
}

extension Server {
    /// Refuses a request of which nothing was read.
    fileprivate func refuse(_ rejection: Rejection, _ route: Route) {
        refuse(rejection, client: nil, number: nil, from: route)
    }
}
