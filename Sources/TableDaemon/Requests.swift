import TableHash
import TableModel
import TableSync
import TableTransport
import TableWire

// From the ROUTER socket to the server. Frames of a request: routing id, perhaps an empty
// delimiter, header, body.

extension Daemon {
    /// In which shape a reply goes; where to, stands in the envelope of the same number.
    struct ReplyRoute {
        var hasDelimiter: Bool
        var form: Form
        /// By which connection a request came whose answer may be large, or that may not be read.
        var connection = PeerGuard.Connection()
    }

    static let mostRequestsPerTurn = 4_096
    static let mostBytesPerTurn = 16 << 20

    /// Takes in the message in `incoming`; returns its size in bytes.
    func receive() -> Int {
        var bytes = 0
        // Without the routing id, which libzmq puts in front.
        for index in 1..<max(1, incoming.count) { bytes += incoming.byteCount(at: index) }
        bytes += incoming.excessBytes
        PeerGuard.Inbox.requests.took(
            frames: incoming.count + incoming.excess - 1, bytes: bytes)
        figures.requests += 1
        figures.requestBytes += UInt64(bytes)
        let hasDelimiter = incoming.count > 1 && incoming.byteCount(at: 1) == 0
        let header = hasDelimiter ? 2 : 1
        guard incoming.count > header else {
            // Nothing that an answer could be given to.
            figures.dropped += 1
            return bytes
        }
        let route = routes.count
        routes.append(ReplyRoute(hasDelimiter: hasDelimiter, form: .json))
        envelopes.take(from: &incoming)
        if incoming.excess > 0 {
            refuse(
                Rejection(
                    .tooManyFrames, "A request has at most \(server.limits.frames) frames."), route)
            return bytes
        }
        switch incoming.withBytes(at: header, { Header.parse($0) }) {
        case .failure(let rejection): refuse(rejection, route)
        case .success(let form):
            routes[route].form = form
            receive(form: form, bodyAt: header + 1, bytes: bytes, route)
        }
        return bytes
    }

    private func receive(form: Form, bodyAt index: Int, bytes: Int, _ route: Route) {
        guard index < incoming.count else {
            return refuse(Rejection(.malformed, "The request has no body frame."), route)
        }
        guard bytes <= server.limits.requestBytes else {
            return refuse(
                Rejection(
                    .tooLarge, "request bytes: \(bytes), at most \(server.limits.requestBytes)."),
                route)
        }
        let limits = server.limits
        // To ask libzmq for it takes time: for small answers only where somebody does not read.
        if isAnyoneBlocked { routes[route].connection = connection(at: index) }
        let hash = incoming.withBytes(at: index) { XXH64.hash($0) }
        if let request = incoming.withBytes(
            at: index, { Decode.hot($0, form: form, limits: limits) })
        {
            return server.receive(request, requestHash: hash, from: route)
        }
        if !isAnyoneBlocked { routes[route].connection = connection(at: index) }
        guard PeerGuard.reads(routes[route].connection) else {
            // It could not be told; others need not wait while an answer is made.
            figures.repliesDropped += 1
            return
        }
        let decoded = incoming.withBytes(at: index) {
            Decode.request($0, form: form, limits: limits)
        }
        switch decoded.result {
        case .success(let request): server.receive(request, requestHash: hash, from: route)
        case .failure(let rejection):
            server.refuse(
                rejection, client: decoded.client, number: decoded.number, from: route)
        }
    }

    private func connection(at index: Int) -> PeerGuard.Connection {
        PeerGuard.Connection(
            descriptor: incoming.descriptor(at: index),
            number: incoming.property(Authenticator.connection, at: index).flatMap { UInt64($0) }
                ?? 0)
    }

    private func refuse(_ rejection: Rejection, _ route: Route) {
        server.refuse(rejection, client: nil, number: nil, from: route)
    }
}
