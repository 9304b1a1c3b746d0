@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// A table before an op, and what the op says that it will do to it.
struct OpCheck {
    private let op: Op
    private let before: State
    private let named: Set<RowID>
    private let touches: Set<Touch>

    init(_ op: Op, on table: Table) {
        self.op = op
        before = State(table)
        named = Set(op.rows(in: table))
        touches = Set(op.touches)
    }

    /// A sentence about the first difference from what the op says; nil: there is none.
    func fault(after table: Table) -> String? {
        let after = State(table)
        return rows(after) ?? order(after) ?? others(after) ?? effect(after) ?? fixed(after)
    }

    private struct State {
        var rows: [RowID: Row] = [:]
        var sections: [SectionID: [RowID]] = [:]
        var titles: [SectionID: String] = [:]
        var kinds: [KindID: Kind]
        var settings: Settings
        var isEditing: Bool
        var invocations: [InvocationID: Invocation] = [:]

        init(_ table: Table) {
            for row in table.rows { rows[row.id] = row }
            for section in table.sections {
                sections[section.id] = section.runs().flatMap { $0.map(\.id) }
                titles[section.id] = section.title
            }
            kinds = table.kinds
            settings = table.settings
            isEditing = table.isEditing
            for one in table.invocations.all { invocations[one.id] = one }
        }

        func place(of row: RowID) -> Place? {
            for (section, rows) in sections {
                guard let index = rows.firstIndex(of: row) else { continue }
                return index > 0 ? .after(rows[index - 1]) : .top(section)
            }
            return nil
        }
    }

    // MARK: Rows

    private func rows(_ after: State) -> String? {
        for id in Set(before.rows.keys).union(after.rows.keys) {
            let (old, new) = (before.rows[id], after.rows[id])
            if old == new { continue }
            if !named.contains(id), op.effect != .changesAll { return "it changes \(id)" }
            guard let old, let new else {
                if touches.contains(.row(id, .existence)) { continue }
                return "it adds or removes \(id)"
            }
            for aspect in aspects(old, new) where !says(aspect, of: id) {
                return "it changes \(aspect.words) of \(id)"
            }
        }
        return nil
    }

    private func says(_ aspect: Touch.Aspect, of id: RowID) -> Bool {
        if touches.contains(.row(id, aspect)) { return true }
        if aspect == .expansion { return touches.contains(.allExpansions) }
        guard aspect == .performed else { return false }
        // Other content may be acted on anew; and an invocation that ends says so on its row.
        if case .ends = op.effect { return true }
        return touches.contains { touch in
            if case .row(id, let other) = touch { other.isContent } else { false }
        }
    }

    private func aspects(_ old: Row, _ new: Row) -> [Touch.Aspect] {
        var found: [Touch.Aspect] = []
        func note(_ aspect: Touch.Aspect, _ isOther: Bool) { if isOther { found.append(aspect) } }
        let (was, now) = (old.content, new.content)
        note(.title, ID(was.title) != ID(now.title))
        note(.kind, was.kind != now.kind)
        note(.actions, was.actions != now.actions)
        note(.states, was.states != now.states)
        note(.performed, old.performed != new.performed)
        note(.expansion, old.expansion != new.expansion)
        note(.swipe, old.swipe != new.swipe)
        note(.scroll, old.scroll != new.scroll)
        note(.claim, old.claim != new.claim)
        note(.selection, old.selection != new.selection)
        for key in Set((was.fields + now.fields).map(\.key)) {
            let values = [was, now].map { $0.fields.first { $0.key == key } }
            note(.field(key), values[0] != values[1])
        }
        let (items, others) = (was.items.map(\.id), now.items.map(\.id))
        for id in Set(items + others) {
            let states = [was, now].map { $0.items.first { $0.id == id } }
            note(.item(id), states[0] != states[1])
        }
        note(.itemOrder, items.filter(others.contains) != others.filter(items.contains))
        return found
    }

    /// Rows that are not named keep their places among each other.
    private func order(_ after: State) -> String? {
        for section in Set(before.sections.keys).union(after.sections.keys) {
            let lists = [before, after].map { state in
                state.sections[section, default: []].filter { !named.contains($0) }
            }
            if lists[0] != lists[1] { return "it changes the order of others in \(section)" }
        }
        for id in named where before.rows[id] != nil && after.rows[id] != nil {
            let isElsewhere = before.place(of: id) != after.place(of: id)
            if isElsewhere, !touches.contains(.row(id, .place)) { return "it moves \(id)" }
        }
        return nil
    }

    // MARK: The rest of the table

    private func others(_ after: State) -> String? {
        for id in Set(before.titles.keys).union(after.titles.keys)
        where before.titles[id] != after.titles[id] && !touches.contains(.section(id)) {
            return "it changes section \(id)"
        }
        for id in Set(before.kinds.keys).union(after.kinds.keys)
        where before.kinds[id] != after.kinds[id] && !touches.contains(.kind(id)) {
            return "it changes kind \(id)"
        }
        for id in Set(before.invocations.keys).union(after.invocations.keys)
        where before.invocations[id] != after.invocations[id]
            && !touches.contains(.invocation(id))
        {
            return "it changes invocation \(id.text)"
        }
        if before.settings != after.settings, !touches.contains(.settings) {
            return "it changes the settings"
        }
        if before.isEditing != after.isEditing, !touches.contains(.editing) {
            return "it changes edit mode"
        }
        return nil
    }

    // MARK: What it says to those who draw rows

    private func effect(_ after: State) -> String? {
        let isRight: Bool
        switch op.effect {
        case .inserts(let row, let place):
            isRight = before.rows[row.id] == nil && after.place(of: row.id) == place
        case .removes(let id): isRight = before.rows[id] != nil && after.rows[id] == nil
        case .moves(let ids, let place):
            let places = [place] + ids.dropLast().map { .after($0) }
            isRight = ids.map { after.place(of: $0) } == places
        case .swaps(let a, let b): isRight = before.rows.keys.contains(a) && swapped(a, b, after)
        case .changes(let id): isRight = after.place(of: id) == before.place(of: id)
        case .ofSection(let id, .inserts):
            isRight = before.titles[id] == nil && after.titles[id] != nil
        case .ofSection(let id, .removes):
            isRight = before.titles[id] != nil && after.titles[id] == nil
        case .ofSection(let id, .renames):
            isRight = before.titles[id] != nil && after.titles[id] != nil
        case .begins(let one): isRight = before.invocations[one.id] == nil
        case .ends(let id): isRight = after.invocations[id] == nil
        case .ofTable(.edits(let isOn)): isRight = after.isEditing == isOn
        case .news(let id): isRight = before.rows[id] == after.rows[id]
        case .claims(let id, let claim):
            isRight = after.place(of: id) == before.place(of: id) && after.rows[id]?.claim == claim
        case .changesAll, .ofTable(.defines), .changesInvocation: isRight = true
        }
        return isRight ? nil : "its effect is another"
    }

    private func swapped(_ a: RowID, _ b: RowID, _ after: State) -> Bool {
        func spot(_ id: RowID, _ state: State) -> [SectionID: Int] {
            state.sections.compactMapValues { $0.firstIndex(of: id) }
        }
        return spot(a, after) == spot(b, before) && spot(b, after) == spot(a, before)
    }

    /// An op about the rows that it names changes nothing else.
    private func fixed(_ after: State) -> String? {
        if op.isTableWide
            || before.isEditing == after.isEditing
                && before.settings == after.settings && before.titles == after.titles
                && before.kinds == after.kinds
        {
            return nil
        }
        return "it is about the whole table"
    }
}
