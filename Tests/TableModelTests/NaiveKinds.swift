import TableDecisions
import TableModel

// Kinds and settings in the naive table, and how their definitions change rows (F9, F16).
extension NaiveTable {
    /// Dropping kinds is tested by the scenarios.
    mutating func define(_ definitions: Command.Definitions) -> Bool {
        var isAccordion = false
        for said in definitions.kinds {
            let kind = merged(said, definitions.partial[said.id])
            guard isPossible(kind) else { return false }
            guard kinds[kind.id] != kind else { continue }
            kinds[kind.id] = kind
            isChanged = true
            isAccordion = true
            let ids = sections.flatMap(\.rows).filter { $0.content.kind == kind.id }.map(\.id)
            for id in ids {
                guard let spot = find(id) else { continue }
                let row = sections[spot.section].rows[spot.index]
                let own = self.kind(of: row.content) ?? kind
                if !isIn(row.expansion, own) { change(id) { $0.expansion = own.initial } }
            }
            closeWhatIsEmpty(ids)
        }
        let policy = settings.expandPolicy
        if let said = definitions.settings {
            var settings = merged(said, definitions.partialSettings)
            // To define anew resumes nothing.
            settings.pauses = self.settings.pauses
            isChanged = isChanged || settings != self.settings
            self.settings = settings
            if settings.selection != .shared { unmark(but: nil) }
        }
        if isAccordion || settings.expandPolicy != policy, settings.expandPolicy != .independent {
            becomeAccordion()
        }
        let open = sections.flatMap(\.rows).filter { $0.swipe != nil }.count
        if settings.swipeScope == .viewer || (settings.swipePolicy == .exclusive && open > 1) {
            closeSwipes()
        }
        return true
    }

    /// Merges the keys that the random commands name.
    private func merged(_ said: Kind, _ named: Kind.Named?) -> Kind {
        guard let named, var kind = kinds[said.id] else { return said }
        if named.own.contains(.height) { kind.heightPoints = said.heightPoints }
        if named.own.contains(.states) { kind.states = said.states }
        if named.own.contains(.initial) { kind.initial = said.initial }
        if named.own.contains(.editingStyle) { kind.editingStyle = said.editingStyle }
        if named.own.contains(.show) { kind.show = said.show }
        guard let group = said.trailing else {
            if named.own.contains(.trailing) { kind.trailing = nil }
            return kind
        }
        var trailing = kind.trailing ?? ActionGroup()
        if named.trailing.contains(.width) { trailing.look.width = group.look.width }
        if named.trailing.contains(.actions) { trailing.actions = group.actions }
        kind.trailing = trailing
        return kind
    }

    private func merged(_ said: Settings, _ named: Settings.Named?) -> Settings {
        guard let named else { return said }
        var all = settings
        if named.contains(.swipePolicy) { all.swipePolicy = said.swipePolicy }
        if named.contains(.swipeScope) { all.swipeScope = said.swipeScope }
        if named.contains(.expandPolicy) { all.expandPolicy = said.expandPolicy }
        if named.contains(.selection) { all.selection = said.selection }
        return all
    }

    private func isPossible(_ kind: Kind) -> Bool {
        isIn(kind.initial, kind)
    }

    /// Rule F16: a row closes if it is open at an edge without actions.
    mutating func closeWhatIsEmpty(_ ids: [RowID]) {
        for id in ids {
            guard let spot = find(id) else { continue }
            let row = sections[spot.section].rows[spot.index]
            if let edge = row.swipe, actions(row, edge).isEmpty { change(id) { $0.swipe = nil } }
        }
    }

    func actions(_ row: NaiveRow, _ edge: Edge) -> [Action] {
        let (own, kind) = (row.content.actions, kinds[row.content.kind])
        switch edge {
        case .leading: return (own?.leading ?? kind?.leading)?.actions ?? []
        case .trailing: return (own?.trailing ?? kind?.trailing)?.actions ?? []
        }
    }

    /// The kind with the row's own states in place of its own (F11).
    func kind(of content: Row.Content) -> Kind? {
        guard var kind = kinds[content.kind] else { return nil }
        if content.states.isEmpty { return kind }
        kind.states = content.states
        if !isIn(kind.initial, kind) { kind.initial = content.states[0].expansion }
        return kind
    }

    /// Whether the states that random commands bring are possible.
    func arePossible(_ states: [Kind.State]) -> Bool {
        let names = states.map(\.expansion.text)
        return Set(names).count == names.count && !names.contains("80")
    }

    func isPossible(_ state: Expansion, _ kind: Kind) -> Bool {
        guard case .height(let points) = state else { return isIn(state, kind) }
        return points.isFinite && points > 0 && points <= 1e6
    }

    func isIn(_ state: Expansion, _ kind: Kind) -> Bool {
        if case .height = state { return true }
        return kind.states.contains { $0.expansion == state }
    }

    // MARK: What is selected

    /// In these tables no row is a strip.
    mutating func mark(_ id: RowID?, _ item: ID?) -> Bool {
        guard settings.selection == .shared, item == nil else { return false }
        guard let id else {
            unmark(but: nil)
            return true
        }
        guard let spot = find(id) else { return false }
        unmark(but: id)
        if !sections[spot.section].rows[spot.index].isSelected {
            change(id) { $0.isSelected = true }
        }
        return true
    }

    mutating func unmark(but id: RowID?) {
        for row in sections.flatMap(\.rows) where row.isSelected && row.id != id {
            change(row.id) { $0.isSelected = false }
        }
    }
}
