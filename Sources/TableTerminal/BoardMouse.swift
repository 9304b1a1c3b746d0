import TableModel

/// The gesture of the mouse.
enum Gesture: Equatable {
    case none
    /// The button is down and the mouse not yet two cells away: no axis is chosen.
    case pressed(Mouse, row: RowID?, wasSelected: Bool)
    /// A swipe of the row; `offset`: the columns by which it is shifted, positive to the right.
    case swiping(RowID, x: Int, from: Int, offset: Int)
    /// Scrolling a strip; `offset`: the strip's, in columns.
    case scrolling(RowID, x: Int, from: Int, offset: Int)
    /// Moving a lifted row; `y`: the screen's line with the pointer.
    case lifting(y: Int)
    /// The gesture was cancelled: nothing happens until the button is released.
    case over
}

// What the mouse means.
extension Board {
    /// After so many cells an axis is chosen.
    private static let lockCells = 2
    /// Columns at a strip's ends where a drag swipes the row (D5).
    private static let handleColumns = 3

    func handle(_ told: Mouse) {
        // A terminal may report any place: one outside the screen is cut to just outside it.
        var mouse = told
        mouse.x = min(max(told.x, -1), width)
        mouse.y = min(max(told.y, -1), height)
        guard mode == .rows else { return takeInList(mouse) }
        switch mouse.action {
        case .wheelUp: scroll(by: -3)
        case .wheelDown: scroll(by: 3)
        case .wheelLeft, .wheelRight: wheel(sideways: mouse)
        case .press: press(mouse)
        case .drag: drag(mouse)
        case .release: release(mouse)
        case .other: break
        }
    }

    private func press(_ mouse: Mouse) {
        if hand != nil, gesture == .none { return putDown(word("drag.back")) }
        message = nil
        let hit = block(atScreenLine: mouse.y)
        let wasSelected = hit?.block.row == selected
        gesture = .pressed(mouse, row: hit?.block.row, wasSelected: wasSelected)
        guard let hit, let row = hit.block.row, row != selected else { return }
        selected = row
        selectedPlace = order?.place(of: row)
        focus = 0
    }

    private func drag(_ mouse: Mouse) {
        switch gesture {
        case .pressed(let start, let row, _):
            let (dx, dy) = (mouse.x - start.x, mouse.y - start.y)
            guard let row, let found = table?.row(row) else { return }
            // A grip goes up and down only, and at once.
            let isGrip = isOnGrip(start, of: found)
            guard max(abs(dx), abs(dy)) >= (isGrip ? 1 : Self.lockCells) else { return }
            if isGrip, dy == 0 { return }
            if !isGrip, abs(dx) >= 2 * abs(dy) {
                beginSideways(found, start)
            } else {
                lift(found, isByMouse: true)
                gesture = hand == nil ? .over : .lifting(y: mouse.y)
            }
            if gesture != .over { drag(mouse) }
        case .swiping(let row, let x, let from, _):
            let offset = bounded(from + mouse.x - x, row)
            gesture = .swiping(row, x: x, from: from, offset: offset)
        case .scrolling(let id, let x, let from, _):
            guard let row = table?.row(id) else { return gesture = .over }
            let offset = min(max(0, from - (mouse.x - x)), strip(of: row).mostOffset)
            gesture = .scrolling(id, x: x, from: from, offset: offset)
        case .lifting:
            gesture = .lifting(y: mouse.y)
            hoverAtPointer(mouse.y)
        case .none, .over: break
        }
    }

    private func beginSideways(_ row: Row, _ start: Mouse) {
        if isStrip(row), openEdge(of: row) == nil {
            let strip = strip(of: row)
            let isHandle = min(start.x, width - 1 - start.x) < Self.handleColumns
            if !isHandle, strip.mostOffset > 0 {
                gesture = .scrolling(row.id, x: start.x, from: strip.offset, offset: strip.offset)
                return
            }
        }
        guard isReachable, !isEditing else {
            if isEditing { refuse(editingText) }
            return gesture = .over
        }
        let from = restOffset(of: row)
        gesture = .swiping(row.id, x: start.x, from: from, offset: from)
    }

    /// Columns by which a row is shifted when nobody drags it.
    func restOffset(of row: Row) -> Int {
        guard let table, let edge = openEdge(of: row),
            let cells = SwipeCells(row, table, edge, width: width, nowMs: timeMs)
        else { return 0 }
        return edge == .leading ? cells.rest : -cells.rest
    }

    /// The offset cut to the row; 0 at an edge without actions.
    private func bounded(_ offset: Int, _ id: RowID) -> Int {
        guard let table, let row = table.row(id) else { return 0 }
        let edge: Edge = offset > 0 ? .leading : .trailing
        guard group(of: row, edge) != nil else { return 0 }
        return min(max(offset, 4 - width), width - 4)
    }

    private func release(_ mouse: Mouse) {
        let ended = gesture
        gesture = .none
        switch ended {
        case .pressed(let start, let row, let wasSelected):
            click(start, row, wasSelected: wasSelected)
        case .swiping(let row, _, _, let offset): endSwipe(row, offset)
        case .scrolling(let id, _, let from, let offset):
            if let row = table?.row(id), offset != from {
                scrollStrip(row, to: strip(of: row).rest(at: offset))
            }
        case .lifting:
            hoverAtPointer(mouse.y)
            drop()
        case .none, .over: break
        }
    }

