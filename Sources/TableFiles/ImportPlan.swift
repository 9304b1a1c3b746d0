public import TableModel

/// The commands that bring the rows of a file into a table.
public struct ImportPlan {
    /// A command, and the line of the file that it comes from.
    public struct Step: Sendable {
        /// The command to send, after those before it.
        public var command: Command
        /// Counted from 1.
        public var line: Int

        /// A command for a line.
        public init(command: Command, line: Int) {
            self.command = command
            self.line = line
        }
    }

    /// The numbers of changes that an import makes.
    public struct Counts: Sendable {
        /// Rows of the file.
        public var rows = 0
        /// Rows that are new.
        public var added = 0
        /// Rows that are in the table and differ.
        public var changed = 0
        /// Swipes in the file at edges without actions in this table.
        public var leftClosed = 0
        /// Ids of all rows of the file.
        public var ids: [RowID] = []
    }

    /// The numbers of changes that this import makes.
    public private(set) var counts = Counts()
    private var steps: [Step] = []
    /// New pinned rows are added after the others, each at its place: no row can pass a pinned one.
    private var pinned: [Step] = []
    /// Rows change their states after all are added, because under an accordion a row that opens
    /// closes others. Rows collapse first, then rows open that cannot collapse, then the others.
    private var expansions: [[Step]] = [[], [], []]
    private var scrolls: [Step] = []
    /// At most one is selected: the last one of the file.
    private var selections: [Step] = []
    /// Swipes come last: under `exclusive`, opening a row closes another.
    private var swipes: [Step] = []
    /// The last row of the file in each section, so far.
    private var above: [SectionID: RowID] = [:]

    private var stepCount: Int {
        steps.count + pinned.count + expansions.reduce(0) { $0 + $1.count } + scrolls.count
            + swipes.count + selections.count
    }
    /// The commands, in order.
    public var all: [Step] {
        steps + pinned + Array(expansions.joined()) + scrolls + swipes + selections
    }

    /// The plan that brings these sections and then these rows into the table.
    public init(_ rows: [ImportedRow], sections: [ImportedSection], for table: Table) {
        for section in sections {
            let present = table.section(section.id)
            if let present, section.title.map({ ID($0) == ID(present.title) }) ?? true { continue }
            let command = Command(.section(section.id, title: section.title))
            steps.append(Step(command: command, line: section.line))
        }
        var made: [RowID: Int] = [:]
        for row in rows {
            let id = row.id ?? Self.madeID(for: row, &made)
            counts.rows += 1
            counts.ids.append(id)
            let before = stepCount
            if let present = table.row(id) {
                plan(row, id, present, in: table)
                if stepCount > before { counts.changed += 1 }
            } else {
                plan(row, id, new: table)
                counts.added += 1
            }
            above[row.section ?? .mainSection] = id
        }
    }

    private mutating func plan(_ row: ImportedRow, _ id: RowID, new table: Table) {
        let content = Row.Content(
            kind: row.kind ?? .plainKind, title: row.title, fields: row.fields,
            actions: row.actions, items: row.items ?? [], states: row.states ?? [])
        let carried = Carried(
            createdMs: row.createdMs, changedMs: row.changedMs, movedMs: row.movedMs,
            performed: row.performed, claim: row.claim, cameFrom: row.cameFrom, sleep: row.sleep)
        var new = Command.Add(
            id: id, content, section: row.section, carrying: carried.isEmpty ? nil : carried)
        let kind = table.kinds[content.kind]?.fitted(to: content)
        if kind?.isPinned == true {
            let section = row.section ?? .mainSection
            // New sections come in the file's order.
            if above[section] == nil, table.section(section) == nil {
                add(.section(section, title: nil), row)
            }
            let isFirst = table.section(section).map { $0.count == 0 } ?? true
            new.anchor = above[section].map { .after($0) } ?? (isFirst ? .top : .bottom)
            pinned.append(Step(command: Command(.add(new)), line: row.line))
        } else {
            add(.add(new), row)
        }
        let initial = kind?.initial ?? .collapsed
        // Under an accordion, a new row that starts open closes one that came before.
        let isSure = table.settings.expandPolicy == .independent || initial == .collapsed
        if let state = row.expand, state != initial || !isSure { expand(id, state, kind, row) }
        if let scroll = row.scroll, table.settings.scrollScope == .shared,
            table.row(id)?.scroll != scroll
        {
            scrolls.append(Step(command: Command(.scroll(id, scroll)), line: row.line))
        }
        if let edge = row.swipe { swipe(id, content, edge, row, in: table) }
        if let what = row.selection, table.settings.selection == .shared {
            let mark = Step(command: Command(.mark(id, item: what.item)), line: row.line)
            selections = table.row(id)?.selection == what ? [] : [mark]
        }
    }

