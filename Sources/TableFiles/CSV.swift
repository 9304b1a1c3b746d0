import StrictYAML
import TableModel

/// Reads CSV by RFC 4180, record by record.
///
/// It is our own because it is small, and because it gives the line at fault and whether a value
/// was quoted, which the libraries do not.
struct CSVReader {
    struct Record {
        /// The record's first line, counted from 1.
        var line: Int
        var cells: [Cell] = []
    }

    struct Cell {
        var text: String
        /// Nothing is between the commas, not even quotes: there is no value, not an empty one.
        var isAbsent: Bool
    }

    private let bytes: ArraySlice<UInt8>
    private let file: String
    private var at: Int
    private var line = 1

    init(_ bytes: ArraySlice<UInt8>, file: String) {
        self.bytes = bytes
        self.file = file
        at = bytes.startIndex
    }

    /// The next record; nil at the end. Empty lines are skipped.
    mutating func record() throws(Fault) -> Record? {
        while takeNewline() {}
        guard at < bytes.endIndex else { return nil }
        var record = Record(line: line)
        let start = at
        repeat {
            record.cells.append(next == quote ? try quoted() : try plain())
            guard at - start <= ImportFile.lineBytes else {
                throw Fault(
                    "more than \(ImportFile.lineBytes) bytes in a record", file: file,
                    line: record.line)
            }
        } while consume(comma)
        guard at == bytes.endIndex || takeNewline() else {
            throw fault("expected a comma or the end of the line")
        }
        return record
    }

    private mutating func plain() throws(Fault) -> Cell {
        let run = bytes[at...].prefix { $0 != comma && $0 != quote && $0 != 10 && $0 != 13 }
        at = run.endIndex
        if next == quote { throw fault("a quote stands inside a value without quotes") }
        return Cell(text: String(decoding: run, as: UTF8.self), isAbsent: run.isEmpty)
    }

    private mutating func quoted() throws(Fault) -> Cell {
        let start = line
        var text: [UInt8] = []
        repeat {
            // Past the opening quote, or past the second of two quotes that mean one.
            at += 1
            let run = bytes[at...].prefix { $0 != quote }
            guard run.endIndex < bytes.endIndex else {
                throw Fault("the quotes opened here do not close", file: file, line: start)
            }
            text += run
            line += run.count { $0 == 10 }
            at = run.endIndex + 1
            if next == quote { text.append(quote) }
        } while next == quote
        return Cell(text: String(decoding: text, as: UTF8.self), isAbsent: false)
    }

    private var next: UInt8? { at < bytes.endIndex ? bytes[at] : nil }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        at += 1
        return true
    }

    /// Takes LF or CR LF. A CR alone is no line end.
    private mutating func takeNewline() -> Bool {
        if next == 13, at + 1 < bytes.endIndex, bytes[at + 1] == 10 { at += 1 }
        guard consume(10) else { return false }
        line += 1
        return true
    }

    private func fault(_ message: String) -> Fault {
        Fault(message, file: file, line: line)
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

    init(header: String) {
        if let known = Self.known.first(where: { $0.name == header }) {
            self = known.column
        } else {
            let isMarked = header.utf8.starts(with: Self.mark.utf8)
            let key = header.utf8.dropFirst(isMarked ? Self.mark.utf8.count : 0)
            self = .field(ID(String(decoding: key, as: UTF8.self)))
        }
    }

    /// The header that is read as this field.
    static func header(forField key: ID) -> String {
        if case .field(key) = CSVColumn(header: key.text) { return key.text }
        return mark + key.text
    }
}

private let comma = UInt8(ascii: ",")
private let quote = UInt8(ascii: "\"")
