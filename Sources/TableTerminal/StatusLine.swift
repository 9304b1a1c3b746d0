import TableModel
import TableSync

/// The first line: which table, how fresh it is, and who else looks. If the screen is narrow, the
/// least important parts are left out first.
struct StatusLine {
    let board: Board

    private func word(
        _ key: String, _ values: KeyValuePairs<String, any CustomStringConvertible> = [:]
    ) -> String { board.word(key, values) }

    private struct Part {
        var text: String
        var style: Style
        /// Parts with the highest rank are left out first.
        var rank: Int

        init(_ text: String, _ style: Style, rank: Int) {
            (self.text, self.style, self.rank) = (text, style, rank)
        }
    }

    func draw(into screen: inout Screen) {
        screen.fill(x: 0, y: 0, to: board.width, Theme.bar)
        var left = [Part(" \(board.setup.name) ", Theme.barStrong, rank: 1), state] + middle
        var right = self.right
        func width(_ parts: [Part]) -> Int { parts.reduce(0) { $0 + $1.text.shownColumns } }
        while width(left) + width(right) > board.width {
            let worst = (left + right).map(\.rank).max() ?? 0
            if worst <= 1 { break }
            left.removeAll { $0.rank == worst }
            right.removeAll { $0.rank == worst }
        }
        // The freshness and the filter must be visible, however long the table's name is.
        let room = board.width - width(Array(left.dropFirst()))
        var x = 0
        for (index, part) in left.enumerated() {
            let end = index == 0 ? max(4, room) : board.width
            x = screen.put(part.text, x: x, y: 0, to: end, part.style)
        }
        x = max(x, board.width - width(right))
        for part in right { x = screen.put(part.text, x: x, y: 0, part.style) }
    }

    private var state: Part {
        func part(_ text: String, _ ink: Color, _ ground: Color = Theme.barGround) -> Part {
            Part(" \(text) ", Style(ink, on: ground, [.block, .bold]), rank: 0)
        }
        switch board.connection {
        case nil: return part("◌ " + word("fresh.waiting"), Theme.warn)
        case .connecting: return part("◌ " + word("fresh.connecting"), Theme.warn)
        case .live: return part("● " + word("fresh.live"), Theme.good)
        case .stale(let ms) where ms < 1_000:
            return part("◐ " + word("fresh.catchingUp"), Theme.warn)
        case .stale(let ms):
            let text = word("fresh.stale", ["count": ms / 1_000])
            return part("◐ " + text, Theme.dark, Theme.warn)
        case .disconnected:
            return part("○ " + word("fresh.disconnected"), Theme.white, Theme.danger)
        case .absent: return part("○ " + word("fresh.absent"), Theme.white, Theme.danger)
        }
    }

    private var middle: [Part] {
        guard let table = board.table else { return [] }
        var parts: [Part] = []
        if let text = board.clockText {
            parts.append(Part(" \(text) ", Style(Theme.dark, on: Theme.warn, .block), rank: 2))
        }
        if board.isEditing {
            let all =
                board.editor.isEmpty ? word("edit.all") : word("edit.by", ["who": board.editor])
            let text = " \(table.isEditing ? all : word("edit")) "
            parts.append(Part(text, Style(Theme.dark, on: Theme.accent, .block), rank: 2))
        }
        if let pause = table.settings.pauses.first {
            let more = table.settings.pauses.count - 1
            let said = word("paused", ["what": pause.subject, "why": pause.reason])
            let text = " \(said)\(more > 0 ? " +\(more)" : "") "
            parts.append(Part(text, Style(Theme.dark, on: Theme.warn, .block), rank: 2))
        }
        if !board.marked.isEmpty {
            let text = " \(word("marked", ["count": board.marked.count])) "
            parts.append(Part(text, Style(Theme.white, on: Theme.chosenGround, .block), rank: 1))
        }
        let station = board.station
        if !station.sections.isEmpty {
            let names = station.sections.map { $0.text }.joined(separator: ", ")
            parts.append(Part(" \(names) ", Theme.barStrong, rank: 3))
        }
        if let keys = station.orderText { parts.append(Part(" ↓ \(keys) ", Theme.bar, rank: 3)) }
        if let filter = board.filter?.text ?? station.conditionText {
            let found = board.order?.count ?? 0
            let count = " \(word("find.count", ["found": found, "all": table.count])) "
            // Rows are missing from the screen: that is said however narrow it is.
            let room = max(4, board.width / 2 - count.shownColumns - 2)
            let isShort = filter.shownColumns <= room
            let text = isShort ? filter : String(filter.prefix(room - 1)) + "…"
            parts.append(
                Part(" /\(text)\(count)", Style(Theme.dark, on: Theme.warn, .block), rank: 1))
        }
        parts.append(
            Part("  " + word("revision", ["revision": table.revision]), Theme.bar, rank: 5))
        parts.append(Part("  " + board.setup.words.rows(table.count), Theme.bar, rank: 6))
        return parts
    }

