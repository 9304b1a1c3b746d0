import TableLayout
import TableModel
import TablePredicate
import TableSync

struct RowLines {
    let board: Board
    let table: Table
    let row: Row
    let block: Block
    let kind: Kind
    let face: RowFace
    let isSelected: Bool
    /// The lines of a closed row that has more than its title and the line below; nil: it has no more.
    private(set) var stack: OpenedText?
    private let isLifted: Bool
    private let ghost: Lease?
    private let margin: Int
    private let control: Kind.EditingStyle
    private let hasGrip: Bool
    /// Columns by which the row is shifted; positive: the actions at the leading edge are visible.
    let offset: Int

    init(board: Board, table: Table, row: Row, block: Block) {
        self.board = board
        self.table = table
        let row = board.expansions.shown(row)
        self.row = row
        self.block = block
        let kind = table.kind(of: row) ?? Kind(row.content.kind)
        self.kind = kind
        face = RowFace(
            row.content, row.expansion, kind: kind,
            clock: .init(nowMs: board.timeMs, zoneSeconds: board.zoneSeconds)
        ) {
            Self.shown($0, of: row, nowMs: board.timeMs, board.setup.words)
        } count: {
            board.groups(of: table).count($0, of: row.id)
        }
        isSelected = board.selected == row.id
        isLifted = board.hand?.rows.contains(row.id) == true
        ghost = board.company.ghosts.first { $0.rows.contains(row.id) }
        margin = board.margin(of: row)
        control = board.control(of: row)
        hasGrip = board.hasGrip(row)
        if case .swiping(row.id, _, _, let dragged) = board.gesture {
            offset = dragged
        } else {
            offset = board.restOffset(of: row)
        }
        if row.expansion == .collapsed, kind.hasTextHeights {
            let text = OpenedText(self, isOpen: false)
            if text.lines.count > 1 { stack = text }
        }
    }

    /// The title that the row shows, or its id if there is none.
    var title: String { face.title.isEmpty ? row.id.text : face.title }

    // MARK: Styles

    var ground: Color? {
        // An emphasised row keeps its colour, whatever is done with it.
        if let row = face.row { return Theme.ground(of: row) }
        if isLifted { return nil }
        return isSelected ? Theme.chosenGround : background
    }
    var marks: Style.Marks { ground != nil ? .block : [] }

    /// The look that the row's state asks for (F12).
    private var appearance: Kind.Appearance { kind.appearance(of: row) }
    private var background: Color? { appearance.background.flatMap { Color($0) } }
    private var tint: Color? { isSelected ? nil : appearance.tint.flatMap { Color($0) } }
    private var alpha: Double { appearance.alpha(in: row.expansion) }
    /// A terminal has no half-transparent text: it is set faint instead.
    var fading: Style.Marks { alpha < 1 ? .faint : [] }
    /// Text in no colour of its own.
    private var plainInk: Color? {
        if let row = face.row { return Theme.ink(of: row) }
        if isSelected { return Theme.white }
        return background.map { Theme.ink(on: $0, tint) } ?? tint
    }

    /// Text in an ink, or in the row's own where that cannot be read on its ground.
    func style(_ ink: Color?, _ more: Style.Marks = []) -> Style {
        if face.row != nil { return Style(plainInk, on: ground, marks.union(more)) }
        if isLifted { return Style(Theme.grey, on: nil, [.faint]) }
        let faded: Style.Marks = row.sleep == nil ? more : more.union(.faint)
        let isRead =
            ground.flatMap { ground in ink.map { ground.contrast(with: $0) >= 30 } } ?? true
        return Style(isRead ? ink ?? plainInk : plainInk, on: ground, marks.union(faded))
    }

    var faint: Style {
        style(isSelected && face.row == nil ? Theme.color(0xBFCBDB) : plainInk ?? Theme.grey)
    }

    // MARK: Drawing

    func draw(into screen: inout Screen) {
        let lines = visibleLines
        for y in lines { screen.fill(x: 0, y: y, to: board.width, Style(nil, on: ground, marks)) }
        content(&screen)
        gutter(lines, &screen)
        editMarks(&screen)
        if offset != 0 { buttons(lines, &screen) }
        emphasised(&screen)
    }

    /// The visible lines of the block, as lines of the screen.
    private var visibleLines: Range<Int> {
        let from = max(0, block.y), to = min(block.y + block.lines, board.viewHeight)
        return board.viewTop + from..<board.viewTop + max(from, to)
    }

    func put(
        _ text: String, x: Int, line: Int, to end: Int, _ style: Style, _ screen: inout Screen
    ) -> Int {
        let y = block.y + line
        guard line < block.lines, y >= 0, y < board.viewHeight else { return x }
        return screen.put(text, x: x, y: board.viewTop + y, to: end, style)
    }

