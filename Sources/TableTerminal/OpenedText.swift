import TableLayout
import TableModel

/// The text of an opened row, every letter of it, wrapped for the columns that it really has: beside the title's first
/// line stand the row's age, its claim and other badges.
struct OpenedText {
    /// One line of the screen.
    enum Line: Equatable {
        case title(String)
        /// `index`: which field that is, of those that are shown.
        case field(key: String, value: String, index: Int)
        /// Why an action failed.
        case failure(String)
    }

    private(set) var lines: [Line] = []
    /// Columns of the keys. The values begin two columns behind them.
    private(set) var keyColumns = 0
    private var fieldCount = 0

    init(_ row: RowLines) {
        let columns = row.textColumns
        let title = Self.wrap(
            RowLines.name(of: row.row), columns.count,
            first: row.placeBadges(columns) - columns.lowerBound)
        lines = title.map { .title($0) }
        if let failure = row.failure {
            lines += Self.wrap(failure, columns.count).map { .failure($0) }
        }
        var fields = row.row.content.fields.map { ($0.key.text, row.shown($0.value)) }
        if let claim = row.row.claim, !claim.note.isEmpty {
            fields.append(("◆ \(claim.holder.text)", claim.note))
        }
        fieldCount = fields.count
        keyColumns = min(
            fields.map { $0.0.shownColumns }.max() ?? 0, max(1, columns.count / 3))
        let room = columns.count - keyColumns - 2
        for (index, field) in fields.enumerated() {
            let key = Self.wrap(field.0, keyColumns), value = Self.wrap(field.1, max(1, room))
            for line in 0..<max(key.count, value.count) {
                lines.append(
                    .field(
                        key: line < key.count ? key[line] : "",
                        value: line < value.count ? value[line] : "", index: index))
            }
        }
    }

    /// How many fields are not shown, or not to their end, if only the first so many lines are.
    func fieldsBehind(_ count: Int) -> Int {
        guard lines.indices.contains(count), case .field(_, _, let index) = lines[count] else {
            return fieldCount
        }
        return fieldCount - index
    }

    /// The lines of a text. The first has room for `first` columns, if that is less.
    private static func wrap(_ text: String, _ columns: Int, first: Int = .max) -> [String] {
        let all = lines(of: text, columns)
        guard let head = all.first, head.shownColumns > first else { return all }
        let whole = text.drop { $0 == " " || $0 == "\t" }
        let line = lines(of: String(whole), first).first ?? ""
        // The blanks or the line break at which it ended are in neither line.
        var rest = whole.dropFirst(line.count).drop { $0 == " " || $0 == "\t" }
        if rest.first?.isNewline == true { rest = rest.dropFirst() }
        return rest.isEmpty ? [line] : [line] + lines(of: String(rest), columns)
    }

    private static func lines(of text: String, _ columns: Int) -> [String] {
        TextWrap.lines(
            text, widthPoints: Double(max(1, columns)) * Metrics.cell.cellWidthPoints,
            metrics: .cell)
    }
}

extension RowLines {
    /// A value for people. A time that `{now}` filled in is shown as how long ago it was.
    func shown(_ value: String) -> String {
        let soon = board.timeMs &+ 60_000
        guard value.utf8.count == 13, let timeMs = UInt64(value), row.createdMs > 0,
            (row.createdMs...max(row.createdMs, soon)).contains(timeMs)
        else { return value }
        let age = Age.text(seconds: board.timeMs > timeMs ? (board.timeMs - timeMs) / 1_000 : 0)
        return age == "now" ? age : "\(age) ago"
    }
}
