import TableModel

// Editing a row, and adding one, by a form. What was typed stays in `forms` until the daemon has it.
extension Board {
    func edit(_ row: Row) {
        hasWarned = false
        let kind = table?.kind(of: row)
        forms[.edit(row.id), default: Form(editing: row, kind)].follow(row, kind)
        mode = .form(.edit(row.id))
    }

    /// Asks for a new row: by the form of its kind, or for a title alone where the kind has none.
    func askForRow(below row: RowID?, in section: SectionID?) {
        let kind = table?.kinds[kind(beside: row)]
        guard firstAdded != nil || kind?.form.isEmpty == false else {
            guard isReachable else { return }
            mode = .prompt(.add(section, after: row), LineEditor())
            return
        }
        openForm("", beside: row, in: section)
    }

    /// Shows the form of a new row. Without a title, one that was not sent is shown again.
    func openForm(_ title: String, beside row: RowID?, in section: SectionID?) {
        hasWarned = false
        let kept = title.isEmpty ? firstAdded : nil
        mode = .form(kept ?? keep(title, kind(beside: row), section))
    }

    /// The form of the new row that waits for the longest time; nil: none does.
    private var firstAdded: Form.Target? { numbersOfAdded.min().map { .add($0) } }

    private var numbersOfAdded: [Int] {
        forms.keys.compactMap { if case .add(let number) = $0 { number } else { nil } }
    }

    /// Keeps the title of a new row, in a form.
    @discardableResult
    private func keep(_ title: String, _ kind: KindID, _ section: SectionID?) -> Form.Target {
        let number = (numbersOfAdded.max() ?? 0) + 1
        let form = Form(
            adding: title, table?.kinds[kind] ?? Kind(.plainKind), section: section, number: number)
        forms[form.target] = form
        return form.target
    }

    /// Keeps the title of a new row that was begun, and says how it comes back.
    func keep(_ title: String, beside row: RowID?, in section: SectionID?) {
        keep(title, kind(beside: row), section)
        hasWarned = false
        say(word("form.kept", ["key": keyName(.add)]))
    }

    /// Keeps the title of a new row that the daemon does not have, and says why.
    func keep(_ add: Command.Add, why: String) {
        keep(add.content.title, add.content.kind, add.section)
        hasWarned = false
        refuse("\(why) \(word("form.kept", ["key": keyName(.add)]))")
    }

    /// The row that the form is about has changed, or others have removed it.
    func followForm() {
        guard case .form(.edit(let id)) = mode, let row = table?.row(id) else { return }
        forms[.edit(id)]?.follow(row, table?.kind(of: row))
    }

    func takeInForm(_ key: Key, _ target: Form.Target) {
        guard var form = forms[target] else { return mode = .rows }
        if key == .escape || key == .control("c") { return leaveForm(form) }
        if form.sent != nil { return say(word("form.sending.wait", ["key": Key.escape.symbol])) }
        switch key {
        case .enter: return send(&form)
        case .tab, .down: form.step(by: 1)
        case .backTab, .up: form.step(by: -1)
        case .control("x"):
            forms[target] = nil
            mode = .rows
            return say(word("form.thrown"))
        default: _ = form.editor.handle(key)
        }
        if let kind = table?.kinds[ID(form.text(.kind))] { form.add(kind.formKeys) }
        forms[target] = form
    }

    private func leaveForm(_ form: Form) {
        mode = .rows
        if form.sent != nil { return }
        guard form.isChanged else {
            forms[form.target] = nil
            return
        }
        let again: Operation = if case .add = form.target { .add } else { .set }
        say(word("form.kept", ["key": keyName(again)]))
    }

