import TableLayout
import TableModel
import TableSync

// Swiping rows, and scrolling strips.
extension Board {
    /// The edge at which the row is open, on all screens or on this one.
    func openEdge(of row: Row) -> Edge? {
        if let expected, expected.row == row.id { return expected.edge }
        return table?.settings.swipeScope == .viewer ? swipes.open[row.id] : row.swipe
    }

    /// Asks for a shared swipe, and expects it until the table shows the result.
    private func wishSwipe(_ row: Row, _ edge: Edge?) {
        let number = wish(
            .command(.swipe(row.id, edge)),
            word(edge == nil ? "what.closing" : "what.opening", ["row": row.id.text]))
        expected = Expected(row: row.id, edge: edge, number: number, untilMs: nowMs &+ 2_000)
    }

    /// The parts of the row's actions that this screen does not show.
    func lost(of row: Row, at edge: Edge) -> [String] {
        guard let table else { return [] }
        return SwipeCells(row, table, edge, width: width, nowMs: timeMs)?.lost ?? []
    }

    func group(of row: Row, _ edge: Edge) -> ActionGroup? {
        guard let group = table?.actions(of: row, at: edge), !group.actions.isEmpty else {
            return nil
        }
        return group
    }

    /// ← and →. As with a drag, right reveals the actions at the leading edge.
    func sideways(_ row: Row, isRight: Bool) {
        let edge: Edge = isRight ? .leading : .trailing
        if let open = openEdge(of: row) {
            // A person who presses the key for a row that another has opened means to open it.
            guard isOwn(row) else { return take(row) }
            let count = group(of: row, open)?.actions.count ?? 0
            if open == edge {
                focus = min(focus + 1, max(0, count - 1))
            } else if focus > 0 {
                focus -= 1
            } else {
                close(row)
            }
            return
        }
        // The strip scrolls as long as it can (D5).
        if isStrip(row), markItem(of: row, isRight: isRight) { return }
        open(row, edge)
    }

    /// Whether this screen has opened the row, or a person here has turned to it since another one did.
    func isOwn(_ row: Row) -> Bool { openers[row.id] == nil || touched == row.id }

    /// From now on Enter performs the focused action of a row that another has opened.
    func take(_ row: Row) {
        touched = row.id
        focus = 0
        isDirty = true
    }

    func open(_ row: Row, _ edge: Edge) {
        guard group(of: row, edge) != nil else {
            return say(word(edge == .leading ? "noActions.left" : "noActions.right"))
        }
        guard let table, isReachable else { return }
        focus = 0
        if isEditing { return refuse(editingText) }
        if table.settings.swipeScope == .viewer {
            do {
                try swipes.open(row.id, at: edge, in: table)
            } catch { refuse(error.message) }
        } else {
            wishSwipe(row, edge)
        }
    }

    func close(_ row: Row) {
        focus = 0
        if table?.settings.swipeScope == .viewer { return swipes.close(row.id) }
        guard isReachable else { return }
        wishSwipe(row, nil)
    }

    /// Performs the action at an index of the open row.
    func press(_ index: Int) {
        guard let table, let selected, let row = table.row(selected) else { return }
        guard block(of: selected) != nil else { return select(selected) }
        guard let edge = openEdge(of: row), let group = group(of: row, edge) else {
            return say(word("reveal.first", ["left": keyName(.left), "right": keyName(.right)]))
        }
        guard group.actions.indices.contains(index) else {
            return say(word("keys.actions", ["count": group.actions.count]))
        }
        press(group.actions[index], row, edge, isFull: false)
    }

    func press(_ action: Action, _ row: Row, _ edge: Edge, isFull: Bool) {
        guard isReachable else { return }
        perform(
            action, Command.Act(action.id, on: row.id, edge: edge, isFull: isFull), on: row,
            closes: action.hidesWhenSelected)
    }

    /// Performs an action of a row or of an item, once the person has confirmed it if it asks for that.
    func perform(_ action: Action, _ act: Command.Act, on row: Row, closes: Bool) {
        var act = act
        act.isConfirmed = action.asksToConfirm
        if let guarded = action.guarded, table != nil, !allows(action, on: row.id) {
            return refuse(guarded.refusal)
        }
        guard let commands = acts(action, act, on: row) else { return }
        let rows = commands.count == 1 ? [row.id] : rows(with: row).map(\.id)
        let pressed = Pressed(
            title: action.shownTitle, commands: commands, rows: rows, closes: closes)
        if action.asksToConfirm { mode = .confirm(pressed) } else { carryOut(pressed) }
    }

    func takeInConfirm(_ key: Key, _ pressed: Pressed) {
        mode = .rows
        guard key == .character("y") || key == .character("Y") else { return say(word("notDone")) }
        carryOut(pressed)
    }

    private func carryOut(_ pressed: Pressed) {
        guard isReachable else { return }
        change(pressed.commands, pressed.title)
        if pressed.closes { for row in pressed.rows { swipes.close(row) } }
    }

    // MARK: Strips

    func isStrip(_ row: Row) -> Bool { table?.kinds[row.content.kind]?.isStrip == true }

    func markedItem(of row: Row) -> ID? {
        guard let item, item.row == row.id, row.content.index(of: item.item) != nil else {
            return nil
        }
        return item.item
    }

    func scroll(of row: Row) -> Scroll? {
        table?.settings.scrollScope == .shared ? row.scroll : scrolls[row.id]
    }

    /// Columns at each side of a row's text.
    func margin(of row: Row) -> Int {
        let points = table?.kinds[row.content.kind]?.margins.text ?? 20
        let columns = (points.isFinite ? points : 20) / Metrics.cell.cellWidthPoints
        return Int(min(max(columns, 0), Double(width / 3)).rounded())
    }

    func strip(of row: Row) -> StripCells {
        var offset: Int?
        if case .scrolling(row.id, _, _, let dragged) = gesture { offset = dragged }
        return StripCells(
            row, table?.kinds[row.content.kind], scroll: scroll(of: row), offset: offset,
            margin: max(1, margin(of: row) + indent(of: row)), width: width)
    }

    /// Marks the next item or the one before. False: there is none, so the row may be swiped.
    private func markItem(of row: Row, isRight: Bool) -> Bool {
        let items = row.content.items
        let next: Int
        if let marked = markedItem(of: row), let at = row.content.index(of: marked) {
            next = at + (isRight ? 1 : -1)
            if next < 0 {
                item = nil
                return true
            }
        } else {
            guard isRight else { return false }
            next = 0
        }
        guard items.indices.contains(next) else { return false }
        item = (row.id, items[next].id)
        let strip = strip(of: row)
        let frame = strip.items[next]
        if frame.x < strip.window.lowerBound {
            scrollStrip(row, to: strip.offset + frame.x - strip.window.lowerBound)
        } else if frame.x + frame.width > strip.window.upperBound {
            scrollStrip(row, to: strip.offset + frame.x + frame.width - strip.window.upperBound)
        }
        return true
    }

    func scrollStrip(_ row: Row, to offset: Int) {
        guard let table, let scroll = strip(of: row).scroll(at: offset) else { return }
        if table.settings.scrollScope == .shared {
            guard isReachable else { return }
            wish(.command(.scroll(row.id, scroll)), word("what.scrolling", ["row": row.id.text]))
        } else {
            do {
                try scrolls.scroll(row.id, to: scroll, in: table)
            } catch { refuse(error.message) }
        }
    }
}
