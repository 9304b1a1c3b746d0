import TableModel

/// The ephemeral state of one table: leases of dragged rows, who looks at the table, and when
/// claims and edit mode end. Nothing of it is on disk, and a restart of the daemon ends it. Its times are
/// monotonic milliseconds, so setting the date neither ends a lease nor keeps it for ever.
struct Ephemeral {
    private(set) var leases: [ID: HeldLease] = [:]
    private var liftCount: UInt64 = 0
    /// The dragged rows, and who drags them.
    private(set) var lifted: [RowID: ID] = [:]
    private(set) var viewers: [ViewerKey: Viewer] = [:]
    /// When claims with a time to live are over.
    private var claimEnds = Deadlines<RowID>()
    /// Each claim of the table with a time to live has its end here. Not so after a start.
    private var knowsClaims = false
    /// The part of the edit mode for everybody that passes.
    var edit = EditTime()
    /// Why leases ended, for requests that come too late; the oldest are dropped.
    private var reasons: [ID: Presence.Ended] = [:]
    private var reasonsInOrder: [ID] = []
    // The news for the next presence.
    private var leasesChanged = false
    private var viewersChanged = false
    private var ended: [Presence.Ended] = []
    private var publishedMs: UInt64?
    private var viewersPublishedMs: UInt64?
    /// About the bytes of all leases and of all viewers, as they were published last.
    private var published = (leaseBytes: 0, viewerBytes: 0)

    private static let mostReasons = 1_024
    /// Least time between two presences of a table: as often as a screen is drawn.
    private static let pauseMs: UInt64 = 16
    /// Least time between two lists of viewers, which may be long.
    private static let viewersPauseMs: UInt64 = 500

    /// Whose a lease or a viewer is: what tells a principal apart. The principal itself has all that a parent says
    /// of its child, which may be large, and goes with the request.
    struct Sender: Hashable {
        let proof: Principal.Proof
        let identity: ProvenID
        let provenName: ProvenID?

        init(_ principal: Principal) {
            proof = principal.proof
            identity = principal.provenIdentity
            provenName = principal.provenName
        }

        /// The name may be known later than the rest.
        static func == (one: Sender, other: Sender) -> Bool {
            one.proof == other.proof && one.identity == other.identity
        }

        func hash(into hasher: inout Hasher) { hasher.combine(identity) }
    }

    /// A lease, with what only the daemon knows.
    struct HeldLease {
        var lease: Lease
        /// The client that sent the lift.
        let client: ID?
        /// Whose client it is.
        let sender: Sender
        /// Rows whose swipe the lift closed, and the edge that was open.
        let closed: [RowID: Edge]
        var endsMs: UInt64
        /// How many lifts of the table came before. Nobody is told: ids are random, and say no order.
        var number: UInt64 = 0
    }

    /// A viewer of a principal: another one's with the same client id is another viewer.
    struct ViewerKey: Hashable {
        var client: ID
        var sender: Sender
    }

    /// A viewer, and when it was last heard of.
    struct Viewer {
        var attendant: Attendant
        var heardMs: UInt64
    }

    /// Whether there is nothing here that time can end.
    func isEmpty(_ table: Table) -> Bool {
        leases.isEmpty && viewers.isEmpty && table.claimedRows.isEmpty && !table.isEditing
    }

    // MARK: Leases

    mutating func lift(_ held: HeldLease) {
        var held = held
        held.number = liftCount
        liftCount += 1
        leases[held.lease.id] = held
        for row in held.lease.rows { lifted[row] = held.lease.holder }
        leasesChanged = true
    }

    mutating func hover(_ id: ID, over place: Lease.Hover, nowMs: UInt64) {
        guard let held = leases[id] else { return }
        leasesChanged = leasesChanged || held.lease.hover != place
        leases[id]?.lease.hover = place
        renew(id, nowMs: nowMs)
    }

    mutating func renew(_ id: ID, nowMs: UInt64) {
        guard let held = leases[id] else { return }
        leases[id]?.endsMs = nowMs + UInt64(held.lease.ttlSeconds * 1_000)
    }

    /// Ends a lease. The next presence tells everybody, and the holder is told when it asks.
    mutating func end(_ end: Presence.Ended) {
        let id = end.lease
        guard let held = leases.removeValue(forKey: id) else { return }
        for row in held.lease.rows { lifted[row] = nil }
        leasesChanged = true
        ended.append(end)
        reasons[id] = end
        reasonsInOrder.append(id)
        if reasonsInOrder.count > 2 * Self.mostReasons {
            for old in reasonsInOrder.prefix(Self.mostReasons) { reasons[old] = nil }
            reasonsInOrder.removeFirst(Self.mostReasons)
        }
    }

    func end(of id: ID) -> Presence.Ended? { reasons[id] }

    /// How many leases have ended.
    var endCount: Int { Int(liftCount) - leases.count }

    /// Whether a lease has this id, or one had that has ended lately.
    func knows(_ id: ID) -> Bool { leases[id] != nil || reasons[id] != nil }

    /// The leases, the first lift first.
    var heldInOrder: [HeldLease] { leases.values.sorted { $0.number < $1.number } }

    /// How many rows a user has lifted, with all who act on the user's behalf.
    func rows(liftedBy user: Sender) -> Int {
        leases.values.reduce(0) { $0 + ($1.sender.proof == user.proof ? $1.lease.rows.count : 0) }
    }

    /// Leases that were not renewed in time.
    func late(nowMs: UInt64) -> [ID] { heldInOrder.filter { $0.endsMs <= nowMs }.map(\.lease.id) }

    // MARK: Viewers

