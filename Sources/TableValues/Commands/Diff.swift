/// A place in a table, named by a row or a section.
public enum Place: Hashable, Sendable {
    /// Just behind this row, in its section.
    case after(RowID)
    /// The first in this section.
    case top(SectionID)
}

/// One op of a diff. `Table.apply` applies the ops in order.
///
/// Rare and large cases are indirect: ops are copied often, and most are a row's id and little
/// more.
public enum Op: Equatable, Sendable {
    /// The row's version becomes the revision that the diff leads to. The hint changes nothing.
    case insert(Row, Place, hint: AnimationHint = .automatic)
    case remove(RowID, hint: AnimationHint = .automatic)
    /// The rows leave their places, then are put in this order at the new place.
    case move(Few<RowID>, Place)
    /// The row's version becomes the revision that the diff leads to.
    case set(RowID, Command.Changes)
    case swipe(RowID, Edge?)
    case expand(RowID, Expansion)
    case swap(RowID, RowID)
    /// Behind a section; nil: as the first.
    indirect case insertSection(SectionID, title: String, after: SectionID?)
    /// The section must be empty.
    case removeSection(SectionID)
    case setSection(SectionID, title: String)
    indirect case define(Command.Definitions)
    /// An action was performed: the row's version becomes the revision that the diff leads to.
    indirect case perform(RowID, Performance)
    /// An invocation starts to wait. Its `pressed` becomes the row at this op.
    indirect case invoke(Invocation)
    /// A handler takes it; this counts as an attempt.
    case take(InvocationID, by: ID)
    /// The invocation waits again.
    case release(InvocationID)
    /// An attempt failed, and the invocation rests until the next one; nil: the next one may begin. An attempt that
    /// no handler took counts too.
    indirect case rest(InvocationID, Invocation.Failure?)
    /// The invocation ends. Its row, if it still exists, shows the outcome.
    indirect case finish(InvocationID, Invocation.Outcome)
    case edit(Bool)
    /// Every row goes to `expanded`, or to `collapsed`, if its kind has that state.
    case expandAll(Bool)
    /// The row's version becomes the revision that the diff leads to.
    indirect case item(RowID, Item.Step)
    indirect case scroll(RowID, Scroll?)
    /// A person selected it. This is news for viewers, and changes nothing by itself.
    case select(RowID, item: ID?)
    /// The row's selection changes; nil: nothing is selected any more.
    case mark(RowID, Row.Selection?)
    /// Somebody claims the row; nil: the claim ends.
    indirect case claim(RowID, Claim?)
    /// The row came from that section; nil: from none that it remembers.
    case came(RowID, from: SectionID?)
    /// The row sleeps; nil: it wakes.
    case sleep(RowID, Row.Sleep?)
    /// Undoes what an earlier op left on the row. The row's version becomes the revision that the
    /// diff leads to. In an inverse to an older revision, it becomes that of the traces.
    indirect case restore(RowID, Traces)
    /// Brings an invocation back as it was; nil: removes it.
    indirect case invocation(InvocationID, Invocation?)
}

/// The traces that changes leave on a row besides their effect.
public struct Traces: Equatable, Sendable {
    /// The version of the row's content.
    public var version: UInt64
    /// As in `Row`.
    public var performed: [Performance]
    /// As in `Row`.
    public var changedMs: UInt64
    /// As in `Row`.
    public var movedMs: UInt64

    /// By default without performed actions and times.
    public init(
        version: UInt64, performed: [Performance] = [], changedMs: UInt64 = 0, movedMs: UInt64 = 0
    ) {
        self.version = version
        self.performed = performed
        self.changedMs = changedMs
        self.movedMs = movedMs
    }

    /// The traces of a row.
    public init(of row: Row) {
        let stamps = row.store.stamps
        self.init(
            version: stamps.version, performed: row.performed, changedMs: stamps.changedMs,
            movedMs: stamps.movedMs)
    }
}

/// The cause of a diff: its sender and its command.
public struct Cause: Equatable, Sendable {
    // Optional<T>, where T? would do: that begins as nil, and costs a copy (docs/decisions/0041).
    /// The sender of the command; nil if it gave no client id.
    public var client: Optional<ID>
    /// The client's number for the command; nil if it gave none.
    public var number: Optional<UInt64>
    /// The command's name, or `batch`.
    public var verb: String
    /// The sender's name for people; nil if it gave none.
    public var name: Optional<ID>
    /// When the command was decided, in milliseconds since 1970 (UTC); 0: unknown.
    public var timeMs: UInt64
    /// The revision that this one undoes. For a redo, this is the undo.
    public var undoes: Optional<UInt64>
    /// The user, as the connection proved it; nil: nothing was proven. `name` is only said.
    public var user: Optional<ProvenID>

    /// By default without a client.
    public init(
        client: ID? = nil, number: UInt64? = nil, verb: String, name: ID? = nil,
        timeMs: UInt64 = 0, undoes: UInt64? = nil, user: ProvenID? = nil
    ) {
        self.client = client
        self.number = number
        self.verb = verb
        self.name = name
        self.timeMs = timeMs
        self.undoes = undoes
        self.user = user
    }

    /// The actor, for people, claims and leases: the name, else the client's id.
    public var actor: ID? { name ?? client }

    /// The actor in sentences. If the connection proved another user, both stand there: `kim (bob)`.
    public var shownActor: String? { Self.shown(actor?.text, provenAs: user?.text) }

    /// A name that was said, and the user that was proven, if the two differ. A key is called by its name. What is said of
    /// a child (`trestle-serve/grill`) is its parent's word, so the parent stands there.
    public static func shown(_ name: String?, provenAs user: String?) -> String? {
        guard let name, let user else { return name ?? user }
        if user == name || user == "key:" + name { return name }
        let parent = user.hasSuffix("/" + name) ? user.dropLast(name.count + 1) : user[...]
        return "\(name) (\(parent))"
    }
}

/// The effect of one accepted command or batch: it leads from revision `base` to `base + 1`.
public struct Diff: Equatable, Sendable {
    /// The revision before.
    public var base: UInt64
    /// The table's digest after the diff.
    public var digest: UInt64
    /// The cause: its sender and its command.
    public var cause: Cause
    /// The ops in the order of application.
    public var ops: [Op]

    /// Checks nothing.
    public init(base: UInt64, digest: UInt64, cause: Cause, ops: [Op]) {
        self.base = base
        self.digest = digest
        self.cause = cause
        self.ops = ops
    }

    /// The revision after the diff.
    public var revision: UInt64 { base &+ 1 }
}

/// Why a diff does not fit a table: the table and the sender disagree. It is not a refused command.
/// A viewer then takes a snapshot, and the daemon ends.
public enum Mismatch: Error, Equatable, Sendable {
    /// The diff starts at another revision.
    case base(table: UInt64, diff: UInt64)
    /// An op names something that is missing, or that exists already.
    case op(String)
    /// The digests differ after the diff.
    case digest(table: UInt64, diff: UInt64)
}
