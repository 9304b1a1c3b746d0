/// Whose the claims and the held invocations of a table are, and its edit mode, as connections have proven it.
///
/// The table itself has names that are said: its digest is of these. What is not here is from before
/// there were principals, or nothing was proven.
public struct Owners: Equatable, Sendable {
    /// The owners of claimed rows.
    public private(set) var claims: [RowID: ClaimOwner] = [:]
    /// The owners of held invocations.
    public private(set) var invocations: [InvocationID: ProvenID] = [:]
    /// The holder of the edit mode for everybody: who turned it on; nil: it is off, or nobody said a name.
    public private(set) var editor: Editor?
    /// The owners of claims that have ended, or whose rows were removed: an undo may bring them back.
    private var ended = EndedClaims()

    /// Nobody's.
    public init() {}

    /// The owners that a checkpoint holds.
    public init(
        claims: [RowID: ProvenID], invocations: [InvocationID: ProvenID],
        ended: [EndedClaim] = [], editor: Editor? = nil
    ) {
        self.editor = editor
        self.claims = claims.mapValues { ClaimOwner($0) }
        self.invocations = invocations
        for claim in ended { self.ended.append(claim) }
    }

    /// Whose claim a row has; nil: nobody's, or nobody has proven to have made it.
    public func owner(of row: RowID) -> ProvenID? { claims[row]?.user }

    /// The claims that have ended and whose owners are known, the oldest first.
    public var endedClaims: [EndedClaim] { ended.entries }

    /// Takes over what another piece of a checkpoint says of the same table.
    public mutating func add(_ more: Owners) {
        claims.merge(more.claims) { $1 }
        invocations.merge(more.invocations) { $1 }
        for claim in more.endedClaims { ended.append(claim) }
        editor = more.editor ?? editor
    }

    /// The claims themselves are in the table: a checkpoint says only whose they are.
    public mutating func complete(from table: Table) {
        for (row, owner) in claims {
            claims[row] = table.row(row)?.claim.map { ClaimOwner(owner.user, ClaimMark($0)) }
        }
    }

    /// Takes in ops that this principal has caused.
    ///
    /// An undo may bring back a claim of somebody else. It does not become the undoer's, whatever
    /// name the undoer says: it is again its old owner's.
    public mutating func note(_ ops: [Op], of cause: borrowing Cause) {
        let user = cause.user
        for op in ops {
            switch op.effect {
            case .claims(let row, let claim):
                if let claim { note(claim, of: row, cause) } else { end(row) }
            case .inserts(let row, _):
                if let claim = row.claim { note(claim, of: row.id, cause) }
            case .removes(let row): if !claims.isEmpty { end(row) }
            case .changesInvocation(let id):
                if case .take = op { invocations[id] = user } else { invocations[id] = nil }
            case .ends(let id): invocations[id] = nil
            case .ofTable(.edits(let isOn)):
                // Also where an undo turns it on again: screens name the one who did that.
                editor =
                    isOn
                    ? cause.actor.map { Editor(actor: $0, client: cause.client, user: user) } : nil
            case .begins, .moves, .swaps, .changes, .changesAll, .news, .ofSection,
                .ofTable(.defines):
                break
            }
        }
    }

    private mutating func note(_ claim: Claim, of row: RowID, _ cause: borrowing Cause) {
        let mark = ClaimMark(claim)
        let user: ProvenID?
        if cause.undoes == nil {
            user = claim.holder == cause.actor ? cause.user : nil
        } else {
            // It may only have another note again.
            if claims[row]?.mark == mark { return }
            user = ended.owner(of: mark, on: row)
        }
        if claims[row].map({ $0.mark != mark }) == true { end(row) }
        claims[row] = user.map { ClaimOwner($0, mark) }
    }

    private mutating func end(_ row: RowID) {
        guard let owner = claims.removeValue(forKey: row), let mark = owner.mark else { return }
        ended.append(EndedClaim(row: row, mark, user: owner.user))
    }
}

/// Tells the claims of a row from each other. A renewal leaves it as it is.
public struct ClaimMark: Hashable, Sendable {
    /// The name that its holder said.
    public let holder: ID
    /// When it was made, milliseconds since 1970 (UTC).
    public let sinceMs: UInt64

    /// As a checkpoint has it.
    public init(holder: ID, sinceMs: UInt64) {
        self.holder = holder
        self.sinceMs = sinceMs
    }

    init(_ claim: Claim) { self.init(holder: claim.holder, sinceMs: claim.sinceMs) }
}

/// Whose a claim is, as proven.
public struct ClaimOwner: Equatable, Sendable {
    /// The actor who made it.
    public let user: ProvenID
    /// Which claim of the row it is; nil: it is not known yet.
    let mark: ClaimMark?

    init(_ user: ProvenID, _ mark: ClaimMark? = nil) {
        self.user = user
        self.mark = mark
    }
}

/// The holder of a table's edit mode.
public struct Editor: Equatable, Sendable {
    /// The name that was said, else the client's id.
    public let actor: ID
    /// The client that turned it on: a screen, if it attends under this id; nil: it gave none.
    public let client: ID?
    /// The user, as proven; nil: nothing was proven.
    public let user: ProvenID?

    /// As a checkpoint has it.
    public init(actor: ID, client: ID?, user: ProvenID?) {
        self.actor = actor
        self.client = client
        self.user = user
    }
}

/// A claim that has ended, and whose it was.
public struct EndedClaim: Equatable, Sendable {
    /// The row that was claimed.
    public let row: RowID
    /// Which of its claims it was.
    public let mark: ClaimMark
    /// The user who made it, as proven.
    public let user: ProvenID

    /// As given.
    public init(row: RowID, _ mark: ClaimMark, user: ProvenID) {
        self.row = row
        self.mark = mark
        self.user = user
    }
}

/// The claims that ended last. Bounded: the oldest are dropped.
private struct EndedClaims: Sendable {
    private struct Key: Hashable {
        var row: RowID
        var mark: ClaimMark
    }

    /// As many as there are places of removed rows, unless a setting says otherwise.
    private static let most = 10_000

    private var latest: [Key: Int] = [:]
    private var ring: [EndedClaim] = []
    private var next = 0

    var isEmpty: Bool { ring.isEmpty }

    func owner(of mark: ClaimMark, on row: RowID) -> ProvenID? {
        latest[Key(row: row, mark: mark)].map { ring[$0].user }
    }

    mutating func append(_ claim: EndedClaim) {
        if ring.count < Self.most {
            ring.append(claim)
        } else {
            let oldest = key(of: ring[next])
            // It may have come back and ended again.
            if latest[oldest] == next { latest[oldest] = nil }
            ring[next] = claim
        }
        latest[key(of: claim)] = next
        next = (next + 1) % Self.most
    }

    private func key(of claim: EndedClaim) -> Key { Key(row: claim.row, mark: claim.mark) }

    /// Oldest first.
    var entries: [EndedClaim] {
        ring.count < Self.most ? ring : Array(ring[next...] + ring[..<next])
    }
}

extension EndedClaims: Equatable {
    /// By what they remember, in order.
    static func == (a: EndedClaims, b: EndedClaims) -> Bool { a.entries == b.entries }
}
