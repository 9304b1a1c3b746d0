import TableModel

/// A question in the last line, with answers that keys and the mouse can give.
struct Question {
    let text: String
    /// The columns of the answers. A long text is cut and never hides them.
    let yes: Range<Int>, no: Range<Int>

    private let words: (yes: String, no: String)

    /// "Delete" or an action's title, and the row's name, or how many rows it is about.
    init(_ pressed: Board.Pressed, on board: Board) {
        words = (" y \(board.word("yes")) ", " n \(board.word("no")) ")
        var name = board.setup.words.rows(pressed.rows.count)
        if let row = pressed.rows.first, pressed.rows.count == 1 {
            name = board.table?.row(row).map(RowLines.name) ?? row.text
        }
        text = " \(pressed.title) \(name)?"
        let columns = (words.yes.shownColumns, words.no.shownColumns)
        let start = max(0, min(text.shownColumns + 1, board.width - columns.0 - columns.1 - 1))
        yes = start..<start + columns.0
        no = yes.upperBound + 1..<yes.upperBound + 1 + columns.1
    }

    func draw(at y: Int, into screen: inout Screen) {
        let style = Style(Theme.white, on: Theme.danger, [.block, .bold])
        let answer = Style(Theme.dark, on: Theme.white, [.block, .bold])
        screen.fill(x: 0, y: y, to: screen.width, style)
        screen.put(text, x: 0, y: y, to: max(0, yes.lowerBound - 1), style)
        screen.put(words.yes, x: yes.lowerBound, y: y, answer)
        screen.put(words.no, x: no.lowerBound, y: y, answer)
    }
}

extension Board {
    /// A click on an answer is as its key; elsewhere it means nothing.
    func takeInQuestion(_ mouse: Mouse, _ pressed: Pressed) {
        guard mouse.y == height - 1 else { return }
        let question = Question(pressed, on: self)
        if question.yes.contains(mouse.x) { takeInConfirm(.character("y"), pressed) }
        if question.no.contains(mouse.x) { takeInConfirm(.character("n"), pressed) }
        isDirty = true
    }
}