    /// Sends what was typed. If that cannot be, the form stays as it is.
    private func send(_ form: inout Form) {
        defer { if forms[form.target] != nil { forms[form.target] = form } }
        guard form.takeField() else { return refuse(word("form.field.how")) }
        guard isReachable, let table else { return }
        let kind = form.text(.kind)
        guard table.kinds[ID(kind)] != nil else {
            form.go(to: .kind)
            return refuse(word("form.noKind", ["kind": kind, "all": kindNames]))
        }
        switch form.target {
        case .add:
            let name = form.text(.section)
            guard table.section(ID(name)) != nil || table.sections.isEmpty else {
                form.go(to: .section)
                let names = table.sections.map(\.id.text).joined(separator: ", ")
                return refuse(word("form.noSection", ["section": name, "all": names]))
            }
            guard form.isChanged else { return leaveForm(form) }
            let isBeside = selected.flatMap { table.position(of: $0)?.section.text } == name
            let add = Command.Add(
                form.content, section: ID(name),
                at: selected.flatMap { isBeside ? .after($0) : nil } ?? .bottom)
            form.sent = wish(.command(.add(add)), word("what.adding"))
        case .edit(let id):
            guard let row = table.row(id) else {
                return refuse(word("form.gone", ["key": keyName(.recall)]))
            }
            if form.tellsOfOthers() {
                return refuse(word("form.others", ["key": Key.enter.symbol]))
            }
            guard form.isChanged else { return leaveForm(form) }
            form.sent = wish(
                .command(.set(id, form.changes), ifVersion: row.version),
                word("what.changing", ["row": id.text]))
        }
    }

    /// Says what a person would lose by quitting.
    var formsText: String {
        let names = forms.keys.map { target in
            if case .edit(let id) = target { id.text } else { word("form.unsent.new") }
        }
        return word(
            "form.unsent",
            [
                "names": names.sorted().joined(separator: ", "),
                "key": station.isKiosk ? "ctrl-c" : keyName(.quit),
            ])
    }

    private var kindNames: String {
        (table?.kinds.keys.map(\.text).sorted() ?? []).joined(separator: ", ")
    }

    /// The daemon has taken or refused what a form says. What it refused can be typed on.
    func answeredForm(_ number: Int, isRefused: Bool) {
        guard let target = forms.first(where: { $0.value.sent == number })?.key else { return }
        forms[target]?.sent = nil
        guard !isRefused else { return followForm() }
        forms[target] = nil
        if mode == .form(target) { mode = .rows }
    }

    // MARK: :set

    /// Sets title, kind and fields of the selected row, or of all marked ones, as `title=…`, `kind=…` and `KEY=VALUE`. A field without
    /// a value is taken away.
    func set(_ text: String) {
        guard let fields = Self.fields(typed: text) else { return refuse(word("set.how")) }
        var changes = Command.Changes()
        for field in fields {
            switch field.key.text {
            case "title": changes.title = field.value
            case "kind": changes.kind = ID(field.value)
            default:
                if field.value.isEmpty {
                    changes.unset.append(field.key)
                } else {
                    changes.fields.append(field)
                }
            }
        }
        guard let row = selected.flatMap({ table?.row($0) }) else {
            return refuse(word("noRow.selected"))
        }
        let rows = marked.isEmpty ? [row] : markedRows
        let commands = rows.map { Command(.set($0.id, changes), ifVersion: $0.version) }
        if rows.count > Self.mostUnasked {
            mode = .confirm(Pressed(title: "set \(text)", commands: commands, rows: rows.map(\.id)))
        } else {
            change(commands, word("what.changing", ["row": row.id.text]))
        }
    }

    /// More rows than that nobody marks one by one: a change of them is asked for once more.
    private static let mostUnasked = 10

    /// `table=12 note=no salt`: each word with `=` begins a field. Nil: the first does not.
    private static func fields(typed text: String) -> [Row.Field]? {
        var typed: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let name = word.prefix { $0.isLetter || $0.isNumber || "_-.".contains($0) }
            if typed.isEmpty || !name.isEmpty && word[name.endIndex...].first == "=" {
                typed.append(String(word))
            } else {
                typed[typed.count - 1] += " \(word)"
            }
        }
        let fields = typed.compactMap { Row.Field(typed: $0) }
        return fields.isEmpty || fields.count < typed.count ? nil : fields
    }
}
