/// The past that an imported row brings from its former table, so that an exported and imported row is the
/// same row.
///
/// A class, since few added rows carry anything.
public final class Carried: Sendable {
    /// When the row was made, milliseconds since 1970 (UTC); nil: now.
    public let createdMs: UInt64?
    /// As in `Row`; 0: not changed since it was made.
    public let changedMs: UInt64
    /// As in `Row`; 0: not moved since it was made.
    public let movedMs: UInt64
    /// Actions performed on it, done or failed. A pending action is not carried: its invocation
    /// stays in the other table.
    public let performed: [Performance]
    /// The claim on it, by the name that the claim gives.
    public let claim: Claim?
    /// The section from which it came, as in `Row`.
    public let cameFrom: SectionID?
    /// Until when it sleeps.
    public let sleep: Row.Sleep?

    /// By default it carries nothing.
    public init(
        createdMs: UInt64? = nil, changedMs: UInt64 = 0, movedMs: UInt64 = 0,
        performed: [Performance] = [], claim: Claim? = nil,
        cameFrom: SectionID? = nil, sleep: Row.Sleep? = nil
    ) {
        self.createdMs = createdMs
        self.changedMs = changedMs
        self.movedMs = movedMs
        self.performed = performed
        self.claim = claim
        self.cameFrom = cameFrom
        self.sleep = sleep
    }

    /// Whether it carries nothing.
    public var isEmpty: Bool { self == Carried() }

    /// The traits that distinguish a row from one made at this time, or at any time; but no pending actions.
    package convenience init(of row: Row, since nowMs: UInt64? = nil) {
        self.init(
            createdMs: row.createdMs == nowMs ? nil : row.createdMs, changedMs: row.changedMs,
            movedMs: row.movedMs, performed: row.performed.filter { !$0.state.isPending },
            claim: row.claim, cameFrom: row.cameFrom, sleep: row.sleep)
    }
}

extension Carried: Equatable {
    /// By all properties.
    public static func == (a: Carried, b: Carried) -> Bool {
        a.createdMs == b.createdMs && a.changedMs == b.changedMs && a.movedMs == b.movedMs
            && a.performed == b.performed && a.claim == b.claim && a.cameFrom == b.cameFrom
            && a.sleep == b.sleep
    }
}
