/// A place in a table, named by a row or a section.
public enum Place: Equatable, Sendable {
    /// Just behind this row, in its section.
    case after(RowID)
    /// The first in this section.
    case top(SectionID)
}

/// One step of a diff. Steps are applied in order by `Table.apply`.
///
/// What is seldom or large is indirect: steps are copied often, and most are a row's id and little more.
public enum Op: Equatable, Sendable {
    /// The row's version becomes the revision that the diff leads to.
    case insert(Row, Place)
    case remove(RowID)
    /// The rows leave their places, then stand in this order in the new one.
    case move([RowID], Place)
    /// The row's version becomes the revision that the diff leads to.
    indirect case set(RowID, Command.Changes)
    case swipe(RowID, Edge?)
    case expand(RowID, Expansion)
    case swap(RowID, RowID)
    /// Behind a section, or as the first.
    indirect case insertSection(SectionID, title: String, after: SectionID?)
    /// Only an empty one.
    case removeSection(SectionID)
    case setSection(SectionID, title: String)
    indirect case define(Command.Definitions)
    /// An action was performed: the row's version becomes the revision that the diff leads to.
    indirect case perform(RowID, Performance)
    /// An invocation begins to wait. Its `pressed` is the row as the step finds it.
    indirect case invoke(Invocation)
    /// A handler holds it; one more attempt.
    case take(InvocationID, by: ID)
    /// It waits again.
    case release(InvocationID)
    /// It ends, and its row, if it is there, says so.
    indirect case finish(InvocationID, Invocation.Outcome)
    case edit(Bool)
    /// Every row goes to `expanded`, or to `collapsed`, if its kind has that state.
    case expandAll(Bool)
    /// The row's version becomes the revision that the diff leads to.
    indirect case item(RowID, Item.Step)
    indirect case scroll(RowID, Scroll?)
    /// A person selected it: news, which changes nothing by itself.
    case select(RowID, item: ID?)
    /// Somebody works on it, or no longer does.
    indirect case claim(RowID, Claim?)
    /// What an earlier step left on the row is taken back: its version becomes the revision that
    /// the diff leads to, or, in an inverse to an older revision, that of the traces.
    indirect case restore(RowID, Traces)
    /// An invocation is as it was, or there is none with that id.
    indirect case invocation(InvocationID, Invocation?)
}

/// What changes of a row leave on it besides their effect.
public struct Traces: Equatable, Sendable {
    /// Of the row's content.
    public var version: UInt64
    /// As in `Row`.
    public var performed: [Performance]
    /// As in `Row`.
    public var changedMs: UInt64
    /// As in `Row`.
    public var movedMs: UInt64

    /// Traces as given.
    public init(
        version: UInt64, performed: [Performance] = [], changedMs: UInt64 = 0, movedMs: UInt64 = 0
    ) {
        self.version = version
        self.performed = performed
        self.changedMs = changedMs
        self.movedMs = movedMs
    }

    /// Those of a row.
    public init(of row: Row) {
        self.init(
            version: row.version, performed: row.performed, changedMs: row.changedMs,
            movedMs: row.movedMs)
    }
}

/// Who caused a diff.
public struct Cause: Equatable, Sendable {
    /// Who sent the command; nil when it gave no client id.
    public var client: ID?
    /// The client's number for it; nil when it gave none.
    public var number: UInt64?
    /// A command's name, or `batch`.
    public var verb: String
    /// What people call who sent it; nil when the client gave no name.
    public var name: ID?
    /// Of the commit, milliseconds since 1970 (UTC); 0: not known.
    public var timeMs: UInt64
    /// The revision that this one takes back: of an undo the change, of a redo the undo.
    public var undoes: UInt64?

    /// A cause; without a client by default.
    public init(
        client: ID? = nil, number: UInt64? = nil, verb: String, name: ID? = nil,
        timeMs: UInt64 = 0, undoes: UInt64? = nil
    ) {
        self.client = client
        self.number = number
        self.verb = verb
        self.name = name
        self.timeMs = timeMs
        self.undoes = undoes
    }

    /// Who, as people and leases go by: the name, else the client's id.
    public var actor: ID? { name ?? client }
}

/// What one committed command or batch did: leads from revision `base` to `base + 1`.
public struct Diff: Equatable, Sendable {
    /// The revision before.
    public var base: UInt64
    /// Of the table afterwards.
    public var digest: UInt64
    /// Who caused it, and by what.
    public var cause: Cause
    /// What was done, in the order to apply it.
    public var ops: [Op]

    /// A diff as given; nothing is checked here.
    public init(base: UInt64, digest: UInt64, cause: Cause, ops: [Op]) {
        self.base = base
        self.digest = digest
        self.cause = cause
        self.ops = ops
    }

    /// The revision afterwards.
    public var revision: UInt64 { base &+ 1 }
}
