public import TableModel

/// The remembered answers of all principals: a client id is its principal's own. Whoever uses
/// another one's id and next number has a session of that name beside hers.
///
/// A principal and its children are a family. Who makes up children, or clients, pushes out what is
/// its own family's, and there what those have who have most.
public struct SessionBook: Sendable {
    /// Families of which answers are remembered, at most.
    static let mostPrincipals = 1_024
    /// Children of one principal, and of all together.
    static let mostChildren = 1_024
    static let mostChildrenTogether = 4_096
    /// The bound of all together, as a multiple of that of one.
    static let mostTogether = 4
    /// The bound of one family, as a multiple of that of one.
    static let mostOfFamily = 2
    /// The part of it that one child may have: so one alone takes no room from others.
    static let partOfChild = 8
    /// Sweeps after which a child is forgotten that was quiet meanwhile.
    static let mostSweeps = 24
    static let sweepMs: UInt64 = 3_600_000

    var members: [Member] = [Member(.unknown, Sessions(), family: 0, isChild: false)]
    var families: [Family] = [Family(.unknown)]
    var places: [Sessions.Owner: Int] = [.unknown: 0]
    var placesOfFamilies: [Sessions.Owner: Int] = [.unknown: 0]
    var total = Size()
    var children = 0
    /// When there was a sweep, by the monotonic clock.
    var sweptMs: UInt64 = 0
    /// The sessions with which a principal begins of which nothing is remembered.
    var fresh = Sessions()
    /// The latest one's: as a rule the next is the same. To look at the object itself counts a reference.
    var latest: (id: ObjectIdentifier, place: Int)?
    /// Held, so that no other has its id.
    private var latestPrincipal: Principal?

    /// A principal of which something is remembered, or a child.
    struct Member: Sendable {
        let owner: Sessions.Owner
        var sessions: Sessions
        var family: Int
        let isChild: Bool
        /// Where it was at the latest sweep, and how many found it there.
        var sweptAt: UInt64 = 0
        var sweeps = 0

        init(_ owner: Sessions.Owner, _ sessions: Sessions, family: Int, isChild: Bool) {
            (self.owner, self.sessions) = (owner, sessions)
            (self.family, self.isChild) = (family, isChild)
        }

        var size: Size { sessions.size }
    }

    /// A principal and its children.
    struct Family: Sendable {
        let root: Sessions.Owner
        var size = Size()
        var children = 0
        /// Where the latest of the children that were forgotten was last used.
        var forgottenTo: UInt64 = 0

        init(_ root: Sessions.Owner) { self.root = root }
    }

    /// How much is remembered.
    public struct Size: Sendable {
        /// Clients that are known.
        public var clients = 0
        /// Answers to them.
        public var answers = 0
        /// Bytes of the answers.
        public var bytes = 0

        static func += (size: inout Size, more: Size) {
            size.clients += more.clients
            size.answers += more.answers
            size.bytes += more.bytes
        }

        static func - (one: Size, other: Size) -> Size {
            Size(
                clients: one.clients - other.clients, answers: one.answers - other.answers,
                bytes: one.bytes - other.bytes)
        }
    }

    /// None yet.
    public init() {}

    /// How many sessions there are.
    public var count: Int { total.clients }

    /// For a checkpoint: everybody's, and what holds for those who are not there.
    public var all: [(owner: Sessions.Owner, sessions: Sessions)] {
        var all = members.map { (owner: $0.owner, sessions: $0.sessions) }
        for family in families where family.forgottenTo > fresh.evictedTo {
            guard case .principal(let parent) = family.root else { continue }
            var others = Sessions()
            others.restored(evictedTo: family.forgottenTo)
            all.append((.otherChildren(of: parent), others))
        }
        return all + [(.others, fresh)]
    }

    /// The sessions of one principal; empty if there are none.
    public subscript(_ owner: Sessions.Owner) -> Sessions {
        if let place = places[owner] { return members[place].sessions }
        let root = owner.root
        return root == owner ? fresh : placesOfFamilies[root].map { freshChild(of: $0) } ?? fresh
    }

    /// The sessions with which a child begins of which nothing is remembered.
    func freshChild(of family: Int) -> Sessions {
        var child = fresh
        child.restored(evictedTo: max(fresh.evictedTo, families[family].forgottenTo))
        return child
    }

    // MARK: Commands

