import TableLayout
import TableModel

/// The text of an opened row, every letter of it, wrapped for the columns that it really has: beside the title's first
/// line stand the row's age, its claim and other badges.
struct OpenedText {
    /// One line of the screen.
    enum Line: Equatable {
        case title(String)
        /// A line of a field that stands out; the first of its lines has the icon.
        case emphasis(String, Kind.Emphasis, isFirst: Bool)
        /// `index`: which field that is, of those that are shown.
        case field(key: String, value: String, index: Int)
        /// Why an action failed.
        case failure(String)
    }

    private(set) var lines: [Line] = []
    /// Columns of the keys. The values begin two columns behind them.
    private(set) var keyColumns = 0
    private var fieldCount = 0

    /// How many lines the title and what stands out take.
    private(set) var firstCount = 0

    /// The lines of an opened row, or of a closed one without the line below the others.
    init(_ row: RowLines, isOpen: Bool = true) {
        let columns = row.textColumns, indent = row.titleIndent
        let title = Self.wrap(
            row.title, columns.count - indent,
            first: row.placeBadges(columns) - columns.lowerBound - indent)
        let most = isOpen || row.face.row != nil ? .max : Int(clamping: row.kind.show.wrap)
        lines = title.prefix(most).map { .title($0) }
        if title.count > most {
            lines[most - 1] = .title(title[(most - 1)...].joined(separator: " "))
        }
        for one in row.face.emphasised {
            let indent = one.look.icon == nil ? 0 : RowLines.iconColumns
            let wrapped = Self.wrap(one.text, row.emphasisColumns.count - 2 - indent)
            lines += wrapped.enumerated().map {
                .emphasis($0.element, one.look, isFirst: $0.offset == 0)
            }
        }
        firstCount = lines.count
        guard isOpen else { return }
        if let failure = row.failure {
            lines += Self.wrap(failure, columns.count).map { .failure($0) }
        }
        var fields = row.face.details.map { ($0.key.text, $0.value) }
        if let claim = row.row.claim, !claim.note.isEmpty {
            fields.append(("◆ \(claim.holder.text)", claim.note))
        }
        fieldCount = fields.count
        keyColumns = min(fields.map { $0.0.shownColumns }.max() ?? 0, max(1, columns.count / 3))
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
        // A text that is spelled out is wider than it was.
        let text = text.escapingDangerous { !Character($0).isNewline }
        let all = lines(of: text, columns)
        guard let head = all.first, head.shownColumns > first else { return all }
        let whole = text.drop { $0 == " " }
        let line = lines(of: String(whole), first).first ?? ""
        // The blanks or the line break at which it ended are in neither line.
        var rest = whole.dropFirst(line.count).drop { $0 == " " }
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
    /// The row's name for people: its title, or its id if it has none.
    static func name(of row: Row) -> String {
        row.content.title.isEmpty ? row.id.text : row.content.title
    }

    /// A value for people. A time that `{now}` filled in is shown as how long ago it was.
    static func shown(_ value: String, of row: Row, nowMs: UInt64, _ words: Wording) -> String {
        let soon = nowMs &+ 60_000
        guard value.utf8.count == 13, let timeMs = UInt64(value), row.createdMs > 0,
            (row.createdMs...max(row.createdMs, soon)).contains(timeMs)
        else { return value }
        let age = words.age(seconds: nowMs > timeMs ? (nowMs - timeMs) / 1_000 : 0)
        return words("ago", ["age": age])
    }

    /// How many lines the row needs, with those above its title: an expanded one to show every letter, any other for its
    /// title and what stands out.
    var neededLines: Int {
        if let stack { return stack.lines.count + (hasLineBelow ? 1 : 0) }
        if row.expansion == .collapsed { return 1 }
        let text = OpenedText(self)
        if row.expansion == .expanded { return naturalTop + text.lines.count }
        // Below them a line says how many fields are not shown.
        return face.emphasised.isEmpty && face.row == nil
            ? 1 : naturalTop + min(text.firstCount + 1, text.lines.count)
    }

    /// A closed row whose kind has the height for it has a line below its title.
    private var hasLineBelow: Bool {
        !face.line.isEmpty && kind.heightPoints >= RowText.twoLinesPoints(board.metrics)
    }

    /// The columns of what stands out: those of the text, or all but the mark at the left where these are too few for words.
    var emphasisColumns: Range<Int> {
        textColumns.count < Self.fewColumns ? 1..<max(2, board.width) : textColumns
    }
    private static let fewColumns = 12

    /// Columns of the mark that stands for an icon, with the space behind it.
    static let iconColumns = 2

    /// Columns by which the title of a row that stands out is indented, if it has an icon.
    var titleIndent: Int { face.row?.icon == nil ? 0 : Self.iconColumns }

    /// Draws a line of the title, before the first one the mark of a row that stands out. Returns the column behind it.
    func put(
        title: String, _ number: Int = 0, to end: Int, _ style: Style, _ screen: inout Screen
    ) -> Int {
        if number == 0, titleIndent > 0 {
            _ = put("!", x: left, line: top, to: end, style, &screen)
        }
        return put(title, x: left + titleIndent, line: top + number, to: end, style, &screen)
    }

    /// Draws what stands out, over all else that is drawn in the row: neither a swipe nor a lift hides it.
    func emphasised(_ screen: inout Screen) {
        if board.isStrip(row) { return }
        let text = stack ?? (row.expansion == .collapsed ? nil : OpenedText(self))
        for (number, content) in (text?.lines ?? []).enumerated() {
            guard case .emphasis(let words, let look, let isFirst) = content else { continue }
            let mark = look.icon == nil ? "" : isFirst ? "! " : "  "
            let style = Style(Theme.ink(of: look), on: Theme.ground(of: look), [.bold, .block])
            _ = put(
                " \(mark)\(words) ", x: emphasisColumns.lowerBound, line: top + number,
                to: emphasisColumns.upperBound, style, &screen)
        }
    }

    /// Draws what stands out once more, over what was drawn over the row.
    func standing(_ screen: inout Screen) {
        if face.row != nil {
            let end = placeBadges(titleColumns)
            if isOpened {
                titles(shown(of: OpenedText(self)), to: end, fading: fading, &screen)
            } else {
                titles(stack?.lines[...] ?? [.title(title)], to: end, &screen)
            }
        }
        emphasised(&screen)
    }

    /// Draws the lines of a title among lines of the row.
    func titles(
        _ lines: ArraySlice<OpenedText.Line>, to end: Int, fading: Style.Marks = [],
        _ screen: inout Screen
    ) {
        for (number, line) in lines.enumerated() {
            guard case .title(let title) = line else { continue }
            var style = titleStyle
            if number > 0 { style.marks.formUnion(fading) }
            _ = put(title: title, number, to: number == 0 ? end : right, style, &screen)
        }
    }

    /// The lines of an opened row that it has room for; the last of its room says how many fields are left out.
    func shown(of text: OpenedText) -> ArraySlice<OpenedText.Line> {
        let room = max(1, block.lines - top)
        return text.lines.prefix(text.lines.count <= room || room == 1 ? room : room - 1)
    }
}
