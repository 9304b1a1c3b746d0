import StrictYAML
import TableFiles
import TableModel
import TableSync
import TableWire

/// The commands that bring the rows of a file into a table.
struct ImportPlan {
    /// A command, and the line of the file that it comes from.
    struct Step {
        var command: Command
        var line: Int
    }

    struct Counts {
        var rows = 0
        var added = 0
        var changed = 0
        /// Swipes of the file that have no actions behind them in this table.
        var leftClosed = 0
        /// Of all rows of the file.
        var ids: [RowID] = []
    }

    private(set) var counts = Counts()
    private var steps: [Step] = []
    /// New rows that are pinned come between the others, once those are there: no row passes them.
    private var pinned: [Step] = []
    /// How far rows are open comes when all are there, since under an accordion who opens closes
    /// others: first who closes, then who cannot be closed, then who can.
    private var expansions: [[Step]] = [[], [], []]
    private var scrolls: [Step] = []
    /// Swipes come last: where only one row may be open, the other closes first.
    private var swipes: [Step] = []
    /// The last row of the file in each section, so far.
    private var above: [SectionID: RowID] = [:]

    private var stepCount: Int {
        steps.count + expansions.reduce(0) { $0 + $1.count } + swipes.count
    }
    private var all: [Step] { steps + pinned + expansions.joined() + scrolls + swipes }

    init(_ rows: [ImportedRow], sections: [ImportedSection], for table: Table) {
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
            actions: row.actions, items: row.items ?? [])
        let carried = Carried(
            createdMs: row.createdMs, changedMs: row.changedMs, movedMs: row.movedMs,
            performed: row.performed, claim: row.claim)
        var new = Command.Add(
            id: id, content, section: row.section, carrying: carried.isEmpty ? nil : carried)
        let kind = table.kinds[content.kind]
        if kind?.isPinned == true {
            let section = row.section ?? .mainSection
            let isFirst = table.section(section).map { $0.count == 0 } ?? true
            new.anchor = above[section].map { .after($0) } ?? (isFirst ? .top : .bottom)
            pinned.append(Step(command: Command(.add(new)), line: row.line))
        } else {
            add(.add(new), row)
        }
        let initial = kind?.initial ?? .collapsed
        // Under an accordion, rows that come open close those that came before.
        let isSure = table.settings.expandPolicy == .independent || initial == .collapsed
        if let state = row.expand, state != initial || !isSure { expand(id, state, kind, row) }
        if let scroll = row.scroll, table.settings.scrollScope == .shared {
            scrolls.append(Step(command: Command(.scroll(id, scroll)), line: row.line))
        }
        if let edge = row.swipe { swipe(id, content, edge, row, in: table) }
    }

    private mutating func plan(
        _ row: ImportedRow, _ id: RowID, _ present: Row, in table: Table
    ) {
        let old = present.content
        let fields = row.fields.filter { !old.fields.contains($0) }
        let unset = row.unset.filter { key in old.fields.contains { $0.key == key } }
        let kind = row.kind == old.kind ? nil : row.kind
        let title = ID(row.title) == ID(old.title) ? nil : row.title
        let actions = row.actions == old.actions ? nil : row.actions
        if title != nil || kind != nil || !fields.isEmpty || !unset.isEmpty
            || actions != nil
        {
            let changes = Command.Changes(
                title: title, kind: kind, fields: fields, unset: unset, actions: actions)
            add(.set(id, changes), row)
        }
        if let items = row.items, items != old.items {
            if !old.items.isEmpty { add(.item(id, .remove(old.items.map(\.id))), row) }
            for item in items { add(.item(id, .add(item, .bottom)), row) }
        }
        if let section = row.section, section != table.position(of: id)?.section {
            add(.move([id], section: section, .bottom, .strict), row)
        }
        let changed = Row.Content(
            kind: kind ?? old.kind, title: row.title, actions: actions ?? old.actions)
        if let state = row.expand, state != present.expansion {
            expand(id, state, table.kinds[changed.kind], row)
        }
        if let edge = row.swipe, edge != present.swipe {
            swipe(id, changed, edge, row, in: table)
        }
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

    /// Not over nothing: older tables have such rows.
    private mutating func swipe(
        _ id: RowID, _ content: Row.Content, _ edge: Edge, _ row: ImportedRow, in table: Table
    ) {
        guard table.hasActions(Row(id: id, content: content), at: edge) else {
            counts.leftClosed += 1
            return
        }
        swipes.append(Step(command: Command(.swipe(id, edge)), line: row.line))
    }

    /// An id made of the content: the same row gets the same one at the next import.
    private static func madeID(for row: ImportedRow, _ made: inout [RowID: Int]) -> RowID {
        // Whether a task is done is not what makes it that task.
        let fields = row.fields.filter { !row.isTask || $0.key != ImportedRow.doneKey }
        let content = Row.Content(
            kind: row.kind ?? .plainKind, title: row.title, fields: fields)
        let section = row.section ?? .mainSection
        let id = ID("i" + Row(id: section, content: content).hash.lowerHex)
        let count = made[id, default: 0] + 1
        made[id] = count
        return count == 1 ? id : ID("\(id.text).\(count)")
    }

    // MARK: Sending

    /// Bytes of a batch, where one is not enough: the daemon shall not be held up for long.
    private static let batchBytes = 700 << 10
    /// What a request has besides its commands, generously.
    private static let requestOverhead = 1 << 10

    /// The commands in as few batches as the daemon's limits allow.
    func batches(for table: Table, limits: Limits) -> [[Step]] {
        let all = all
        let sizes = all.map { Self.bytes(of: $0.command, table.name) }
        let most = limits.requestBytes - Self.requestOverhead
        if all.count <= limits.batchCommands, sizes.reduce(0, +) <= most {
            return all.isEmpty ? [] : [all]
        }
        var batches: [[Step]] = []
        var bytes = 0
        for (step, size) in zip(all, sizes) {
            let isFull = (batches.last?.count ?? 0) >= min(1_000, limits.batchCommands)
            if batches.isEmpty || isFull || bytes + size > min(most, Self.batchBytes) {
                batches.append([])
                bytes = 0
            }
            batches[batches.count - 1].append(step)
            bytes += size
        }
        return batches
    }

    private static func bytes(of command: Command, _ table: TableID) -> Int {
        Encode.request(Request(table: table, .command(command)), form: .binary).count
    }

    /// What the daemon would refuse, found out on `table`, which is changed by it.
    static func fault(in batches: [[Step]], on table: Table, limits: Limits) -> Failure? {
        for batch in batches {
            let result = reduce(
                batch: batch.map(\.command), on: table, limits: limits, nowMs: 0)
            switch result {
            case .success(let plan): _ = table.commit(plan, cause: Cause(verb: "import"))
            case .failure(let rejection):
                var failure = Failure(rejection)
                failure.line = rejection.command.map { batch[$0].line }
                failure.command = nil
                return failure
            }
        }
        return nil
    }
}
