import TableLayout
import TableModel
import TablePredicate

// Takes tables and diffs, and keeps the screen still.
extension Board {
    var metrics: Metrics {
        var metrics = Metrics.cell
        // One line is then as high as a row of the reference kind.
        if isDense { metrics.cellHeightPoints = 60 }
        return metrics
    }

    var widthPoints: Double { Double(width) * Metrics.cell.cellWidthPoints }

    func install(_ new: Table) {
        let (old, oldIndex) = (table, index)
        table = new
        hasHadTable = true
        if old !== new {
            (swipes, scrolls, chosen, expansions) = (.init(), .init(), .init(), .init())
        }
        _ = expansions.follow(new)
        index = index(of: new)
        let before = old.flatMap {
            $0.history == new.history && !$0.settings.alerts.isEmpty ? (bell, $0) : nil
        }
        bell = Bell(new, station, after: before)
        swipes.follow(new)
        scrolls.follow(new)
        chosen.follow(new)
        refilter()
        if let selected, new.row(selected) == nil { self.selected = nil }
        marked = marked.filter { new.row($0) != nil }
        openers = openers.filter { new.row($0.key)?.swipe != nil }
        forget(in: new, old.map { $0.history != new.history } ?? false ? .another : .unseen)
        if let row = anchor?.row, new.row(row) == nil { anchor = nil }
        unsettle()
        checkHand(landing(oldIndex))
        followForm()
    }

    private func index(of table: Table) -> LayoutIndex {
        LayoutIndex(table, widthPoints: widthPoints, metrics: metrics) { [unowned self] row in
            expansions.shown(row)
        }
    }

    func toggleDensity() {
        isDense.toggle()
        guard let table else { return }
        index = index(of: table)
        unsettle()
        settle()
        reveal()
    }

    func follow(_ diffs: [Diff]) {
        guard let table, let index else { return }
        let news = diffs.filter { $0.revision > index.revision }
        guard let first = news.first else { return }
        guard first.base == index.revision, news.last?.revision == table.revision else {
            return install(table)
        }
        var moved: Set<RowID> = []
        for diff in news {
            let isOurs = diff.cause.client != nil && diff.cause.client == client
            if let undone = diff.cause.undoes { recent.undone(undone, by: diff.revision) }
            for op in diff.ops {
                note(op, diff, isOurs: isOurs, moved: &moved)
                bell.follow(op, on: table, station, isOurs: isOurs)
            }
        }
        if station.isSorted { knownOrder = nil }
        if conditions.contains(where: \.goesOverRows) { refilter() }
        forget(in: table, .seen)
        chooseAnchor(not: moved)
        let landing = landing(index)
        lay(news.flatMap(\.ops), in: table)
        lay(expansions.follow(table).map { .expand($0, .collapsed) }, in: table)
        swipes.follow(table)
        scrolls.follow(table)
        chosen.follow(table)
        unsettle()
        checkSelection()
        checkHand(landing)
        followForm()
        if wantsReveal { reveal() }
        wantsReveal = false
    }

    /// Moves rows to where they are after these ops, and holds still what the person looks at.
    private func lay(_ ops: [Op], in table: Table) {
        if ops.isEmpty { return }
        let held = anchor.map {
            ScrollAnchor($0.row, withinPoints: -Double($0.line) * metrics.cellHeightPoints)
        }
        let kept = index?.apply(ops, table, keeping: held)
        anchor = kept.map { kept in
            let lines = kept.withinPoints / metrics.cellHeightPoints
            return (kept.row, -Int(min(max(lines, -1e6), 1e6).rounded()))
        }
    }

    /// These rows are open otherwise on this screen.
    func reopened(_ rows: [RowID]) {
        guard let table else { return }
        // An index asks the board how far a row is open, whatever the op says.
        lay(rows.map { .expand($0, .collapsed) }, in: table)
        unsettle()
        if let selected, rows.contains(selected) { reveal() }
    }

