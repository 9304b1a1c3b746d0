import TableHash
import TableModel
package import TableSync
import TableTransport
package import TableTurn
import TableWire

// What arrives: from the ROUTER socket to the server, and subscriptions from the XPUB socket. Frames of
// a request: routing id, perhaps an empty delimiter, header, perhaps on whose behalf, body.

extension Daemon: Inbox {
    /// In which shape a reply goes; where to, stands in the envelope of the same number.
    struct ReplyRoute {
        var hasDelimiter: Bool
        var form: Form
        /// By which connection a request came whose answer may be large, or that may not be read.
        var connection = PeerGuard.Connection()
        /// Where it came from, for those whose message is gone when the audit is told of them.
        var origin = ""
        /// Who asked.
        var visitor: Visitor

        /// Another request has this number now.
        mutating func begin(hasDelimiter: Bool, _ visitor: Visitor) {
            self.hasDelimiter = hasDelimiter
            form = .json
            connection = PeerGuard.Connection()
            if !origin.isEmpty { origin = "" }
            self.visitor = visitor
        }
    }

    /// A turn begins to take in requests.
    package func begin(monotonicNs: UInt64, processorNs: UInt64) {
        turnStats = nil
        (self.processorNs, markedNs) = (processorNs, monotonicNs)
        isAnyoneBlocked = PeerGuard.turn()
        isCrowded = PeerGuard.Inbox.isCrowded
        arrived = PeerGuard.Inbox.requests.arrived
    }

