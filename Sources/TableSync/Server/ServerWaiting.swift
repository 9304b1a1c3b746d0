import TableModel

// Workers that wait for a row are served at the end of each turn in which something may have become free for them.

extension Server {
    /// How many commands may wait, for whoever keeps their routes.
    public static var mostWaitingWorkers: Int { WaitingWorkers.most.workers }

    /// Milliseconds from this turn until workers are looked at though no row has changed; nil: none waits.
    public var untilWorkers: UInt64? {
        if handlers.waiting.isEmpty { return nil }
        if handlers.waiting.isOwed || handlers.waiting.dueMs <= ready.monotonicMs { return 0 }
        return handlers.waiting.dueMs - ready.monotonicMs
    }

    /// Whether there is something to do for workers that wait, or for one that waits no more.
    public var hasWaitingWorkers: Bool { !handlers.waiting.isEmpty }

    /// How many wait.
    public var waitingWorkers: Int { handlers.waiting.count }

    /// Whether this command waits for a row.
    public func isWaiting(_ route: Route) -> Bool { handlers.waiting.latest == route }

    /// Lets a command wait that has got nothing; where too many wait, it is answered with that.
    @inline(never)  // Without this each command is copied for it.
    func letWait(_ request: Request, _ requestHash: UInt64, _ route: Route) {
        guard mayWait(request), let name = request.table, let next = request.next else {
            _ = conclude(request, requestHash: requestHash, route, waits: false)
            return
        }
        line(up: request, requestHash, route, next, on: name, isNew: handlers.waiting.hasFailed)
    }

    /// Where others wait, a `next` comes after them: it waits for the end of the turn at least. A copy of a command
    /// that waits takes its place. A `take`, or another `next`, under its number ends the waiting, and is decided instead.
    @inline(never)  // Without this each command is copied for it.
    func linesUp(_ request: Request, _ requestHash: UInt64, _ route: Route) -> Bool {
        guard request.next != nil || request.isTake, let name = request.table,
            let line = handlers.waiting.lines[name]
        else { return false }
        if let index = line.workers.firstIndex(where: { $0.isAgain(request) }) {
            ready.unanswered.append(line.workers[index].route)
            if line.workers[index].requestHash == requestHash {
                keepPlace(at: index, of: name, route)
                return true
            }
            handlers.waiting.remove(at: index, of: name)
        }
        // Nobody has checked the command yet: one that is out of bounds is refused at once.
        guard let next = request.next, handlers.waiting.lines[name] != nil, mayWait(request),
            (0...Command.Next.mostWaitSeconds).contains(next.waitSeconds),
            (next.condition?.text.utf8.count ?? 0) <= Limits.conditionBytes
        else { return false }
        self.line(up: request, requestHash, route, next, on: name, isNew: true)
        return true
    }

    /// Whether one more may wait, whatever condition it has. With a guest list one user may have half of the room.
    private func mayWait(_ request: Request) -> Bool {
        let (waiting, sender) = (handlers.waiting, request.sender)
        return hasRoom(
            waiting.count, most: WaitingWorkers.most.workers, for: sender,
            own: waiting.share(of: sender).count)
            && hasRoom(
                waiting.conditionBytes, adding: Limits.conditionBytes,
                most: WaitingWorkers.most.conditionBytes, for: sender,
                own: waiting.share(of: sender).bytes)
    }

    /// A copy of a command that waits has come.
    private func keepPlace(at index: Int, of name: TableID, _ route: Route) {
        handlers.waiting.change(name) {
            $0.workers[index].route = route
            $0.workers[index].heardMs = ready.monotonicMs
            if $0.workers[index].waitsForTime { ($0.workers[index].seen, $0.hasNews) = (0, true) }
        }
        handlers.waiting.latest = route
    }

    /// The client was forgotten while its command waited. Once an answer to this command is remembered, nobody could
    /// tell a copy of an earlier one from a new one: so it waits no longer, and its worker asks under another id.
    @inline(never)  // Without this each command is copied for it.
    func stopWaiting(_ request: Request) {
        guard let name = request.table, let line = handlers.waiting.lines[name],
            let index = line.workers.firstIndex(where: { $0.isAgain(request) })
        else { return }
        ready.unanswered.append(line.workers[index].route)
        handlers.waiting.remove(at: index, of: name)
    }

    private func line(
        up request: Request, _ requestHash: UInt64, _ route: Route, _ next: Command.Next,
        on name: TableID, isNew: Bool
    ) {
        let endMs = ready.monotonicMs + UInt64(next.waitSeconds * 1_000)
        let worker = WaitingWorkers.Worker(
            request: request, requestHash: requestHash, route: route, heardMs: ready.monotonicMs,
            endMs: endMs, waitsForTime: next.action != nil)
        let history = tables[name]?.table.history
        handlers.waiting.add(worker, to: name, of: history, isNew: isNew)
        if !isNew, let last = handlers.waiting.lines[name]?.workers.indices.last {
            setMoment(at: last, of: name)
        }
        handlers.waiting.latest = route
    }

