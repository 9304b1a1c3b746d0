import TableDecisions
import TableModel

// Drags and presence. They change only ephemeral state, except for a drop, and for a swipe that a
// lift closes and a cancel opens again.

extension Server {
    /// A step of a drag other than the drop, which is a command.
    func drag(_ request: Request, _ drag: Drag, _ route: Route) {
        guard let live = table(of: request, route) else { return }
        do throws(Rejection) {
            reply(to: request, route, try step(drag, request, live))
        } catch { reply(to: request, route, .refused(Self.placed(error, in: drag))) }
    }

    /// A refusal with its field as it stands in the request. The rows of a drop are those of its lease, and where
    /// they go is below `to`.
    private static func placed(_ rejection: Rejection, in drag: Drag) -> Rejection {
        var rejection = rejection
        switch (drag, rejection.field) {
        case (.drop, "rows"): rejection.field = "lease"
        case (.drop, "lease"), (.drop, nil), (.lift, _), (.hover, _): break
        case (.drop, let field?): rejection.field = "to.\(field)"
        // Nothing but the lease stands there.
        case (.cancel, _), (.renew, _): rejection.field = nil
        }
        return rejection.below(drag.step == .renew ? "drag.renew" : "drag.\(drag.name)")
    }

    private func step(
        _ drag: Drag, _ request: Request, _ live: LiveTable
    ) throws(Rejection) -> Reply.Answer {
        switch drag {
        case .lift(let rows, let ttl): return .lease(try lift(rows, ttl, request, live))
        case .hover(let id, let section, let anchor):
            _ = try lease(id, of: request, live)
            live.ephemeral.hover(
                id, over: .init(section: section, anchor), nowMs: ready.monotonicMs)
        case .renew(let id):
            _ = try lease(id, of: request, live)
            live.ephemeral.renew(id, nowMs: ready.monotonicMs)
        case .cancel(let id):
            let lease = try lease(id, of: request, live)
            end(lease.lease.id, "\(lease.lease.holder.text) let go", on: live)
        case .drop: preconditionFailure("a drop is a command")
        }
        return .done(rows: [], unchanged: true)
    }

    private func lift(
        _ rows: [RowID], _ ttlSeconds: Double, _ request: Request, _ live: LiveTable
    ) throws(Rejection) -> Lease {
        guard let holder = request.actor else {
            throw Rejection(
                .malformed, "Only a client with a name or an id can lift rows.", field: "client")
        }
        guard limits.leaseSeconds.contains(ttlSeconds) else {
            throw Rejection(.badNumber, "A lease lasts 1 to 60 seconds.", field: "ttl")
        }
        let sender = Ephemeral.Sender(request.sender)
        // The answer to the first lift may have been lost.
        let again = live.ephemeral.leases.values.first {
            $0.lease.rows == rows && $0.lease.holder == holder && $0.client == request.client
                && $0.sender == sender
        }
        if let again {
            live.ephemeral.renew(again.lease.id, nowMs: ready.monotonicMs)
            return again.lease
        }
        let plan = try reduce(
            lift: rows, on: live.table, limits: limits, context(of: request, live)
        ).get()
        // It closes swipes, which is a revision like another.
        if room.isShort, !plan.ops.isEmpty { throw room.rejection }
        guard
            hasRoom(
                live.ephemeral.leases.count, most: limits.leases, for: request.sender,
                own: live.ephemeral.leases.values.count { $0.sender.proof == sender.proof })
        else {
            throw .tooMany(
                "drags under way", live.ephemeral.leases.count, most: limits.leases, field: "rows")
        }
        let lifted = live.ephemeral.lifted.count
        guard
            hasRoom(
                lifted, adding: rows.count, most: 4 * limits.leases, for: request.sender,
                own: live.ephemeral.rows(liftedBy: sender))
        else {
            throw .tooMany(
                "rows being dragged", lifted + rows.count, most: 4 * limits.leases, field: "rows")
        }
        var closed: [RowID: Edge] = [:]
        for id in rows { closed[id] = live.table.row(id)?.swipe }
        _ = apply(plan, cause: cause(of: request, verb: "lift"), on: live)
        let lease = Lease(
            id: newLeaseID(live), holder: holder, rows: rows, ttlSeconds: ttlSeconds,
            user: request.sender.name)
        live.ephemeral.lift(
            .init(
                lease: lease, client: request.client, sender: sender, closed: closed,
                endsMs: ready.monotonicMs + UInt64(ttlSeconds * 1_000)))
        return lease
    }