    /// Hands the next request to the server, or lets it wait.
    package func receive(into server: Server) throws -> Received? {
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
    package var hasPostponed: Bool { costly.count > 0 }

    /// Who has subscribed since the last turn. A welcome goes to all who have the topic: however many
    /// ask for it in a turn, it is one.
    package func newcomers() throws -> [Newcomer] {
        let arrived = PeerGuard.Inbox.subscriptions.arrived
        defer { arrivedSubscriptions = arrived }
        if poller.ready(subscriptions) == [] {
            // The rest of what had arrived at the turn before was pongs, which are not handed on.
            PeerGuard.Inbox.subscriptions.drained(of: arrivedSubscriptions)
            return []
        }
        var newcomers: Set<Newcomer> = []
        // Bounded, so that a flood of subscriptions does not keep commands waiting.
        for _ in 0..<1_000 {
            guard try sockets.publications.receive(into: &subscription) else {
                PeerGuard.Inbox.subscriptions.drained(of: arrived)
                isShifted = false
                break
            }
            PeerGuard.Inbox.subscriptions.took(frames: 1, bytes: subscription.byteCount(at: 0))
            guard subscription.count > 0, let target = try admitted() else { continue }
            newcomers.insert(
                Newcomer(
                    table: target.table, form: target.form, isPresence: target.isPresence))
        }
        return Array(newcomers)
    }

    /// Takes in the message in `subscription`: 1 or 0, then the topic. Returns whom to welcome.
    private func admitted() throws -> Topics.Target? {
        let event = subscription.bytes(at: 0)
        guard let kind = event.first, kind <= 1, subscription.count + subscription.excess == 1
        else {
            // For each message libzmq takes one connection from its list, and those that are no
            // subscriptions have none there: from here on it means another connection than it says.
            // Whoever is not admitted now subscribes again (docs/decisions/0028).
            isShifted = true
            PeerGuard.endViewer(subscription.descriptor(at: 0))
            return nil
        }
        let topic = Array(event.dropFirst())
        let connection = subscription.property(Authenticator.connection, at: 0)
            .flatMap { UInt64($0) }
        // The socket means the connection whose message was received last. libzmq 4.3.4 does so even when
        // that one has ended and its memory is another's.
        let descriptor = subscription.descriptor(at: 0)
        let isOpen = connection.map { PeerGuard.isOpen(descriptor, number: $0) } ?? false
        if isOpen, keyList != nil, let connection {
            PeerGuard.took(topic, begins: kind == 1, from: descriptor, number: connection)
        }
        let isThere = !isShifted && isOpen
        if kind == 0 {
            topics.unsubscribed(topic, by: connection, isOpen: PeerGuard.isOpen)
            // Of a connection that has ended the socket has forgotten the topics.
            if isThere { try sockets.publications.unsubscribe(from: topic) }
            return nil
        }
        topics.subscribed(topic, by: connection ?? 0, at: descriptor)
        guard isThere else { return nil }
        let target = Topics.parse(topic[...])
        let sender = visitors.sender(of: subscription, at: 0).principal
        // A prefix is for all tables, also those that are made later.
        guard server.rights(of: sender, on: target?.table).contains(.read) else { return nil }
        try sockets.publications.subscribe(to: topic)
        return target
    }

    /// Takes in the message in `incoming`; returns its size in bytes, with what is kept for it.
    private func decode(into server: Server) -> Int {
        // Without the routing id, which libzmq puts in front.
        let bytes = incoming.receivedBytes - incoming.byteCount(at: 0)
        let isKnown = isCrowded && incoming.count > 1
        PeerGuard.Inbox.requests.took(
            frames: incoming.count + incoming.excess - 1, bytes: bytes,
            from: isKnown ? incoming.descriptor(at: incoming.count - 1) : -1)
        if keyList != nil, incoming.count > 1 {
            PeerGuard.tookSealed(from: incoming.descriptor(at: incoming.count - 1))
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
        let visitor = visitors.sender(of: incoming)
        if visitor.revokedNs > 0,
            connection(at: incoming.count - 1).number <= visitor.revokedNs
        {
            // Sent with a key that was revoked since: libzmq still held it.
            counters.dropped += 1
            return bytes
        }
        visitor.requests += 1
        visitor.requestBytes += UInt64(bytes)
        let route = envelopes.store(from: incoming)
        if route == routes.count {
            routes.append(ReplyRoute(hasDelimiter: hasDelimiter, form: .json, visitor: visitor))
        } else {
            routes[route].begin(hasDelimiter: hasDelimiter, visitor)
        }
        if incoming.excess > 0 {
            refuse(
                Rejection(
                    .tooManyFrames, "A request has at most \(server.limits.frames) frames."), route)
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
            refuse(Header.unsupported, route)
        }
        return bytes
    }

    /// A request with a frame before it that says on whose behalf it is.
    private func decodeOnBehalf(
        form: Form, at index: Int, bytes: Int, _ route: Route, into server: Server
    ) {
        guard index + 1 < incoming.count else {
            return refuse(Rejection(.malformed, "The request has no body frame."), route)
        }
        let parent = routes[route].visitor
        if bytes > Self.mostOfStrangers, server.isStranger(parent.principal) {
            return turnAwayStranger(bodyAt: index + 1, form, route, into: server)
        }
        do throws(Rejection) {
            let child = try visitors.child(
                of: parent, incoming.bytes(at: index), form, server.limits)
            // It is the child's, and not its parent's too.
            parent.requests -= 1
            parent.requestBytes -= UInt64(bytes)
            child.requests += 1
            child.requestBytes += UInt64(bytes)
            routes[route].visitor = child
        } catch {
            guard bytes <= server.limits.requestBytes else { return refuse(error, route) }
            let decoded = incoming.withBytes(at: index + 1) {
                Decode.request($0, form: form, limits: server.limits)
            }
            return server.refuse(
                error, client: decoded.client, number: decoded.number, from: route)
        }
        decode(form: form, bodyAt: index + 1, bytes: bytes, route, into: server)
    }

    /// Says in a request who sent it. Whoever sends on somebody's behalf, and says no name, says that one's.
    package func sign(_ request: inout Request, _ route: Route) {
        let sender = routes[route].visitor.principal
        request.sender = sender
        if let behalf = sender.behalf, request.name == nil { request.name = behalf.name }
    }

    private func decode(
        form: Form, bodyAt index: Int, bytes: Int, _ route: Route, into server: Server
    ) {
        guard index < incoming.count else {
            return refuse(Rejection(.malformed, "The request has no body frame."), route)
        }
        guard bytes <= server.limits.requestBytes else {
            return refuse(
                Rejection(
                    .tooLarge, "request bytes: \(bytes), at most \(server.limits.requestBytes)."),
                route)
        }
        if bytes > Self.mostOfStrangers, server.isStranger(routes[route].visitor.principal) {
            return turnAwayStranger(bodyAt: index, form, route, into: server)
        }
        // To ask libzmq for it takes time: for small answers only where somebody does not read.
        if isAnyoneBlocked { routes[route].connection = connection(at: index) }
        let begin = Clock.monotonicNs
        let isQuiet = costly.count == 0 && begin >= slow.quietFromNs
        let sender = bytes > Self.mostCheapBytes || !isQuiet ? sender(route) : nil
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
            read($0, form: form, route, mayWait: true, into: &request, for: server)
        }
        guard isRead else { return }
        sign(&request, route)
        guard request.isCostly else {
            if case .stepDown = request.verb { routes[route].origin = originOfRequest }
            server.receive(request, requestHash: hash, from: route)
            return noteTime(since: begin, of: self.sender(route), hasWaited: false)
        }
        routes[route].connection = connection(at: index)
        guard isAwaited(request, route) else { return }
        // Once read, it may be a hundred times as large. So only one request waits that has been read.
        if let sender {
            return postpone(bodyAt: index, form, route, from: sender, into: server)
        }
        postpone(
            .request(request, hash: hash), route, bytes: bytes, from: self.sender(route),
            into: server)
    }

    /// Reads a request, which nobody has signed then. False: it cannot be read, and is refused, or forgotten, or
    /// waits if it may, since it takes long to read.
    func read(
        _ body: UnsafeRawBufferPointer, form: Form, _ route: Route, mayWait: Bool,
        into request: inout Request, for server: Server
    ) -> Bool {
        if Decode.hot(body, form: form, limits: server.sharedLimits, into: &request) {
            return true
        }
        if mayWait, body.count > Self.mostUnusualBytes {
            routes[route].connection = connection(at: incoming.count - 1)
            postpone(
                .body(Array(body), form), route, bytes: body.count, from: sender(route),
                into: server)
            return false
        }
        guard isRead(route) else { return false }
        let decoded = Decode.request(body, form: form, limits: server.limits)
        switch decoded.result {
        case .success(let found):
            request = found
            return true
        case .failure(let rejection):
            server.refuse(
                rejection, client: decoded.client, number: decoded.number, from: route)
            return false
        }
    }

    /// Whether the sender reads its replies. Else its request is forgotten: the answer could not be
    /// told, and others need not wait while it is made.
    func isRead(_ route: Route) -> Bool {
        if !isAnyoneBlocked || PeerGuard.reads(routes[route].connection) { return true }
        counters.repliesDropped += 1
        forget(route)
        return false
    }

    /// Whether the request is worth carrying out: its sender is there, or it changes something. A sender
    /// that has gone may have left thousands of questions, and nobody reads their answers.
    func isAwaited(_ request: Request, _ route: Route) -> Bool {
        if !request.verb.request.has(.reads) || PeerGuard.isThere(routes[route].connection) {
            return true
        }
        counters.repliesDropped += 1
        forget(route)
        return false
    }

    func connection(at index: Int) -> PeerGuard.Connection {
        PeerGuard.Connection(
            descriptor: incoming.descriptor(at: index),
            number: incoming.property(Authenticator.connection, at: index).flatMap { UInt64($0) }
                ?? 0)
    }

    private func refuse(_ rejection: Rejection, _ route: Route) {
        server.refuse(rejection, client: nil, number: nil, from: route)
    }
}
