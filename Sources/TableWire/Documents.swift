public import TableModel

/// A table in the form of `trestle show` and of the first line of `trestle watch`.
public struct StateDocument: Equatable, Sendable {
    /// The table's name.
    public var table: TableID
    /// The history to which the revision belongs.
    public var history: ID128
    /// The epoch of the daemon that gave it.
    public var epoch: ID128
    /// The revision at which it was read.
    public var revision: UInt64
    /// The digest of the whole table.
    public var digest: UInt64
    /// The sections in order.
    public var sections: [Section]
    /// The rows in order, section by section.
    public var rows: [Entry]
    /// Whether the table is in edit mode.
    public var isEditing: Bool
    /// Work that handlers are to complete.
    public var invocations: [Invocation]

    /// A section, which may have no rows.
    public struct Section: Equatable, Sendable {
        /// Its identity in the table.
        public var id: SectionID
        /// The heading of its rows for people.
        public var title: String
        /// The number of its rows.
        public var rows: Int
    }

    /// A row and its place.
    public struct Entry: Equatable, Sendable {
        /// The row itself.
        public var row: Row
        /// The section that it is in.
        public var section: SectionID
        /// The row's index in the section, from 0.
        public var index: Int
    }
}

extension StateDocument {
    /// The table as it is now.
    public init(_ table: Table, epoch: ID128) {
        self.table = table.name
        history = table.history
        self.epoch = epoch
        revision = table.revision
        digest = table.digest
        isEditing = table.isEditing
        invocations = table.invocations.all
        sections = table.sections.map { Section(id: $0.id, title: $0.title, rows: $0.count) }
        rows = table.sections.flatMap { section in
            section.runs().joined().enumerated().map {
                Entry(row: $0.element, section: section.id, index: $0.offset)
            }
        }
    }
}

/// A revision in the form of every further line of `trestle watch`.
public struct ChangeDocument: Equatable, Sendable {
    /// The table of the revision.
    public var table: TableID
    /// The epoch of the daemon that published it.
    public var epoch: ID128
    /// The diff of the revision.
    public var diff: Diff

    /// A diff of this table, published in the epoch `epoch`.
    public init(table: TableID, epoch: ID128, diff: Diff) {
        self.table = table
        self.epoch = epoch
        self.diff = diff
    }
}

/// A change of the past as data: what it did, and what takes it back. So the one has the values after it, the other those
/// before it.
public struct PastOps: Equatable, Sendable {
    /// The ops of its diff.
    public var ops: [Op]
    /// The ops that lead back.
    public var back: [Op]

    /// Both.
    public init(ops: [Op], back: [Op]) { (self.ops, self.back) = (ops, back) }
}
