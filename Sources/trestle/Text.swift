// Text for people: what must not reach a terminal is escaped, and columns are aligned.

import TableLayout

/// One line for people.
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

    /// Escaped, then coloured where colours are wanted.
    var rendered: String {
        guard Output.hasColour, style != .plain else { return text.shown }
        return (style == .heading ? "\u{1B}[1m" : "\u{1B}[2m") + text.shown + "\u{1B}[0m"
    }
}

extension String {
    /// JSON with what is dangerous escaped, as JSON itself would. Line breaks between values stay.
    var escapedInJSON: String { escapingDangerous { $0 != "\n" } }

    /// Columns on a terminal.
    var columns: Int { CharacterWidth.columns(of: self) }

    /// Cut off, with a mark, where it is wider.
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
}

/// Cells in aligned columns, two blanks apart.
struct Columns {
    private var rows: [(cells: [String], style: TextLine.Style, isAlone: Bool)] = []
    /// Columns of numbers, which end where the others begin.
    private let numbers: [Int]

    init(_ headings: [String] = [], numbers: [Int] = []) {
        self.numbers = numbers
        if !headings.isEmpty { rows.append((headings, .heading, isAlone: false)) }
    }

    mutating func append(_ cells: [String]) {
        rows.append((cells.map(\.shown), .plain, isAlone: false))
    }

    /// A line of its own, which takes no part in the columns.
    mutating func append(line: String, _ style: TextLine.Style = .plain) {
        rows.append(([line], style, isAlone: true))
    }

    var lines: [TextLine] {
        var widths: [Int] = []
        for row in rows where !row.isAlone {
            for (column, cell) in row.cells.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.columns)
            }
        }
        return rows.map { row in
            if row.isAlone { return TextLine(row.cells[0], row.style) }
            var text = ""
            for (column, cell) in row.cells.enumerated() {
                let blanks = String(repeating: " ", count: widths[column] - cell.columns)
                text += (column > 0 ? "  " : "") + (numbers.contains(column) ? blanks : "") + cell
                if !numbers.contains(column) { text += blanks }
            }
            while text.last == " " { text.removeLast() }
            return TextLine(text, row.style)
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
