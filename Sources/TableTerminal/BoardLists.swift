import TableModel

// Prompts, and the lists that are drawn over the rows.
extension Board {
    // MARK: Prompts

    func takeInPrompt(_ key: Key, _ prompt: Prompt, _ line: LineEditor) {
        var line = line
        switch key {
        case .escape, .control("c"):
            mode = .rows
            // A title that was begun is kept, as a form is.
            if case .add(let section, let row) = prompt, !line.text.isEmpty {
                keep(line.text, beside: row, in: section)
            }
            // The filter from before the prompt holds again.
            if case .filter(let before) = prompt { setFilter(before) }
        case .enter:
            mode = .rows
            entered(prompt, line.text)
        case .up, .down:
            if case .filter = prompt { step(isUp: key == .up) }
            // The last line comes back: it may have been refused.
            if prompt == .command, key == .up { typed(prompt, LineEditor(lastCommand)) }
        case .tab:
            if prompt == .command { typed(prompt, completed(line)) }
            if case .add(let section, let row) = prompt {
                openForm(line.text, beside: row, in: section)
            }
        default:
            if line.handle(key) {
                typed(prompt, line)
            } else if key == .backspace {
                // There is nothing left to delete.
                takeInPrompt(.escape, prompt, line)
            }
        }
    }

    func typed(_ prompt: Prompt, _ line: LineEditor) {
        mode = .prompt(prompt, line)
        if case .filter = prompt, line.text != filter?.text ?? "" { setFilter(line.text) }
    }

    private func entered(_ prompt: Prompt, _ text: String) {
        switch prompt {
        case .filter(let before):
            if let fault = Filter(text)?.fault {
                setFilter(before)
                return refuse(fault, in: text)
            }
            if let filter { say(filterSummary(filter)) }
        case .command:
            if text.isEmpty { return }
            lastCommand = text
            run(text)
        case .add(let section, let after):
            guard !text.isEmpty else { return }
            let add = Command.Add(
                Row.Content(kind: kind(beside: after), title: text), section: section,
                at: after.map { .after($0) } ?? .bottom)
            guard isReachable else { return keep(add, why: message?.text ?? "") }
            let number = wish(.command(.add(add)), word("what.adding"))
            waiting[number]?.added = add
        }
    }

    /// The kind for a new row: its neighbour's, unless that is a strip or pinned.
    func kind(beside row: RowID?) -> KindID {
        guard let row = row.flatMap({ table?.row($0) }),
            let kind = table?.kinds[row.content.kind], !kind.isStrip, !kind.isPinned
        else { return .plainKind }
        return kind.id
    }

    private func filterSummary(_ filter: Filter) -> String {
        word(
            "filter.found",
            [
                "count": order?.count ?? 0, "all": table?.count ?? 0, "text": filter.text,
                "key": keyName(.cancel),
            ])
    }

    // MARK: Commands

    enum CommandWord: String, CaseIterable {
        case add, set, mark, goto, section, expand, filter, sort, totals, edit, mouse, dense, table,
            pause, resume, snooze, history, undo, redo, recall, help, quit
    }

    private func help(of word: CommandWord) -> String {
        switch word {
        case .add, .set, .mark, .goto, .section, .expand, .filter, .totals, .sort, .edit, .mouse,
            .dense, .table, .pause, .snooze:
            self.word("command.\(word.rawValue)")
        case .resume, .history, .undo, .redo, .recall, .help, .quit: word.rawValue
        }
    }

    private func completed(_ line: LineEditor) -> LineEditor {
        let found = CommandWord.allCases.filter { $0.rawValue.hasPrefix(line.text) }
        guard found.count == 1, let word = found.first else { return line }
        return LineEditor(word.rawValue + " ")
    }

    private func run(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = parts.count > 1 ? parts[1] : ""
        // A prefix is enough if only one word has it.
        let found = CommandWord.allCases.filter { $0.rawValue.hasPrefix(parts.first ?? "") }
        let exact = found.first { $0.rawValue == parts.first }
        guard let word = exact ?? (found.count == 1 ? found[0] : nil) else {
            let all = CommandWord.allCases.map(\.rawValue).joined(separator: ", ")
            return refuse(word("command.none", ["name": parts.first ?? "", "all": all]))
        }
        switch word {
        case .add:
            guard !rest.isEmpty else { return refuse(help(of: word)) }
            entered(.add(sectionForNewRows, after: selected), rest)
        case .set: set(rest)
        case .sort: sort(rest)
        case .totals: mode = .totals(by: rest.isEmpty ? nil : ID(rest), at: 0)
        case .mark:
            guard rest == "all" || rest == "none" else { return refuse(help(of: word)) }
            markAll(rest == "all")
        case .goto: go(to: ID(rest))
        case .section: go(toSection: rest)
        case .filter:
            if let fault = Filter(rest)?.fault { return refuse(fault, in: rest) }
            setFilter(rest)
        case .expand:
            guard rest == "all" || rest == "none" else { return refuse(help(of: word)) }
            perform(rest == "all" ? .expandAll : .collapseAll)
        case .edit, .mouse:
            guard rest == "on" || rest == "off" else { return refuse(help(of: word)) }
            if word == .edit { setEditing(rest == "on") } else { setMouse(rest == "on") }
        case .dense: perform(.density)
        case .table:
            guard !rest.isEmpty else { return refuse(help(of: word)) }
            leave(for: .table(ID(rest)))
        case .pause:
            guard pause(rest) else { return refuse(help(of: word)) }
        case .resume: resume(rest)
        case .snooze:
            guard snooze(rest) else { return refuse(help(of: word)) }
        case .history: askStory()
        case .undo, .redo, .recall, .help, .quit:
            if let operation = Operation(rawValue: word.rawValue) { perform(operation) }
        }
    }

