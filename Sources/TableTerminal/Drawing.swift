import TableModel

/// Draws a board: the status line, the rows and the line of keys, and messages and lists over them.
struct Drawing {
    let board: Board

    func word(
        _ key: String, _ values: KeyValuePairs<String, any CustomStringConvertible> = [:]
    ) -> String { board.word(key, values) }

    func draw(into screen: inout Screen) {
        if board.isTooSmall {
            screen.put(board.word("tooSmall"), x: 0, y: 0, Style(nil, on: nil, .bold))
            screen.put("\(board.width)×\(board.height)", x: 0, y: 1)
            return
        }
        rows(&screen)
        StatusLine(board: board).draw(into: &screen)
        switch board.mode {
        case .help(let line, let scroll): help(line, scroll, &screen)
        case .recall(let at): recall(at, &screen)
        case .totals(let field, let at): totals(field, at, &screen)
        case .story(let row, let told, let at): story(row, told, at, &screen)
        case .menu(let row, let item, let at): menu(row, item, at, &screen)
        case .form(let target): form(target, &screen)
        default: break
        }
        message(&screen)
        KeysLine(board: board).draw(into: &screen)
    }

    // MARK: Rows

    private func rows(_ screen: inout Screen) {
        guard let table = board.table, !board.flow.isEmpty, table.count > 0 || board.hasHeadings
        else { return nothing(&screen) }
        var drawn: [RowLines] = []
        // A row may reach beyond the view: the bars are drawn over it afterwards.
        for block in board.flow {
            if let id = block.row, let row = table.row(id) {
                board.recent.saw(row, board.facts(of: row))
                let lines = RowLines(board: board, table: table, row: row, block: block)
                lines.draw(into: &screen)
                drawn.append(lines)
            } else if block.lines > 0 {
                heading(block, table, &screen)
            }
            if block.hasDropLine { dropLine(block, table, &screen) }
        }
        ghosts(table, over: drawn, &screen)
        if let heading = board.stuckHeading { self.heading(heading, table, &screen) }
        if table.count == 0 { emptiness(below: board.flow.last?.end ?? 0, &screen) }
    }

    private func heading(_ block: Block, _ table: Table, _ screen: inout Screen) {
        guard let section = table.section(block.section) else { return }
        let y = board.viewTop + block.y
        let title = section.title.isEmpty ? section.id.text : section.title
        let x = screen.put(" \(title) ", x: 0, y: y, to: max(4, board.width - 8), Theme.heading)
        let shown = board.order?.count(in: block.place.section) ?? section.count
        let count: String
        if section.count == 0 {
            count = " \(board.word("empty")) "
        } else {
            let part = board.word("find.count", ["found": shown, "all": section.count])
            count = !board.isFiltered ? " \(section.count) " : " \(part) "
        }
        let end = board.width - count.shownColumns
        screen.fill(x: x, y: y, to: end, with: "─", Theme.faint)
        screen.put(count, x: max(0, end), y: y, Theme.faint)
    }

    private func dropLine(_ block: Block, _ table: Table, _ screen: inout Screen) {
        // Below a row that reaches beyond the view the line would be out of sight.
        let y = board.viewTop + min(block.y + block.lines, board.viewHeight - 1)
        let rows = board.hand?.rows ?? []
        let title =
            rows.count > 1
            ? board.setup.words.rows(rows.count)
            : rows.first.flatMap { table.row($0) }.map(RowLines.name) ?? ""
        let x = screen.put(" ──▶ \(title) ", x: 0, y: y, to: board.width - 2, Theme.drop)
        screen.fill(x: x, y: y, to: board.width, with: "─", Theme.drop)
    }

