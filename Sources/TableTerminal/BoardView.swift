import TableLayout
import TableModel

// The visible rows and their lines. The view is the screen without its first and last line.

/// A row or a heading, with the lines of the view that it takes.
struct Block: Equatable {
    var place: RowOrder.Place
    /// Nil: a section's heading.
    var row: RowID?
    var section: SectionID
    /// Its first line in the view; negative above the view.
    var y: Int
    /// How many lines it takes, without the drop line.
    var lines: Int
    /// Has one more line below it, where the lifted rows would be dropped.
    var hasDropLine = false

    var end: Int { y + lines + (hasDropLine ? 1 : 0) }
}

extension Board {
    /// A smaller screen says that it is too small, and shows nothing else.
    static let leastWidth = 16, leastHeight = 4

    var isTooSmall: Bool { width < Self.leastWidth || height < Self.leastHeight }
    var viewTop: Int { 1 }
    var viewHeight: Int { max(0, height - 2) }

    func unsettle() {
        isSettled = false
        isDirty = true
    }

    /// How many lines a row takes: as many as in the profile `cell`, and as many as its text needs beside its badges; at
    /// least one.
    func lines(of row: RowID) -> Int {
        guard let points = index?.height(of: row) else { return 1 }
        let lines = max(1, Int((points / metrics.cellHeightPoints).rounded()))
        guard let table, let spot = table.position(of: row), !isStrip(spot.row),
            expansions.shown(spot.row).expansion == .expanded
                || table.kind(of: spot.row)?.hasTextHeights == true
        else { return lines }
        let block = Block(
            place: .init(section: 0, index: 0), row: row, section: spot.section, y: 0, lines: lines)
        let drawn = RowLines(board: self, table: table, row: spot.row, block: block)
        return max(lines, drawn.neededLines)
    }

    /// Whether headings are shown: not if all rows are in an untitled `main` and none is lifted.
    var hasHeadings: Bool {
        guard let table else { return false }
        if table.sections.count > 1 || hand != nil { return true }
        return table.sections.first.map { $0.id != .mainSection || !$0.title.isEmpty } ?? false
    }

    /// The heading of the first visible row's section, whose own place is above the view: it stands over the first line.
    var stuckHeading: Block? {
        guard stuckLines > 0, let first = flow.first, first.row != nil else { return nil }
        return Block(
            place: .init(section: first.place.section, index: -1), row: nil, section: first.section,
            y: 0, lines: 1)
    }

    /// How many lines at the top of the view a heading may stand over. A low view has none to spare.
    private var stuckLines: Int { hasHeadings && viewHeight >= 6 ? 1 : 0 }

    private func block(_ place: RowOrder.Place, at y: Int, _ order: RowOrder) -> Block {
        let section = order.sections[place.section].id
        let row = order.row(at: place)?.id
        let lines = row.map { self.lines(of: $0) } ?? (hasHeadings ? 1 : 0)
        let target = hand?.target
        let isTarget = target?.section == section && target?.after == row
        return Block(
            place: place, row: row, section: section, y: y, lines: lines, hasDropLine: isTarget)
    }

