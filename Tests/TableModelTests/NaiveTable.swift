import TableDecisions
import TableModel

/// The simplest possible table: arrays that are searched from the start. It implements the commands
/// a second time, independently of `reduce` and `apply`.
struct NaiveTable {
    struct NaiveRow: Equatable {
        var id: RowID
        var content: Row.Content
        var version: UInt64
        var createdMs: UInt64
        var expansion: Expansion
        var swipe: Edge?
        var performed: [Performance] = []
        var isSelected = false
        var cameFrom: SectionID?
        var claim: Claim?
        var sleep: Row.Sleep?
    }

    struct NaiveInvocation: Equatable {
        var id: InvocationID
        var row: RowID
        var action: ID
        var client: ID?
        var pressedMs: UInt64
        var deadline: Double
        var then: [Effect]
        var holder: ID?
        var attempts = 0
        var retries = Retries()
        var failure: Invocation.Failure?
        /// Where the row stood when it was pressed.
        var section: SectionID?
    }

    struct NaiveSection: Equatable {
        var id: SectionID
        var title: String
        var rows: [NaiveRow] = []
    }

    struct Spot: Equatable {
        var section: SectionID
        var after: RowID?
    }

    var revision: UInt64 = 0
    var sections: [NaiveSection] = []
    var kinds: [KindID: Kind] = [.plainKind: Kind(.plainKind)]
    var settings = Settings()
    var removed: [RowID: Spot] = [:]
    var isEditing = false
    var invocations: [NaiveInvocation] = []
    var nowMs: UInt64 = 0
    var client: ID?
    var place = 0
    var isChanged = false
    /// Actions that the batch at hand has performed. Changes here have no time, so no earlier one counts.
    var recent: [RowID: Set<ID>] = [:]

    /// Carries out a batch, or changes nothing. A single command is a batch of one.
    mutating func perform(_ commands: [Command], nowMs: UInt64, client: ID?) -> Bool {
        var trial = self
        trial.nowMs = nowMs
        trial.client = client
        trial.isChanged = false
        trial.recent = [:]
        for (index, command) in commands.enumerated() {
            trial.place = index
            if !trial.perform(command.verb) { return false }
        }
        if trial.isChanged {
            trial.revision += 1
            self = trial
        }
        return true
    }

    private mutating func perform(_ verb: Command.Verb) -> Bool {
        switch verb {
        case .add(let add): return self.add(add)
        case .set(let id, let changes): return set(id, changes)
        case .remove(let ids, _): return remove(ids.array)
        case .move(let ids, let section, let anchor, let policy):
            return move(ids.array, section, anchor, policy)
        case .swap(let a, let b): return swap(a, b)
        case .swipe(let id, let edge): return swipe(id, edge)
        case .expand(let id, let state): return expand(id, state)
        case .define(let definitions): return define(definitions)
        case .section(let id, let title): return section(id, title)
        case .removeSection(let id): return removeSection(id)
        case .act(let act): return self.act(act)
        case .edit(let isOn):
            if isOn != isEditing {
                if isOn { closeSwipes() }
                isEditing = isOn
                isChanged = true
            }
            return true
        case .take(let action, let most): return take(action, most)
        case .release(let id): return end(id, nil)
        case .retry(let id, let action, let item): return retry(id, action, item)
        case .mark(let id, let item): return mark(id, item)
        // Strips have properties of their own (StripTests).
        case .expandAll, .item, .scroll, .select: return false
        case .claim(let ids, let note, let ttl): return claim(ids.array, note, ttl)
        case .unclaim(let ids, _): return unclaim(ids.array)
        case .snooze(let ids, let snooze): return self.snooze(ids.array, snooze)
        case .pause(let scope, let note): return pause(scope, note)
        case .next(let next): return self.next(next)
        // So has what takes changes back (HistoryTests).
        case .undo, .redo, .recall: return false
        // It is held against its commands one by one (EachTests).
        case .each: return false
        case .finish(let id, let outcome): return end(id, outcome)
        }
    }

    // MARK: Finding

    func find(_ id: RowID) -> (section: Int, index: Int)? {
        for (place, section) in sections.enumerated() {
            for (index, row) in section.rows.enumerated() where row.id == id {
                return (place, index)
            }
        }
        return nil
    }

    func hasAll(_ ids: [RowID]) -> Bool {
        Set(ids).count == ids.count && ids.allSatisfy { find($0) != nil }
    }

