public import TableModel
public import TableSync

/// The people at a table, as far as this viewer has heard.
public struct People: Equatable, Sendable {
    /// The leases of dragged rows, with the places where they hover, for ghosts on a screen.
    public private(set) var leases: [Lease] = []
    /// The viewers of the table.
    public private(set) var viewers: [Attendant] = []
    /// Leases that have ended since `forgetEnded`, and why, so that a screen puts rows back.
    public private(set) var ended: [Presence.Ended] = []
    private var epoch: ID128?

    /// Nobody, as far as is known.
    public init() {}

    /// Takes a presence in. Its lists are complete, so a lost presence does no harm.
    public mutating func update(_ presence: Presence) {
        if let epoch, epoch != presence.epoch {
            // Leases end when the daemon ends.
            ended += leases.map { .init($0.id, "the daemon was restarted") }
            (leases, viewers) = ([], [])
        }
        epoch = presence.epoch
        if let all = presence.leases { leases = all }
        if let all = presence.viewers { viewers = all }
        ended = (ended + presence.ended).suffix(Self.mostEnded)
    }

    /// The ended leases have been shown.
    public mutating func forgetEnded() { ended = [] }

    private static let mostEnded = 256

    /// The lease of the drag of a row; nil: nobody drags it.
    public func lease(of row: RowID) -> Lease? { leases.first { $0.rows.contains(row) } }
}