    /// The title's line in the block: the middle of a collapsed row.
    var top: Int {
        guard let stack else {
            return min(board.isStrip(row) ? stripTop : naturalTop, block.lines - 1)
        }
        let count = stack.lines.count + (subtitle.text.isEmpty ? 0 : 1)
        return max(0, (block.lines - count) / 2)
    }

    var naturalTop: Int {
        let line = board.metrics.lineHeightPoints()
        let top = max(0, (kind.heightPoints - line) / 2 / line)
        return Int(min(top, 1_000))
    }

    /// The column where the row begins: actions at the leading edge push it to the right.
    var origin: Int { max(0, offset) }

    /// The columns where text begins and ends. Actions at the trailing edge cover the row's end and do not push it.
    var left: Int { origin + margin + board.indent(of: row) }
    var right: Int {
        max(left + 1, min(board.width, board.width + offset) - board.rightMargin(of: row))
    }

    private func content(_ screen: inout Screen) {
        if isOpened { return opened(&screen) }
        let end = badges(&screen)
        if let stack {
            titles(stack.lines[...], to: end, &screen)
            let (text, style) = subtitle
            _ = put(text, x: left, line: top + stack.lines.count, to: right, style, &screen)
            return
        }
        var x = put(title: title, to: end, titleStyle, &screen)
        if board.isStrip(row) {
            strip(line: block.lines > 1 ? min(top + 1, block.lines - 1) : top, after: x, &screen)
            return
        }
        let (text, style) = subtitle
        if top + 1 < block.lines {
            _ = put(text, x: left, line: top + 1, to: right, style, &screen)
        } else if x + 4 < end {
            x = put("  ", x: x, line: top, to: end, style, &screen)
            _ = put(text, x: x, line: top, to: end, style, &screen)
        }
    }

    var titleStyle: Style {
        if face.title.isEmpty { return faint }
        // A row that stands out has no other ground when it is selected.
        if face.row != nil { return style(nil, isSelected ? [.bold, .underlined] : .bold) }
        return style(nil, board.isDense && !isSelected ? [] : .bold)
    }

    /// Why an action of the row failed; nil: none did.
    var failure: String? {
        for performance in row.performed {
            if case .failed(let reason) = performance.state, !reason.isEmpty {
                return word(
                    "failed",
                    ["action": title(of: performance), "why": board.setup.words.reason(reason)])
            }
            if let tried = table.tried(performance, zoneSeconds: board.zoneSeconds) {
                return "\(title(of: performance)) \(text(of: tried))"
            }
        }
        return nil
    }

    /// The reason why an action failed, or else the fields.
    private var subtitle: (text: String, style: Style) {
        if let failure { return (failure, style(Theme.late)) }
        return (face.line.joined(separator: " · "), faint)
    }

    private func text(of tried: Tried) -> String {
        word(
            tried.isOver ? "tried.now" : "tried.at",
            [
                "count": tried.failed, "why": board.setup.words.reason(tried.reason),
                "time": tried.time, "attempt": tried.failed + 1, "most": tried.most,
            ])
    }

    private func word(
        _ key: String, _ values: KeyValuePairs<String, any CustomStringConvertible>
    ) -> String { board.word(key, values) }

    func title(of performance: Performance) -> String { table.title(of: performance.deed, on: row) }

    // MARK: Opened rows

    /// Whether the hidden part is shown. A collapsed row shows it where all of it has room.
    var isOpened: Bool {
        if board.isStrip(row) { return false }
        if row.expansion != .collapsed { return true }
        return alpha > 0 && OpenedText(self).lines.count <= block.lines - top
    }

    /// The columns where text begins and ends in a row without a swipe: a swipe wraps nothing anew.
    var textColumns: Range<Int> {
        let left = margin + board.indent(of: row)
        return left..<max(left + 1, board.width - board.rightMargin(of: row))
    }

    /// Draws title and fields in full, as far as there are lines.
    private func opened(_ screen: inout Screen) {
        let end = badges(&screen)
        let text = OpenedText(self)
        let lines = shown(of: text)
        titles(lines, to: end, fading: fading, &screen)
        for (number, content) in lines.enumerated() {
            let line = top + number
            switch content {
            case .title, .emphasis: continue
            case .field(let key, let value, _):
                guard alpha > 0 else { return }
                _ = put(key, x: left, line: line, to: left + text.keyColumns, faint, &screen)
                _ = put(
                    value, x: left + text.keyColumns + 2, line: line, to: right,
                    style(nil, fading), &screen)
            case .failure(let why):
                _ = put(why, x: left, line: line, to: right, style(Theme.late), &screen)
            }
        }
        let room = block.lines - top
        guard text.lines.count > room, room > 1, alpha > 0 else { return }
        let more = "… " + word("more", ["count": text.fieldsBehind(room - 1)])
        _ = put(more, x: left, line: top + room - 1, to: right, faint, &screen)
    }