    /// Notes what an op changes of what the person looks at.
    private func note(_ op: Op, _ diff: Diff, isOurs: Bool, moved: inout Set<RowID>) {
        switch op {
        case .move(let rows, _):
            moved.formUnion(rows)
            // After an action the person goes on with the next row: the selection stays behind.
            if isOurs, let selected, rows.contains(selected) {
                if diff.cause.verb == "act" { self.selected = nil } else { wantsReveal = true }
            }
            // A filter may look at the section.
            for row in rows { rematch(row) }
            knownOrder = nil
        case .swap(let a, let b):
            moved.formUnion([a, b])
            knownOrder = nil
        case .remove(let id, _):
            recent.removed(id, by: isOurs ? nil : diff.cause.actor, atMs: timeMs)
            openers[id] = nil
            if selected == id { selected = nil }
            marked.remove(id)
            if matches.remove(id) != nil { knownOrder = nil }
        case .swipe(let id, let edge):
            if expected?.row == id { expected = nil }
            // The end of a drag opens again what another may have opened before.
            let isReopened = diff.cause.verb == "cancel"
            if touched == id { touched = nil }
            openers[id] = edge == nil || isOurs || isReopened ? nil : diff.cause.actor
        case .insert(let row, _, _): rematch(row.id)
        case .set(let id, _), .item(let id, _): rematch(id)
        case .perform(let id, let performance):
            recent.performed(
                performance.deed, on: id, by: isOurs ? nil : diff.cause.actor, in: diff.revision,
                atMs: timeMs)
            // The action's own swipe op, if any, says whether the row closes.
            if expected?.row == id { expected = nil }
            rematch(id)
        case .edit(let isOn):
            // Edit mode changes what the keys do, so the person is told who turned it on or off.
            if !isOurs { say(editing(isOn, diff.cause)) }
            editor = isOn ? diff.cause.shownActor ?? "" : ""
        case .insertSection, .removeSection, .setSection, .define: knownOrder = nil
        case .select(let id, let item):
            if isOurs, let table { chosen.select(id, item: item, in: table) }
        case .expand(let id, _):
            rematch(id)
            // Opened on the last line, it would open out of sight.
            if isOurs, id == selected { wantsReveal = true }
        case .claim(let id, _), .sleep(let id, _): rematch(id)
        case .expandAll, .scroll, .mark, .came, .restore: break
        case .invoke, .take, .release, .rest, .finish, .invocation: break
        }
    }

    /// The place of a row for people: the field that groups it, and the first of its kind's form, as in `table 7`.
    func facts(of row: Row) -> String {
        guard let kind = table?.kind(of: row) else { return "" }
        let keys = (kind.show.group.map { [$0] } ?? []) + kind.form
        var facts: [String] = []
        for key in keys where facts.count < 2 {
            guard let value = row.content.fields.first(where: { $0.key == key })?.value,
                !value.isEmpty, !facts.contains("\(key.text) \(value)")
            else { continue }
            facts.append("\(key.text) \(value)")
        }
        return facts.joined(separator: ", ")
    }

    /// Names the press of a revision: `Bump of 2 × fries (table 7)`, and the person if it was another one; nil: no
    /// press is known of it.
    func press(in revision: UInt64) -> String? {
        guard let press = recent.presses[revision], let first = press.rows.first else { return nil }
        let row = table?.row(first)
        let action = row.flatMap { row in
            [Edge.leading, .trailing].lazy.compactMap { edge in
                self.table?.actions(of: row, at: edge)?.actions.first { $0.id == press.action }
            }.first
        }
        let facts = row.map { self.facts(of: $0) } ?? ""
        let name = row.map(RowLines.name) ?? recent.title(of: first) ?? first.text
        let rows =
            press.rows.count > 1
            ? setup.words.rows(press.rows.count) : name + (facts.isEmpty ? "" : " (\(facts))")
        let title = action?.shownTitle ?? press.action.text
        guard let who = press.who else { return word("deed", ["action": title, "what": rows]) }
        return word("deed.by", ["action": title, "what": rows, "who": who.text])
    }

    private func editing(_ isOn: Bool, _ cause: Cause) -> String {
        if !isOn, cause.verb == "expire" { return word("edit.over") }
        let how = cause.undoes == nil ? "" : cause.verb == "redo" ? ".redo" : ".undo"
        return word(
            (isOn ? "edit.on" : "edit.off") + how,
            ["who": cause.shownActor ?? word("somebody"), "key": keyName(.edit)])
    }

    /// Drops recent rows that are back in the table. In the list that is shown the chosen entry stays chosen.
    private func forget(in table: Table, _ passage: Recent.Passage) {
        let before = recent.entries
        recent.forget(in: table, passage)
        guard case .recall(let at) = mode, recent.entries != before else { return }
        let chosen = before.indices.contains(at) ? before[at].row : nil
        let now = recent.entries.firstIndex { $0.row == chosen }
        mode = .recall(at: now ?? max(0, min(at, recent.entries.count - 1)))
    }