    /// It tells nobody how many drags there were: whoever may read one table would learn from a count
    /// how people come and go at others. The epoch in it, which everybody knows, is for the sentence that says of
    /// an older one that the daemon was restarted.
    private func newLeaseID(_ live: LiveTable) -> ID {
        let random = "\(epoch.description.prefix(8))-\(makeID())"
        var id = ID(random)
        // However bad the source is.
        var again = 0
        while live.ephemeral.knows(id) {
            again += 1
            id = ID("\(random)-\(again)")
        }
        return id
    }

    /// The lease that a request names, if the sender holds it.
    private func lease(
        _ id: ID, of request: Request, _ live: LiveTable
    ) throws(Rejection) -> Ephemeral.HeldLease {
        guard let lease = live.ephemeral.leases[id] else {
            let end = live.ephemeral.end(of: id) ?? whyThereIsNone(id, live)
            throw Rejection(
                .noSuchLease,
                "There is no lease \"\(id.text)\"" + (end.map { ": \($0.reason)." } ?? "."),
                field: "lease", saying: end?.saying)
        }
        try require(
            lease.lease.holder == request.actor && lease.sender == .init(request.sender),
            or: .notHeld, "The lease is \(lease.lease.holder.text)'s.", field: "lease")
        return lease
    }

    /// Renews a lease, if the sender holds it.
    func renewLease(_ id: ID, of request: Request) {
        guard let live = request.table.flatMap({ tables[$0] }),
            (try? lease(id, of: request, live)) != nil
        else { return }
        live.ephemeral.renew(id, nowMs: ready.monotonicMs)
    }