    mutating func change(_ id: RowID, _ body: (inout NaiveRow) -> Void) {
        guard let spot = find(id) else { return }
        body(&sections[spot.section].rows[spot.index])
        isChanged = true
    }

    private mutating func sectionIndex(_ id: SectionID) -> Int {
        if let index = sections.firstIndex(where: { $0.id == id }) { return index }
        sections.append(NaiveSection(id: id, title: id.text))
        isChanged = true
        return sections.count - 1
    }

    // MARK: Verbs

    private mutating func add(_ add: Command.Add) -> Bool {
        guard let id = add.id, find(id) == nil, arePossible(add.content.states),
            let kind = kind(of: add.content)
        else { return false }
        if let state = add.expansion, !isPossible(state, kind) { return false }
        let row = NaiveRow(
            id: id, content: add.content, version: revision + 1, createdMs: nowMs,
            expansion: add.expansion ?? kind.initial, swipe: nil)
        guard insert([row], add.section, add.anchor, home: .mainSection, .strict) else {
            return false
        }
        recent[id] = nil
        cameOpen([id])
        return true
    }

    mutating func set(_ id: RowID, _ changes: Command.Changes) -> Bool {
        guard let spot = find(id) else { return false }
        let old = sections[spot.section].rows[spot.index]
        let content = changes.applied(to: old.content)
        guard let kind = kind(of: content), arePossible(content.states) else { return false }
        if content == old.content { return true }
        let version = revision + 1
        let isOther = content.kind != old.content.kind || content.states != old.content.states
        let fits = isIn(old.expansion, kind)
        change(id) { row in
            row.content = content
            row.version = version
            row.performed.removeAll { !$0.state.isPending }
            if isOther, !fits { row.expansion = kind.initial }
        }
        if isOther { cameOpen([id]) }
        closeWhatIsEmpty([id])
        return true
    }

    mutating func remove(_ ids: [RowID]) -> Bool {
        guard hasAll(ids) else { return false }
        for id in ids {
            guard let spot = find(id) else { return false }
            if kinds[sections[spot.section].rows[spot.index].content.kind]?.canDelete == false {
                return false
            }
        }
        for id in ids {
            guard let spot = find(id) else { return false }
            let rows = sections[spot.section].rows
            removed[id] = Spot(
                section: sections[spot.section].id,
                after: spot.index > 0 ? rows[spot.index - 1].id : nil)
            sections[spot.section].rows.remove(at: spot.index)
            isChanged = true
        }
        return true
    }

    mutating func move(
        _ ids: [RowID], _ section: SectionID?, _ anchor: Anchor, _ policy: Command.Policy,
        byAction: Bool = false
    ) -> Bool {
        if ids.isEmpty { return true }
        guard hasAll(ids), let first = find(ids[0]) else { return false }
        if let row = anchor.row, ids.contains(row) { return false }
        let home = sections[first.section].id
        let before = (sections, isChanged)
        var rows: [NaiveRow] = []
        for id in ids {
            guard let spot = find(id) else { return false }
            rows.append(sections[spot.section].rows.remove(at: spot.index))
        }
        // The trail of the removed may lead to a row that is being moved: what counts then is
        // what stood above it, which is easiest told before it is taken out.
        guard insert(rows, section, anchor, home: home, policy, before: before.0) else {
            (sections, isChanged) = before
            return false
        }
        if sections != before.0 { renew(ids, since: before.0, byAction: byAction) }
        isChanged = before.1 || sections != before.0
        if isChanged, settings.expandPolicy == .accordionSection { cameOpen(ids) }
        return true
    }

    private mutating func insert(
        _ rows: [NaiveRow], _ section: SectionID?, _ anchor: Anchor, home: SectionID,
        _ policy: Command.Policy, before: [NaiveSection] = []
    ) -> Bool {
        var place: (section: Int, index: Int)
        switch anchor {
        case .top: place = (sectionIndex(section ?? home), 0)
        case .bottom:
            let index = sectionIndex(section ?? home)
            place = (index, sections[index].rows.count)
        case .before(let id), .after(let id):
            if let spot = find(id) {
                if let section, sections[spot.section].id != section { return false }
                place = spot
                if case .after = anchor { place.index += 1 }
            } else {
                guard policy == .rebase, let spot = removed[id],
                    section == nil || section == spot.section
                else { return false }
                place = landing(spot, anchor: id, before: before)
            }
        }
        sections[place.section].rows.insert(contentsOf: rows, at: place.index)
        isChanged = true
        return true
    }

