import TableHash
import TableModel
import TableSync
import TableTurn
import TableWire

// Requests that let others by: they wait until nothing else has arrived.

/// A request that waits.
struct Postponed {
    /// As it arrived, or read.
    enum Work {
        case body([UInt8], Form)
        case request(Request, hash: UInt64)
    }

    let work: Work
    let route: Route
}

extension DaemonInbox {
    /// A larger body takes a tenth of a millisecond or more to read.
    static let mostCheapBytes = 4 << 10
    /// A larger request of a principal that may do nothing is not read. Requests that anybody may send are small.
    static let mostOfStrangers = 1 << 10

    func postpone(
        bodyAt index: Int, _ form: Form, _ route: Route,
        from sender: RequestSender, into server: Server
    ) {
        let body = incoming.bytes(at: index)
        postpone(.body(body, form), route, bytes: body.count, from: sender, into: server)
    }

    func postpone(
        _ work: Postponed.Work, _ route: Route, bytes: Int,
        from sender: RequestSender, into server: Server
    ) {
        routes[route].origin = originOfRequest
        let turnedAway = costly.add(
            Postponed(work: work, route: route), bytes: bytes + routes[route].visitor.keptBytes,
            from: sender)
        for postponed in turnedAway { turnAway(postponed, into: server) }
    }

    /// There is no room for it. What is carried out once is forgotten as if it had been lost on its way, and
    /// comes again: a copy of it may be waiting, so nobody can say that it is refused.
    private func turnAway(_ postponed: Postponed, into server: Server) {
        let outline =
            switch postponed.work {
            case .request(let request, _):
                Outline(client: request.client, number: request.number, name: request.verb.request)
            case .body(let body, let form):
                body.withUnsafeBytes {
                    Decode.outline($0, form: form, limits: server.limits, within: 64 << 10)
                }
            }
        // The verb of a large one is not read: nothing but changes is large.
        let comesAgain = outline.name.map { $0 == .drag || $0.description.isRemembered } ?? true
        if comesAgain, outline.client != nil, outline.number != nil {
            counters.dropped += 1
            return routes.forget(postponed.route)
        }
        let most = CostlyRequests<Postponed>.most
        let rejection = Rejection(
            .tooLarge, "Too many large requests wait, of at most \(most): ask again later.")
        server.refuse(
            rejection, client: outline.client, number: outline.number, from: postponed.route)
    }

    /// Refuses a large request of somebody who may do nothing at all: to read it could take milliseconds.
    func turnAwayStranger(bodyAt index: Int, _ form: Form, _ route: Route, into server: Server) {
        let outline = incoming.withBytes(at: index) {
            Decode.outline($0, form: form, limits: server.limits, within: Self.mostOfStrangers)
        }
        server.refuseStranger(
            routes[route].visitor.principal, verb: outline.name, client: outline.client,
            number: outline.number, from: route)
    }

    /// Hands the one to the server whose turn it is.
    func receivePostponed(into server: Server) -> Int? {
        var bytes = 0
        // To forget one takes no time.
        for _ in 0..<64 {
            guard costly.count > 0, let (postponed, size) = costly.next() else {
                return bytes > 0 ? bytes : nil
            }
            bytes += size
            if isWorthWhile(postponed) {
                if let rest = carryOut(postponed, into: server) {
                    costly.putBack((rest, size), from: routes.sender(rest.route))
                    return nil
                }
                break
            }
        }
        return bytes
    }

    /// Keys were revoked: of what was sent with them nothing more is carried out, neither what waits
    /// here nor what libzmq still holds. Nobody is there for an answer, as their connections end.
    func dropRequests(ofKeys names: [String]) {
        let nowNs = Clock.monotonicNs
        for name in names {
            connections.visitors.revoke(.key(name: name), untilNs: nowNs)
            let dropped = costly.removeAll(of: .key(name: name))
            counters.dropped += UInt64(dropped.count)
            for postponed in dropped { routes.forget(postponed.route) }
        }
    }

    /// Whether its sender reads answers, and is there, or it changes something.
    private func isWorthWhile(_ postponed: Postponed) -> Bool {
        guard isRead(postponed.route) else { return false }
        switch postponed.work {
        case .body: return true
        case .request(let request, _): return isAwaited(request, postponed.route)
        }
    }

    /// Hands it to the server. What is decided on ahead, between turns, is returned: it waits on.
    private func carryOut(_ postponed: Postponed, into server: Server) -> Postponed? {
        let route = postponed.route
        originOfPostponed = routes[route].origin
        let (sender, begin) = (routes.sender(route), Clock.monotonicNs)
        defer {
            originOfPostponed = nil
            noteTime(since: begin, of: sender, hasWaited: true)
        }
        switch postponed.work {
        case .body(let body, let form):
            var request = Request(.hello)
            let isRead = body.withUnsafeBytes {
                read($0, form: form, route, into: &request, for: server)
            }
            if isRead, isAwaited(request, route) {
                routes.sign(&request, route)
                let hash = XXH64.hash(body)
                guard server.isPrepared(request, requestHash: hash) else {
                    return Postponed(work: .request(request, hash: hash), route: route)
                }
                server.receive(request, requestHash: hash, from: route)
            }
        case .request(var request, let hash):
            // A reload may have looked up its name and its groups since then.
            routes.sign(&request, route)
            guard server.isPrepared(request, requestHash: hash) else { return postponed }
            server.receive(request, requestHash: hash, from: route)
        }
        return nil
    }

    /// Notes how long a request took, if it was slow: what its sender sends next waits.
    func noteTime(
        since begin: UInt64, of sender: @autoclosure () -> RequestSender, hasWaited: Bool
    ) {
        let now = Clock.monotonicNs
        // Where only one user is known, nobody else waits for the user's many connections.
        let most = connections.visitors.known.count > 1 ? SlowSenders.lightNs : SlowSenders.quickNs
        guard now - begin > most else { return }
        // Other programs may have had the processor meanwhile. To ask for that takes a system call, so it is
        // asked once for several requests. Those before this one count as if they had it all the time:
        // rather too little is noted than too much.
        let (processor, before) = (Clock.threadNs, begin - min(mark.atNs, begin))
        let had = processor - min(mark.processorNs, processor)
        let took = min(now - begin, had - min(before, had))
        mark = (processor, now)
        guard took > most else { return }
        slow.note(tookNs: took, of: sender(), nowNs: now, hasWaited: hasWaited)
    }
}

extension Request {
    /// Whether it may take milliseconds.
    var isCostly: Bool {
        if case .command(let command) = verb { return command.verb.isCostly }
        return verb.request.has(.costly)
    }
}

extension Command.Verb {
    /// More rows take a tenth of a millisecond, and a thousand of them two.
    private static let mostQuickRows = 32

    /// Whether it may take milliseconds. Its answer names rows, mostly few; a client that does not read those
    /// is blocked soon, and then all answers count.
    var isCostly: Bool {
        let name = name
        guard name.has(.manyRows) else { return name.has(.costly) }
        let rows = namedRows?.count ?? 0
        return rows == 0 || rows > Self.mostQuickRows
    }
}
