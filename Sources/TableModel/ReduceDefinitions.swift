// What a table is made of besides rows: kinds, settings, sections.

extension Decision {
    func define(_ definitions: Command.Definitions) throws(Rejection) -> Plan {
        try checkDistinct(definitions.kinds.map(\.id) + definitions.dropped, field: "kinds")
        for kind in definitions.kinds { try checkKind(kind) }
        if let settings = definitions.settings { try checkLook(settings.look, field: "table") }
        for kind in definitions.kinds where !kind.isStrip && table.kinds[kind.id]?.isStrip == true {
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
        for id in definitions.dropped {
            _ = try kind(id, field: "drop")
            let uses = table.rows.contains { $0.content.kind == id }
            if uses || id == .plainKind {
                throw Rejection(
                    .kindInUse, "Kind \"\(id.text)\" is in use and cannot be dropped.",
                    field: "drop")
            }
        }
        let kept = table.kinds.count - definitions.dropped.count
        let fresh = definitions.kinds.count { table.kinds[$0.id] == nil }
        if kept + fresh > limits.kinds {
            throw .tooLarge("kinds", kept + fresh, limit: limits.kinds, field: "kinds")
        }
        let changed = definitions.kinds.map(\.normalized).filter { table.kinds[$0.id] != $0 }
        try checkPinned(changed)
        let settings = definitions.settings == table.settings ? nil : definitions.settings
        if changed.isEmpty, definitions.dropped.isEmpty, settings == nil { return Plan([]) }
        let step = Command.Definitions(
            kinds: changed, dropped: definitions.dropped, settings: settings)
        return Plan([.define(step)] + consequences(of: step))
    }

    /// What redefining means for the rows that are there.
    private func consequences(of step: Command.Definitions) -> [Op] {
        let changed = Dictionary(uniqueKeysWithValues: step.kinds.map { ($0.id, $0) })
        var ops: [Op] = []
        if !changed.isEmpty {
            for row in table.rows {
                guard let kind = changed[row.content.kind], case .named = row.expansion,
                    !kind.has(row.expansion)
                else { continue }
                ops.append(.expand(row.id, kind.initial))
            }
        }
        let scope = (step.settings ?? table.settings).swipeScope
        let policy = (step.settings ?? table.settings).swipePolicy
        if scope == .viewer || (policy == .exclusive && table.openRows.count > 1) {
            ops += table.openRows.sorted().map { .swipe($0, nil) }
        }
        ops += closing(under: step.settings)
        if (step.settings ?? table.settings).scrollScope == .viewer,
            table.settings.scrollScope == .shared
        {
            ops += table.rows.filter { $0.scroll != nil }.map { .scroll($0.id, nil) }
        }
        return ops
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
        guard section.count == 0 else {
            throw Rejection(
                .sectionNotEmpty, "Section \"\(id.text)\" still has rows: \(section.count).",
                field: "id")
        }
        return Plan([.removeSection(id)])
    }

    /// The step that makes a section, behind all others.
    func newSection(_ id: SectionID, title: String) throws(Rejection) -> [Op] {
        guard table.sections.count < limits.sections else {
            throw .tooLarge(
                "sections", table.sections.count + 1, limit: limits.sections, field: "section")
        }
        return [.insertSection(id, title: title, after: table.sections.last?.id)]
    }
}
