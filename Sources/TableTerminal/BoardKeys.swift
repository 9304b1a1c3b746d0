import TableModel

// What keys mean.
extension Board {
    func handle(_ input: Input) {
        isDirty = true
        settle()
        switch input {
        case .key(let key): handle(key)
        case .mouse(let mouse): if hasMouse { handle(mouse) }
        case .paste(let text):
            switch mode {
            case .prompt(let prompt, var line):
                line.insert(text)
                typed(prompt, line)
            case .form(let target) where forms[target]?.sent == nil:
                forms[target]?.editor.insert(text)
            default: break
            }
        }
    }

    /// Whether keys are letters of a text.
    private var isTyping: Bool {
        switch mode {
        case .prompt, .form, .help: true
        case .rows, .recall, .totals, .story, .menu, .confirm: false
        }
    }

    func handle(_ pressed: Key) {
        let isOwn = isTyping || keys[pressed] != nil
        let key = isOwn ? pressed : pressed.latin ?? pressed
        switch mode {
        case .rows: takeInRows(key)
        case .prompt(let prompt, let line): takeInPrompt(key, prompt, line)
        case .form(let target): takeInForm(key, target)
        case .help(let line, let scroll): takeInHelp(key, line, scroll)
        case .recall(let at): takeInRecall(key, at)
        case .totals(let field, let at): takeInTotals(key, field, at)
        case .story(let row, let told, let at): takeInStory(key, row, told, at)
        case .menu(let row, let item, let at): takeInMenu(key, row, item, at)
        case .confirm(let pressed): takeInConfirm(key, pressed)
        }
    }

    private func takeInRows(_ key: Key) {
        message = message?.kind == .refusal ? nil : message
        if let digit = key.digit { return press(digit - 1) }
        if station.isKiosk, key == .control("c") { return leaveForms(for: .quit) }
        guard let operation = keys[key] else { return }
        if gesture != .none, operation == .cancel { return cancelGesture() }
        if hand != nil, takeWhileLifted(operation) { return }
        perform(operation)
    }

    func perform(_ operation: Operation) {
        switch operation {
        case .down: step(isUp: false)
        case .up: step(isUp: true)
        case .first: select(order?.first)
        case .last: select(order?.last)
        case .pageDown: if !pageStrip(isUp: false) { page(isUp: false) }
        case .pageUp: if !pageStrip(isUp: true) { page(isUp: true) }
        case .nextSection: section(isUp: false)
        case .previousSection: section(isUp: true)
        case .find: findLate()
        case .filter: mode = .prompt(.filter(before: filter?.text ?? ""), .init(filter?.text ?? ""))
        case .command: mode = .prompt(.command, LineEditor())
        case .help: mode = .help(LineEditor(), scroll: 0)
        case .recall: mode = .recall(at: 0)
        case .totals: mode = .totals(by: nil, at: 0)
        case .cancel: cancel()
        case .mouse: setMouse(!hasMouse)
        case .density: toggleDensity()
        case .redraw: wish(.redraw)
        case .suspend:
            if station.isKiosk { return say(word("kiosk")) }
            wish(.suspend)
        case .quit: leave(for: .quit)
        case .undo: change(.undo(revision: nil, mine: true), word("what.undo"))
        case .redo: change(.redo(mine: true), word("what.redo"))
        case .edit: if isReachable { setEditing(!isEditing) }
        case .expandAll: expandAll(true)
        case .collapseAll: expandAll(false)
        case .add: askForRow(below: selected, in: sectionForNewRows)
        case .set: onRow(edit)
        case .mark: onRow(mark)
        case .left: onMarked { sideways($0, isRight: false) }
        case .right: onMarked { sideways($0, isRight: true) }
        case .enter: onRow(enter)
        case .expand: onRow(expand)
        case .select: onRow(tap)
        case .menu: onRow(openMenu)
        case .lift: onMarked { lift($0) }
        case .claim:
            onMarked { row in
                guard isReachable else { return }
                let isOn = row.claim == nil
                let rows = Few(rows(with: row).map(\.id))
                endMarks(
                    after: wish(
                        .command(
                            isOn
                                ? .claim(rows, note: "", ttlSeconds: nil)
                                : .unclaim(rows, holder: nil)), word("what.claiming")))
            }
        case .snooze:
            onMarked { row in
                guard isReachable else { return }
                let rows = Few(rows(with: row).map(\.id))
                let snooze = row.sleep == nil ? Command.Snooze(.after(600_000)) : nil
                endMarks(after: wish(.command(.snooze(rows, snooze)), word("what.puttingOff")))
            }
        case .delete: onMarked { useKey(of: .delete, on: $0) }
        case .insert: onRow { useKey(of: .insert, on: $0) }
        }
    }

    /// Wishes for a command, if the daemon can be asked now.
    func change(_ verb: Command.Verb, ifVersion version: UInt64? = nil, _ what: String) {
        if isReachable { wish(.command(verb, ifVersion: version), what) }
    }