    /// Finds the visible blocks around the anchor; never scrolls beyond the ends.
    func settle() {
        if isSettled { return }
        isSettled = true
        flow = []
        guard let order, !order.sections.isEmpty, viewHeight > 0 else { return }
        if anchor.flatMap({ order.place(of: $0.row) }) == nil {
            anchor = (selected.flatMap { order.place(of: $0) == nil ? nil : $0 } ?? order.first)
                .map { ($0, 1) }
        }
        // A table without rows shows its headings from the top.
        let start = anchor.flatMap { order.place(of: $0.row) } ?? .init(section: 0, index: -1)
        var blocks = [block(start, at: anchor?.line ?? 0, order)]
        grow(&blocks, order)
        // No gap above the first block, and none below the last unless all blocks fit.
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

    /// Chooses the row that holds still at the next change: the selected one if it is visible, else the first.
    private func holdOn(_ order: RowOrder) {
        if let emptied, table?.section(emptied) == nil { self.emptied = nil }
        if selected == nil, emptied == nil {
            selected = flow.first { $0.row != nil && $0.end > stuckLines }?.row
        }
        let mine = flow.first { $0.row != nil && $0.row == selected }
        if let held = mine ?? flow.first(where: { $0.row != nil }), let row = held.row {
            anchor = (row, held.y)
        }
        if let selected { selectedPlace = order.place(of: selected) }
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
        if y == 0, let stuckHeading { return (stuckHeading, 0) }
        return flow.first { $0.y <= y && y < $0.end }.map { ($0, y - $0.y) }
    }

    // MARK: Moving

    /// Scrolls the selected row into sight, as little as possible.
    func reveal() {
        settle()
        guard let selected, let order, order.place(of: selected) != nil else { return }
        let lines = lines(of: selected)
        if let block = block(of: selected) {
            // A row is shown with its section's heading: the first one below it, any other below where it stands.
            let heading = block.place.index == 0 && hasHeadings ? 1 : stuckLines
            if block.y < heading {
                anchor = (selected, lines < viewHeight ? heading : stuckLines)
            } else if block.end > viewHeight, block.y > stuckLines {
                anchor = (
                    selected, max(stuckLines, viewHeight - lines - (block.hasDropLine ? 1 : 0))
                )
            } else {
                return
            }
        } else {
            let isAbove = flow.first.map { first in
                guard let rank = order.place(of: selected) else { return false }
                return (rank.section, rank.index) < (first.place.section, first.place.index)
            }
            anchor = (selected, isAbove == true ? 1 : max(stuckLines, viewHeight - lines))
        }
        unsettle()
        settle()
    }

    func select(_ row: RowID?) {
        guard let row else { return }
        if row != selected { focus = 0 }
        selected = row
        emptied = nil
        isDirty = true
        reveal()
        selectedPlace = order?.place(of: row)
    }

    /// Scrolls the view. The selection stays on its row unless that leaves the view.
    func scroll(by lines: Int) {
        settle()
        guard let held = flow.first(where: { $0.row != nil }), let row = held.row else { return }
        anchor = (row, held.y - lines)
        unsettle()
        settleAroundView()
    }

    private func settleAroundView() {
        let old = selected
        let before = flow
        // `settle` must not anchor at the selected row before it is known to be visible.
        selected = nil
        settle()
        if let old, flow.contains(where: { $0.row == old && $0.end > stuckLines }) {
            selected = old
        } else if let old, before.contains(where: { $0.row == old }) {
            let rows = flow.filter {
                $0.row != nil && $0.y >= stuckLines && $0.y + $0.lines <= viewHeight
            }
            let wasAbove = before.firstIndex { $0.row == old } ?? 0
            selected = (wasAbove < before.count / 2 ? rows.first : rows.last)?.row ?? selected
            focus = 0
        } else {
            selected = old
        }
        selectedPlace = selected.flatMap { order?.place(of: $0) }
        isDirty = true
    }

    /// Goes to the next row or the one before; scrolls through a row that is higher than the view.
    func step(isUp: Bool) {
        settle()
        guard let order else { return }
        if selected == nil, let emptied {
            return select(order.row(besideSection: emptied, isAbove: isUp) ?? order.first)
        }
        guard let selected, let block = block(of: selected) else {
            // The selected row is out of sight: first go there.
            return select(self.selected ?? order.first)
        }
        let hidden = isUp ? stuckLines - block.y : block.end - viewHeight
        if hidden > 0, block.lines >= viewHeight {
            anchor = (selected, block.y + (isUp ? 1 : -1) * min(hidden, max(1, viewHeight / 2)))
            return unsettle()
        }
        select(order.row(beside: selected, isAbove: isUp))
    }

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

    /// Goes to the first row of this section or of another one.
    func section(isUp: Bool) {
        guard let order, let selected, let place = order.place(of: selected) else {
            return step(isUp: isUp)
        }
        if isUp, place.index > 0 {
            return select(order.row(at: .init(section: place.section, index: 0))?.id)
        }
        var section = place.section + (isUp ? -1 : 1)
        while order.sections.indices.contains(section) {
            if let row = order.row(at: .init(section: section, index: 0)) {
                select(row.id)
                // The section is shown with its heading and the rows that follow.
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