    private func rematch(_ id: RowID) {
        guard isFiltered, let table, let row = table.row(id) else { return }
        let lets = lets(row, in: table)
        if lets != matches.contains(id) || lets {
            if lets { matches.insert(id) } else { matches.remove(id) }
            knownOrder = nil
        }
        for condition in conditions where condition.isTimed {
            guard let next = condition.nextChange(of: id, in: table, at: clock) else { continue }
            refilterMs = min(refilterMs ?? next, next)
        }
    }

    /// Replaces an anchor that was moved, which would take the screen along, by the first row that was not.
    private func chooseAnchor(not moved: Set<RowID>) {
        guard let anchor, moved.contains(anchor.row) else { return }
        for block in flow {
            guard let row = block.row, !moved.contains(row), index?.height(of: row) != nil
            else { continue }
            self.anchor = (row, block.y)
            return
        }
    }

    /// If the selected row is gone or an action moved it, the row at its old place is selected. In a section without
    /// rows that is none.
    private func checkSelection() {
        if let selected, table?.row(selected) != nil { return }
        guard let place = selectedPlace else { return }
        selected = nil
        focus = 0
        guard let order, let section = selectedSection, table?.section(section) != nil else {
            emptied = nil
            return
        }
        guard let at = order.index(of: section), order.count(in: at) > 0 else {
            emptied = section
            return
        }
        emptied = nil
        let index = min(max(0, place.index), order.count(in: at) - 1)
        selected = order.row(at: .init(section: at, index: index))?.id
        selectedPlace = selected.flatMap { order.place(of: $0) }
    }

    // MARK: The filter

    /// Whether rows of the shown sections are hidden.
    var isFiltered: Bool { filter != nil || station.condition != nil }

    /// The rows that are shown; nil: there is no table.
    var order: RowOrder? {
        guard let table else { return nil }
        // The table's own order costs nothing to make.
        if !isFiltered, !station.isSorted { return RowOrder(table, of: station) }
        if let knownOrder { return knownOrder }
        let new = RowOrder(
            table, of: station, only: isFiltered ? matches : nil, hidesEmpty: filter != nil,
            at: clock)
        knownOrder = new
        return new
    }

    private func lets(_ row: Row, in table: Table) -> Bool {
        let groups = groups(of: table)
        return filter?.lets(row, in: table, at: clock, groups) != false
            && station.condition?.holds(for: row.id, in: table, at: clock, groups) != false
    }

    /// The rows of this table that belong together.
    func groups(of table: Table) -> Groups {
        if let knownGroups, knownGroups.table === table { return knownGroups }
        let new = Groups(table)
        knownGroups = new
        return new
    }

    /// Whether the guard of an action lets it be performed on a row.
    func allows(_ action: Action, on row: RowID) -> Bool {
        table.map { $0.allows(action, on: row, nowMs: timeMs, groups(of: $0)) } ?? false
    }

    private var clock: PredicateClock { PredicateClock(nowMs: timeMs, zoneSeconds: zoneSeconds) }

    private var conditions: [RowPredicate] {
        [filter?.condition, station.condition].compactMap { $0 }
    }

    /// Looks again when a time that a condition names has come.
    func refilterAtMoment() {
        guard let refilterMs, timeMs >= refilterMs else { return }
        refilter()
        unsettle()
        isDirty = true
    }

    func setFilter(_ text: String) {
        let old = filter
        let new = Filter(text)
        // A condition that is not typed to its end yet: what is shown stays.
        if new?.fault != nil { return }
        filter = new
        emptied = nil
        if let filter, let old, let table, filter.narrows(old) {
            matches = matches.filter { id in
                table.row(id).map { filter.lets($0, in: table, at: clock, nil) } ?? false
            }
            knownOrder = nil
        } else {
            refilter()
        }
        if let order, selected.flatMap({ order.place(of: $0) }) == nil, order.count > 0 {
            selected = order.first
        }
        // With a filter the selected row is shown at the top; without, with some rows above it.
        anchor = selected.map { ($0, filter == nil ? viewHeight / 3 : 1) }
        unsettle()
        reveal()
    }

    private func refilter() {
        knownOrder = nil
        refilterMs = nil
        guard isFiltered, let table else {
            matches = []
            return
        }
        var found: Set<RowID> = []
        for section in table.sections where station.shows(section.id) {
            for run in section.runs() {
                for row in run where lets(row, in: table) { found.insert(row.id) }
            }
        }
        matches = found
        refilterMs = conditions.filter(\.isTimed)
            .compactMap { $0.outlook(in: table, at: clock).untilMs }.min()
    }
}
