// Text for people: what must not reach a terminal is escaped, and columns are aligned.

import TableLayout

struct TextLine: Equatable {
    enum Style: Equatable {
        case plain, heading, faint
    }

    var text: String
    var style = Style.plain

    init(_ text: String, _ style: Style = .plain) {
        self.text = text
        self.style = style
    }

    /// A line about rows that were swiped open at an edge without actions; none if there were none.
    static func leftClosed(_ rows: Int) -> [TextLine] {
        if rows == 0 { return [] }
        return [TextLine("left closed, since they have no actions at that edge: \(rows.of("row"))")]
    }

    /// The text for standard output: escaped, then coloured if colours are wanted.
    var rendered: String {
        guard Output.hasColour, style != .plain else { return text.shown }
        return (style == .heading ? "\u{1B}[1m" : "\u{1B}[2m") + text.shown + "\u{1B}[0m"
    }
}

extension String {
    /// The JSON with dangerous characters escaped as JSON does. Line breaks between values stay.
    var escapedInJSON: String { escapingDangerous { $0 != "\n" } }

    var columns: Int { CharacterWidth.columns(of: self) }

    /// The text, cut off with a mark if it is wider.
    func clipped(to width: Int) -> String {
        guard columns > width else { return self }
        var text = ""
        var used = 1
        for character in self {
            used += CharacterWidth.columns(of: character)
            if used > width { break }
            text.append(character)
        }
        return text + "…"
    }

    /// The text, cut off before its `end` if there is room for that.
    func clipped(to width: Int, keeping end: String) -> String {
        let room = width - end.columns
        guard columns > width, room > 1, !end.isEmpty, hasSuffix(end) else {
            return clipped(to: width)
        }
        return String(dropLast(end.count)).clipped(to: room) + end
    }
}

/// Cells in aligned columns, two blanks apart.
struct Columns {
    private struct Row {
        var cells: [String]
        var style = TextLine.Style.plain
        var isAlone = false
        /// The end of the cell that yields first, which stays.
        var end = ""
    }

    private var rows: [Row] = []
    /// Columns of numbers, which end where the others begin.
    private let numbers: [Int]
    /// A column that is cut keeps so much.
    private static let fewest = 12

    init(_ headings: [String] = [], numbers: [Int] = []) {
        self.numbers = numbers
        if !headings.isEmpty { rows.append(Row(cells: headings, style: .heading)) }
    }

    /// `end`: what stays of the cell that yields first, where it is cut.
    mutating func append(_ cells: [String], keeping end: String = "") {
        rows.append(Row(cells: cells.map(\.shown), end: end.shown))
    }

    /// A line of its own, which takes no part in the columns.
    mutating func append(line: String, _ style: TextLine.Style = .plain) {
        rows.append(Row(cells: [line], style: style, isAlone: true))
    }

    var lines: [TextLine] { lines(in: nil) }

    /// The lines, no wider than `width` if it is given. The `yielding` columns are cut, the first of them first.
    func lines(in width: Int?, yielding: [Int] = []) -> [TextLine] {
        var widths: [Int] = []
        for row in rows where !row.isAlone {
            for (column, cell) in row.cells.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.columns)
            }
        }
        var excess = width.map { widths.reduce(-2) { $0 + $1 + 2 } - $0 } ?? 0
        for column in yielding where excess > 0 && column < widths.count {
            // The end that a cell keeps has room, up to half of the line, and some letters before it.
            let ends = column == yielding.first ? rows.map(\.end.columns).max() ?? 0 : 0
            let fewest = max(Self.fewest, min(ends > 0 ? ends + 5 : 0, (width ?? 0) / 2))
            let cut = max(0, min(excess, widths[column] - fewest))
            widths[column] -= cut
            excess -= cut
        }
        return rows.flatMap { row -> [TextLine] in
            if row.isAlone {
                let text = width.map { row.cells[0].shown.clipped(to: $0) } ?? row.cells[0]
                return [TextLine(text, row.style)]
            }
            var text = ""
            var below: [TextLine] = []
            for (column, whole) in row.cells.enumerated() {
                var end = column == yielding.first ? row.end : ""
                var cell = whole
                if let width {
                    if !end.isEmpty, whole.columns > widths[column],
                        end.columns + 2 > widths[column], whole.hasSuffix(end)
                    {
                        below = Self.indented(end, width)
                        cell = String(whole.dropLast(end.count))
                        end = ""
                    }
                    cell = cell.clipped(to: widths[column], keeping: end)
                }
                let blanks = String(repeating: " ", count: widths[column] - cell.columns)
                text += (column > 0 ? "  " : "") + (numbers.contains(column) ? blanks : "") + cell
                if !numbers.contains(column) { text += blanks }
            }
            while text.last == " " { text.removeLast() }
            return [TextLine(width.map(text.clipped) ?? text, row.style)] + below
        }
    }

    /// An end that must not be cut, and that has no room in its cell: lines of its own.
    private static func indented(_ end: String, _ width: Int) -> [TextLine] {
        let indent = min(4, width / 4)
        let columns = Double(max(1, width - indent)) * Metrics.cell.cellWidthPoints
        let text = String(end.drop { $0 == " " || $0 == "·" })
        return TextWrap.lines(text, widthPoints: columns, metrics: .cell).map {
            TextLine(String(repeating: " ", count: indent) + $0)
        }
    }
}

extension Int {
    /// 1st, 2nd, 3rd, 4th, 11th, 21st…
    var ordinal: String {
        let tens = self % 100 / 10
        switch (tens, self % 10) {
        case (1, _): return "\(self)th"
        case (_, 1): return "\(self)st"
        case (_, 2): return "\(self)nd"
        case (_, 3): return "\(self)rd"
        default: return "\(self)th"
        }
    }

    /// "1 row", "2 rows".
    func of(_ thing: String) -> String { self == 1 ? "1 \(thing)" : "\(self) \(thing)s" }
}