    /// Where others would drop the rows that they lifted. It hides nothing that stands out.
    private func ghosts(_ table: Table, over rows: [RowLines], _ screen: inout Screen) {
        for ghost in board.company.ghosts {
            guard let hover = ghost.hover, let first = ghost.rows.first else { continue }
            // Without a section, top and bottom are those of the row's own section.
            let section = hover.section ?? table.position(of: first)?.section
            guard let y = line(of: hover.anchor, in: section) else { continue }
            let name = table.row(first).map(RowLines.name) ?? ""
            let text = " ◂ \(ghost.holder.text): \(name) "
            let width = min(text.shownColumns, board.width * 2 / 3)
            screen.put(
                text, x: board.width - width, y: y,
                Style(Theme.white, on: Theme.otherGround, .block))
            let line = y - board.viewTop
            for row in rows where row.block.y..<row.block.end ~= line { row.standing(&screen) }
        }
    }

    /// The screen's line at an anchor; nil: out of sight.
    private func line(of anchor: Anchor, in section: SectionID?) -> Int? {
        let flow = board.flow
        let y: Int?
        switch anchor {
        case .before(let row): y = flow.first { $0.row == row }.map(\.y)
        case .after(let row): y = flow.first { $0.row == row }.map { $0.y + $0.lines - 1 }
        case .top: y = flow.first { $0.section == section && $0.place.isHeading }.map(\.y)
        case .bottom: y = flow.last { $0.section == section }.map { $0.y + $0.lines - 1 }
        }
        return y.flatMap { 0..<board.viewHeight ~= $0 ? board.viewTop + $0 : nil }
    }

    // MARK: Nothing to show

    /// A table without rows never looks like one that is not known (L14).
    private func nothing(_ screen: inout Screen) {
        guard board.table == nil || board.filter == nil || board.table?.count == 0 else {
            let text = word("filter.none", ["text": board.filter?.text ?? ""])
            return centred([text, word("filter.clear", ["key": board.keyName(.cancel)])], &screen)
        }
        if let table = board.table, table.count > 0 {
            let missing = board.station.sections.filter { table.section($0) == nil }.map(\.text)
            let text =
                missing.isEmpty
                ? word("noRow.station")
                : word("noSection", ["section": missing.joined(separator: ", ")])
            return centred([text, word("arrives")], &screen)
        }
        emptiness(below: 0, &screen)
    }

    private func emptiness(below top: Int, _ screen: inout Screen) {
        let name = board.setup.name
        let place = board.setup.endpoint
        switch (board.connection, board.table != nil) {
        case (nil, _):
            let lines = [
                word("waiting.daemon"), place, word("waiting.daemon.more", ["name": name]),
            ]
            centred(lines, &screen, top)
        case (.connecting, _), (.live, false), (.stale, false):
            centred(
                [word("waiting.table", ["name": name]), place, word("unknown.table")], &screen, top)
        case (.disconnected, false):
            centred(
                [word("notConnected"), place, word("notConnected.rows", ["name": name])], &screen,
                top)
        case (.absent, _):
            centred([word("absent", ["name": name]), word("absent.more")], &screen, top)
        case (.disconnected, true), (.stale, true):
            centred([word("empty.was", ["name": name])], &screen, top)
        case (.live, true):
            centred(
                [
                    word("empty.table", ["name": name]),
                    word("add.none", ["key": board.keyName(.add)]),
                ], &screen, top)
        }
    }

    private func centred(_ lines: [String], _ screen: inout Screen, _ top: Int = 0) {
        let lines = Array(lines.filter { !$0.isEmpty }.prefix(max(1, board.viewHeight - top)))
        let first = board.viewTop + top + max(0, (board.viewHeight - top - lines.count) / 2)
        for (index, line) in lines.enumerated() {
            let x = max(1, (board.width - line.shownColumns) / 2)
            let style = index == 0 ? Style(nil, on: nil, .bold) : Theme.faint
            screen.put(line, x: x, y: first + index, to: board.width - 1, style)
        }
    }

    // MARK: Over the rows

