// How a table shows its rows: with what their kinds and its settings say of them.

extension Table {
    /// The kind of a row, with the row's own states.
    public func kind(of row: Row) -> Kind? { kinds[row.content.kind]?.fitted(to: row.content) }

    /// The title of an action of a row, or of one of its items.
    public func title(of deed: Deed, on row: Row) -> String {
        if let id = deed.item {
            let item = row.content.index(of: id).map { row.content.items[$0] }
            let action = item.flatMap { kinds[row.content.kind]?.itemKind(of: $0) }?
                .action(deed.action)
            let name = item.map { $0.title.isEmpty ? id.text : $0.title } ?? id.text
            return "\(name): \(action?.shownTitle ?? deed.action.text)"
        }
        for edge in Edge.allCases {
            let found = actions(of: row, at: edge)?.actions.first { $0.id == deed.action }
            if let found { return found.shownTitle }
        }
        return deed.action.text
    }

    /// The actions at an edge of a row, as they are to be shown. `nowMs` is milliseconds since 1970
    /// (UTC); nil: ages are empty.
    public func shownActions(of row: Row, at edge: Edge, nowMs: UInt64? = nil) -> ActionGroup? {
        actions(of: row, at: edge)?.shown(on: row, faces: settings.faces, nowMs: nowMs)
    }

    /// Whether what is selected of the row is there to be selected.
    package func canKeepSelection(of row: Row) -> Bool {
        row.selection.map { canKeep($0, of: row) } ?? true
    }

    /// Rule D2: of a strip an item, of another row the row.
    package func canKeep(_ selection: Row.Selection, of row: Row) -> Bool {
        let isStrip = kinds[row.content.kind]?.isStrip == true
        switch selection {
        case .row: return !isStrip
        case .item(let id): return isStrip && row.content.index(of: id) != nil
        }
    }
}

extension Command.Definitions {
    /// The whole definitions on this table: what they do not name stays as the table has it.
    public func whole(on table: Table) -> Command.Definitions {
        var all = Command.Definitions(kinds: kinds, dropped: dropped, settings: settings)
        for (index, kind) in kinds.enumerated() {
            guard let named = partial[kind.id], let old = table.kinds[kind.id] else { continue }
            all.kinds[index] = old.taking(named, of: kind)
        }
        if let settings, let named = partialSettings {
            all.settings = table.settings.taking(named, of: settings)
            for name in clearedFaces { all.settings?.faces[name] = nil }
        }
        return all
    }
}
