/// Whose the claims and the held invocations of a table are, as connections have proven it.
///
/// The table itself has names that are said: its digest is of these. What is not here is from before
/// there were principals, or nothing was proven.
public struct Owners: Equatable, Sendable {
    /// Of claimed rows.
    public private(set) var claims: [RowID: ProvenID] = [:]
    /// Of held invocations.
    public private(set) var invocations: [InvocationID: ProvenID] = [:]

    /// Nobody's.
    public init() {}

    /// Of a checkpoint.
    public init(claims: [RowID: ProvenID], invocations: [InvocationID: ProvenID]) {
        self.claims = claims
        self.invocations = invocations
    }

    /// Whether there is nothing to keep.
    public var isEmpty: Bool { claims.isEmpty && invocations.isEmpty }

    /// Takes over what another piece of a checkpoint says of the same table.
    public mutating func add(_ more: Owners) {
        claims.merge(more.claims) { $1 }
        invocations.merge(more.invocations) { $1 }
    }

    /// Takes in ops that this principal has caused.
    ///
    /// An undo may bring back a claim of somebody else. It does not become the undoer's: it is decided
    /// by the name that it has.
    public mutating func note(_ ops: [Op], of cause: borrowing Cause) {
        let user = cause.user
        for op in ops {
            switch op {
            case .claim(let row, let claim):
                let isOwn = claim.map { $0.holder == cause.actor } ?? false
                claims[row] = isOwn ? user : nil
            case .insert(let row, _, _):
                if let claim = row.claim, claim.holder == cause.actor { claims[row.id] = user }
            case .remove(let row, _): if !claims.isEmpty { claims[row] = nil }
            case .take(let id, _): invocations[id] = user
            case .release(let id): invocations[id] = nil
            case .finish(let id, _): invocations[id] = nil
            case .invocation(let id, _): invocations[id] = nil
            case .move, .set, .swipe, .expand, .swap, .perform, .restore, .item, .scroll,
                .select, .mark, .expandAll, .edit, .define, .insertSection, .removeSection,
                .setSection, .invoke:
                break
            }
        }
    }
}