    private func message(_ screen: inout Screen) {
        guard let message = board.message else { return }
        let isRefusal = message.kind == .refusal
        let style =
            isRefusal
            ? Style(Theme.white, on: Theme.danger, [.block, .bold])
            : Style(Theme.white, on: Theme.buttonGround, .block)
        // A long sentence takes more lines, but never hides all rows.
        let most = max(1, min(4, board.viewHeight / 2))
        let lines = Self.wrapped(message.text, to: board.width - 4, atMost: most)
        for (index, line) in lines.enumerated() {
            let y = board.height - 1 - lines.count + index
            let mark = index > 0 ? "   " : isRefusal ? " ✗ " : " · "
            screen.fill(x: 0, y: y, to: board.width, style)
            screen.put(mark + line, x: 0, y: y, to: board.width - 1, style)
        }
    }

    /// Breaks a sentence between words into lines of `columns`; the last line takes all the rest.
    static func wrapped(_ text: String, to columns: Int, atMost most: Int) -> [String] {
        // A caret stands under its place.
        if text.contains("\n") { return text.split(separator: "\n").map(String.init) }
        var lines: [String] = []
        var (line, used) = ("", 0)
        for word in text.split(separator: " ") {
            let width = String(word).shownColumns
            if !line.isEmpty, used + 1 + width > columns, lines.count < most - 1 {
                lines.append(line)
                (line, used) = ("", 0)
            }
            if !line.isEmpty { line += " " }
            used += width + (line.isEmpty ? 0 : 1)
            line += word
        }
        return lines + [line]
    }

    /// Draws a box over the rows; returns its inside.
    func box(
        _ title: String, lines: Int, _ screen: inout Screen
    ) -> (x: Int, y: Int, end: Int, lines: Int) {
        let width = min(board.width, 92)
        let height = min(board.viewHeight, lines + 2)
        let x = (board.width - width) / 2
        let y = board.viewTop + max(0, (board.viewHeight - height) / 2)
        for line in y..<(y + height) { screen.fill(x: x, y: line, to: x + width, Theme.box) }
        let heading = Style(Theme.white, on: Theme.chosenGround, [.bold, .block])
        screen.fill(x: x, y: y, to: x + width, heading)
        screen.put(" \(title)", x: x, y: y, to: x + width, heading)
        return (x + 2, y + 1, x + width - 1, max(0, height - 2))
    }

    private func help(_ search: LineEditor, _ scroll: Int, _ screen: inout Screen) {
        let lines = board.helpLines(search.text)
        let title = search.text.isEmpty ? word("help.search") : "\(word("help")): \(search.text)▏"
        let inner = box(title, lines: max(1, lines.count), &screen)
        let start = min(scroll, max(0, lines.count - inner.lines))
        for (index, line) in lines.dropFirst(start).prefix(inner.lines).enumerated() {
            let y = inner.y + index
            let column = inner.end - inner.x > 40 ? 14 : 7
            screen.put(
                line.keys, x: inner.x, y: y, to: inner.x + column - 1,
                Style(Theme.accent, on: Theme.barGround, .bold))
            screen.put(line.text, x: inner.x + column, y: y, to: inner.end, Theme.box)
        }
        if lines.isEmpty { screen.put(word("help.nothing"), x: inner.x, y: inner.y, Theme.box) }
        let below = lines.count - start - inner.lines
        if below > 0 {
            screen.put(
                "↓ " + word("more", ["count": below]), x: inner.x, y: inner.y + inner.lines,
                to: inner.end, Style(Theme.grey, on: Theme.barGround))
        }
    }