    private func go(to id: RowID) {
        guard let table, table.row(id) != nil else {
            return refuse(word("noRow", ["row": id.text]))
        }
        if order?.place(of: id) == nil { setFilter("") }
        guard order?.place(of: id) != nil else {
            return refuse(word("noRow.here", ["row": id.text]))
        }
        select(id)
    }

    private func go(toSection name: String) {
        let sections = order?.sections ?? []
        let wanted = name.lowercased()
        let found =
            sections.first { $0.id.text == name }
            ?? sections.first {
                $0.id.text.lowercased().hasPrefix(wanted) || $0.title.lowercased().hasPrefix(wanted)
            }
        guard let found, let at = order?.index(of: found.id) else {
            return refuse(word("noSection", ["section": name]))
        }
        guard let row = order?.row(at: .init(section: at, index: 0)) else {
            return say(word("empty.section", ["section": found.id.text]))
        }
        select(row.id)
    }

    // MARK: Help

    /// The lines of the help that contain all words of a search.
    func helpLines(_ search: String) -> [(keys: String, text: String)] {
        var lines = [
            ("1…9", word("help.digit")), ("drag ↔", word("help.swipe")),
            ("drag ↕", word("help.lift")), ("click", word("help.click")),
            ("wheel", word("help.wheel")),
        ]
        lines =
            Operation.allCases.map { operation in
                (
                    keys.keys(of: operation).map(\.symbol).joined(separator: " "),
                    word("key.\(operation.rawValue)")
                )
            } + lines
        let words = search.lowercased().split(separator: " ")
        return lines.filter { line in
            words.allSatisfy { (line.0 + " " + line.1).lowercased().contains($0) }
        }
    }

    func takeInHelp(_ key: Key, _ line: LineEditor, _ scroll: Int) {
        var line = line
        let most = max(0, helpLines(line.text).count - 1)
        switch key {
        case .escape, .enter, .control("c"), .function(1): mode = .rows
        case .down: mode = .help(line, scroll: min(scroll + 1, most))
        case .up: mode = .help(line, scroll: max(0, scroll - 1))
        case .pageDown: mode = .help(line, scroll: min(scroll + max(1, viewHeight - 4), most))
        case .pageUp: mode = .help(line, scroll: max(0, scroll - max(1, viewHeight - 4)))
        case .character("?") where line.text.isEmpty: mode = .rows
        case .character("q") where line.text.isEmpty: mode = .rows
        default: if line.handle(key) { mode = .help(line, scroll: 0) }
        }
    }

    // MARK: Recall

    func takeInRecall(_ key: Key, _ at: Int) {
        let count = recent.entries.count
        let operation = keys[key]
        switch operation {
        case .down: mode = .recall(at: min(at + 1, max(0, count - 1)))
        case .up: mode = .recall(at: max(0, at - 1))
        case .first: mode = .recall(at: 0)
        case .last: mode = .recall(at: max(0, count - 1))
        case .enter, .expand:
            mode = .rows
            guard recent.entries.indices.contains(at), isReachable else { return }
            let entry = recent.entries[at]
            if table?.row(entry.row) == nil {
                wish(
                    .command(.recall([entry.row])), word("what.recalling", ["row": entry.row.text]))
                return
            }
            // The row is still there: an action was performed on it, which usually moved it.
            select(entry.row)
            if let revision = entry.revision {
                wish(.command(.undo(revision: revision, mine: false)), word("what.undo"))
            } else {
                say(word("back.already", ["row": entry.row.text]))
            }
        case .cancel, .quit, .recall: mode = .rows
        default: break
        }
    }

    func takeInList(_ mouse: Mouse) {
        let key: Key
        switch mouse.action {
        case .wheelUp: key = .up
        case .wheelDown: key = .down
        case .press:
            // A click closes a list; a prompt needs an answer, and a question one of its own.
            if case .confirm(let pressed) = mode { return takeInQuestion(mouse, pressed) }
            switch mode {
            case .help, .recall, .totals, .menu, .story: mode = .rows
            case .rows, .prompt, .form, .confirm: break
            }
            return
        default: return
        }
        switch mode {
        case .recall(let at):
            let most = max(0, recent.entries.count - 1)
            mode = .recall(at: min(max(0, at + (key == .up ? -1 : 1)), most))
        case .help, .menu, .form, .totals, .story: handle(key)
        case .rows, .prompt, .confirm: break
        }
    }
}
