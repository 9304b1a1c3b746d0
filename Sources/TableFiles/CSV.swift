import StrictYAML
import TableModel

/// Reads CSV by RFC 4180, record by record, with the separators and the line ends that spreadsheets write.
///
/// It is our own because it is small, and because it gives the place at fault and whether a value
/// was quoted, which the libraries do not.
struct CSVReader {
    struct Record {
        /// The record's first line, counted from 1.
        var line: Int
        var cells: [Cell] = []
        /// The byte behind the last cell.
        var end = 0

        /// A line of separators alone, as spreadsheets leave below and beside what they hold.
        var isEmpty: Bool { cells.allSatisfy(\.isAbsent) }
    }

    struct Cell {
        var text: String
        /// Nothing is between the separators, not even quotes: there is no value, not an empty one.
        var isAbsent: Bool
        /// The cell's first byte.
        var at: Int
    }

    /// The text between values.
    let separator: UInt8
    private let bytes: ArraySlice<UInt8>
    private let file: String
    private var at: Int
    private var line = 1

    init(_ bytes: ArraySlice<UInt8>, separator: UInt8, file: String) {
        self.bytes = bytes
        self.separator = separator
        self.file = file
        at = bytes.startIndex
    }

    /// The next record that holds something; nil at the end.
    mutating func record() throws(Fault) -> Record? {
        while let record = try any() {
            if !record.isEmpty { return record }
        }
        return nil
    }

    /// Takes the rest of a line.
    mutating func skipLine() {
        at = bytes[at...].firstIndex { $0 == 10 || $0 == 13 } ?? bytes.endIndex
        _ = takeNewline()
    }

    private mutating func any() throws(Fault) -> Record? {
        while takeNewline() {}
        guard at < bytes.endIndex else { return nil }
        var record = Record(line: line)
        let start = at
        repeat {
            skipBlanks()
            record.cells.append(next == quote ? try quoted() : try plain())
            guard at - start <= ImportFile.lineBytes else {
                throw Fault(
                    "more than \(ImportFile.lineBytes) bytes in a record", file: file,
                    line: record.line)
            }
        } while consume(separator)
        record.end = at
        guard at == bytes.endIndex || takeNewline() else {
            throw fault(
                "expected \(Self.name(of: separator)) or the end of the line behind the quotes: "
                    + "within quotes a quote stands twice", at)
        }
        return record
    }

    /// A value without quotes. Blanks around it are no part of it.
    private mutating func plain() throws(Fault) -> Cell {
        let start = at
        var run = bytes[at...].prefix { $0 != separator && $0 != quote && $0 != 10 && $0 != 13 }
        at = run.endIndex
        if next == quote {
            throw fault(
                "a quote stands inside a value without quotes: put the value in quotes, and each "
                    + "quote in it twice", at)
        }
        while let last = run.last, isBlank(last) { run.removeLast() }
        let text = CSVGuard.removed(from: String(decoding: run, as: UTF8.self))
        return Cell(text: text, isAbsent: run.isEmpty, at: start)
    }

    private mutating func quoted() throws(Fault) -> Cell {
        let start = at
        var text: [UInt8] = []
        repeat {
            // Past the opening quote, or past the second of two quotes that mean one.
            at += 1
            let run = bytes[at...].prefix { $0 != quote }
            guard run.endIndex < bytes.endIndex else {
                throw fault("the quotes opened here do not close", start)
            }
            text += run
            at = run.endIndex + 1
            if next == quote { text.append(quote) }
        } while next == quote
        line += Self.newlines(in: text)
        skipBlanks()
        return Cell(
            text: CSVGuard.removed(from: String(decoding: text, as: UTF8.self)), isAbsent: false,
            at: start)
    }

    private static func newlines(in text: [UInt8]) -> Int {
        var count = 0
        var last: UInt8 = 0
        for byte in text {
            if byte == 13 || byte == 10 && last != 13 { count += 1 }
            last = byte
        }
        return count
    }

    private var next: UInt8? { at < bytes.endIndex ? bytes[at] : nil }

    private func isBlank(_ byte: UInt8) -> Bool { (byte == 32 || byte == 9) && byte != separator }

    private mutating func skipBlanks() {
        while let next, isBlank(next) { at += 1 }
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        at += 1
        return true
    }

    /// Takes LF, CR LF, or the CR alone with which old programs end a line.
    private mutating func takeNewline() -> Bool {
        let isReturn = consume(13)
        guard consume(10) || isReturn else { return false }
        line += 1
        return true
    }

    /// A fault at a byte.
    func fault(_ message: String, _ place: Int) -> Fault {
        FileText.fault(message, at: place, of: bytes, file)
    }

    /// The separator, for people.
    static func name(of separator: UInt8) -> String {
        separator == 9 ? "a tab" : "`\(Character(Unicode.Scalar(separator)))`"
    }
}

/// The content of a CSV file's column.
enum CSVColumn: Hashable {
    case id, kind, section, title
    case field(ID)

    static let known: [(name: String, column: CSVColumn)] = [
        ("id", .id), ("kind", .kind), ("section", .section), ("title", .title),
    ]
    /// Prefix of a field's header if the field's name is one of these or begins with the prefix.
    static let mark = "field:"

    /// Nil: the header is empty. People write the known names in any case, and blanks around a name.
    /// The text behind the prefix is exactly the field's name.
    init?(header: String) {
        if header.utf8.starts(with: Self.mark.utf8) {
            let key = header.utf8.dropFirst(Self.mark.utf8.count)
            self = .field(ID(String(decoding: key, as: UTF8.self)))
            return
        }
        var name = header.unicodeScalars[...]
        while name.first?.properties.isWhitespace == true { name.removeFirst() }
        while name.last?.properties.isWhitespace == true { name.removeLast() }
        if name.isEmpty { return nil }
        let text = String(name)
        let folded = text.lowercased()
        if folded.utf8.starts(with: Self.mark.utf8) {
            let key = text.unicodeScalars.dropFirst(Self.mark.utf8.count)
            self = .field(ID(String(key)))
        } else {
            self = Self.known.first { $0.name == folded }?.column ?? .field(ID(text))
        }
    }

    /// The header that is read as this field.
    static func header(forField key: ID) -> String {
        if case .field(key) = CSVColumn(header: key.text) { return key.text }
        return mark + key.text
    }
}

/// The `'` in front of a cell that a spreadsheet would take for a formula, and not show but perform.
///
/// `export --for-spreadsheets` writes it, and `import` takes it away again. A text that has one of its
/// own there gets a second one in every export, so nothing is lost.
enum CSVGuard {
    /// Bytes with which a formula may begin: `=`, `+`, `-`, `@`, tab, CR and LF, and the wide forms of
    /// the first four.
    private static let starts: [[UInt8]] =
        ["=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}"]
        .map { (text: String) in Array(text.utf8) }
    private static let mark = UInt8(ascii: "'")

    private static func isFormula(_ text: Substring.UTF8View) -> Bool {
        starts.contains { text.starts(with: $0) }
    }

    static func added(to text: String, always: Bool) -> String {
        let behind = text.utf8.drop { $0 == mark }
        guard always || text.utf8.first == mark, isFormula(behind) else { return text }
        return "'" + text
    }

    static func removed(from text: String) -> String {
        guard text.utf8.first == mark, isFormula(text.utf8.drop { $0 == mark }) else { return text }
        return String(decoding: text.utf8.dropFirst(), as: UTF8.self)
    }
}

private let quote = UInt8(ascii: "\"")