    /// Draws a list in a box, with the chosen line in sight. `line` draws one line at its place.
    private func list(
        _ title: String, count: Int, at: Int, ifEmpty: String, _ screen: inout Screen,
        line: (_ index: Int, _ x: Int, _ y: Int, _ end: Int, Style, inout Screen) -> Void
    ) {
        let inner = box(title, lines: max(1, count), &screen)
        if count == 0 { screen.put(ifEmpty, x: inner.x, y: inner.y, to: inner.end, Theme.box) }
        let start = max(0, min(at - inner.lines / 2, count - inner.lines))
        for index in (0..<count).dropFirst(start).prefix(inner.lines) {
            let y = inner.y + index - start
            let isChosen = index == at
            let style = Style(
                isChosen ? Theme.white : Theme.barInk,
                on: isChosen ? Theme.chosenGround : Theme.barGround,
                isChosen ? [.bold, .block] : [])
            screen.fill(x: inner.x - 1, y: y, to: inner.end, style)
            screen.put(isChosen ? "▸" : "", x: inner.x - 1, y: y, style)
            line(index, inner.x + 1, y, inner.end, style, &screen)
        }
    }

    private func menu(_ id: RowID, _ item: ID, _ at: Int, _ screen: inout Screen) {
        guard let row = board.table?.row(id) else { return }
        let actions = board.menu(of: item, in: row)
        let title = row.content.index(of: item).map { row.content.items[$0].title } ?? ""
        list(
            title.isEmpty ? item.text : title, count: actions.count, at: at,
            ifEmpty: word("menu.empty"), &screen
        ) { index, x, y, end, style, screen in
            var style = style
            if index != at, actions[index].role == .destructive { style.ink = Theme.late }
            let isAllowed = board.allows(actions[index], on: id)
            let digit = !isAllowed ? "×" : index < 9 ? "\(index + 1)" : " "
            screen.put("\(digit) \(actions[index].shownTitle)", x: x, y: y, to: end, style)
        }
    }

    private func totals(_ field: ID?, _ at: Int, _ screen: inout Screen) {
        let entries = Totals(board.order, by: field).entries
        let columns = entries.map { String($0.count).count }.max() ?? 1
        list(
            field.map { word("totals.of", ["field": $0.text]) } ?? word("totals.titles"),
            count: entries.count, at: min(at, max(0, entries.count - 1)),
            ifEmpty: word("totals.nothing"), &screen
        ) { index, x, y, end, style, screen in
            let count = String(entries[index].count)
            screen.put(count, x: x + columns - count.count, y: y, to: end, style)
            screen.put(entries[index].name, x: x + columns + 2, y: y, to: end, style)
        }
    }

    private func story(_ row: RowID, _ told: [Told]?, _ at: Int, _ screen: inout Screen) {
        let name = board.table?.row(row).map(RowLines.name) ?? row.text
        list(
            word("story", ["row": name]), count: told?.count ?? 0, at: at,
            ifEmpty: told == nil ? word("moment") : word("story.none"), &screen
        ) { index, x, y, end, style, screen in
            guard let change = told?[index] else { return }
            let time = board.clockTime(change.atMs)
            let undone = change.isUndone ? word("history.takenBack") : ""
            let parts = [change.text, change.who, undone].filter { !$0.isEmpty }
            screen.put(time, x: x, y: y, to: x + 6, style)
            screen.put(parts.joined(separator: " · "), x: x + 7, y: y, to: end, style)
        }
    }

    private func recall(_ at: Int, _ screen: inout Screen) {
        let entries = board.recent.entries
        list(
            word("recall"), count: entries.count, at: at,
            ifEmpty: word("recall.nothing"), &screen
        ) { index, x, y, end, style, screen in
            let entry = entries[index]
            let ago = board.timeMs > entry.atMs ? (board.timeMs - entry.atMs) / 1_000 : 0
            let when =
                ago < 60
                ? word("span.seconds", ["count": ago])
                : word("span.minutesShort", ["count": ago / 60])
            screen.put(
                entry.isPlainRemoval ? word("removed") : entry.what, x: x, y: y, to: x + 11, style)
            screen.put(when, x: x + 12, y: y, to: x + 19, style)
            let title = entry.title.isEmpty ? entry.row.text : entry.title
            let parts = [title, entry.facts, entry.who ?? ""].filter { !$0.isEmpty }
            screen.put(parts.joined(separator: " · "), x: x + 19, y: y, to: end, style)
        }
    }
}
