import TableModel

// The actions behind a row that is swiped.

extension RowLines {
    func buttons(_ lines: Range<Int>, _ screen: inout Screen) {
        let edge: Edge = offset > 0 ? .leading : .trailing
        guard
            let cells = SwipeCells(
                row, table, edge, pull: abs(offset), width: board.width, nowMs: board.timeMs)
        else { return }
        var isDragged = false
        if case .swiping(row.id, _, _, _) = board.gesture { isDragged = true }
        for (index, button) in cells.buttons.enumerated() where button.width > 0 {
            // An action that its guard refuses keeps its place, without its colour.
            let isAllowed = board.allows(button.action, on: row.id)
            let own = isAllowed ? button.action : Action("")
            let ground =
                own.background.flatMap { Color($0) }
                ?? (own.role == .destructive ? Theme.danger : Theme.buttonGround)
            let ink = own.foreground.flatMap { Color($0) } ?? Theme.ink(on: ground)
            let isFocused = isSelected && !isDragged && index == board.focus && board.isOwn(row)
            let style = Style(ink, on: ground, isFocused ? [.block, .bold, .underlined] : .block)
            let end = button.x + button.width
            for y in lines {
                screen.fill(x: button.x, y: y, to: end, Style(ink, on: ground, .block))
            }
            let text: String
            if cells.isFull, index == 0, isDragged {
                text = " " + board.word("release", ["action": button.title])
            } else if isSelected {
                let mark = isAllowed ? "\(index + 1)" : "×"
                text = "\(isFocused ? "▸" : " ")\(mark) \(button.title)"
            } else {
                text = "\(isAllowed ? " " : " × ")\(button.title)"
            }
            _ = put(text, x: button.x, line: top, to: end, style, &screen)
        }
    }
}
