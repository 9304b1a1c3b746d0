public import TableModel

// A service of several daemons: one writes, the others apply what it wrote and serve reads.

extension Server {
    /// The present duty of this daemon.
    public enum Duty: Equatable, Sendable {
        /// Decide, and answer everything: also where there is no other daemon.
        case leader
        /// Answer what reads. `leader` are the endpoints of the daemon that decides; empty: none is known.
        case standby(leader: [String])
        /// Neither: what is here may be out of date, or another may write by now. Only what is about
        /// this process is answered. Others ask again, here or elsewhere.
        case outOfTouch

        // Comparing would copy the leader's endpoints, several times a turn.

        /// Whether this daemon decides.
        public var isLeader: Bool {
            if case .leader = self { true } else { false }
        }

        /// Whether only what is about this process is answered.
        public var isOutOfTouch: Bool {
            if case .outOfTouch = self { true } else { false }
        }
    }

    /// Turns away what this daemon may not answer; false: it may.
    func turnsAway(_ request: Request, _ route: Route) -> Bool {
        switch duty {
        case .leader: return false
        case .standby(let leader):
            guard request.verb.request.has(.leader) else { return false }
            reply(to: request, route, .refused(.notLeader(leader)))
            return true
        case .outOfTouch:
            if request.verb.request.has(.process) { return false }
            ready.unanswered.append(route)
            return true
        }
    }

    /// Applies an entry that another daemon has written, as recovery does, and returns what viewers are
    /// told of it: the same diffs in the same bytes.
    public func follow(
        _ records: [Ready.Record], position: UInt64, timeMs: UInt64
    ) throws(RecoveryError) -> [Ready.Outgoing] {
        begin(nowMs: timeMs, monotonicMs: ready.monotonicMs)
        for record in records {
            let dropped: LiveTable? =
                if case .dropped(let name) = record { tables[name] } else { nil }
            try replay(record, position: position)
            switch record {
            case .created(let name, _):
                ready.publications.append(.init(welcome(to: name)))
            case .dropped(let name):
                let publication = Publication(
                    table: name, history: dropped?.table.history, epoch: epoch, timeMs: timeMs,
                    isDropped: true)
                ready.publications.append(.init(publication))
            case .changed(let name, let bytes, _):
                guard let diff = codec.decodeDiff(bytes[...]), let live = tables[name] else {
                    break
                }
                let place = publication(takingBytes: bytes.count, of: live.table)
                ready.publications[place].append(bytes, leadingTo: live.table.revision, diff.digest)
            case .restored(let restored), .promoted(_, let restored):
                for one in restored { ready.publications.append(.init(welcome(to: one.table))) }
            case .answered, .staged, .forgot: break
            }
        }
        self.position = position
        defer { ready.publications = [] }
        return ready.publications
    }

    /// It writes from now on, or does no more. Leases and presence end, as at a restart; whatever is held
    /// is held on, and counts from now.
    public func changeRole() {
        for live in tables.values {
            live.abandoned = live.closedSwipes
            live.ephemeral = Ephemeral()
        }
        tables.mayHaveAbandoned = true
        let waiting = handlers.waiting
        handlers = Handlers()
        handlers.waiting.forsake(waiting)
    }
}

extension Rejection {
    /// The refusal of a daemon that does not write, with the endpoints of the one that does.
    public static func notLeader(_ leader: [String]) -> Rejection {
        var rejection = Rejection(
            .notLeader,
            leader.isEmpty
                ? "No daemon of the service writes at present: ask again."
                : "Another daemon of the service writes: \(leader.joined(separator: ", ")).")
        rejection.endpoints = leader
        return rejection
    }
}
