import TableClient
import TableModel
import TableSync
import TableTerminal

/// The leases of this viewer, which have to be renewed, and which the daemon may end.
struct ViewLeases {
    private var own: ID?
    private var renewedMs: UInt64 = 0
    /// Long enough for a pause of the person, and short for a viewer that is killed.
    private static let ttlSeconds = 10.0
    private static let renewMs: UInt64 = 3_000

    /// The request for a wish; nil: it is none for the daemon.
    mutating func verb(for wish: Intent.Wish) -> Request.Verb? {
        switch wish {
        case .command(let verb, let version):
            return .command(Command(verb, ifVersion: version))
        case .batch(let commands): return .batch(commands, ifRevision: nil)
        case .lift(let rows): return .drag(.lift(rows, ttlSeconds: Self.ttlSeconds))
        case .hover(let lease, let anchor, let section):
            renewedMs = monotonicMs()
            // Beside a row the section follows from the row, which may have moved meanwhile.
            let named: SectionID? = anchor.row == nil ? section : nil
            return .drag(.hover(lease: ID(lease), section: named, anchor))
        case .drop(let lease, _, let anchor, let section):
            forget(ID(lease))
            let named: SectionID? = anchor.row == nil ? section : nil
            return .drag(.drop(lease: ID(lease), section: named, anchor, .rebase))
        case .cancel(let lease):
            forget(ID(lease))
            return .drag(.cancel(lease: ID(lease)))
        case .mouse, .redraw, .suspend, .quit, .table, .story: return nil
        }
    }

    /// The lease is over. It may be one of before: then the newer one is to be renewed on.
    private mutating func forget(_ lease: ID) {
        if own == lease { own = nil }
    }

    mutating func lifted(_ lease: Lease) -> Outcome {
        own = lease.id
        renewedMs = monotonicMs()
        return .lifted(lease: lease.id.text)
    }

    /// The request that puts lifted rows back; nil: none is lifted.
    mutating func letGo() -> Request.Verb? {
        guard let own else { return nil }
        self.own = nil
        return .drag(.cancel(lease: own))
    }

    mutating func renewal() -> Request.Verb? {
        guard let own, monotonicMs() - renewedMs >= Self.renewMs else { return nil }
        renewedMs = monotonicMs()
        return .drag(.renew(lease: own))
    }

    mutating func ended(_ all: [Presence.Ended], _ words: Wording) -> [Event] {
        guard let own, let end = all.first(where: { $0.lease == own }) else { return [] }
        self.own = nil
        return [.leaseEnded(lease: own.text, reason: words.end(end))]
    }

    func company(_ people: People) -> Company {
        Company(ghosts: people.leases.filter { $0.id != own }, viewers: people.viewers)
    }
}