    mutating func attend(_ attendant: Attendant, of sender: Sender, nowMs: UInt64) {
        let key = ViewerKey(client: attendant.client, sender: sender)
        if let old = viewers[key] {
            var new = attendant
            new.sinceMs = old.attendant.sinceMs
            viewersChanged = viewersChanged || new != old.attendant
            // The name of the same sender may be known by now: a key that stays would keep the old one.
            viewers[key] = nil
            viewers[key] = Viewer(attendant: new, heardMs: nowMs)
        } else {
            viewers[key] = Viewer(attendant: attendant, heardMs: nowMs)
            viewersChanged = true
        }
    }

    mutating func leave(_ viewer: ViewerKey) {
        if viewers.removeValue(forKey: viewer) != nil { viewersChanged = true }
    }

    /// Viewers that were silent for too long.
    func lost(nowMs: UInt64, timeoutMs: UInt64) -> [ViewerKey] {
        viewers.filter { nowMs - min($0.value.heardMs, nowMs) > timeoutMs }.keys.sorted {
            ($0.client, $0.sender.identity.id) < ($1.client, $1.sender.identity.id)
        }
    }

    /// A person who looks: a name, or without one a client id, and the principal.
    struct Person: Hashable {
        var actor: ID
        var sender: Sender
    }

    /// The person who looks with this viewer; nil: there is no such viewer.
    func person(with key: ViewerKey) -> Person? {
        viewers[key].map { Person(actor: $0.attendant.name ?? key.client, sender: key.sender) }
    }

    /// Whose claims this viewer keeps: those under its name and under its client id.
    func claimants(with key: ViewerKey) -> [Person] {
        guard let person = person(with: key) else { return [] }
        let client = Person(actor: key.client, sender: key.sender)
        return person == client ? [client] : [person, client]
    }

    /// The claimants of all viewers.
    var claimants: some Sequence<Person> { viewers.keys.lazy.flatMap { claimants(with: $0) } }

    func attendants(head: UInt64) -> [Attendant] {
        viewers.values.map { viewer in
            var attendant = viewer.attendant
            attendant.lag = head > attendant.revision ? head - attendant.revision : 0
            return attendant
        }.sorted { ($0.sinceMs, $0.client) < ($1.sinceMs, $1.client) }
    }

    // MARK: Claims

    /// Whether the end of a claim is waited for.
    var timesClaims: Bool { !claimEnds.isEmpty }

    /// This row is claimed from now on, claimed again, or claimed no more. Without a time nobody knows since
    /// when: it counts from the next look.
    mutating func note(_ claim: Claim?, of row: RowID, nowMs: UInt64?) {
        guard let ttl = claim?.ttlSeconds else {
            if !claimEnds.isEmpty { claimEnds.remove(row) }
            return
        }
        if let nowMs {
            claimEnds.set(row, to: nowMs + UInt64(min(max(ttl, 0), 1e6) * 1_000) + 1)
        } else {
            claimEnds.remove(row)
            knowsClaims = false
        }
    }

    /// Rows whose claims were not renewed in time. If nobody knows since when one is claimed, its time
    /// starts when it is first seen here: after a restart that is now.
    mutating func endedClaims(_ table: Table, nowMs: UInt64) -> [RowID] {
        if !knowsClaims {
            for row in table.claimedRows where claimEnds[row] == nil {
                note(table.row(row)?.claim, of: row, nowMs: nowMs)
            }
            knowsClaims = true
        }
        return claimEnds.isEmpty ? [] : claimEnds.over(at: nowMs).sorted()
    }

    // MARK: Presence

    /// Milliseconds until there is something to publish; nil: there is nothing.
    func untilPresence(nowMs: UInt64) -> UInt64? {
        if leasesChanged || !ended.isEmpty {
            return Self.left(of: Self.pauseMs, since: publishedMs, nowMs: nowMs)
        }
        return viewersChanged ? untilViewers(nowMs: nowMs) : nil
    }

    /// Milliseconds until the list of viewers may go out again.
    private func untilViewers(nowMs: UInt64) -> UInt64 {
        Self.left(of: Self.viewersPauseMs, since: viewersPublishedMs, nowMs: nowMs)
    }

    private static func left(of pause: UInt64, since last: UInt64?, nowMs: UInt64) -> UInt64 {
        last.map { pause - min(nowMs - min($0, nowMs), pause) } ?? 0
    }

    /// The presence to publish now; nil: none.
    mutating func presence(_ table: Table, epoch: ID128, nowMs: UInt64) -> Presence? {
        guard untilPresence(nowMs: nowMs) == 0 else { return nil }
        var presence = Presence(table: table.name, epoch: epoch, ended: ended)
        if leasesChanged || !ended.isEmpty {
            let leases = sortedLeases
            published.leaseBytes = leases.reduce(128 * ended.count) { $0 + $1.publishedBytes }
            presence.leases = leases
            publishedMs = nowMs
        }
        // However often there is news of leases.
        if viewersChanged, untilViewers(nowMs: nowMs) == 0 {
            let viewers = attendants(head: table.revision)
            published.viewerBytes = viewers.reduce(0) { $0 + $1.publishedBytes }
            presence.viewers = viewers
            viewersPublishedMs = nowMs
            viewersChanged = false
        }
        (leasesChanged, ended) = (false, [])
        return presence
    }

    /// About the bytes of a whole presence, as far as it was published.
    var presenceBytes: Int { published.leaseBytes + published.viewerBytes }

    /// When the latest presence was published; 0: none was.
    var lastPresenceMs: UInt64 { max(publishedMs ?? 0, viewersPublishedMs ?? 0) }

    /// Everybody is to hear the whole of it again, with the next presence.
    mutating func tellAll() { (leasesChanged, viewersChanged) = (true, true) }

    var sortedLeases: [Lease] { heldInOrder.map(\.lease) }
}
