public import TableModel

/// The remembered answers of all principals: a client id is its principal's own. Whoever uses
/// another one's id and next number has a session of that name beside hers.
public struct SessionBook: Sendable {
    /// Principals of which answers are remembered, at most.
    static let mostPrincipals = 1_024
    /// What all may have together, as a multiple of what one may have.
    static let mostTogether = 4

    private var owners: [Sessions.Owner] = [.unknown]
    private var sessions: [Sessions] = [Sessions()]
    private var places: [Sessions.Owner: Int] = [.unknown: 0]
    /// What a principal begins with of which nothing is remembered.
    private var fresh = Sessions()
    /// The latest one's: as a rule the next is the same.
    private var latest: (principal: Principal, place: Int)?

    /// None yet.
    public init() {}

    /// How many sessions there are.
    public var count: Int { sessions.reduce(0) { $0 + $1.byClient.count } }

    /// The newest position at which a forgotten session was used.
    public var evictedTo: UInt64 { sessions.reduce(fresh.evictedTo) { max($0, $1.evictedTo) } }

    /// For a checkpoint: everybody's, and what holds for those who are not there.
    public var all: [(owner: Sessions.Owner, sessions: Sessions)] {
        Array(zip(owners, sessions)) + [(.others, fresh)]
    }

    /// Everybody's who has any.
    public var byOwner: [Sessions.Owner: [ID: Sessions.Session]] {
        var all: [Sessions.Owner: [ID: Sessions.Session]] = [:]
        for (owner, sessions) in zip(owners, sessions) where !sessions.byClient.isEmpty {
            all[owner] = sessions.byClient
        }
        return all
    }

    /// The sessions of one principal; empty if there are none.
    public subscript(_ owner: Sessions.Owner) -> Sessions {
        places[owner].map { sessions[$0] } ?? fresh
    }

    // MARK: Commands

    /// What to do with a numbered command of a principal's client.
    public mutating func verdict(
        of principal: Principal, client: ID, number: UInt64, opened: UInt64, requestHash: UInt64
    ) -> Sessions.Verdict {
        let place = place(of: principal)
        let verdict = verdict(
            at: place, client: client, number: number, opened: opened, requestHash)
        guard hasUnknown, verdict == .fresh else { return verdict }
        // From before there were principals it may be anybody's: whoever sent it then is answered,
        // and nobody runs it again.
        let isKnown = place.map { sessions[$0].byClient[client] != nil } ?? false
        guard !isKnown || sessions[0].byClient[client] != nil else { return verdict }
        return self.verdict(
            at: 0, client: client, number: number, opened: opened, requestHash)
    }

    /// Whether anything is known from before there were principals.
    private var hasUnknown: Bool { !sessions[0].byClient.isEmpty || sessions[0].evictedTo > 0 }

    private func verdict(
        at place: Int?, client: ID, number: UInt64, opened: UInt64, _ requestHash: UInt64
    ) -> Sessions.Verdict {
        guard let place else {
            return fresh.verdict(
                client: client, number: number, opened: opened, requestHash: requestHash)
        }
        return sessions[place].verdict(
            client: client, number: number, opened: opened, requestHash: requestHash)
    }

    private mutating func place(of principal: Principal) -> Int? {
        if let latest, latest.principal === principal { return latest.place }
        guard let place = places[.principal(principal.identity)] else { return nil }
        latest = (principal, place)
        return place
    }

    /// Remembers an answer to a principal's client; the oldest beyond the limits go, of its own.
    public mutating func remember(
        _ answer: Sessions.Answered, of principal: Principal, client: ID, opened: UInt64?,
        position: UInt64, within limits: Limits
    ) {
        let place = place(of: principal) ?? place(making: .principal(principal.identity))
        remember(answer, at: place, client, opened, position, limits)
    }

    /// The same of an entry of the journal.
    public mutating func remember(
        _ answer: Sessions.Answered, of owner: Sessions.Owner, client: ID, opened: UInt64?,
        position: UInt64, within limits: Limits
    ) {
        remember(answer, at: place(making: owner), client, opened, position, limits)
    }

    private mutating func remember(
        _ answer: Sessions.Answered, at place: Int, _ client: ID, _ opened: UInt64?,
        _ position: UInt64, _ limits: Limits
    ) {
        let before = sessions[place].byClient.count
        sessions[place].remember(
            answer, client: client, opened: opened, position: position, within: limits)
        if sessions.count > 2, sessions[place].byClient.count > before { keepTogether(limits) }
    }

    /// Bounds what all have: who has most loses its own.
    private mutating func keepTogether(_ limits: Limits) {
        forget(by: { $0.byClient.count }, beyond: Self.mostTogether * limits.sessions)
        forget(by: { $0.replyCount }, beyond: Self.mostTogether * limits.replies)
    }

    private mutating func forget(by size: (Sessions) -> Int, beyond most: Int) {
        guard sessions.reduce(0, { $0 + size($1) }) > most,
            let place = sessions.indices.max(by: { size(sessions[$0]) < size(sessions[$1]) })
        else { return }
        sessions[place].forgetOldest()
    }

    private mutating func place(making owner: Sessions.Owner) -> Int {
        if let place = places[owner] { return place }
        if owners.count > Self.mostPrincipals { forgetQuietest() }
        owners.append(owner)
        sessions.append(fresh)
        places[owner] = owners.count - 1
        return owners.count - 1
    }

    /// Forgets the principal that was quiet the longest.
    private mutating func forgetQuietest() {
        let quietest = sessions.indices.dropFirst().min {
            sessions[$0].usedAt < sessions[$1].usedAt
        }
        guard let place = quietest else { return }
        fresh.restored(evictedTo: fresh.forgotten(sessions[place]))
        places[owners[place]] = nil
        owners.remove(at: place)
        sessions.remove(at: place)
        for index in place..<owners.count { places[owners[index]] = index }
        latest = nil
    }

    // MARK: Limits that change

    /// As `Sessions.promised`, to everybody.
    public mutating func promised(_ limits: Limits, until position: UInt64) {
        for place in sessions.indices { sessions[place].promised(limits, until: position) }
        fresh.promised(limits, until: position)
    }

    /// As `Sessions.keepPromises`.
    public mutating func keepPromises(of other: SessionBook) {
        for place in sessions.indices {
            sessions[place].keepPromises(of: other[owners[place]])
        }
        fresh.keepPromises(of: other.fresh)
    }

    // MARK: Checkpoints

    /// Takes over sessions from a checkpoint. They may come in any order.
    public mutating func restore(
        _ clients: [CheckpointPart.Client], evictedTo: UInt64, of owner: Sessions.Owner
    ) {
        if owner == .others { return fresh.restored(evictedTo: evictedTo) }
        let place = place(making: owner)
        for one in clients { sessions[place].restore(one.session, client: one.client) }
        sessions[place].restored(evictedTo: evictedTo)
    }
}