    /// The verdict on a numbered command of a principal's client.
    public mutating func verdict(
        of principal: Principal, client: ID, number: UInt64, opened: UInt64, requestHash: UInt64
    ) -> Sessions.Verdict {
        let place = place(of: principal)
        var isKnown = false
        var verdict = Sessions.Verdict.fresh
        if let place {
            if members[place].sessions.isNew(number, of: client) {
                // That is all, for nearly every command.
                if !hasUnknown, principal.parent == nil { return .fresh }
                isKnown = true
            } else {
                isKnown = members[place].sessions.list[client] != nil
                verdict = members[place].sessions.verdict(
                    client: client, number: number, opened: opened, requestHash: requestHash)
            }
        } else {
            verdict = self[.principal(principal.identity)].verdict(
                client: client, number: number, opened: opened, requestHash: requestHash)
        }
        guard principal.parent != nil || hasUnknown, verdict == .fresh else { return verdict }
        // What was answered before there were principals, or before a parent named its children, may
        // have been anybody's: whoever sent it then is answered, and nobody runs it again.
        let parent = principal.parent.flatMap { places[.principal($0.identity)] }
        for elder in [parent, hasUnknown ? 0 : nil].compactMap({ $0 }) {
            guard !isKnown || members[elder].sessions.list[client] != nil else { continue }
            let elders = members[elder].sessions.verdict(
                client: client, number: number, opened: opened, requestHash: requestHash)
            if elders != .fresh { return elders }
        }
        return verdict
    }

    /// Whether anything is remembered of a principal's client.
    mutating func knows(_ client: ID, of principal: Principal) -> Bool {
        guard let place = place(of: principal) else { return false }
        return members[place].sessions.list.place(of: client) != nil
    }

    /// Whether anything is known from before there were principals.
    private var hasUnknown: Bool {
        members[0].sessions.list.count > 0 || members[0].sessions.evictedTo > 0
    }

    private mutating func place(of principal: Principal) -> Int? {
        if let latest, latest.id == ObjectIdentifier(principal) { return latest.place }
        guard let place = places[.principal(principal.identity)] else { return nil }
        latest = (ObjectIdentifier(principal), place)
        latestPrincipal = principal
        return place
    }

    /// Remembers an answer to a principal's client, which is lent; the oldest beyond the bounds go, of its
    /// own.
    public mutating func remember(
        _ number: UInt64, _ requestHash: UInt64, _ reply: UnsafeRawBufferPointer,
        of principal: Principal, client: ID, opened: UInt64?, position: UInt64,
        within bounds: Sessions.Bounds
    ) {
        let place = place(of: principal) ?? place(making: .principal(principal.identity))
        remember(number, requestHash, reply, at: place, client, opened, position, bounds)
    }

    /// Remembers an entry of the journal.
    public mutating func remember(
        _ answer: Sessions.Answered, of owner: Sessions.Owner, client: ID, opened: UInt64?,
        position: UInt64, within bounds: Sessions.Bounds
    ) {
        let place = place(making: owner)
        answer.reply.withUnsafeBytes {
            remember(
                answer.number, answer.requestHash, $0, at: place, client, opened, position, bounds)
        }
    }

    private mutating func remember(
        _ number: UInt64, _ requestHash: UInt64, _ reply: UnsafeRawBufferPointer, at place: Int,
        _ client: ID, _ opened: UInt64?, _ position: UInt64, _ bounds: Sessions.Bounds
    ) {
        let own = members[place].isChild ? bounds.ofOneChild : bounds
        let more = members[place].sessions.remember(
            number, requestHash, reply, client: client, opened: opened, position: position,
            within: own)
        count(more, at: place)
        if members.count > 2 { keepTogether(of: members[place].family, bounds) }
    }

    /// Puts other bytes in the place of answers; nil: an answer stays. False: all stay.
    mutating func rewrite(_ other: (ArraySlice<UInt8>) -> [UInt8]?) -> Bool {
        var isAny = false
        for place in members.indices {
            let before = members[place].size
            isAny = members[place].sessions.rewrite(other) || isAny
            count(members[place].size - before, at: place)
        }
        return isAny
    }

    // MARK: Limits that change

    /// As `Sessions.promised`, to everybody.
    public mutating func promised(_ bounds: Sessions.Bounds, until position: UInt64) {
        for place in members.indices {
            let own = members[place].isChild ? bounds.ofOneChild : bounds
            members[place].sessions.promised(own, until: position)
        }
        fresh.promised(bounds, until: position)
    }

    /// As `Sessions.keepPromises`.
    public mutating func keepPromises(of other: SessionBook) {
        for place in members.indices {
            members[place].sessions.keepPromises(of: other[members[place].owner])
        }
        fresh.keepPromises(of: other.fresh)
    }

    // MARK: Checkpoints

    /// Takes over sessions from a checkpoint. They may come in any order.
    public mutating func restore(
        _ clients: [CheckpointPart.Client], evictedTo: UInt64, of owner: Sessions.Owner
    ) {
        switch owner {
        case .others: return fresh.restored(evictedTo: evictedTo)
        case .otherChildren(let parent):
            let family = family(making: .principal(parent))
            families[family].forgottenTo = evictedTo
            return
        case .unknown, .principal: break
        }
        let place = place(making: owner)
        let before = members[place].size
        for one in clients { members[place].sessions.restore(one.session, client: one.client) }
        members[place].sessions.restored(evictedTo: evictedTo)
        count(members[place].size - before, at: place)
    }
}

extension Sessions.Owner {
    /// The owner at the head of its family.
    var root: Sessions.Owner {
        guard case .principal(let identity) = self, let parent = Principal.parent(of: identity)
        else { return self }
        return .principal(parent)
    }
}
