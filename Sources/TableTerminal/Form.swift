import TableModel

/// The texts that a person types about a row, line by line, for a row that is there or for a new one. The board keeps a
/// form until it is sent or thrown away.
struct Form: Equatable {
    enum Target: Hashable {
        case edit(RowID)
        /// Several new rows may wait to be sent, and have numbers in their order.
        case add(Int)
    }

    enum Key: Hashable {
        case title, kind, section
        case field(ID)
        /// Takes KEY=VALUE, for a field that has no line yet.
        case more
    }

    struct Line: Equatable {
        let key: Key
        /// The value that the person saw in the row.
        var seen: String
        var editor: LineEditor
        /// The value that others have given it while the person typed another one.
        var others: String?

        init(_ key: Key, _ text: String = "") {
            (self.key, seen, editor) = (key, text, LineEditor(text))
        }

        var isChanged: Bool { !editor.text.utf8.elementsEqual(seen.utf8) }

        func label(_ words: Wording) -> String {
            switch key {
            case .title: words("form.title")
            case .kind: words("form.kind")
            case .section: words("form.section")
            case .field(let id): id.text
            case .more: words("form.field")
            }
        }
    }

    let target: Target
    private(set) var lines: [Line]
    /// The line with the cursor.
    var at = 0
    /// The number of the intent that sends it; nil: it is not under way.
    var sent: Int?
    /// The person was told of what others changed in the lines that he changed too.
    private(set) var hasTold = false

    /// The form of a row: its title, the fields of its kind's form, its other fields, its kind.
    init(editing row: Row, _ kind: Kind?) {
        target = .edit(row.id)
        let content = row.content
        let form = kind?.formKeys ?? []
        let others = content.fields.map(\.key).filter { !form.contains($0) }
        lines = [Line(.title, content.title)]
        lines += (form + others).map { Line(.field($0), Self.value($0, content)) }
        lines += [Line(.kind, content.kind.text), Line(.more)]
    }

    /// The form of a new row. Its title may have been typed already.
    init(adding title: String, _ kind: Kind, section: SectionID?, number: Int) {
        target = .add(number)
        lines = [Line(.title)] + kind.formKeys.map { Line(.field($0)) }
        lines += [
            Line(.kind, kind.id.text), Line(.section, (section ?? .mainSection).text), Line(.more),
        ]
        lines[0].editor = LineEditor(title)
    }

    private static func value(_ key: ID, _ content: Row.Content) -> String {
        content.fields.first { $0.key == key }?.value ?? ""
    }

    var isChanged: Bool { lines.contains(where: \.isChanged) }

    var editor: LineEditor {
        get { lines[at].editor }
        set { lines[at].editor = newValue }
    }

    func text(_ key: Key) -> String { lines.first { $0.key == key }?.editor.text ?? "" }

    mutating func go(to key: Key) { at = lines.firstIndex { $0.key == key } ?? at }

    mutating func step(by lines: Int) {
        let count = self.lines.count
        at = (at + lines + count) % count
    }

    /// Adds lines for fields that have none.
    mutating func add(_ fields: [ID]) {
        for key in fields where !lines.contains(where: { $0.key == .field(key) }) {
            insert(Line(.field(key)))
        }
    }

    private mutating func insert(_ line: Line) {
        let place = lines.firstIndex { $0.key == .kind } ?? lines.count
        lines.insert(line, at: place)
        if at >= place { at += 1 }
    }

    /// Makes a line of the field that was typed as KEY=VALUE. False: it is none.
    mutating func takeField() -> Bool {
        guard let last = lines.firstIndex(where: { $0.key == .more }) else { return true }
        let text = lines[last].editor.text
        if text.isEmpty { return true }
        guard let field = Row.Field(typed: text) else { return false }
        lines[last] = Line(.more)
        add([field.key])
        go(to: .field(field.key))
        editor = LineEditor(field.value)
        return true
    }

    /// Takes over what the row says now, but for the lines that the person has changed: these tell of both.
    mutating func follow(_ row: Row, _ kind: Kind?) {
        let content = row.content
        add((kind?.form ?? []) + content.fields.map(\.key))
        for index in lines.indices {
            let now: String
            switch lines[index].key {
            case .title: now = content.title
            case .kind: now = content.kind.text
            case .field(let key): now = Self.value(key, content)
            case .section, .more: continue
            }
            let line = lines[index]
            if now.utf8.elementsEqual(line.others?.utf8 ?? line.seen.utf8) { continue }
            if !line.isChanged || now.utf8.elementsEqual(line.editor.text.utf8) {
                lines[index] = Line(line.key, now)
            } else if now.utf8.elementsEqual(line.seen.utf8) {
                lines[index].others = nil
            } else {
                lines[index].others = now
                hasTold = false
            }
        }
    }

    /// True: others have changed a line that the person changed too, and he has not been told of it.
    mutating func tellsOfOthers() -> Bool {
        guard !hasTold, lines.contains(where: { $0.others != nil }) else { return false }
        hasTold = true
        return true
    }

    /// The changes of the row that the changed lines make.
    var changes: Command.Changes {
        var changes = Command.Changes()
        for line in lines where line.isChanged {
            let text = line.editor.text
            switch line.key {
            case .title: changes.title = text
            case .kind: changes.kind = ID(text)
            case .field(let key) where text.isEmpty: changes.unset.append(key)
            case .field(let key): changes.fields.append(Row.Field(key, text))
            case .section, .more: break
            }
        }
        return changes
    }

    /// The texts of the new row.
    var content: Row.Content {
        let changes = changes
        return Row.Content(kind: ID(text(.kind)), title: text(.title), fields: changes.fields)
    }
}

extension Row.Field {
    /// The field that is written as KEY=VALUE; nil: it is none.
    init?(typed text: String) {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex,
            text.first?.isWhitespace == false
        else { return nil }
        let key = text[..<sign]
        guard key.last?.isWhitespace == false else { return nil }
        self.init(ID(String(key)), String(text[text.index(after: sign)...]))
    }
}

extension Kind {
    /// The fields that a form asks for, as on the browser's page: those of `form`, or else those that rows show, and a note.
    var formKeys: [ID] {
        if !form.isEmpty { return form }
        let shown = show.detail + ["note"]
        var seen: Set<ID> = []
        return shown.filter { seen.insert($0).inserted }
    }
}
