import StrictYAML
import TableModel

/// The rows of a CSV file, whose first line names the columns.
struct CSVTable {
    private var reader: CSVReader
    /// Nil: a column without a name, in which nothing may stand.
    private let columns: [CSVColumn?]

    /// Reads the header. It alone says what separates the values: the separator with which there is a
    /// column `title`, or the one that a first line `sep=;` names, as Excel writes and reads it.
    init(_ text: ArraySlice<UInt8>, file: String) throws(Fault) {
        var found: [(reader: CSVReader, columns: [CSVColumn?], header: CSVReader.Record)] = []
        var untitled: Fault?
        var fault: Fault?
        let named = Self.namedSeparator(in: text)
        for separator in named.map({ [$0] }) ?? Self.separators {
            var reader = CSVReader(text, separator: separator, file: file)
            if named != nil { reader.skipLine() }
            do throws(Fault) {
                let header = try reader.record()
                guard let header else {
                    throw Fault("the header line is missing", file: file, line: 1)
                }
                let columns = header.cells.map { CSVColumn(header: $0.text) }
                // Every header is one column for a separator that it does not have.
                let isFirst = separator == Self.separators.first
                if !columns.contains(.title) {
                    untitled = untitled ?? Self.untitled(header, reader)
                } else if columns.count > 1 || isFirst || named != nil {
                    found.append((reader, columns, header))
                }
            } catch {
                fault = fault ?? error
            }
        }
        guard let first = found.first else {
            throw untitled ?? fault ?? Fault("the header line is missing", file: file, line: 1)
        }
        if found.count > 1 {
            let names = found.map { CSVReader.name(of: $0.reader.separator) }
            throw first.reader.fault(
                "\(names.joined(separator: " or ")) may separate the columns: put a name that holds "
                    + "one of them in quotes, or name the separator in a line `sep=;` before this one",
                first.header.cells[0].at)
        }
        var seen: Set<CSVColumn> = []
        for (cell, column) in zip(first.header.cells, first.columns) {
            if let column, !seen.insert(column).inserted {
                throw first.reader.fault(
                    "column `\(cell.text)` stands twice: rename one of the two", cell.at)
            }
        }
        reader = first.reader
        columns = first.columns
    }

    private static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), 9]

    /// The separator of a first line such as `sep=;`.
    private static func namedSeparator(in text: ArraySlice<UInt8>) -> UInt8? {
        var line = text.prefix { $0 != 10 && $0 != 13 }
        if line.count > 2, line.first == UInt8(ascii: "\""), line.last == line.first {
            line = line.dropFirst().dropLast()
        }
        guard line.count == 5, let last = line.last,
            String(decoding: line.dropLast(), as: UTF8.self).lowercased() == "sep="
        else { return nil }
        let isOther = last == 9 || 33...126 ~= last && last != UInt8(ascii: "\"")
        return isOther ? last : nil
    }

    private static func untitled(_ header: CSVReader.Record, _ reader: CSVReader) -> Fault {
        reader.fault(
            "there is no column `title`: the first line names the columns, such as "
                + "`id,section,title`, with commas, semicolons or tabs between them",
            header.cells[0].at)
    }

    /// All rows. Lines in which nothing stands are none.
    mutating func rows() throws(Fault) -> [ImportedRow] {
        var rows: [ImportedRow] = []
        while let record = try reader.record() { rows.append(try row(record)) }
        return rows
    }

    /// An empty cell says that the row has no such field. Of id, kind, section and title it says nothing.
    private func row(_ record: CSVReader.Record) throws(Fault) -> ImportedRow {
        guard record.cells.count >= columns.count else {
            throw reader.fault(
                "expected \(columns.count) values, found \(record.cells.count): each line has as "
                    + "many as the first one, and \(CSVReader.name(of: reader.separator)) stands "
                    + "between them also where a value is empty", record.end)
        }
        var row = ImportedRow(title: "", line: record.line)
        row.keepsTitle = true
        var fields: [Row.Field] = []
        for (index, cell) in record.cells.enumerated() {
            guard index < columns.count, let column = columns[index] else {
                if cell.isAbsent { continue }
                throw unnamed(cell, index)
            }
            switch column {
            case .field(let key) where cell.isAbsent: row.unset.append(key)
            case _ where cell.isAbsent: break
            case .id: row.id = cell.text.id
            case .kind: row.kind = cell.text.id
            case .section: row.section = cell.text.id
            case .title: (row.title, row.keepsTitle) = (cell.text, false)
            case .field(let key): fields.append(Row.Field(key, cell.text))
            }
        }
        if row.id == nil, row.keepsTitle {
            let place = columns.firstIndex(of: .title).map { record.cells[$0].at } ?? record.end
            throw reader.fault(
                "the row has neither an id nor a title: write a title, or \"\" for an empty one",
                place)
        }
        row.fields = fields.sorted { $0.key < $1.key }
        return row
    }

    private func unnamed(_ cell: CSVReader.Cell, _ index: Int) -> Fault {
        let separator = CSVReader.name(of: reader.separator)
        let reason =
            index < columns.count
            ? "this column has no name in the first line: give it one, or leave it empty"
            : "expected \(columns.count) values, found more: put a value that holds \(separator) in "
                + "quotes"
        return reader.fault(reason, cell.at)
    }
}
