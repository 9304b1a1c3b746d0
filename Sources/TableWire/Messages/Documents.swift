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
    /// The invocations that handlers are to complete.
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

    init(_ wire: WireStateDocument) throws(Rejection) {
        table = try ID(read: wire.table, "table")
        history = try ID128(read: wire.history, "history")
        epoch = try ID128(read: wire.epoch, "epoch")
        revision = wire.revision
        digest = try UInt64(read: wire.digest, "digest")
        isEditing = wire.editing
        invocations = try wire.invocations.readAll("invocations") { one throws(Rejection) in
            try one.read()
        }
        sections = try wire.sections.readAll("sections") { section throws(Rejection) in
            Section(
                id: try ID(read: section.id, "id"), title: section.title,
                rows: try Int(read: section.rows, "rows"))
        }
        rows = try wire.rows.readAll("rows") { row throws(Rejection) in
            Entry(
                row: try row.read(), section: try ID(read: row.section, "section"),
                index: try Int(read: row.index, "index"))
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

    init(_ wire: WireChangeDocument) throws(Rejection) {
        var diff = WireDiff()
        diff.base = wire.base
        diff.digest = wire.digest
        diff.cause = wire.cause
        diff.ops = wire.ops
        self.init(
            table: try ID(read: wire.table, "table"), epoch: try ID128(read: wire.epoch, "epoch"),
            diff: try diff.read())
    }
}

extension Encode {
    /// One line of JSON, without a line break. Lists are written even if they are empty. Protobuf's
    /// JSON omits empty lists, so they are added here.
    public static func document(_ document: StateDocument) -> String {
        var head = WireStateDocument()
        head.table = document.table.text
        head.history = document.history.description
        head.epoch = document.epoch.description
        head.revision = document.revision
        head.digest = document.digest.lowerHex
        if document.isEditing { head.editing = true }
        head.invocations = document.invocations.map {
            WireInvocation($0, .json, isWhole: false)
        }
        let sections = document.sections.map { section in
            var wire = WireStateDocument.Section()
            wire.id = section.id.text
            wire.title = section.title
            wire.rows = UInt64(clamping: section.rows)
            return wire.json
        }
        let rows = document.rows.map {
            Encode.document($0.row, section: $0.section, index: $0.index)
        }
        return head.json.dropLast() + ",\"sections\":[" + sections.joined(separator: ",")
            + "],\"rows\":[" + rows.joined(separator: ",") + "]}"
    }

    /// One line of JSON, without a line break.
    public static func document(_ document: ChangeDocument) -> String {
        let diff = WireDiff(document.diff, .json)
        var wire = WireChangeDocument()
        wire.table = document.table.text
        wire.epoch = document.epoch.description
        wire.base = diff.base
        wire.revision = document.diff.revision
        wire.digest = diff.digest
        wire.cause = diff.cause
        wire.ops = diff.ops
        return wire.json
    }

    /// The ops of a diff, as a list.
    public static func document(_ ops: [Op]) -> String {
        "[" + ops.map { WireOp($0, .json).json }.joined(separator: ",") + "]"
    }

    /// One row as JSON with its place. `fields` is written even if the row has none.
    public static func document(_ row: Row, section: SectionID, index: Int) -> String {
        let json = WireRow(row, section: section, index: index).json
        return row.content.fields.isEmpty ? json.dropLast() + ",\"fields\":{}}" : json
    }
}

extension Decode {
    /// Reads the JSON of a table.
    public static func state(_ json: String) throws(WireError) -> StateDocument {
        try received { () throws(Rejection) in
            try StateDocument(try WireStateDocument.parse(json))
        }
    }

    /// Reads the JSON of a revision.
    public static func change(_ json: String) throws(WireError) -> ChangeDocument {
        try received { () throws(Rejection) in
            try ChangeDocument(try WireChangeDocument.parse(json))
        }
    }
}