    private func endSwipe(_ id: RowID, _ offset: Int) {
        guard let table, let row = table.row(id) else { return }
        let edge: Edge = offset > 0 ? .leading : .trailing
        let cells = SwipeCells(row, table, edge, pull: abs(offset), width: width, nowMs: timeMs)
        let wasOpen = openEdge(of: row)
        if let cells, cells.isFull, let first = cells.buttons.first {
            return press(first.action, row, edge, isFull: true)
        }
        if let cells, offset != 0, abs(offset) * 2 >= cells.rest {
            if wasOpen != edge { open(row, edge) }
        } else if wasOpen != nil {
            close(row)
        }
    }

    private func click(_ mouse: Mouse, _ id: RowID?, wasSelected: Bool) {
        guard let table, let id, let row = table.row(id),
            let (block, line) = block(atScreenLine: mouse.y), block.row == id
        else { return }
        if let edge = openEdge(of: row) {
            let cells = SwipeCells(row, table, edge, width: width, nowMs: timeMs)
            let button = cells?.buttons.first { $0.x <= mouse.x && mouse.x < $0.x + $0.width }
            guard let button else {
                // The first click only selects the row: somebody else may have opened it.
                if wasSelected { close(row) }
                return
            }
            return press(button.action, row, edge, isFull: false)
        }
        if isOnControl(mouse, of: row) { return useControl(of: row) }
        if isOnGrip(mouse, of: row) { return }
        if isStrip(row), line > 0 || block.lines == 1 {
            let strip = strip(of: row)
            let hit = strip.items.first { $0.x <= mouse.x && mouse.x < $0.x + $0.width }
            if let hit, strip.window.contains(mouse.x) {
                item = (row.id, hit.id)
                if wasSelected { tap(row) }
                return
            }
        }
        if wasSelected || mouse.x < margin(of: row) + indent(of: row) { expand(row) }
    }

    private func wheel(sideways mouse: Mouse) {
        guard let id = block(atScreenLine: mouse.y)?.block.row, let row = table?.row(id),
            isStrip(row)
        else { return }
        let strip = strip(of: row)
        let isForward = mouse.action == .wheelRight
        let hasPages = table?.kinds[row.content.kind]?.page != Kind.Page.none
        scrollStrip(
            row,
            to: hasPages ? strip.turned(isForward: isForward) : strip.offset + (isForward ? 6 : -6))
    }

    /// Ends a gesture while the button is down, as if nothing had been dragged.
    func cancelGesture() {
        if case .lifting = gesture { putDown(word("drag.back")) }
        if gesture != .none { gesture = .over }
        isDirty = true
    }

    // MARK: Dragging up and down

    /// The place between rows for a drop at a line of the screen; nil: none.
    private func slot(atScreenLine y: Int) -> Hand.Slot? {
        guard let order, let hand, y >= viewTop, y < viewTop + viewHeight else { return nil }
        let flow = flowWithoutDropLine
        guard let first = flow.first, let last = flow.last else { return nil }
        let at = max(y - viewTop, first.y)
        guard let block = flow.first(where: { $0.y <= at && at < $0.y + $0.lines }) else {
            // Below all rows: after the last one.
            if let row = last.row, hand.rows.contains(row) { return hand.origin }
            return Hand.Slot(section: last.section, after: last.row)
        }
        let line = at - block.y
        guard let row = block.row else { return Hand.Slot(section: block.section, after: nil) }
        if hand.rows.contains(row) { return hand.origin }
        let isUpper: Bool
        if block.lines > 1 {
            isUpper = line * 2 < block.lines
        } else {
            // A row of one line makes room on the far side, seen from the lifted row.
            let mine = hand.rows.first.flatMap { order.place(of: $0) }
            let lies = (block.place.section, block.place.index)
            isUpper = mine.map { lies < ($0.section, $0.index) } ?? false
        }
        guard isUpper else { return Hand.Slot(section: block.section, after: row) }
        var place = block.place
        while let before = order.previous(place), before.section == place.section {
            guard let above = order.row(at: before) else { break }
            if !hand.rows.contains(above.id) {
                return Hand.Slot(section: block.section, after: above.id)
            }
            place = before
        }
        return Hand.Slot(section: block.section, after: nil)
    }

    /// The blocks as they would be without the drop line. The pointer's place is found in these:
    /// otherwise the drop line would move the rows under the pointer, and so itself.
    private var flowWithoutDropLine: [Block] {
        guard let target = flow.firstIndex(where: \.hasDropLine) else { return flow }
        // The block that holds still. Blocks beyond the drop line are one line further from it.
        let still = flow.firstIndex { $0.row != nil && $0.row == selected } ?? 0
        return flow.enumerated().map { index, block in
            var block = block
            if index > target, target >= still { block.y -= 1 }
            if index <= target, target < still { block.y += 1 }
            return block
        }
    }

    private func hoverAtPointer(_ y: Int) {
        settle()
        hover(over: slot(atScreenLine: y))
    }

    /// Scrolls while the pointer is at the view's first or last line.
    func scrollWhileDragging() {
        guard case .lifting(let y) = gesture, hand != nil else { return }
        let step = y <= viewTop ? -1 : y >= viewTop + viewHeight - 1 ? 1 : 0
        guard step != 0 else { return }
        let held = selected
        settle()
        guard let first = flow.first(where: { $0.row != nil }), let row = first.row else { return }
        selected = nil
        anchor = (row, first.y - step)
        unsettle()
        settle()
        selected = held
        hoverAtPointer(min(max(y, viewTop), viewTop + viewHeight - 1))
    }
}