    private var right: [Part] {
        var parts: [Part] = []
        let oldest = board.waiting.values.map(\.sinceMs).min()
        if let oldest, board.nowMs > oldest + 300 {
            let what = board.waiting.values.min { $0.sinceMs < $1.sinceMs }?.what ?? ""
            parts.append(
                Part(
                    " \(word("noAnswer", ["what": what])) ",
                    Style(Theme.warn, on: Theme.barGround, .block), rank: 4))
        }
        if let selected = board.selected, let rank = board.order?.rank(of: selected) {
            parts.append(Part(" \(selected.text) ", Theme.bar, rank: 9))
            parts.append(Part(" \(rank + 1)/\(board.order?.count ?? 0) ", Theme.bar, rank: 7))
        }
        let names = board.company.viewers.map { ($0.name ?? $0.client).text }
        if !names.isEmpty {
            let few = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " …" : "")
            let text = word("viewers", ["count": names.count, "names": few])
            parts.append(Part(" \(text) ", Theme.bar, rank: 10))
        }
        if let lag = board.lagMs, board.connection == .live {
            parts.append(Part(" \(word("lag", ["count": max(0, lag)])) ", Theme.bar, rank: 11))
        }
        return parts
    }
}

/// The last line: the keys that mean something now, or what is being typed.
struct KeysLine {
    let board: Board

    func draw(into screen: inout Screen) {
        let y = board.height - 1
        screen.fill(x: 0, y: y, to: board.width, Theme.plain)
        switch board.mode {
        case .prompt(let prompt, let line): self.prompt(prompt, line, y, &screen)
        case .confirm(let pressed):
            Question(pressed, on: board).draw(at: y, into: &screen)
        default: hints(y, &screen)
        }
    }

    private func prompt(
        _ prompt: Board.Prompt, _ line: LineEditor, _ y: Int, _ screen: inout Screen
    ) {
        let label: String
        switch prompt {
        case .filter: label = "/"
        case .command: label = ":"
        case .add(let section, _):
            label = board.word("newRow", ["section": section?.text ?? "main"]) + " "
        }
        let x = screen.put(" \(label)", x: 0, y: y, to: board.width / 2, Theme.key)
        line.draw(x: x, y: y, to: board.width, Theme.plain, into: &screen)
    }

    /// Draws as many hints as fit. Help and quit have room before all others.
    private func hints(_ y: Int, _ screen: inout Screen) {
        func columns(_ hint: (String, String)) -> Int {
            hint.0.shownColumns + hint.1.shownColumns + 4
        }
        let always = hints.suffix(!hasHelp ? 0 : board.station.isKiosk ? 1 : 2)
        let room = board.width + 2 - always.reduce(0) { $0 + columns($1) }
        var (shown, used): ([(String, String)], Int) = ([], 1)
        for hint in hints.dropLast(always.count) {
            used += columns(hint)
            if used > room, !shown.isEmpty { break }
            shown.append(hint)
        }
        var x = 1
        for (key, words) in shown + always {
            guard x + columns((key, words)) <= board.width + 3 else { break }
            x = screen.put(key, x: x, y: y, Theme.key)
            x = screen.put(" \(words)", x: x, y: y, Theme.faint) + 3
        }
    }

