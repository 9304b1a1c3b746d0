import TableModel
import TableSync

// A handler that presses the action itself waits in the daemon's line for rows, beside what it does (rule B11).

extension Handler {
    /// A place in the line, or the wish for one.
    struct Place {
        /// The rows that are asked for.
        let feed: Command.Next
        /// The number of the command that has no answer yet.
        var number: UInt64?
        /// The daemon is told that nothing is wanted any more.
        var isLeaving = false
        /// A command was answered before this one: what it names was there.
        var wasThere = false
        /// The daemon had to look at too many rows: it is asked again when the replica has something.
        var looksFirst = false
        /// The invocations that have come and were not handed out.
        var arrived: [Invocation] = []
        /// Why there is no place.
        var failure: ClientError?

        init(feed: Command.Next) { self.feed = feed }
    }

    /// The pause after an answer that gave nothing.
    private static var emptyMs: UInt64 { 250 }

    /// Whether the daemon may still give it rows that it has asked for, with `feed`.
    public var isAsking: Bool { place?.number != nil }

    /// Hands out what has come, and waits for as much as there is room for.
    func takeInLine(atMost room: Int) throws -> [Invocation] {
        let now = Deadline(inMilliseconds: 0)
        while let reply = try client.receive(before: now, and: now) {
            if try client.isEnd(reply) { heard(reply) }
        }
        if let failure = place?.failure { throw failure }
        let taken = place?.arrived ?? []
        place?.arrived = []
        try ask(atMost: room - taken.count)
        try client.sendDue()
        return taken
    }

    private func ask(atMost room: Int) throws {
        if isAsking { return room > 0 ? () : leaveLine() }
        guard let place, room > 0, monotonicMs() >= restsUntilMs else { return }
        if place.looksFirst {
            guard follower.replica.table?.hasSomething(for: place.feed) == true else { return }
            self.place?.looksFirst = false
        }
        var next = place.feed
        next.most = min(room, client.limits.takenInvocations)
        next.waitSeconds = Command.Next.mostWaitSeconds
        self.place?.number = try client.issue(.command(Command(.next(next))), on: table)
    }

    /// Asks for nothing any more: a `take` of an action that nobody has is decided in the place of what waits.
    func leaveLine() {
        guard let number = place?.number, place?.isLeaving == false else { return }
        place?.isLeaving = true
        client.writer.replace(number, by: .command(Command(.take(action: client.id, atMost: 1))))
    }

    /// The end of a command that was issued before.
    func heard(_ reply: Reply) {
        guard let old = place, old.number != nil, reply.number == old.number else { return }
        place?.number = nil
        place?.isLeaving = false
        place?.wasThere = true
        note(reply)
        switch reply.answer {
        case .done(_, _, let taken):
            // Too many wait.
            if taken.isEmpty, !old.isLeaving { restsUntilMs = monotonicMs() + Self.emptyMs }
            for invocation in taken { held[invocation.id] = invocation }
            place?.arrived += taken
        case .refused(let rejection):
            restsUntilMs = monotonicMs() + Self.renewMs
            place?.looksFirst = rejection.code == .tooLarge
            if !Self.passes(rejection.code, old) { place?.failure = .refused(rejection) }
        default:
            place?.failure = .protocolMismatch("a row was asked for, and something else answered")
        }
    }

    /// Whether such a refusal is waited out.
    private static func passes(_ code: Rejection.Code, _ old: Place) -> Bool {
        switch code {
        case .diskFull, .unknown, .editing, .tooLarge: true
        // A section may go and come back, as with an undo.
        case .noSuchSection: old.wasThere
        // The answer to what waited was lost on its way.
        case .numberReused: old.isLeaving
        default: false
        }
    }
}
