import TableLayout
import TableModel
import TableSync

/// Draws one row on the lines of its block.
struct RowLines {
    let board: Board
    let table: Table
    let row: Row
    let block: Block
    private let kind: Kind
    private let isSelected: Bool
    private let isLifted: Bool
    private let ghost: Lease?
    private let margin: Int
    private let control: Kind.EditingStyle
    private let hasGrip: Bool
    /// Columns by which the row is shifted, by the mouse or because it is open; positive: the
    /// actions at the leading edge are visible.
    private let offset: Int

    init(board: Board, table: Table, row: Row, block: Block) {
        self.board = board
        self.table = table
        self.row = row
        self.block = block
        kind = table.kind(of: row) ?? Kind(row.content.kind)
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
    }

    /// The row's name for people: its title, or its id if it has none.
    static func name(of row: Row) -> String {
        row.content.title.isEmpty ? row.id.text : row.content.title
    }

    // MARK: Styles

    private var ground: Color? {
        if isLifted { return nil }
        return isSelected ? Theme.chosenGround : background
    }
    private var marks: Style.Marks { ground != nil ? .block : [] }

    /// What the row's state says of its look (F12).
    private var appearance: Kind.Appearance { kind.appearance(in: row.expansion) }
    private var background: Color? { appearance.background.flatMap { Color($0) } }
    private var tint: Color? { isSelected ? nil : appearance.tint.flatMap { Color($0) } }
    private var alpha: Double { appearance.alpha(in: row.expansion) }
    /// A terminal has no half-transparent text: it is set faint instead.
    private var fading: Style.Marks { alpha < 1 ? .faint : [] }
    /// Text in no colour of its own.
    private var plainInk: Color? {
        if isSelected { return Theme.white }
        return tint ?? background.map { Theme.ink(on: $0) }
    }

    private func style(_ ink: Color?, _ more: Style.Marks = []) -> Style {
        if isLifted { return Style(Theme.grey, on: nil, [.faint]) }
        return Style(ink ?? plainInk, on: ground, marks.union(more))
    }

    private var faint: Style {
        style(isSelected ? Theme.color(0xBFCBDB) : plainInk ?? Theme.grey)
    }

    // MARK: Drawing

    func draw(into screen: inout Screen) {
        let lines = visibleLines
        for y in lines {
            screen.fill(x: 0, y: y, to: board.width, Style(nil, on: ground, marks))
        }
        content(&screen)
        gutter(lines, &screen)
        editMarks(&screen)
        if offset != 0 { buttons(lines, &screen) }
    }

    /// The visible lines of the block, as lines of the screen.
    private var visibleLines: Range<Int> {
        let from = max(0, block.y), to = min(block.y + block.lines, board.viewHeight)
        return board.viewTop + from..<board.viewTop + max(from, to)
    }

    private func put(
        _ text: String, x: Int, line: Int, to end: Int, _ style: Style, _ screen: inout Screen
    ) -> Int {
        let y = block.y + line
        guard line < block.lines, y >= 0, y < board.viewHeight else { return x }
        return screen.put(text, x: x, y: board.viewTop + y, to: end, style)
    }

    /// The title's line in the block: the middle of a collapsed row.
    private var top: Int {
        let line = board.metrics.lineHeightPoints()
        let top = max(0, (kind.heightPoints - line) / 2 / line)
        return min(Int(min(top, 1_000)), block.lines - 1)
    }

    /// The column where the row begins: actions at the leading edge push it to the right.
    private var origin: Int { max(0, offset) }

    /// The columns where text begins and ends. Actions at the trailing edge cover the row's end and
    /// do not push it, so its title stays readable.
    private var left: Int { origin + margin + board.indent(of: row) }
    private var right: Int {
        max(left + 1, min(board.width, board.width + offset) - board.rightMargin(of: row))
    }