    /// Whether the last two hints are help and quit.
    private var hasHelp: Bool {
        if case .swiping = board.gesture { return false }
        return board.mode == .rows && board.hand == nil
    }

    private func key(_ operation: Operation) -> String { board.keyName(operation) }
    private func hint(_ key: String) -> String { board.word("hint.\(key)") }

    private var hints: [(String, String)] {
        switch board.mode {
        case .help:
            return [("esc", hint("close")), ("↑↓", hint("scroll")), ("a…z", hint("search"))]
        case .form:
            return [
                ("enter", hint("send")), ("↑↓", hint("line")), ("esc", hint("keep")),
                ("ctrl-x", hint("throwAway")),
            ]
        case .recall:
            return [
                (key(.enter), hint("bringBack")), ("↑↓", hint("choose")),
                (key(.cancel), hint("close")),
            ]
        case .totals, .story: return [("↑↓", hint("scroll")), (key(.cancel), hint("close"))]
        case .menu:
            return [
                (key(.enter), hint("perform") + " ▸"), ("1…9", hint("perform")),
                ("↑↓", hint("choose")),
                (key(.cancel), hint("close")),
            ]
        default: break
        }
        if case .swiping = board.gesture {
            return [(hint("release"), hint("releaseTo")), ("esc", hint("close"))]
        }
        if let hand = board.hand {
            let drop = hand.isByMouse ? hint("release") : key(.enter)
            let move = hand.isByMouse ? hint("drag") : "\(key(.down)) \(key(.up))"
            return [(drop, hint("drop")), (move, hint("move")), (key(.cancel), hint("putBack"))]
        }
        let end = board.station.isKiosk ? [] : [(key(.quit), hint("quit"))]
        let last = [(key(.filter), hint("filter")), (key(.help), hint("help"))] + end
        guard let selected = board.selected, let row = board.table?.row(selected) else {
            guard board.table != nil else { return Array(last.dropFirst()) }
            return [(key(.add), hint("addRow"))] + last
        }
        if let edge = board.openEdge(of: row) {
            let lost = board.lost(of: row, at: edge)
            let unseen = lost.isEmpty ? [] : [(hint("notShown"), lost.joined(separator: ", "))]
            let count = board.group(of: row, edge)?.actions.count ?? 0
            return [
                (key(.enter), hint("perform") + " ▸"),
                (count > 1 ? "1…\(min(count, 9))" : "1", hint("perform")),
                ("\(key(.left)) \(key(.right))", hint("choose")), (key(.cancel), hint("close")),
            ] + unseen + last
        }
        let isEditing = board.isEditing
        var first: [(String, String)] = isEditing ? editing(row) : []
        if board.isStrip(row) {
            first.append(("\(key(.left)) \(key(.right))", hint("items")))
            if let item = board.markedItem(of: row) {
                first.append((key(.enter), hint("select")))
                if !board.menu(of: item, in: row).isEmpty {
                    first.append((key(.menu), hint("itemMenu")))
                }
            }
        } else if !isEditing,
            board.group(of: row, .leading) != nil || board.group(of: row, .trailing) != nil
        {
            first.append(("\(key(.left)) \(key(.right))", hint("actions")))
        }
        if (board.table?.kind(of: row)?.states.count ?? 0) > 1 {
            first.append((key(.expand), hint("open")))
        }
        if isEditing {
            return first + [(key(.undo), hint("undo")), (key(.edit), hint("done"))] + last
        }
        return first + [
            (key(.lift), hint("move")), (key(.undo), hint("undo")), (key(.recall), hint("recall")),
            (key(.add), hint("add")), (key(.set), hint("edit")),
        ] + last
    }

    private func editing(_ row: Row) -> [(String, String)] {
        var hints: [(String, String)] = []
        switch board.control(of: row) {
        case .delete: hints.append((key(.delete), hint("delete")))
        case .insert: hints.append((key(.insert), hint("insert")))
        case .none: break
        }
        if board.hasGrip(row) { hints.append((key(.lift), hint("move"))) }
        return hints
    }
}
