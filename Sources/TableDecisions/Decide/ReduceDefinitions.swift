import TableModel

// Kinds, settings and sections.

extension Decision {
    func define(_ partial: Command.Definitions) throws(Rejection) -> Plan {
        try checkDistinct(partial.kinds.map(\.id) + partial.dropped, field: "kinds")
        var definitions = partial.whole(on: table)
        // To replace the settings resumes nothing: a file of kinds does not tell of pauses.
        if definitions.settings?.pauses.isEmpty == true {
            definitions.settings?.pauses = table.settings.pauses
        }
        var decision = self
        decision.newKinds = Set(definitions.kinds.map(\.id))
        if let settings = definitions.settings {
            try checkFaces(of: settings)
            try checkMotion(settings.motion)
            decision.newFaces = settings.faces
        }
        return try decision.define(partial, as: definitions)
    }

    /// Whether an effect may make a row one of this kind.
    func isKnown(_ kind: KindID) -> Bool {
        keepsOld || table.kinds[kind] != nil || newKinds.contains(kind)
    }

    /// No kind goes that an effect of these kinds, or of a row's own actions, still gives rows: else the table could not
    /// be made again from its own definitions.
    func checkNamed(
        _ gone: Set<KindID>, by kinds: some Sequence<Kind>, field: String
    ) throws(Rejection) {
        guard !gone.isEmpty else { return }
        for kind in kinds {
            guard let name = kind.namedKinds.first(where: gone.contains) else { continue }
            throw Rejection(
                .kindInUse, "An effect of kind \"\(kind.id.text)\" names kind \"\(name.text)\".",
                field: field)
        }
        for row in table.rows {
            guard let name = row.content.actions?.namedKinds.first(where: gone.contains) else {
                continue
            }
            throw Rejection(
                .kindInUse, "An effect of row \"\(row.id.text)\" names kind \"\(name.text)\".",
                field: field)
        }
    }