    /// Follows the trail of rows that were above.
    private mutating func landing(
        _ start: Spot, anchor: RowID, before: [NaiveSection]
    ) -> (section: Int, index: Int) {
        var spot = start
        var seen: Set<RowID> = [anchor]
        while let above = spot.after {
            for old in before {
                guard let index = old.rows.firstIndex(where: { $0.id == above }) else { continue }
                // The nearest row above, itself included, that has stayed.
                for row in old.rows[...index].reversed() {
                    if let present = find(row.id) { return (present.section, present.index + 1) }
                }
                return (sectionIndex(old.id), 0)
            }
            guard seen.insert(above).inserted, let next = removed[above] else { break }
            spot = next
        }
        return (sectionIndex(spot.section), 0)
    }

    private mutating func swap(_ a: RowID, _ b: RowID) -> Bool {
        guard let first = find(a), let second = find(b) else { return false }
        if a == b { return true }
        let before = sections
        let row = sections[first.section].rows[first.index]
        sections[first.section].rows[first.index] = sections[second.section].rows[second.index]
        sections[second.section].rows[second.index] = row
        isChanged = true
        renew([a, b], since: before)
        if settings.expandPolicy == .accordionSection {
            cameOpen([a])
            cameOpen([b])
        }
        return true
    }

    /// Under an accordion the first open row stays open, and no other in its scope.
    mutating func cameOpen(_ ids: [RowID]) {
        let open = ids.filter { id in
            find(id).map { sections[$0.section].rows[$0.index].expansion != .collapsed } ?? false
        }
        guard settings.expandPolicy != .independent, let first = open.first,
            let spot = find(first)
        else { return }
        for (index, section) in sections.enumerated()
        where settings.expandPolicy == .accordionTable || index == spot.section {
            for row in section.rows where row.id != first && row.expansion != .collapsed {
                collapse(row)
            }
        }
    }

    mutating func collapse(_ row: NaiveRow) {
        guard kind(of: row.content)?.states.contains(.collapsed) ?? true else { return }
        change(row.id) { $0.expansion = .collapsed }
    }

    /// All rows but the first, of the table or of each section.
    mutating func becomeAccordion() {
        var isOpen = false
        for section in sections {
            if settings.expandPolicy == .accordionSection { isOpen = false }
            for row in section.rows where row.expansion != .collapsed {
                guard kind(of: row.content)?.states.contains(.collapsed) ?? true else { continue }
                if isOpen { collapse(row) }
                isOpen = true
            }
        }
    }
}

// The states of rows, and the table's policies about them.
extension NaiveTable {
    mutating func swipe(_ id: RowID, _ edge: Edge?) -> Bool {
        guard let spot = find(id), settings.swipeScope == .shared else { return false }
        if edge != nil, isEditing { return false }
        if sections[spot.section].rows[spot.index].swipe == edge { return true }
        if let edge, actions(sections[spot.section].rows[spot.index], edge).isEmpty { return false }
        if edge != nil, settings.swipePolicy == .exclusive { closeSwipes() }
        change(id) { $0.swipe = edge }
        return true
    }

    mutating func closeSwipes() {
        for id in sections.flatMap(\.rows).filter({ $0.swipe != nil }).map(\.id) {
            change(id) { $0.swipe = nil }
        }
    }

    mutating func expand(_ id: RowID, _ target: Expansion?) -> Bool {
        guard let spot = find(id) else { return false }
        let row = sections[spot.section].rows[spot.index]
        guard let kind = kind(of: row.content) else { return false }
        let states = kind.states.map(\.expansion)
        let next = states.firstIndex(of: row.expansion).map { states[($0 + 1) % states.count] }
        let state = target ?? next ?? states[0]
        if !isPossible(state, kind) { return false }
        if state == row.expansion { return true }
        if state != .collapsed, settings.expandPolicy != .independent {
            for (index, section) in sections.enumerated()
            where settings.expandPolicy == .accordionTable || index == spot.section {
                for row in section.rows { collapse(row) }
            }
        }
        change(id) { $0.expansion = state }
        return true
    }

    mutating func section(_ id: SectionID, _ title: String?) -> Bool {
        let index = sectionIndex(id)
        if let title, sections[index].title != title {
            sections[index].title = title
            isChanged = true
        }
        return true
    }

    mutating func removeSection(_ id: SectionID) -> Bool {
        guard let index = sections.firstIndex(where: { $0.id == id }), sections[index].rows.isEmpty
        else { return false }
        sections.remove(at: index)
        isChanged = true
        return true
    }
}