    private func content(_ screen: inout Screen) {
        let isOpen = row.expansion != .collapsed || alpha > 0
        if isOpen, !board.isStrip(row) { return opened(&screen) }
        let end = badges(&screen)
        var x = put(Self.name(of: row), x: left, line: top, to: end, titleStyle, &screen)
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

    private var titleStyle: Style {
        if row.content.title.isEmpty { return faint }
        return style(nil, board.isDense && !isSelected ? [] : .bold)
    }

    /// The reason why an action failed, or else the fields.
    private var subtitle: (text: String, style: Style) {
        for performance in row.performed {
            if case .failed(let reason) = performance.state, !reason.isEmpty {
                let title = title(of: performance)
                return ("\(title) failed: \(reason)", style(Theme.late))
            }
        }
        let fields = row.content.fields.map { "\($0.key.text) \($0.value)" }
        return (fields.joined(separator: " · "), faint)
    }

    private func title(of performance: Performance) -> String {
        table.title(of: performance.deed, on: row)
    }

    /// Draws title and fields in full, as far as there are lines.
    private func opened(_ screen: inout Screen) {
        let end = badges(&screen)
        // The marks of edit mode take columns of the text; the row's height stays.
        let lost = max(0, board.width - 2 * margin - (right - left))
        let text = RowText(
            row.content, kind: kind,
            widthPoints: board.widthPoints
                - (control == .none && !hasGrip ? 0 : Double(lost) * Metrics.cell.cellWidthPoints),
            metrics: board.metrics)
        var line = top
        var titles = text.titleLines
        if row.content.title.isEmpty { titles = [row.id.text] }
        for title in titles {
            guard line < block.lines, line == top || alpha > 0 else { return }
            var style = titleStyle
            if line > top { style.marks.formUnion(fading) }
            _ = put(title, x: left, line: line, to: line == top ? end : right, style, &screen)
            line += 1
        }
        guard alpha > 0 else { return }
        let (why, whyStyle) = subtitle
        let fields = row.content.fields
        let room = block.lines - line
        let shown = fields.count <= room ? fields.count : max(0, room - 1)
        let column = min(
            fields.prefix(shown).map { $0.key.text.shownColumns }.max() ?? 0, board.width / 3)
        for field in fields.prefix(shown) {
            _ = put(
                field.key.text, x: left, line: line, to: left + column, faint, &screen)
            _ = put(
                field.value, x: left + column + 2, line: line, to: right, style(nil, fading),
                &screen)
            line += 1
        }
        if shown < fields.count, line < block.lines {
            let text = "… \(fields.count - shown) more"
            _ = put(text, x: left, line: line, to: right, faint, &screen)
        } else if whyStyle != faint, line < block.lines {
            _ = put(why, x: left, line: line, to: right, whyStyle, &screen)
        }
    }

    /// Draws the badges to the right of the title; returns the column where the title must end.
    private func badges(_ screen: inout Screen) -> Int {
        var parts: [(text: String, style: Style)] = []
        if let ghost { parts.append(("⇅ \(ghost.holder.text)", style(Theme.accent, .bold))) }
        if row.swipe != nil, let opener = board.openers[row.id] {
            parts.append(("↔ \(opener.text)", style(Theme.accent, .bold)))
        }
        if isLifted { parts.append(("⇅ lifted", Style(Theme.accent, on: nil, .bold))) }
        if let claim = row.claim {
            let note = claim.note.isEmpty ? "" : ": \(claim.note)"
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
        if let age {
            switch age.stage {
            case .fresh: parts.append((age.text, faint))
            case .warned: parts.append((age.text, style(Theme.warn, .bold)))
            case .late:
                parts.append(
                    (" \(age.text) ", Style(Theme.white, on: Theme.danger, [.bold, .block])))
            }
        }
        var end = right
        for part in parts.reversed() {
            let columns = part.text.shownColumns
            // The title keeps at least 8 columns and a third of the line.
            guard end - columns > left + max(8, (right - left) / 3) else { break }
            _ = put(part.text, x: end - columns, line: top, to: end, part.style, &screen)
            end -= columns + 2
        }
        return max(end, left + 1)
    }

    private var age: Age? { Age(of: row, kind: kind, nowMs: board.nowMs) }

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
            for y in lines {
                screen.put(mark, x: origin, y: y, Style(ink, on: ground, []))
            }
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

    // MARK: Strips

    private func strip(line: Int, after title: Int, _ screen: inout Screen) {
        let cells = board.strip(of: row)
        // On a single line the title gives way.
        let from = line == top ? min(title + 2, board.width / 3) : left
        let until = min(cells.window.upperBound, right)
        let marked = isSelected ? board.markedItem(of: row) : nil
        if line == top {
            screen.fill(
                x: from, y: board.viewTop + block.y + line, to: right,
                Style(nil, on: ground, marks))
        }
        for item in cells.items {
            let start = max(item.x, from), end = min(item.x + item.width, until)
            guard start < end else { continue }
            let isMarked = item.id == marked
            let style = Style(
                isMarked ? Theme.dark : Theme.barInk, on: isMarked ? Theme.accent : Theme.barGround,
                isMarked ? [.bold, .block] : [.underlined])
            let y = block.y + line
            guard y >= 0, y < board.viewHeight else { continue }
            screen.fill(x: start, y: board.viewTop + y, to: end, style)
            if item.x < from {
                screen.put("‹", x: start, y: board.viewTop + y, to: end, style)
            } else {
                _ = put(item.title, x: item.x + 1, line: line, to: end, style, &screen)
                badge(of: item, line: line, from: start, to: end, &screen)
            }
            details(of: item, below: line, from: start, to: end, &screen)
        }
        guard let last = cells.items.last else {
            _ = put("no items", x: from, line: line, to: right, faint, &screen)
            return
        }
        if last.x + last.width > until {
            _ = put("›", x: until, line: line, to: board.width, faint, &screen)
        }
        if cells.offset > 0, from > 0 {
            _ = put("‹", x: max(0, from - 1), line: line, to: from, faint, &screen)
        }
    }

    /// The badge at the cell's end, over the title if there is no other room.
    private func badge(
        of item: StripCells.Item, line: Int, from start: Int, to end: Int,
        _ screen: inout Screen
    ) {
        guard let badge = item.text.badge, item.x + item.width <= end else { return }
        let columns = min(badge.shownColumns + 2, end - start)
        guard columns > 2 else { return }
        _ = put(
            " \(badge) ", x: end - columns, line: line, to: end,
            Style(Theme.dark, on: Theme.warn, [.bold, .block]), &screen)
    }

    /// The lines of a cell below its title, as far as the row has lines for them.
    private func details(
        of item: StripCells.Item, below line: Int, from start: Int, to end: Int,
        _ screen: inout Screen
    ) {
        guard item.x >= start, kindHasCells(item.id) else { return }
        for (index, text) in item.text.details.enumerated() {
            let line = line + 1 + index
            guard line < block.lines else { return }
            _ = put(text, x: item.x + 1, line: line, to: end, faint, &screen)
        }
    }

    private func kindHasCells(_ item: ID) -> Bool {
        row.content.index(of: item).flatMap { kind.itemKind(of: row.content.items[$0]) } != nil
    }

    // MARK: Actions

    private func buttons(_ lines: Range<Int>, _ screen: inout Screen) {
        let edge: Edge = offset > 0 ? .leading : .trailing
        guard
            let cells = SwipeCells(
                row, table, edge, pull: abs(offset), width: board.width, nowMs: board.nowMs)
        else { return }
        var isDragged = false
        if case .swiping(row.id, _, _, _) = board.gesture { isDragged = true }
        for (index, button) in cells.buttons.enumerated() where button.width > 0 {
            let ground =
                button.action.background.flatMap { Color($0) }
                ?? (button.action.role == .destructive ? Theme.danger : Theme.buttonGround)
            let ink = button.action.foreground.flatMap { Color($0) } ?? Theme.ink(on: ground)
            let isFocused = isSelected && !isDragged && index == board.focus
            let style = Style(ink, on: ground, isFocused ? [.block, .bold, .underlined] : .block)
            let end = button.x + button.width
            for y in lines {
                screen.fill(x: button.x, y: y, to: end, Style(ink, on: ground, .block))
            }
            let text: String
            if cells.isFull, index == 0, isDragged {
                text = " release: \(button.title)"
            } else if isSelected {
                text = "\(isFocused ? "▸" : " ")\(index + 1) \(button.title)"
            } else {
                text = " \(button.title)"
            }
            _ = put(text, x: button.x, line: top, to: end, style, &screen)
        }
    }
}