    /// Does something with the selected row. If it is out of sight, it is only shown.
    private func onRow(_ act: (Row) -> Void) {
        guard let selected, let row = table?.row(selected) else { return }
        guard block(of: selected) != nil else {
            select(selected)
            return say(word("outOfSight"))
        }
        act(row)
    }

    /// Does something with the marked rows. Marking moves the selection on, so it goes back to one of them first.
    func onMarked(_ act: (Row) -> Void) {
        if let selected, !marked.isEmpty, !marked.contains(selected), let first = markedRows.first {
            select(first.id)
        }
        onRow(act)
    }

    func expand(_ row: Row) {
        guard let table, opensHere || isReachable else { return }
        if let kind = table.kind(of: row)?.fitted(to: row.content), kind.states.count < 2 {
            return say(word("oneHeight", ["kind": kind.id.text]))
        }
        if opensHere { return reopened(expansions.expand(row.id, in: table)) }
        wish(.command(.expand(row.id, nil)), word("what.opening", ["row": row.id.text]))
    }

    /// Whether rows open on this screen alone. Nobody else need know of it then.
    private var opensHere: Bool { table?.settings.expandScope == .viewer }

    private func expandAll(_ isOpen: Bool) {
        guard opensHere, let table else {
            return change(.expandAll(isOpen), word(isOpen ? "what.openingAll" : "what.closingAll"))
        }
        if isOpen, table.settings.expandPolicy != .independent {
            return refuse(word("refusal.onlyOneOpen"))
        }
        reopened(expansions.expandAll(isOpen, in: table))
    }

    func tap(_ row: Row) {
        guard isReachable else { return }
        let item = markedItem(of: row)
        if item == nil, isStrip(row) { return refuse(word("strip.first")) }
        wish(.command(.select(row.id, item: item)), word("what.selecting", ["row": row.id.text]))
    }

    private func enter(_ row: Row) {
        if openEdge(of: row) != nil { return isOwn(row) ? press(focus) : take(row) }
        if isStrip(row), markedItem(of: row) != nil { return tap(row) }
        expand(row)
    }

    /// Whether the daemon can be asked now; if not, says why. No command waits for a daemon.
    var isReachable: Bool {
        switch connection {
        case .live, .stale: return table != nil
        case nil: refuse(word("daemon.none"))
        case .connecting: refuse(word("notConnected.yet"))
        case .disconnected: refuse(word("refusal.notConnected"))
        case .absent: refuse(word("absent", ["name": setup.name]))
        }
        return false
    }

    /// Ends this board, or shows another table. What was typed is not lost without a word.
    func leave(for wish: Intent.Wish) {
        if station.isKiosk { return say(word("kiosk")) }
        leaveForms(for: wish)
    }

    private func leaveForms(for wish: Intent.Wish) {
        if !forms.isEmpty, !hasWarned {
            hasWarned = true
            return refuse(formsText)
        }
        self.wish(wish)
    }

    func setMouse(_ isOn: Bool) {
        hasMouse = isOn
        cancelGesture()
        wish(.mouse(isOn))
        say(isOn ? word("mouse.on") : word("mouse.off", ["key": keyName(.mouse)]))
    }

    private func cancel() {
        if hand != nil { return putDown(word("drag.back")) }
        if let selected, let row = table?.row(selected), openEdge(of: row) != nil {
            return close(row)
        }
        // Without a table yet there is nothing else to cancel.
        guard hasHadTable else { return perform(.quit) }
        if item != nil {
            item = nil
        } else if !marked.isEmpty {
            marked = []
        } else if filter != nil {
            setFilter("")
        }
        message = nil
    }

    private func findLate() {
        guard let order, let table else { return }
        var late: [RowID] = []
        var warned: [RowID] = []
        for section in order.sections.indices {
            for index in 0..<order.count(in: section) {
                guard let row = order.row(at: .init(section: section, index: index)) else { break }
                let kind = table.kinds[row.content.kind]
                let age = Age(of: row, kind: kind, in: order.sections[section].id, nowMs: timeMs)
                switch age?.stage {
                case .late: late.append(row.id)
                case .warned: warned.append(row.id)
                default: break
                }
                if late.count + warned.count > 2_000 { break }
            }
        }
        let all = late + warned
        guard !all.isEmpty else { return say(word("keys.noneLate")) }
        let at = selected.flatMap { all.firstIndex(of: $0) } ?? -1
        select(all[(at + 1) % all.count])
    }

    /// The selected row's section, or else the last one, or the station's first; nil: the daemon chooses.
    var sectionForNewRows: SectionID? {
        selected.flatMap { table?.position(of: $0)?.section } ?? emptied ?? station.sections.first
    }

    func keyName(_ operation: Operation) -> String {
        keys.keys(of: operation).first?.symbol ?? operation.rawValue
    }
}
