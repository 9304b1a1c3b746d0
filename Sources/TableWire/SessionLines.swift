public import TableModel

/// A line of a session as `trestle record` writes it.
public enum SessionLine: Equatable, Sendable {
    /// The first one.
    case header(SessionHeader)
    /// What the table was.
    indirect case state(SessionState)
    /// A revision.
    indirect case change(ChangeDocument, atMs: UInt64)
}

/// What a session is of.
public struct SessionHeader: Equatable, Sendable {
    /// Of this form of file.
    public static let format: UInt32 = 1
    /// Whose session it is.
    public var table: TableID
    /// When it began, milliseconds since 1970 (UTC).
    public var atMs: UInt64

    /// A header of the present form.
    public init(table: TableID, atMs: UInt64) {
        self.table = table
        self.atMs = atMs
    }
}

/// A whole table at a time.
public struct SessionState: Equatable, Sendable {
    /// Rows, sections, invocations.
    public var document: StateDocument
    /// In the order of their ids.
    public var kinds: [Kind]
    /// What holds for all rows.
    public var settings: Settings
    /// When it was so, milliseconds since 1970 (UTC).
    public var atMs: UInt64

    /// The table as it is now.
    public init(_ table: Table, epoch: ID128, atMs: UInt64) {
        document = StateDocument(table, epoch: epoch)
        kinds = table.kinds.values.sorted { $0.id < $1.id }
        settings = table.settings
        self.atMs = atMs
    }

    init(_ document: StateDocument, _ definitions: ([Kind], Settings), atMs: UInt64) {
        self.document = document
        (kinds, settings) = definitions
        self.atMs = atMs
    }

    /// The table itself. Throws where the parts do not come to the digest.
    public func table() throws(Mismatch) -> Table {
        let table = Table(
            restoring: document.table, history: document.history, revision: document.revision,
            kinds: kinds, settings: settings)
        table.restoreEditing(document.isEditing)
        var rows = document.rows[...]
        for section in document.sections {
            try table.appendSection(section.id, title: section.title)
            while let entry = rows.first, entry.section == section.id {
                try table.appendRow(entry.row, to: section.id)
                rows.removeFirst()
            }
        }
        for invocation in document.invocations { table.restore(invocation) }
        guard rows.isEmpty, table.digest == document.digest else {
            throw .digest(table: table.digest, diff: document.digest)
        }
        return table
    }
}

extension Encode {
    /// One line, without its end.
    public static func sessionLine(_ line: SessionLine) -> String {
        switch line {
        case .header(let header):
            var wire = WireSessionLine()
            wire.session = SessionHeader.format
            wire.table = header.table.text
            wire.atMs = header.atMs
            return wire.json
        case .state(let state):
            var definitions = WireKindsReply()
            definitions.kinds = state.kinds.map { WireKind($0) }
            definitions.table = WireSettings(state.settings)
            return "{\"atMs\":\(state.atMs),\"definitions\":\(definitions.json),"
                + "\"state\":\(Encode.document(state.document))}"
        case .change(let change, let atMs):
            return "{\"atMs\":\(atMs),\"change\":\(Encode.document(change))}"
        }
    }
}

extension Decode {
    /// Reads a line.
    public static func sessionLine(_ json: String) throws(WireError) -> SessionLine {
        try received { () throws(Rejection) in
            let wire = try WireSessionLine.parse(json)
            if wire.hasState {
                let definitions = try within("definitions") { () throws(Rejection) in
                    try wire.definitions.definitions()
                }
                let document = try within("state") { () throws(Rejection) in
                    try StateDocument(wire.state)
                }
                return .state(SessionState(document, definitions, atMs: wire.atMs))
            }
            if wire.hasChange {
                let change = try within("change") { () throws(Rejection) in
                    try ChangeDocument(wire.change)
                }
                return .change(change, atMs: wire.atMs)
            }
            guard wire.session == SessionHeader.format else {
                throw Rejection(
                    .badValue, "Only sessions of form \(SessionHeader.format) are read here.",
                    field: "session")
            }
            return .header(
                SessionHeader(table: try ID(read: wire.table, "table"), atMs: wire.atMs))
        }
    }
}
