import TableModel

extension RowLines {
    /// The title's line: so high that items have room for all the fields that their kinds name.
    var stripTop: Int {
        let fields = kind.itemKinds.values.map { $0.fields?.count ?? 1 }.max() ?? 0
        return min(naturalTop, max(0, block.lines - 2 - fields))
    }

    func strip(line: Int, after title: Int, _ screen: inout Screen) {
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
                let columns = badgeColumns(of: item, from: start, to: end)
                _ = put(item.title, x: item.x + 1, line: line, to: end - columns, style, &screen)
                badge(of: item, line: line, from: end - columns, to: end, &screen)
            }
            details(of: item, below: line, from: start, to: end, &screen)
        }
        guard let last = cells.items.last else {
            _ = put(board.word("noItems"), x: from, line: line, to: right, faint, &screen)
            return
        }
        if last.x + last.width > until {
            _ = put("›", x: until, line: line, to: board.width, faint, &screen)
        }
        if cells.offset > 0, from > 0 {
            _ = put("‹", x: max(0, from - 1), line: line, to: from, faint, &screen)
        }
    }

    /// How many columns the badge takes at the cell's end, where the title ends before it.
    private func badgeColumns(of item: StripCells.Item, from start: Int, to end: Int) -> Int {
        guard let badge = item.text.badge, item.x + item.width <= end else { return 0 }
        let columns = min(badge.shownColumns + 2, end - start)
        return columns > 2 ? columns : 0
    }

    private func badge(
        of item: StripCells.Item, line: Int, from start: Int, to end: Int, _ screen: inout Screen
    ) {
        guard let badge = item.text.badge, start < end else { return }
        _ = put(
            " \(badge) ", x: start, line: line, to: end,
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
}
