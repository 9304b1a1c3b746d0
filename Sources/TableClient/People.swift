public import TableModel
public import TableSync

/// Who is at a table, as far as a viewer has heard.
public struct People: Equatable, Sendable {
    /// Rows that are being dragged, and where they hover: ghosts, for a screen.
    public private(set) var leases: [Lease] = []
    /// Who looks at the table.
    public private(set) var viewers: [Attendant] = []
    /// Leases that have ended since `forgetEnded`, and why: for a screen to snap rows back.
    public private(set) var ended: [Presence.Ended] = []
    private var epoch: ID128?

    /// Nobody, as far as is known.
    public init() {}

    /// Takes the news in. The lists come whole, so that one that was lost does no harm.
    public mutating func update(_ presence: Presence) {
        if let epoch, epoch != presence.epoch {
            // Leases end with the daemon's life.
            ended += leases.map { .init($0.id, "the daemon was restarted") }
            (leases, viewers) = ([], [])
        }
        epoch = presence.epoch
        if let all = presence.leases { leases = all }
        if let all = presence.viewers { viewers = all }
        ended = (ended + presence.ended).suffix(Self.mostEnded)
    }

    /// What ended has been shown.
    public mutating func forgetEnded() { ended = [] }

    private static let mostEnded = 256

    /// Who drags a row; nil: nobody.
    public func lease(of row: RowID) -> Lease? { leases.first { $0.rows.contains(row) } }
}
