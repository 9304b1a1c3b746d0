import TableLayout
import TableModel

// What is seen, and where: lines of the view, which is the screen without its first and last line.

/// A row or a heading, with the lines that it takes.
struct Block: Equatable {
    var place: RowOrder.Place
    /// Nil: a section's heading.
    var row: RowID?
    var section: SectionID
    /// Line of the view where it begins; may be above.
    var y: Int
    /// Without the drop line.
    var lines: Int
    /// A line more, below it: what is lifted would be dropped there.
    var hasDropLine = false

    var end: Int { y + lines + (hasDropLine ? 1 : 0) }
}

extension Board {
    /// A screen that is smaller says so, and shows nothing else.
    static let leastWidth = 16, leastHeight = 4

    var isTooSmall: Bool { width < Self.leastWidth || height < Self.leastHeight }
    var viewTop: Int { 1 }
    var viewHeight: Int { max(0, height - 2) }

    func unsettle() {
        isSettled = false
        isDirty = true
    }

    /// Lines that a row takes, by the profile `cell`; at least one.
    func lines(of row: RowID) -> Int {
        guard let points = index?.height(of: row) else { return 1 }
        return max(1, Int((points / metrics.cellHeightPoints).rounded()))
    }

    /// Whether there is more to be said than that the rows are in `main`.
    var hasHeadings: Bool {
        guard let table else { return false }
        if table.sections.count > 1 || hand != nil { return true }
        return table.sections.first.map { $0.id != .mainSection || !$0.title.isEmpty } ?? false
    }

    private func block(_ place: RowOrder.Place, at y: Int, _ order: RowOrder) -> Block {
        let section = order.sections[place.section].id
        let row = order.row(at: place)?.id
        let lines = row.map { self.lines(of: $0) } ?? (hasHeadings ? 1 : 0)
        let target = hand?.target
        let isTarget = target?.section == section && target?.after == row
        return Block(
            place: place, row: row, section: section, y: y, lines: lines, hasDropLine: isTarget)
    }

    /// Finds what is seen, around the anchor; nothing is scrolled beyond its ends.
    func settle() {
        if isSettled { return }
        isSettled = true
        flow = []
        guard let order, !order.sections.isEmpty, viewHeight > 0 else { return }
        if anchor.flatMap({ order.place(of: $0.row) }) == nil {
            anchor = (selected.flatMap { order.place(of: $0) == nil ? nil : $0 } ?? order.first)
                .map { ($0, 1) }
        }
        // Of a table without rows, its headings from the top.
        let start = anchor.flatMap { order.place(of: $0.row) } ?? .init(section: 0, index: -1)
        var blocks = [block(start, at: anchor?.line ?? 0, order)]
        grow(&blocks, order)
        // No gap above the first, none below the last unless all is seen.
        if let top = blocks.first?.y, top > 0 {
            shift(&blocks, by: -top)
            grow(&blocks, order)
        }
        if let end = blocks.last?.end, end < viewHeight {
            shift(&blocks, by: viewHeight - end)
            grow(&blocks, order)
            if let top = blocks.first?.y, top > 0 { shift(&blocks, by: -top) }
        }
        flow = blocks.filter { $0.end > 0 && $0.y < viewHeight }
        holdOn(order)
    }

    private func shift(_ blocks: inout [Block], by lines: Int) {
        for index in blocks.indices { blocks[index].y += lines }
    }

    private func grow(_ blocks: inout [Block], _ order: RowOrder) {
        while let first = blocks.first, first.y > 0, let place = order.previous(first.place) {
            var new = block(place, at: 0, order)
            new.y = first.y - new.end
            blocks.insert(new, at: 0)
        }
        while let last = blocks.last, last.end < viewHeight, let place = order.next(last.place) {
            blocks.append(block(place, at: last.end, order))
        }
    }

    /// Chooses what holds still at the next change: the selected row, if it is seen.
    private func holdOn(_ order: RowOrder) {
        if selected == nil { selected = flow.first { $0.row != nil }?.row }
        let mine = flow.first { $0.row != nil && $0.row == selected }
        if let held = mine ?? flow.first(where: { $0.row != nil }), let row = held.row {
            anchor = (row, held.y)
        }
        selectedPlace = selected.flatMap { order.place(of: $0) }
    }

    func block(of row: RowID?) -> Block? {
        settle()
        return row == nil ? nil : flow.first { $0.row == row }
    }