    /// Serves the workers that wait, in their order, after the intake of a turn. `isThere` tells whether the sender of
    /// a command is still connected: a row must not go to one that is gone. Once `isOver`, the rest have the next turn.
    public func serveWaiting(
        until isOver: () -> Bool, isThere: (Route) -> Bool, sign: (inout Request, Route) -> Void
    ) {
        ready.unanswered += handlers.waiting.takeForsaken()
        let nowMs = ready.monotonicMs
        let sweeps = nowMs >= handlers.waiting.dueMs
        handlers.waiting.isOwed = false
        var left = WaitingWorkers.mostLookedAt
        for name in handlers.waiting.tablesInTurn() {
            lookAgain(at: name)
            guard let hasNews = handlers.waiting.lines[name]?.hasNews, sweeps || hasNews
            else { continue }
            handlers.waiting.change(name) { $0.hasNews = false }
            serve(name, atMost: &left, isOver, isThere, sign)
            handlers.waiting.change(name) { $0.forgetSeen() }
            // A worker that was served may have freed a row for those before it.
            if handlers.waiting.lines[name]?.hasNews == true { handlers.waiting.isOwed = true }
        }
        if sweeps {
            let ends = handlers.waiting.lines.values.flatMap { line in
                line.workers.map { min($0.endMs, $0.againMs) }
            }
            handlers.waiting.dueMs = min(ends.min() ?? .max, nowMs + WaitingWorkers.sweepMs)
        }
    }

    /// Notes what no revision tells.
    private func lookAgain(at name: TableID) {
        let live = tables[name]
        let (history, ended) = (live?.table.history, live?.ephemeral.endCount ?? 0)
        handlers.waiting.change(name) {
            if $0.history != history || ended != $0.endedDrags { $0.noteAll() }
            ($0.history, $0.endedDrags) = (history, ended)
        }
    }

    private func serve(
        _ name: TableID, atMost left: inout Int, _ isOver: () -> Bool,
        _ isThere: (Route) -> Bool, _ sign: (inout Request, Route) -> Void
    ) {
        let nowMs = ready.monotonicMs
        let patienceMs = UInt64(clamping: limits.holderTimeoutMs)
        // Workers in front of the place at which the turn before stopped were looked at in it. They come last: else nobody
        // behind them would ever be served where they take a whole turn.
        var index = handlers.waiting.takePlace(in: name)
        for _ in 0..<(handlers.waiting.lines[name]?.workers.count ?? 0) {
            if handlers.waiting.worker(at: index, of: name) == nil { index = 0 }
            guard let worker = handlers.waiting.worker(at: index, of: name) else { return }
            // Each turn serves one worker at least, whatever its condition takes.
            guard left > 0, !isTurnFull else { return handlers.waiting.stop(at: index, of: name) }
            let isAtEnd = worker.endMs <= nowMs
            let isUnheard = nowMs > worker.heardMs + patienceMs
            let isServed: Bool
            let look =
                isUnheard || isAtEnd ? .init(mayGet: true) : look(for: worker, in: name, &left)
            if look.mayGet {
                if isUnheard || !isThere(worker.route) {
                    ready.unanswered.append(worker.route)
                    isServed = true
                } else {
                    isServed = answer(worker, waits: !isAtEnd, sign)
                }
            } else {
                isServed = false
            }
            if isServed {
                handlers.waiting.remove(at: index, of: name)
            } else {
                handlers.waiting.noteSeen(
                    at: index, of: name,
                    waitsForTime: look.mayGet ? true : look.isWhole ? false : nil)
                if look.mayGet || worker.againMs <= nowMs { setMoment(at: index, of: name) }
                let againMs = handlers.waiting.worker(at: index, of: name)?.againMs ?? .max
                if look.againMs < againMs, !handlers.waiting.hasMoment(before: index, of: name) {
                    handlers.waiting.look(again: look.againMs, at: index, of: name)
                }
                // The action has failed on as many rows as a decision looks at: it goes on with those behind them.
                if look.mayGet, handlers.waiting.hasFailed {
                    handlers.waiting.lookAnew(at: index, of: name)
                }
                index += 1
            }
            if isOver() { left = 0 }
        }
    }

    /// Carries the command out by the rights and the room of now. False: there was no row, and it waits on.
    private func answer(
        _ worker: WaitingWorkers.Worker, waits: Bool, _ sign: (inout Request, Route) -> Void
    ) -> Bool {
        var request = worker.request
        sign(&request, worker.route)
        if let rejection = admission.refusal(of: request) {
            note(request, refusedAs: rejection.code)
            reply(to: request, worker.route, .refused(rejection))
        } else if case .refused(let rejection) = verdict(of: request, worker.requestHash) {
            reply(to: request, worker.route, .refused(rejection))
        } else if !room.takes(request) {
            reply(to: request, worker.route, .refused(room.rejection))
        } else {
            return conclude(request, requestHash: worker.requestHash, worker.route, waits: waits)
        }
        return true
    }
}
