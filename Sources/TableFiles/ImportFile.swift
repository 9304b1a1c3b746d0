public import StrictYAML
public import TableModel

/// One row of a file that `trestle import T FILE` takes.
public struct ImportedRow: Equatable, Sendable {
    /// Nil: the table makes one.
    public var id: RowID?
    /// Nil: the plain kind.
    public var kind: KindID?
    /// Nil: the section `main`.
    public var section: SectionID?
    /// The title for people; may be empty.
    public var title: String
    /// The fields in the order of their keys' bytes, each key once.
    public var fields: [Row.Field]
    /// The state of its height; only in JSON.
    public var expand: Expansion?
    /// The edge that is swiped open; only in JSON.
    public var swipe: Edge?
    /// The row's own swipe actions; only in JSON.
    public var actions: RowActions?
    /// A strip's items, in order; nil: the file does not say. Only in JSON.
    public var items: [Item]?
    /// The row's own states; nil: the file does not say. Only in JSON.
    public var states: [Kind.State]?
    /// When the row was made in the exported table, in milliseconds since 1970; nil: the file does
    /// not say. This and the next six are only in JSON, and only a new row takes them.
    public var createdMs: UInt64?
    /// When the row was last changed there; 0: never.
    public var changedMs: UInt64 = 0
    /// When the row was last moved there; 0: never.
    public var movedMs: UInt64 = 0
    /// The actions that were performed on the row there.
    public var performed: [Performance] = []
    /// The claim on the row there.
    public var claim: Claim?
    /// The section from which the row came there.
    public var cameFrom: SectionID?
    /// Until when the row sleeps.
    public var sleep: Row.Sleep?
    /// The strip's scroll position there.
    public var scroll: Scroll?
    /// The selection of the row there.
    public var selection: Row.Selection?
    /// Fields that the row must not have: those of empty cells in CSV, and `done` in Markdown, for a task
    /// that is not ticked.
    public var unset: [ID] = []
    /// The file does not say a title, which a row that is there keeps; only in CSV.
    public var keepsTitle = false
    /// The row is a task of a list. An id made from its content is the same once it is ticked.
    public var isTask = false
    /// The field that says whether a task is done.
    public static let doneKey: ID = "done"
    /// The row's first line in the file, counted from 1.
    public var line: Int

    /// A row with these values.
    public init(
        id: RowID? = nil, kind: KindID? = nil, section: SectionID? = nil, title: String,
        fields: [Row.Field] = [], expand: Expansion? = nil, swipe: Edge? = nil, line: Int = 1
    ) {
        self.id = id
        self.kind = kind
        self.section = section
        self.title = title
        self.fields = fields.sorted { $0.key < $1.key }
        self.expand = expand
        self.swipe = swipe
        self.line = line
    }
}

/// The format of a file of rows.
public enum RowFormat: String, Sendable, CaseIterable {
    /// One JSON object per line.
    case ndjson
    /// An array of objects, or a document with `rows` as `trestle -o json show` prints.
    case json
    /// RFC 4180, with a header; `;` and tabs separate too.
    case csv
    /// Task lists below headings.
    case markdown

    /// The format for the ending of a file's name; nil: the ending is unknown.
    public init?(fileName: String) {
        let ending = fileName.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
        switch ending.lowercased() {
        case "ndjson", "jsonl": self = .ndjson
        case "json": self = .json
        case "csv": self = .csv
        case "md", "markdown": self = .markdown
        default: return nil
        }
    }
}

/// Reads rows for `trestle import`, all or nothing: the first fault is thrown with its line.
public enum ImportFile {
    /// Bound on a file, in bytes: it is held in memory whole.
    public static let fileBytes = 64 << 20
    /// Bound on a line or a record of CSV, in bytes: more than a row may hold.
    public static let lineBytes = 1 << 20

    /// The rows, in the file's order. `name` is the file's name, for faults.
    public static func parse(
        _ bytes: [UInt8], format: RowFormat, name: String
    ) throws(Fault) -> [ImportedRow] {
        let text = try FileText.checked(bytes, name: name)
        let rows: [ImportedRow]
        switch format {
        case .ndjson: rows = try lines(text, name: name)
        case .json: rows = try document(text, name: name)
        case .csv:
            var table = try CSVTable(text, file: name)
            rows = try table.rows()
        case .markdown: rows = try MarkdownReader(text, file: name).rows
        }
        var seen: [ID: Int] = [:]
        for row in rows {
            guard let id = row.id else { continue }
            if let first = seen.updateValue(row.line, forKey: id) {
                throw Fault(
                    "the id `\(id.text)` stands in line \(first) already", file: name,
                    line: row.line)
            }
        }
        return rows
    }

