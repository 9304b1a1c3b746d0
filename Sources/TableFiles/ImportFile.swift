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
    /// What a person reads; may be empty.
    public var title: String
    /// In the order of their keys' bytes, each key once.
    public var fields: [Row.Field]
    /// How far it is open; only JSON says so.
    public var expand: Expansion?
    /// Which side is swiped open; only JSON says so.
    public var swipe: Edge?
    /// Swipe actions of its own; only JSON says so.
    public var actions: RowActions?
    /// Of a strip, in order; nil: the file does not say. Only JSON does.
    public var items: [Item]?
    /// When it was made, where it was before, milliseconds since 1970; nil: the file does not say.
    /// This and the next five only JSON says, and only a row that is new takes them.
    public var createdMs: UInt64?
    /// When it was last changed there; 0: it was not.
    public var changedMs: UInt64 = 0
    /// When it was last moved there; 0: it was not.
    public var movedMs: UInt64 = 0
    /// What was performed on it there.
    public var performed: [Performance] = []
    /// Who worked on it.
    public var claim: Claim?
    /// Where it was scrolled to.
    public var scroll: Scroll?
    /// Fields that the row must not have; only Markdown says so, of one that is not ticked.
    public var unset: [ID] = []
    /// Of a task list: an id that is made of its content is the same when it is ticked.
    public var isTask = false
    /// The field that says whether a task is done.
    public static let doneKey: ID = "done"
    /// The line of the file where it begins, counted from 1.
    public var line: Int

    /// A row with every value given.
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

/// How rows stand in a file.
public enum RowFormat: String, Sendable, CaseIterable {
    /// One JSON object per line.
    case ndjson
    /// An array of objects, or a document with `rows` as `trestle -o json show` gives.
    case json
    /// RFC 4180, with a header.
    case csv
    /// Task lists below headings.
    case markdown

    /// By the ending of a file's name; nil for an ending that names none.
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

/// Reads rows for `trestle import`. All or nothing: the first fault is thrown with its line.
public enum ImportFile {
    /// Of a file, in bytes: it is held in memory whole.
    public static let fileBytes = 64 << 20
    /// Of a line of NDJSON or a record of CSV, in bytes: more than a row may hold.
    public static let lineBytes = 1 << 20

    /// The rows, in the file's order. `name` is the file's, for faults.
    public static func parse(
        _ bytes: [UInt8], format: RowFormat, name: String
    ) throws(Fault) -> [ImportedRow] {
        let text = try checked(bytes, name: name)
        let rows: [ImportedRow]
        switch format {
        case .ndjson: rows = try lines(text, name: name)
        case .json: rows = try document(text, name: name)
        case .csv: rows = try table(text, name: name)
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

    /// The sections that a file names by themselves, in its order: of JSON documents and Markdown.
    public static func sections(
        _ bytes: [UInt8], format: RowFormat, name: String
    ) throws(Fault) -> [ImportedSection] {
        switch format {
        case .ndjson, .csv: return []
        case .json: return try ImportedSection.all(in: checked(bytes, name: name), name: name)
        case .markdown:
            return try MarkdownReader(checked(bytes, name: name), file: name).sections
        }
    }

    /// The bytes as text without a byte order mark: valid UTF-8, no NUL, not too many.
    private static func checked(_ bytes: [UInt8], name: String) throws(Fault) -> ArraySlice<UInt8> {
        guard bytes.count <= fileBytes else {
            throw Fault("more than \(fileBytes) bytes", file: name, line: 1)
        }
        if let place = bytes.firstIndex(of: 0) {
            throw Fault("a NUL stands here", file: name, line: line(of: place, in: bytes))
        }
        if String(validating: bytes, as: UTF8.self) == nil {
            // A newline is never part of another character, so the faulty line is faulty alone.
            let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
            let place = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
            throw Fault("not valid UTF-8", file: name, line: 1 + (place ?? 0))
        }
        return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    }

    private static func line(of place: Int, in bytes: [UInt8]) -> Int {
        1 + bytes[..<place].count { $0 == UInt8(ascii: "\n") }
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

    /// The keys of what `show` prints; all but the rows are about the table it was read from.
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
        let root = try Value(json: checked(bytes, name: name), file: name)
        guard root.isMapping,
            let definitions = try root.fields(DocumentKey.self)[.definitions]
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
        var fields: [Row.Field] = []
        for (key, value) in try keys[.fields]?.entries() ?? [] {
            fields.append(Row.Field(key.id, try value.string()))
        }
        row.fields = fields.sorted { $0.key < $1.key }
        row.expand = try keys[.expand].map(KindsFile.expansion)
        // `closed` is what `show` says where nothing is open.
        if let side = keys[.swipe], (try? side.string()) != "closed" {
            row.swipe = try side.word()
        }
        row.actions = try keys[.actions].map(KindsFile.rowActions)
        row.items = try keys[.items]?.list(item)
        // Its order is that of the file, and its version a revision of another table.
        for key in [RowKey.index, .version] { _ = try keys[key]?.integer(in: 0...UInt64.max) }
        try readPast(keys, into: &row)
        return row
    }

    private static func item(_ value: Value) throws(Fault) -> Item {
        let keys = try value.fields(ItemKey.self)
        var fields: [Row.Field] = []
        for (key, value) in try keys[.fields]?.entries() ?? [] {
            fields.append(Row.Field(key.id, try value.string()))
        }
        return Item(
            try keys.required(.id).string().id, title: try keys[.title]?.string() ?? "",
            fields: fields, tap: try keys[.tap].map(KindsFile.effects) ?? [])
    }

    // MARK: CSV

    private static func table(
        _ text: ArraySlice<UInt8>, name: String
    ) throws(Fault) -> [ImportedRow] {
        var reader = CSVReader(text, file: name)
        guard let header = try reader.record() else {
            throw Fault("the header line is missing", file: name, line: 1)
        }
        var columns: [CSVColumn] = []
        var seen: Set<CSVColumn> = []
        for cell in header.cells {
            let column = CSVColumn(header: cell.text)
            guard !cell.text.isEmpty, seen.insert(column).inserted else {
                throw Fault(
                    cell.text.isEmpty
                        ? "a column has no name" : "column `\(cell.text)` stands twice",
                    file: name, line: header.line)
            }
            columns.append(column)
        }
        guard columns.contains(.title) else {
            throw Fault("there is no column `title`", file: name, line: header.line)
        }
        var rows: [ImportedRow] = []
        while let record = try reader.record() {
            guard record.cells.count == columns.count else {
                throw Fault(
                    "expected \(columns.count) values, found \(record.cells.count)", file: name,
                    line: record.line)
            }
            rows.append(row(record, columns))
        }
        return rows
    }

    private static func row(_ record: CSVReader.Record, _ columns: [CSVColumn]) -> ImportedRow {
        var row = ImportedRow(title: "", line: record.line)
        var fields: [Row.Field] = []
        for (column, cell) in zip(columns, record.cells) where !cell.isAbsent {
            switch column {
            case .id: row.id = cell.text.id
            case .kind: row.kind = cell.text.id
            case .section: row.section = cell.text.id
            case .title: row.title = cell.text
            case .field(let key): fields.append(Row.Field(key, cell.text))
            }
        }
        row.fields = fields.sorted { $0.key < $1.key }
        return row
    }
}

/// The keys of a row in JSON.
enum RowKey: String, CaseIterable {
    case id, kind, section, index, title, fields, version, expand, swipe, createdMs
    case changedMs, movedMs, actions, performed, scroll, claim, items
}

/// The keys of an item in JSON.
enum ItemKey: String, CaseIterable { case id, title, fields, tap }
