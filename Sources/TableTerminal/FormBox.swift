import TableModel

extension LineEditor {
    /// Draws the text with the cursor, which is always in sight. Pasted text may be long and is not measured as a whole.
    func draw(x: Int, y: Int, to end: Int, _ style: Style, into screen: inout Screen) {
        var room = max(1, end - x - 2)
        let before = characters[..<cursor].reversed().prefix { character in
            room -= String(character).shownColumns
            return room >= 0
        }
        var x = screen.put(String(before.reversed()), x: x, y: y, to: end, style)
        let at = cursor < characters.count ? String(characters[cursor]) : " "
        x = screen.put(at, x: x, y: y, to: end, Style(Theme.dark, on: Theme.accent, .block))
        let behind = characters[cursor...].dropFirst().prefix(max(0, end - x))
        screen.put(String(behind), x: x, y: y, to: end, style)
    }
}

extension Drawing {
    /// A line of a form: the value, or what others have made of it meanwhile.
    private struct FormLine {
        let line: Form.Line
        let at: Int
        let tellsOfOthers: Bool
    }

    func form(_ target: Form.Target, _ screen: inout Screen) {
        guard let form = board.forms[target] else { return }
        let lines = form.lines.enumerated().flatMap { at, line in
            [false, true].prefix(line.others == nil ? 1 : 2).map {
                FormLine(line: line, at: at, tellsOfOthers: $0)
            }
        }
        let inner = box(title(of: form), lines: lines.count, &screen)
        let labels = form.lines.map { $0.label(board.setup.words).shownColumns }.max() ?? 0
        let column = inner.x + min(labels, max(8, (inner.end - inner.x) / 3)) + 2
        // The line with the cursor is in sight, with what others have made of it.
        let last = lines.lastIndex { $0.at == form.at } ?? 0
        let start = min(max(0, last + 1 - inner.lines), max(0, lines.count - inner.lines))
        for (index, one) in lines.dropFirst(start).prefix(inner.lines).enumerated() {
            let y = inner.y + index
            if one.tellsOfOthers {
                let text = one.line.others ?? ""
                let told =
                    text.isEmpty ? word("form.cleared") : word("form.meanwhile", ["text": text])
                screen.put(
                    told, x: column, y: y, to: inner.end, Style(Theme.warn, on: Theme.barGround))
                continue
            }
            let isHere = one.at == form.at && form.sent == nil
            let ink = one.line.isChanged ? Theme.white : Theme.barInk
            let style = Style(ink, on: Theme.barGround, one.line.isChanged ? .bold : [])
            let mark = one.line.isChanged ? "•" : " "
            screen.put(mark, x: inner.x - 1, y: y, Style(Theme.accent, on: Theme.barGround))
            screen.put(
                one.line.label(board.setup.words), x: inner.x, y: y, to: column - 1,
                Style(isHere ? Theme.accent : Theme.grey, on: Theme.barGround, .bold))
            if isHere {
                one.line.editor.draw(x: column, y: y, to: inner.end, style, into: &screen)
            } else {
                screen.put(one.line.editor.text, x: column, y: y, to: inner.end, style)
            }
        }
        if form.sent != nil {
            screen.put(word("form.sending"), x: inner.x, y: inner.y + inner.lines, Theme.box)
        }
    }

    private func title(of form: Form) -> String {
        switch form.target {
        case .add: return word("form.new")
        case .edit(let id):
            guard let row = board.table?.row(id) else {
                return word("form.edit.gone", ["row": id.text])
            }
            return word("form.edit", ["row": RowLines.name(of: row)])
        }
    }
}