    /// Why an id names no lease, though none that it named has ended; nil: no more can be told.
    private func whyThereIsNone(_ id: ID, _ live: LiveTable) -> Presence.Ended? {
        if live.table.row(id) != nil {
            return .init(id, "that is the id of a row; the lease has the id that the lift gave")
        }
        let parts = id.text.split(separator: "-", omittingEmptySubsequences: false)
        // Releases before gave a count, whose digits are hexadecimal ones too.
        guard parts.count == 2 || parts.count == 3, parts[0].utf8.count == 8,
            UInt32(parts[0], radix: 16) != nil, 1...32 ~= parts[1].utf8.count,
            parts[1].allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return .init(id, "no lift gave that id") }
        let isOld = parts[0] != epoch.description.prefix(8)
        guard isOld else { return nil }
        return .init(
            id, "the daemon was restarted since, or there never was one",
            Saying("putDown.connection"))
    }

    /// Why a lease has ended is a part of a sentence, without the full stop.
    private static func why(refusedBy rejection: Rejection) -> String {
        let why = "the drop was refused: \(rejection.message)"
        return why.hasSuffix(".") ? String(why.dropLast()) : why
    }

    /// Drops rows: the lease has ended afterwards, whether or not they could land.
    func drop(
        _ request: Request, _ id: ID, section: SectionID?, _ anchor: Anchor,
        _ policy: Command.Policy, _ live: LiveTable
    ) -> Reply.Answer {
        do throws(Rejection) {
            let lease = try lease(id, of: request, live).lease
            let result = reduce(
                drop: lease.rows, section: section, anchor, policy, on: live.table, limits: limits,
                context(of: request, live))
            switch result {
            case .failure(let rejection):
                end(id, Self.why(refusedBy: rejection), on: live)
                throw rejection
            case .success(let plan):
                if let rejection = refusal(of: plan, request) {
                    noteRefused(request, rejection)
                    end(id, Self.why(refusedBy: rejection), on: live)
                    throw rejection
                }
                live.ephemeral.end(.init(id, "\(lease.holder.text) dropped it", isDropped: true))
                return apply(plan, of: request, on: live)
            }
        } catch {
            // Nothing in the request is at fault.
            if error.isForWantOfRights { return .refused(error) }
            return .refused(
                Self.placed(error, in: .drop(lease: id, section: section, anchor, policy)))
        }
    }

    /// Ends a lease without a drop: everything is as before, with the swipes that the lift closed.
    ///
    /// However it ends, the revision says whose drag it was. It has no client: nobody has sent it
    /// as a command, and no viewer takes it for its own. No swipe is opened of rows that were `removed`:
    /// others may have their ids. `isElsewhere`: the rows were moved.
    func end(
        _ id: ID, _ reason: String, _ saying: Saying? = nil, on live: LiveTable,
        removed: Set<RowID> = [], isElsewhere: Bool = false
    ) {
        guard let held = live.ephemeral.leases[id] else { return }
        let closed = held.closed.filter { !removed.contains($0.key) }
        live.ephemeral.end(.init(id, reason, saying, isDropped: isElsewhere))
        let inOrder = closed.sorted { $0.key < $1.key }
        let ops = live.reopening(inOrder.map { ($0.key, $0.value) })
        let cause = Cause(
            verb: "cancel", name: held.lease.holder, timeMs: ready.timeMs,
            user: held.sender.provenName)
        _ = apply(Plan(steps: ops), cause: cause, on: live)
    }

    // MARK: Presence

    func attend(_ request: Request, revision: UInt64, isLeaving: Bool, _ route: Route) {
        guard let client = request.client else {
            return reply(
                to: request, route,
                .refused(.malformed, "Only a client with an id can attend.", field: "client"))
        }
        guard let live = table(of: request, route) else { return }
        let viewer = Ephemeral.ViewerKey(client: client, sender: .init(request.sender))
        if isLeaving {
            part(from: [viewer], on: live, "left")
        } else if live.ephemeral.viewers[viewer] != nil
            || hasRoom(
                live.ephemeral.viewers.count, most: limits.attendants, for: request.sender,
                own: live.ephemeral.viewers.keys.count { $0.sender.proof == viewer.sender.proof })
        {
            noteHeard(viewer, request, revision: revision, live)
        } else {
            return reply(
                to: request, route,
                .refused(
                    .tooMany(
                        "viewers", live.ephemeral.viewers.count, most: limits.attendants,
                        field: "attend")))
        }
        reply(to: request, route, .done(rows: [], unchanged: true))
    }

    /// A viewer is there, perhaps under another name than before.
    private func noteHeard(
        _ viewer: Ephemeral.ViewerKey, _ request: Request, revision: UInt64, _ live: LiveTable
    ) {
        let known = live.ephemeral.viewers[viewer]?.attendant
        let before = live.ephemeral.claimants(with: viewer)
        // Ending claims needs a commit. Until there is room it has the name that it had.
        let name: ID? = room.isReadOnly ? known.map(\.name) ?? request.name : request.name
        live.ephemeral.attend(
            Attendant(
                client: viewer.client, name: name, sinceMs: ready.timeMs, revision: revision,
                user: request.sender.name), of: viewer.sender, nowMs: ready.monotonicMs)
        if let known, known.name != name { endHolds(ofGone: [viewer], before, on: live) }
    }

    /// Whether there is room for `more` of `most`. With a guest list one user may have half of them, with all who
    /// act on the user's behalf: `own` are theirs, and are counted only if it matters.
    func hasRoom(
        _ count: Int, adding more: Int = 1, most: Int, for sender: Principal,
        own: @autoclosure () -> Int
    ) -> Bool {
        let half = most / 2
        return count + more <= most
            && (!admission.isBounded(sender) || count + more <= half || own() + more <= half)
    }

    /// Viewers are gone: their leases end, and so do their persons' claims and edit mode, unless a person looks with another
    /// viewer. Thousands may go in one turn, so viewers, leases and claims are gone through once for all of them.
    private func part(from keys: [Ephemeral.ViewerKey], on live: LiveTable, _ how: String) {
        var persons: [Ephemeral.ViewerKey: Ephemeral.Person] = [:]
        for key in keys { persons[key] = live.ephemeral.person(with: key) }
        if persons.isEmpty { return }
        let claimants = keys.flatMap { live.ephemeral.claimants(with: $0) }
        // In their order: which of two swipes opens again must not be chance.
        for held in live.ephemeral.heldInOrder {
            guard let client = held.client,
                let person = persons[.init(client: client, sender: held.sender)]
            else { continue }
            end(
                held.lease.id, "\(person.actor.text) \(how)", Saying("putDown.connection"), on: live
            )
        }
        // Ending claims needs a commit. The viewers stay, and count as lost once there is room.
        if room.isReadOnly { return }
        for key in persons.keys { live.ephemeral.leave(key) }
        endHolds(ofGone: Array(persons.keys), claimants, on: live)
    }

    /// Whether any ephemeral state can end by time.
    public var hasEphemeral: Bool {
        tables.values.contains { !$0.wakes.isEmpty || !$0.ephemeral.isEmpty($0.table) }
    }

    /// Ends leases, claims, edit mode and viewers whose time is over. Without `judges` it only notes what is
    /// there. Call it within a turn, a few times a second.
    public func watchEphemeral(judges: Bool = true) {
        let timeoutMs = UInt64(clamping: limits.holderTimeoutMs)
        for name in tables.keys.sorted() {
            guard let live = tables[name] else { continue }
            // Leases for which the entry has no room end in the next turn.
            if !hasRoomInEntry { continue }
            wakeRows(of: live)
            if live.ephemeral.isEmpty(live.table) { continue }
            guard judges else {
                _ = live.ephemeral.endedClaims(live.table, nowMs: ready.monotonicMs)
                _ = isEditingOver(on: live)
                continue
            }
            for id in live.ephemeral.late(nowMs: ready.monotonicMs) {
                end(id, "it was not renewed in time", Saying("putDown.late"), on: live)
            }
            let lost = live.ephemeral.lost(nowMs: ready.monotonicMs, timeoutMs: timeoutMs)
            part(from: lost, on: live, "is gone")
            endClaims(
                of: live.ephemeral.endedClaims(live.table, nowMs: ready.monotonicMs), on: live)
            if isEditingOver(on: live) { endEditing(on: live) }
        }
    }

    /// Ends the leases of rows that this revision removed, also where it has added others with their ids, or
    /// moved: what a handler has to move does not wait for a drag.
    func endTaken(_ ops: [Op], of cause: borrowing Cause, _ live: LiveTable) {
        let lifted = live.ephemeral.lifted
        var removed: Set<RowID> = []
        var moved: Set<RowID> = []
        for case .removes(let row) in ops.lazy.map(\.effect) where lifted[row] != nil {
            removed.insert(row)
        }
        for case .moves(let rows, _) in ops.lazy.map(\.effect) {
            moved.formUnion(rows.lazy.filter { lifted[$0] != nil })
        }
        if removed.isEmpty, moved.isEmpty { return }
        let who = cause.actor.map { " by \($0.text)" } ?? ""
        func saying(_ what: String) -> Saying {
            guard let actor = cause.actor else { return Saying("putDown.\(what)") }
            return Saying("putDown.\(what)By", ["who": actor.text])
        }
        for lease in live.ephemeral.sortedLeases {
            if let row = lease.rows.first(where: removed.contains) {
                let why = "row \(row.text) was removed\(who)"
                end(lease.id, why, saying("removed"), on: live, removed: removed)
            } else if let row = lease.rows.first(where: moved.contains) {
                let why = "row \(row.text) was moved\(who)"
                end(lease.id, why, saying("moved"), on: live, removed: removed, isElsewhere: true)
            }
        }
    }
}

extension Rejection {
    /// There is no room for more, by `hasRoom`.
    fileprivate static func tooMany(
        _ what: String, _ count: Int, most: Int, field: String
    ) -> Rejection {
        Rejection(
            .tooLarge,
            "\(what): \(count), at most \(most). With a guest list one user may have half of them.",
            field: field)
    }
}
