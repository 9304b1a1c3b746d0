import TableModel
import TablePredicate

// Several rows marked at once: what is done with one of them is done with all, as one revision.
extension Board {
    /// The rows that an operation on `row` is about, in the table's order: all marked ones if it is marked, else itself.
    func rows(with row: Row) -> [Row] { marked.contains(row.id) ? markedRows : [row] }

    /// The marked rows, in the table's order.
    var markedRows: [Row] {
        guard let table else { return [] }
        func place(_ id: RowID) -> (Int, Int) {
            guard let position = table.position(of: id) else { return (.max, 0) }
            let section = table.sections.firstIndex { $0.id == position.section }
            return (section ?? .max, position.index)
        }
        return marked.map { ($0, place($0)) }.sorted { $0.1 < $1.1 }.compactMap { table.row($0.0) }
    }

    func mark(_ row: Row) {
        if marked.remove(row.id) == nil { marked.insert(row.id) }
        isDirty = true
        guard let order, let next = order.row(beside: row.id, isAbove: false) else { return }
        select(next)
    }

    func markAll(_ isOn: Bool) {
        marked = []
        guard isOn, let order else { return }
        for section in order.sections.indices {
            for index in 0..<order.count(in: section) {
                guard let row = order.row(at: .init(section: section, index: index)) else { break }
                marked.insert(row.id)
            }
        }
        say(word("marked.rows", ["rows": setup.words.rows(marked.count), "key": keyName(.cancel)]))
    }

    /// Wishes for one command for each row, all or none of them.
    func change(_ commands: [Command], _ what: String) {
        guard isReachable, let first = commands.first else { return }
        guard commands.count > 1 else {
            wish(.command(first.verb, ifVersion: first.ifVersion), what)
            return
        }
        let rows = setup.words.rows(commands.count)
        endMarks(after: wish(.batch(commands), word("what.several", ["what": what, "rows": rows])))
    }

    /// The rows stay marked until the daemon has done what was asked of them.
    func endMarks(after number: Int) { waiting[number]?.endsMarks = true }

    /// A press of an action for each marked row; nil: some of them do not have it, which is said.
    func acts(_ action: Action, _ act: Command.Act, on row: Row) -> [Command]? {
        let rows = act.item == nil ? rows(with: row) : [row]
        let able = rows.filter { row in rows.count == 1 || has(action.id, row, act.edge) }
        guard able.count == rows.count else {
            refuse(
                word(
                    "acts.lack",
                    [
                        "rows": setup.words.rows(rows.count - able.count), "count": rows.count,
                        "action": action.shownTitle,
                    ]))
            return nil
        }
        return rows.map { row in
            var act = act
            act.row = row.id
            // Each press of a repeating action counts, whatever the row's version.
            return Command(.act(act), ifVersion: action.repeats ? nil : row.version)
        }
    }

    private func has(_ action: ID, _ row: Row, _ edge: Edge?) -> Bool {
        [Edge.leading, .trailing].contains { one in
            (edge ?? one) == one
                && table?.actions(of: row, at: one)?.actions.contains { $0.id == action } == true
        }
    }

    // MARK: The order of this screen

    /// Shows the rows of each section in the order of these keys; without any, in the one that the viewer began with.
    func sort(_ text: String) {
        do throws(PredicateFault) {
            station =
                text.isEmpty ? setup.station : setup.station.sorted(text, try RowKey.list(text))
        } catch { return refuse(error, in: text) }
        knownOrder = nil
        unsettle()
        reveal()
    }

    /// Says what is wrong with a text, with a caret under the place.
    func refuse(_ fault: PredicateFault, in text: String) {
        var before = text[..<fault.place(in: text)]
        let rest = text[before.endIndex...]
        // The place is in sight on a narrow screen too.
        var mark = ""
        while String(before).shownColumns > width / 2 { (before, mark) = (before.dropFirst(), "…") }
        let columns = String(repeating: " ", count: String(mark + before).shownColumns)
        refuse("\(mark)\(before)\(rest)\n\(columns)^ \(setup.words.fault(fault))")
    }
}