    /// The block at a line of the screen, and the line within it.
    func block(atScreenLine line: Int) -> (block: Block, line: Int)? {
        settle()
        let y = line - viewTop
        guard y >= 0, y < viewHeight else { return nil }
        return flow.first { $0.y <= y && y < $0.end }.map { ($0, y - $0.y) }
    }

    // MARK: Moving

    /// Scrolls so that the selected row is seen, with as little movement as possible.
    func reveal() {
        settle()
        guard let selected, let order, order.place(of: selected) != nil else { return }
        let lines = lines(of: selected)
        if let block = block(of: selected) {
            // With its section's heading, where it is the first.
            let isFirst = block.place.index == 0 && hasHeadings
            let top = block.y - (isFirst ? 1 : 0)
            if top < 0 {
                anchor = (selected, isFirst && lines < viewHeight ? 1 : 0)
            } else if block.end > viewHeight, block.y > 0 {
                anchor = (selected, max(0, viewHeight - lines - (block.hasDropLine ? 1 : 0)))
            } else {
                return
            }
        } else {
            let isAbove = flow.first.map { first in
                guard let rank = order.place(of: selected) else { return false }
                return (rank.section, rank.index) < (first.place.section, first.place.index)
            }
            anchor = (selected, isAbove == true ? 1 : max(0, viewHeight - lines))
        }
        unsettle()
        settle()
    }

    /// Selects a row, and shows it.
    func select(_ row: RowID?) {
        guard let row else { return }
        if row != selected { focus = 0 }
        selected = row
        isDirty = true
        reveal()
        selectedPlace = order?.place(of: row)
    }

    /// Scrolls the view, without the selection unless it would be left behind.
    func scroll(by lines: Int) {
        settle()
        guard let held = flow.first(where: { $0.row != nil }), let row = held.row else { return }
        anchor = (row, held.y - lines)
        unsettle()
        settleAroundView()
    }

    /// Keeps the selection within what is seen.
    private func settleAroundView() {
        let old = selected
        let before = flow
        // The anchor must not become the selected row before it is known to be seen.
        selected = nil
        settle()
        if let old, flow.contains(where: { $0.row == old }) {
            selected = old
        } else if let old, before.contains(where: { $0.row == old }) {
            let rows = flow.filter { $0.row != nil && $0.y >= 0 && $0.y + $0.lines <= viewHeight }
            let wasAbove = before.firstIndex { $0.row == old } ?? 0
            selected = (wasAbove < before.count / 2 ? rows.first : rows.last)?.row ?? selected
            focus = 0
        } else {
            selected = old
        }
        selectedPlace = selected.flatMap { order?.place(of: $0) }
        isDirty = true
    }

    /// To the next row or the one before; through a row that is higher than the view by lines.
    func step(isUp: Bool) {
        settle()
        guard let order else { return }
        guard let selected, let block = block(of: selected) else {
            // What is selected is elsewhere: first go there.
            return select(self.selected ?? order.first)
        }
        let hidden = isUp ? -block.y : block.end - viewHeight
        if hidden > 0, block.lines >= viewHeight {
            anchor = (selected, block.y + (isUp ? 1 : -1) * min(hidden, max(1, viewHeight / 2)))
            return unsettle()
        }
        select(order.row(beside: selected, isAbove: isUp))
    }

    /// A screen up or down.
    func page(isUp: Bool) {
        settle()
        guard let order, let selected else { return }
        var place: RowID? = selected
        var left = max(1, viewHeight - 2)
        while let row = place, left > 0 {
            left -= lines(of: row)
            guard left > 0, let next = order.row(beside: row, isAbove: isUp) else { break }
            place = next
        }
        if place == selected { place = order.row(beside: selected, isAbove: isUp) }
        select(place)
    }

    /// To the first row of another section.
    func section(isUp: Bool) {
        guard let order, let selected, let place = order.place(of: selected) else { return }
        if isUp, place.index > 0 {
            return select(order.row(at: .init(section: place.section, index: 0))?.id)
        }
        var section = place.section + (isUp ? -1 : 1)
        while order.sections.indices.contains(section) {
            if let row = order.row(at: .init(section: section, index: 0)) {
                select(row.id)
                // A section that is entered is shown with its heading, and what follows.
                if !isUp, let block = block(of: row.id), block.y > viewHeight / 2 {
                    anchor = (row.id, min(block.y, viewHeight / 4 + 1))
                    unsettle()
                }
                return
            }
            section += isUp ? -1 : 1
        }
    }
}
