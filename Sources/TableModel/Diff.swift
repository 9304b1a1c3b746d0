/// A place in a table, named by a row or a section.
public enum Place: Equatable, Sendable {
    /// Just behind this row, in its section.
    case after(RowID)
    /// The first in this section.
    case top(SectionID)
}

/// One step of a diff. Steps are applied in order by `Table.apply`.
public enum Op: Equatable, Sendable {
    /// The row's version becomes the revision that the diff leads to.
    case insert(Row, Place)
    case remove(RowID)
    /// The rows leave their places, then stand in this order in the new one.
    case move([RowID], Place)
    /// The row's version becomes the revision that the diff leads to.
    case set(RowID, Command.Changes)
    case swipe(RowID, Edge?)
    case expand(RowID, Expansion)
    case swap(RowID, RowID)
    /// Behind a section, or as the first.
    case insertSection(SectionID, title: String, after: SectionID?)
    /// Only an empty one.
    case removeSection(SectionID)
    case setSection(SectionID, title: String)
    case define(Command.Definitions)
    /// An action was performed: the row's version becomes the revision that the diff leads to.
    case perform(RowID, Performance)
    /// An invocation begins to wait. Its `pressed` is the row as the step finds it.
    case invoke(Invocation)
    /// A handler holds it; one more attempt.
    case take(InvocationID, by: ID)
    /// It waits again.
    case release(InvocationID)
    /// It ends, and its row, if it is there, says so.
    case finish(InvocationID, Invocation.Outcome)
    case edit(Bool)
    /// Every row goes to `expanded`, or to `collapsed`, if its kind has that state.
    case expandAll(Bool)
    /// The row's version becomes the revision that the diff leads to.
    case item(RowID, Item.Step)
    case scroll(RowID, Scroll?)
    /// A person selected it: news, which changes nothing by itself.
    case select(RowID, item: ID?)
}

/// Who caused a diff.
public struct Cause: Equatable, Sendable {
    /// Who sent the command; nil when it gave no client id.
    public var client: ID?
    /// The client's number for it; nil when it gave none.
    public var number: UInt64?
    /// A command's name, or `batch`.
    public var verb: String

    /// A cause; without a client by default.
    public init(client: ID? = nil, number: UInt64? = nil, verb: String) {
        self.client = client
        self.number = number
        self.verb = verb
    }
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
