public import TableModel
import TablePredicate

/// The surroundings of a table, which matter to few decisions. It is an object, so that a decision hands on one
/// reference.
public protocol Surroundings: AnyObject {
    /// The past revisions, for undo, redo and recall.
    var past: (any Past)? { get }
    /// Rows that are being dragged, with their holders.
    var lifted: [RowID: ID] { get }
    /// Whose claims and held invocations there are.
    var owners: Owners { get }
}

/// Surroundings that were put together.
private final class GivenSurroundings: Surroundings {
    let past: (any Past)?
    let lifted: [RowID: ID]
    var owners: Owners { Owners() }

    init(_ past: (any Past)?, _ lifted: [RowID: ID]) {
        self.past = past
        self.lifted = lifted
    }
}

/// The context of a decision, besides the command and the table.
public struct DecisionContext {
    // Optional<T>, where T? would do: that begins as nil, and costs a copy (docs/decisions/0041).
    /// The time of the decision, in milliseconds since 1970 (UTC).
    public var nowMs: UInt64
    /// The seconds that the sender's time of day is ahead of UTC.
    private let zoneSeconds: Int
    /// The sender of the command; nil: a client without an id.
    public var client: Optional<ID>
    /// The sender's name for people.
    public var name: Optional<ID>
    /// The sender, as the connection proves it; nil: nothing is proven.
    public var user: Optional<ProvenID>
    /// Whether the sender may end the claims of others by naming their holder.
    public var mayEndClaims: Bool
    /// The surroundings of the table; nil: there are none.
    private let surroundings: Optional<any Surroundings>
    /// Whether a row is being dragged. Most decisions need not ask which.
    let isAnyLifted: Bool

    /// By default there is no sender.
    public init(
        nowMs: UInt64, zoneSeconds: Int = 0, client: ID? = nil, name: ID? = nil,
        user: ProvenID? = nil, mayEndClaims: Bool = true, in surroundings: (any Surroundings)?,
        isAnyLifted: Bool
    ) {
        self.nowMs = nowMs
        self.zoneSeconds = zoneSeconds
        self.client = client
        self.name = name
        self.user = user
        self.mayEndClaims = mayEndClaims
        self.surroundings = surroundings
        self.isAnyLifted = isAnyLifted
    }

    /// By default there is no sender, no lifted row and no past.
    public init(
        nowMs: UInt64, client: ID? = nil, name: ID? = nil, lifted: [RowID: ID] = [:],
        past: (any Past)? = nil
    ) {
        self.init(
            nowMs: nowMs, client: client, name: name,
            in: lifted.isEmpty && past == nil ? nil : GivenSurroundings(past, lifted),
            isAnyLifted: !lifted.isEmpty)
    }

    /// The moment of the decision, as the sender's clock shows it.
    var clock: PredicateClock { PredicateClock(nowMs: nowMs, zoneSeconds: zoneSeconds) }

    /// Rows that are being dragged, with their holders.
    var lifted: [RowID: ID] { surroundings?.lifted ?? [:] }
    /// The past revisions, for undo, redo and recall.
    var past: (any Past)? { surroundings?.past }
    /// Whose claims and held invocations there are.
    var owners: Owners { surroundings?.owners ?? Owners() }

    /// Whether something belongs to another principal. What nobody has proven to own is decided by
    /// what the sender says of itself.
    func isForeign(_ owner: ProvenID?) -> Bool { owner != nil && owner != user }

    /// The actor, for people, claims and leases: the name, else the client's id.
    public var actor: ID? { name ?? client }
}