    private mutating func plan(_ row: ImportedRow, _ id: RowID, _ present: Row, in table: Table) {
        let old = present.content
        let fields = row.fields.filter { !old.fields.contains($0) }
        let unset = row.unset.filter { key in old.fields.contains { $0.key == key } }
        let kind = row.kind == old.kind ? nil : row.kind
        let title = row.keepsTitle || ID(row.title) == ID(old.title) ? nil : row.title
        let actions = row.actions == old.actions ? nil : row.actions
        let states = row.states == old.states ? nil : row.states
        // Items of the old kind may not fit the new one: they go before, the new ones come after.
        let isOtherStrip = kind != nil && row.items.map { $0 != old.items } == true
        if isOtherStrip, !old.items.isEmpty { add(.item(id, .remove(old.items.map(\.id))), row) }
        if title != nil || kind != nil || !fields.isEmpty || !unset.isEmpty
            || actions != nil || states != nil
        {
            let changes = Command.Changes(
                title: title, kind: kind, fields: fields, unset: unset, actions: actions,
                states: states)
            add(.set(id, changes), row)
        }
        if let items = row.items, items != old.items {
            if !old.items.isEmpty, !isOtherStrip {
                add(.item(id, .remove(old.items.map(\.id))), row)
            }
            for item in items { add(.item(id, .add(item, .bottom)), row) }
        }
        if let section = row.section, section != table.position(of: id)?.section {
            add(.move([id], section: section, .bottom, .strict), row)
        }
        let changed = Row.Content(
            kind: kind ?? old.kind, title: title ?? old.title, actions: actions ?? old.actions,
            states: states ?? old.states)
        if let state = row.expand, state != present.expansion {
            expand(id, state, table.kinds[changed.kind]?.fitted(to: changed), row)
        }
        if let edge = row.swipe, edge != present.swipe { swipe(id, changed, edge, row, in: table) }
    }

    private mutating func add(_ verb: Command.Verb, _ row: ImportedRow) {
        steps.append(Step(command: Command(verb), line: row.line))
    }

    private mutating func expand(
        _ id: RowID, _ state: Expansion, _ kind: Kind?, _ row: ImportedRow
    ) {
        let phase = state == .collapsed ? 0 : kind?.has(.collapsed) == false ? 1 : 2
        expansions[phase].append(Step(command: Command(.expand(id, state)), line: row.line))
    }

    /// Opens a row only if it has actions there: exports of older tables may have it open without.
    private mutating func swipe(
        _ id: RowID, _ content: Row.Content, _ edge: Edge, _ row: ImportedRow, in table: Table
    ) {
        guard table.hasActions(Row(id: id, content: content), at: edge) else {
            counts.leftClosed += 1
            return
        }
        swipes.append(Step(command: Command(.swipe(id, edge)), line: row.line))
    }

    /// An id made from the content, so that the next import gives the same row the same id.
    private static func madeID(for row: ImportedRow, _ made: inout [RowID: Int]) -> RowID {
        // A task keeps its id when it is ticked.
        let fields = row.fields.filter { !row.isTask || $0.key != ImportedRow.doneKey }
        let content = Row.Content(kind: row.kind ?? .plainKind, title: row.title, fields: fields)
        let section = row.section ?? .mainSection
        let id = ID("i" + Row(id: section, content: content).hash.lowerHex)
        let count = made[id, default: 0] + 1
        made[id] = count
        return count == 1 ? id : ID("\(id.text).\(count)")
    }
}