    private func define(
        _ partial: Command.Definitions, as definitions: Command.Definitions
    ) throws(Rejection) -> Plan {
        for kind in definitions.kinds {
            try checkKind(kind)
            // The decoder measured what the request names. With what stays, the kind may be too
            // large.
            guard partial.partial[kind.id] == nil || kind.byteCount <= limits.kindBytes else {
                throw .tooLarge(
                    "bytes of a kind", kind.byteCount, limit: limits.kindBytes,
                    field: "kinds.\(kind.id.text)")
            }
        }
        if let settings = definitions.settings {
            try checkLook(settings.look, field: "table")
            try checkPauses(settings.pauses, field: "table.pauses")
            try checkAlerts(settings.alerts, field: "table.alerts")
        }
        try checkStrips(definitions.kinds)
        try checkItemKindsUnused(definitions.kinds)
        try checkUnused(definitions.dropped)
        let kept = table.kinds.count - definitions.dropped.count
        let fresh = definitions.kinds.count { table.kinds[$0.id] == nil }
        // A limit that became smaller must not keep what is there from being changed.
        if fresh > 0 { try check(kept + fresh, of: .kinds, field: "kinds") }
        let changed = definitions.kinds.map(\.normalized).filter { table.kinds[$0.id] != $0 }
        try table.checkKindsBytes(
            after: Command.Definitions(kinds: changed, dropped: definitions.dropped), limits)
        try checkPinned(changed)
        if definitions.settings != nil || !definitions.dropped.isEmpty {
            let dropped = Set(definitions.dropped)
            let later = Dictionary(changed.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            let kinds = table.kinds.filter { !dropped.contains($0.key) }.merging(later) { $1 }
            try checkNamed(dropped, by: kinds.values.sorted { $0.id < $1.id }, field: "drop")
            if let settings = definitions.settings {
                try checkNamed(settings, since: table.settings, by: kinds.values)
            }
        }
        let settings = definitions.settings == table.settings ? nil : definitions.settings
        if changed.isEmpty, definitions.dropped.isEmpty, settings == nil { return Plan([]) }
        let step = Command.Definitions(
            kinds: changed, dropped: definitions.dropped, settings: settings)
        return Plan([.define(step)] + consequences(of: step))
    }

    /// A kind whose rows have items must stay a strip.
    private func checkStrips(_ kinds: [Kind]) throws(Rejection) {
        for kind in kinds where !kind.isStrip && table.kinds[kind.id]?.isStrip == true {
            guard
                !table.rows.contains(where: {
                    $0.content.kind == kind.id && !$0.content.items.isEmpty
                })
            else {
                throw Rejection(
                    .kindInUse, "Rows of kind \"\(kind.id.text)\" have items: it stays a strip.",
                    field: "kinds.\(kind.id.text).strip")
            }
        }
    }

    /// Kinds to drop must exist, and no row may be of them.
    private func checkUnused(_ dropped: [KindID]) throws(Rejection) {
        for id in dropped {
            _ = try kind(id, field: "drop")
            let uses = table.rows.contains { $0.content.kind == id }
            if uses || id == .plainKind {
                throw Rejection(
                    .kindInUse, "Kind \"\(id.text)\" is in use and cannot be dropped.",
                    field: "drop")
            }
        }
    }

    /// The ops on existing rows that follow from new definitions (F16). They are decided on the
    /// table with these definitions.
    private func consequences(of step: Command.Definitions) -> [Op] {
        let old = table.settings
        return table.onTrial { trial in
            trial.apply(.define(step))
            var ops: [Op] = []
            if !step.kinds.isEmpty {
                let changed = Set(step.kinds.map(\.id))
                for row in table.rows where changed.contains(row.content.kind) {
                    ops += statesThatFit(row)
                }
            }
            let closed = closingSwipes()
            let settings = table.settings
            let isAccordion = settings.expandPolicy != .independent
            // The new kinds may have rows that an accordion can now close.
            if isAccordion, !step.kinds.isEmpty || settings.expandPolicy != old.expandPolicy {
                // Only an accordion looks at how far rows are open.
                trial.apply(ops)
                return ops + closed + closingAllButFirst(under: settings.expandPolicy)
                    + closingScrolls(since: old) + unmarkingMisfits()
            }
            return ops + closed + closingScrolls(since: old) + unmarkingMisfits()
        }
    }

    /// Puts a row into its kind's initial state if the kind does not have the row's state (F16).
    func statesThatFit(_ row: Row) -> [Op] {
        guard let kind = table.kind(of: row), !kind.has(row.expansion) else { return [] }
        return [.expand(row.id, kind.initial)]
    }

    /// Closes the swipes that cannot be open in the table as it is.
    private func closingSwipes() -> [Op] {
        let open = table.openRows.sorted()
        let settings = table.settings
        let able = open.filter { id in
            table.row(id).map { row in row.swipe.map { table.hasActions(row, at: $0) } ?? false }
                ?? false
        }
        if settings.swipeScope == .viewer || settings.swipePolicy == .exclusive && able.count > 1 {
            return open.map { .swipe($0, nil) }
        }
        let stays = Set(able)
        return open.filter { !stays.contains($0) }.map { .swipe($0, nil) }
    }

    /// Removes shared scroll positions if each viewer has its own from now on.
    func closingScrolls(since old: Settings) -> [Op] {
        guard table.settings.scrollScope == .viewer, old.scrollScope == .shared else { return [] }
        return table.rows.filter { $0.scroll != nil }.map { .scroll($0.id, nil) }
    }

    func section(_ id: SectionID, title: String?) throws(Rejection) -> Plan {
        try checkID(id, field: "id")
        if let title { try checkTitle(title, field: "title") }
        guard let section = table.section(id) else {
            return Plan(try newSection(id, title: title ?? id.text))
        }
        guard let title, !title.hasSameBytes(as: section.title) else { return Plan([]) }
        return Plan([.setSection(id, title: title)])
    }

    func removeSection(_ id: SectionID) throws(Rejection) -> Plan {
        guard let section = table.section(id) else { throw .noSection(id, field: "id") }
        try require(
            section.count == 0, or: .sectionNotEmpty,
            "Section \"\(id.text)\" still has rows: \(section.count).", field: "id")
        return Plan([.removeSection(id)])
    }

    /// Makes a section behind all others.
    func newSection(_ id: SectionID, title: String) throws(Rejection) -> [Op] {
        try check(table.sections.count + 1, of: .sections, field: "section")
        return [.insertSection(id, title: title, after: table.sections.last?.id)]
    }
}