    /// The sections that a file names apart from its rows, in order; only in JSON and Markdown.
    public static func sections(
        _ bytes: [UInt8], format: RowFormat, name: String
    ) throws(Fault) -> [ImportedSection] {
        switch format {
        case .ndjson, .csv: return []
        case .json:
            return try ImportedSection.all(in: FileText.checked(bytes, name: name), name: name)
        case .markdown:
            return try MarkdownReader(FileText.checked(bytes, name: name), file: name).sections
        }
    }

    /// All behind the byte order mark that some programs write at the beginning.
    public static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    }

    // MARK: JSON

    private static func lines(
        _ text: ArraySlice<UInt8>, name: String
    ) throws(Fault) -> [ImportedRow] {
        var rows: [ImportedRow] = []
        var number = 0
        for line in text.split(separator: 10, omittingEmptySubsequences: false) {
            number += 1
            guard line.count <= lineBytes else {
                throw Fault("more than \(lineBytes) bytes in a line", file: name, line: number)
            }
            guard line.contains(where: { $0 > 32 }) else { continue }
            rows.append(try row(Value(json: line, file: name, line: number)))
        }
        return rows
    }

    /// The keys that `show` prints. All but the rows are about the exported table.
    enum DocumentKey: String, CaseIterable {
        case table, history, epoch, revision, digest, sections, rows, editing, invocations
        case definitions
    }

    /// The kinds and settings of a JSON document, for a table that has none yet: they are just as
    /// it says. Nil where it does not say.
    public static func definitions(
        _ bytes: [UInt8], format: RowFormat, name: String
    ) throws(Fault) -> Command.Definitions? {
        guard format == .json else { return nil }
        let root = try Value(json: FileText.checked(bytes, name: name), file: name)
        guard root.isMapping, let definitions = try root.fields(DocumentKey.self)[.definitions]
        else { return nil }
        return try KindsFile.parse(definitions).whole
    }

    private static func document(
        _ text: ArraySlice<UInt8>, name: String
    ) throws(Fault) -> [ImportedRow] {
        let root = try Value(json: text, file: name)
        if root.isList { return try root.list(row) }
        return try root.fields(DocumentKey.self).required(.rows).list(row)
    }

    private static func row(_ value: Value) throws(Fault) -> ImportedRow {
        let keys = try value.fields(RowKey.self)
        var row = ImportedRow(
            id: try keys[.id]?.string().id, kind: try keys[.kind]?.string().id,
            section: try keys[.section]?.string().id,
            title: try keys.required(.title).string(), line: value.line)
        row.fields = try fields(keys[.fields]).sorted { $0.key < $1.key }
        row.expand = try keys[.expand].map(KindsFile.expansion)
        // `show` prints `closed` for a row that is not open.
        if let side = keys[.swipe], (try? side.string()) != "closed" { row.swipe = try side.word() }
        row.actions = try keys[.actions].map(KindsFile.rowActions)
        row.items = try keys[.items]?.list(item)
        row.states = try keys[.states].map(KindsFile.states)
        // They are not used: the file's order counts, and a version is another table's revision.
        for key in [RowKey.index, .version] { _ = try keys[key]?.integer(in: 0...UInt64.max) }
        try readPast(keys, into: &row)
        return row
    }

    private static func fields(_ value: Value?) throws(Fault) -> [Row.Field] {
        var fields: [Row.Field] = []
        for (key, value) in try value?.entries() ?? [] {
            fields.append(Row.Field(key.id, try value.string()))
        }
        return fields
    }

    private static func item(_ value: Value) throws(Fault) -> Item {
        let keys = try value.fields(ItemKey.self)
        let fields = try fields(keys[.fields])
        return Item(
            try keys.required(.id).string().id, title: try keys[.title]?.string() ?? "",
            kind: try keys[.kind]?.string().id, fields: fields,
            tap: try keys[.tap].map(KindsFile.effects) ?? [])
    }
}

/// The keys of a row in JSON.
enum RowKey: String, CaseIterable {
    case id, kind, section, index, title, fields, version, expand, swipe, createdMs
    case changedMs, movedMs, actions, performed, scroll, claim, items, states, selected
    case cameFrom
    case sleep
}

/// The keys of an item in JSON.
enum ItemKey: String, CaseIterable { case id, title, kind, fields, tap }