    /// The badges to the right of the title.
    private var badgeParts: [(text: String, style: Style)] {
        var parts: [(text: String, style: Style)] = []
        if let badge = face.badge { parts.append((badge, style(nil, .bold))) }
        if let ghost { parts.append(("⇅ \(ghost.holder.text)", style(Theme.accent, .bold))) }
        if row.swipe != nil, let opener = board.openers[row.id] {
            parts.append(("↔ \(opener.text)", style(Theme.accent, .bold)))
        }
        if isLifted {
            parts.append(("⇅ \(board.word("lifted"))", Style(Theme.accent, on: nil, .bold)))
        }
        if let claim = row.claim {
            // An opened row has a line of its own for it.
            let isHere = claim.note.isEmpty || row.expansion != .collapsed
            let note = isHere ? "" : ": \(claim.note)"
            parts.append(("◆ \(claim.holder.text)\(note)", style(Theme.accent)))
        }
        if let selection = board.chosen.shown(of: row, in: table) {
            let item = row.content.items.first { $0.id == selection.item }
            let name = item.map { $0.title.isEmpty ? $0.id.text : $0.title }
            parts.append(("✓\(name.map { " \($0)" } ?? "")", style(Theme.accent, .bold)))
        }
        for performance in row.performed {
            switch performance.state {
            case .pending:
                parts.append(("◌ \(title(of: performance))", style(Theme.warn)))
            case .failed:
                parts.append(("✗ \(title(of: performance))", style(Theme.late, .bold)))
            case .done: break
            }
        }
        if let sleep = row.sleep {
            let clock = RowFace.Clock(nowMs: board.timeMs, zoneSeconds: board.zoneSeconds)
            parts.append((word("until", ["time": sleep.time(clock)]), faint))
        } else if let age {
            let text = board.setup.words.age(seconds: age.seconds)
            switch age.stage {
            case .fresh: parts.append((text, faint))
            case .warned: parts.append((text, style(Theme.warn, .bold)))
            case .late:
                parts.append((" \(text) ", Style(Theme.white, on: Theme.danger, [.bold, .block])))
            }
        }
        return parts
    }

    /// The columns of the title and its badges.
    var titleColumns: Range<Int> { left..<max(left + 1, right) }

    /// Places the badges from the right. Returns the column where the title must end.
    func placeBadges(
        _ columns: Range<Int>,
        _ place: (String, Style, _ x: Int, _ end: Int) -> Void = { _, _, _, _ in }
    ) -> Int {
        var end = columns.upperBound
        // The title keeps at least 8 columns and a third of the line.
        let least = columns.lowerBound + max(8, columns.count / 3) + 1
        for part in badgeParts.reversed() {
            let whole = part.text.shownColumns
            // Long ones are people's words, which say something when they are cut, too.
            let width = whole <= columns.count / 3 ? whole : min(whole, max(end - least, 6))
            guard end - width >= least else { continue }
            place(part.text, part.style, end - width, end)
            end -= width + 2
        }
        return max(end, columns.lowerBound + 1)
    }

    private func badges(_ screen: inout Screen) -> Int {
        placeBadges(titleColumns) { text, style, x, end in
            _ = put(text, x: x, line: top, to: end, style, &screen)
        }
    }

    private var age: Age? { Age(of: row, kind: kind, in: block.section, nowMs: board.timeMs) }

    /// Draws the marks at the left: selected, late, and the arrow for the row's state.
    private func gutter(_ lines: Range<Int>, _ screen: inout Screen) {
        guard margin > 0 else { return }
        let ink: Color?
        switch age?.stage {
        case .late: ink = Theme.late
        case .warned: ink = Theme.warn
        default: ink = isSelected ? Theme.accent : nil
        }
        if isSelected || ink != nil {
            let mark = isSelected ? "▌" : "▏"
            for y in lines { screen.put(mark, x: origin, y: y, Style(ink, on: ground, [])) }
        }
        connect(&screen)
        if left - origin > 1, board.marked.contains(row.id) {
            _ = put("■", x: left - 1, line: top, to: left, style(Theme.accent, .bold), &screen)
            return
        }
        guard left - origin > 1, kind.isPinned || kind.states.count > 1 else { return }
        let arrow: String
        if kind.isPinned {
            arrow = "•"
        } else {
            switch row.expansion {
            case .collapsed: arrow = "▸"
            case .expanded: arrow = "▾"
            case .named, .height: arrow = "▹"
            }
        }
        _ = put(arrow, x: left - 1, line: top, to: left, faint, &screen)
    }

    /// Draws the control at the left, and the grip at the right.
    private func editMarks(_ screen: inout Screen) {
        if isLifted { return }
        let x = min(1, margin)
        switch control {
        case .delete: _ = put(" − ", x: x, line: top, to: board.width, Theme.minus, &screen)
        case .insert: _ = put(" + ", x: x, line: top, to: board.width, Theme.plus, &screen)
        case .none: break
        }
        if hasGrip {
            let x = board.width - Board.gripColumns
            _ = put(" ≡", x: x, line: top, to: board.width, faint, &screen)
        }
    }
}
