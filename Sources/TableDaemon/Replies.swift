import TableModel
import TableSync
import TableTransport
import TableTurn
import TableWire

/// The daemon's outbox. This file has what goes to those who asked, by the ROUTER socket; `Publish.swift` has what
/// goes to all, by the XPUB socket.
final class DaemonOutbox: Outbox {
    let sockets: Endpoints
    let routes: Routes
    let connections: Connections
    let subscriptions: Subscriptions
    let counters: Counters
    let log: DaemonLog
    /// Answers a request that only the daemon around the turn can answer. The daemon sets it.
    var answer: ((Request, ReplyRoute) -> Reply.Answer)?
    /// Answers standbys; nil: the journal is none that can be followed.
    var feed: StandbyFeed?
    var sendingCost = SendingCost()

    init(_ inbox: DaemonInbox, _ log: DaemonLog) {
        (sockets, routes, connections) = (inbox.sockets, inbox.routes, inbox.connections)
        (subscriptions, counters) = (inbox.subscriptions, inbox.counters)
        self.log = log
    }

    /// Sends an answer.
    func reply(_ answer: Ready.Answer, in entry: [UInt8]) throws {
        defer { routes.forget(answer.route) }
        if routes.areLogged, let asked = routes[answer.route].asked {
            let code = refusal(in: answer, entry)
            log.answered(asked, routes[answer.route].visitor.principal, refusedAs: code)
        }
        // Nearly all are sent as they lie in the journal.
        if case .recorded(let place) = answer.body, routes[answer.route].form == .binary {
            return try entry.withUnsafeBytes {
                try send(UnsafeRawBufferPointer(rebasing: $0[place]), by: answer.route)
            }
        }
        let body = try body(of: answer, in: entry, form: routes[answer.route].form)
        if case .reply(let reply) = answer.body, case .refused = reply.answer {
            routes[answer.route].visitor.refusals += 1
        }
        try body.withUnsafeBytes { try send($0, by: answer.route) }
    }

    /// The code of a refusal, for the log: a refusal that is remembered is there as bytes only.
    private func refusal(in answer: Ready.Answer, _ entry: [UInt8]) -> Rejection.Code? {
        let form = routes[answer.route].form
        var reply: Reply?
        if case .reply(let made) = answer.body {
            reply = made
        } else if let body = try? body(of: answer, in: entry, form: form) {
            reply = body.withUnsafeBytes { try? Decode.reply($0, form: form) }
        }
        guard case .refused(let rejection)? = reply?.answer else { return nil }
        return rejection.code
    }

    /// As it was noted when the request was let wait.
    func origin(of route: Route) -> String { routes[route].origin }

    func forget(_ route: Route) { routes.forget(route) }

    func sign(_ request: inout Request, _ route: Route) { routes.sign(&request, route) }

    func note(_ audited: [AuditEntry]) {
        for entry in audited { log.note(entry) }
    }

    func answer(to request: Request, _ route: Route) -> Reply.Answer? {
        if case .replicate(let asked) = request.verb {
            guard let feed else { return .refused(StandbyFeed.refusal) }
            return feed.answer(asked, request, route)
        }
        guard let answer else { preconditionFailure("an outbox belongs to a daemon") }
        return answer(request, routes[route])
    }

    /// The journal refused what was in memory.
    func hasRecovered(_ server: Server) {
        log.lines.warning(
            "the journal refused what was not durable: the state begins anew",
            metadata: ["position": "\(server.position)", "epoch": "\(server.epoch)"])
    }

    private func body(of answer: Ready.Answer, in entry: [UInt8], form: Form) throws -> [UInt8] {
        switch answer.body {
        case .reply(let reply): return Encode.reply(reply, form: form)
        case .recorded(let place): return try body(of: entry[place], form: form)
        case .text(let bytes): return bytes
        case .remembered(let bytes): return try body(of: bytes[...], form: form)
        case .replay(let reply, let encoded):
            if form == .binary { return Encode.reply(reply, encodedDiffs: encoded) }
            return Encode.reply(try withDiffs(reply, encoded), form: form)
        case .forDaemon:
            // The turn has put the answer in its place: made here it could tell what is not durable.
            throw DaemonError(.io, "a request to the daemon itself has no answer")
        }
    }

    /// The bytes of a remembered reply.
    private func body(of bytes: ArraySlice<UInt8>, form: Form) throws -> [UInt8] {
        guard let body = Encode.reply(encoded: bytes, form: form) else {
            throw DaemonError(.io, "a remembered reply cannot be read")
        }
        return body
    }

    /// For a form other than the one in which diffs are kept.
    private func withDiffs(_ reply: Reply, _ encoded: EncodedDiffs) throws -> Reply {
        guard case .replay(var publication, let head) = reply.answer else { return reply }
        let codec = WireCodec()
        publication.diffs = encoded.compactMap { codec.decodeDiff($0) }
        guard publication.diffs.count == encoded.count else {
            throw DaemonError(.io, "a retained diff cannot be read")
        }
        var whole = reply
        whole.answer = .replay(publication, head: head)
        return whole
    }

    private func send(_ body: UnsafeRawBufferPointer, by route: Route) throws {
        let connection = routes[route].connection
        guard connection.descriptor < 0 || PeerGuard.mayReply(to: connection, bytes: body.count)
        else {
            counters.repliesDropped += 1
            return
        }
        routes[route].visitor.replyBytes += UInt64(body.count)
        let outcome = try sockets.requests.answer(
            routes[route].peer, hasDelimiter: routes[route].hasDelimiter,
            header: routes[route].form.frame, body: body)
        switch outcome {
        case .sent: counters.replies += 1
        // Gone, or too slow to take its own replies: it asks again, and is answered then.
        case .wouldBlock, .unreachable: counters.repliesDropped += 1
        }
    }
}
