import TableModel

// The menu of a strip's item, and paging through a strip (F13).
extension Board {
    /// The actions of an item; none if it has no menu, or is gone.
    func menu(of id: ID, in row: Row) -> [Action] {
        guard let index = row.content.index(of: id) else { return [] }
        let kind = table?.kinds[row.content.kind]
        return kind?.itemKind(of: row.content.items[index])?.menu ?? []
    }

    func openMenu(of row: Row) {
        guard isStrip(row) else {
            return say(word("menu.rows", ["left": keyName(.left), "right": keyName(.right)]))
        }
        guard let item = markedItem(of: row) else { return refuse(word("strip.first")) }
        guard !menu(of: item, in: row).isEmpty else { return say(word("menu.none")) }
        mode = .menu(row.id, item: item, at: 0)
    }

    func takeInMenu(_ key: Key, _ id: RowID, _ item: ID, _ at: Int) {
        guard let row = table?.row(id) else {
            mode = .rows
            return refuse(word("rowGone"))
        }
        let actions = menu(of: item, in: row)
        if let digit = key.digit { return choose(digit - 1, of: actions, row, item) }
        switch keys[key] {
        case .down: mode = .menu(id, item: item, at: min(at + 1, max(0, actions.count - 1)))
        case .up: mode = .menu(id, item: item, at: max(0, at - 1))
        case .first: mode = .menu(id, item: item, at: 0)
        case .last: mode = .menu(id, item: item, at: max(0, actions.count - 1))
        case .enter, .expand: choose(at, of: actions, row, item)
        case .cancel, .quit, .menu, .left: mode = .rows
        default: break
        }
    }

    private func choose(_ index: Int, of actions: [Action], _ row: Row, _ item: ID) {
        mode = .rows
        guard isReachable else { return }
        guard actions.indices.contains(index) else {
            return say(word("keys.actions", ["count": actions.count]))
        }
        let action = actions[index]
        perform(action, Command.Act(action.id, on: row.id, item: item), on: row, closes: false)
    }

    // MARK: Paging

    /// Turns the page of a strip with a marked item, if its kind has pages. False: it has none.
    func pageStrip(isUp: Bool) -> Bool {
        guard let selected, let row = table?.row(selected), block(of: selected) != nil,
            openEdge(of: row) == nil, markedItem(of: row) != nil,
            table?.kinds[row.content.kind]?.page != Kind.Page.none, isStrip(row)
        else { return false }
        let cells = strip(of: row)
        let offset = cells.turned(isForward: !isUp)
        // The first whole item of the page, or the last of all if the end was there already.
        let moved = cells.offset - offset
        let first = cells.items.first { $0.x + moved >= cells.window.lowerBound }
        let marked = offset == cells.offset && !isUp ? cells.items.last : first
        if let marked { item = (row.id, marked.id) }
        if offset != cells.offset { scrollStrip(row, to: offset) }
        return true
    }
}
