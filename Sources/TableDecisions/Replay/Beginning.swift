public import TableModel

// Commands that build a copy of a table: the start of a session that is replayed into another
// daemon.

extension Table {
    /// Commands that make an empty table like this one, in order. Rows bring along when they were made, changed
    /// and moved, what was performed on them, and their claims. Invocations do not come.
    public var beginning: [Command.Verb] {
        let ordered = kinds.values.sorted { $0.id < $1.id }
        let loose = ordered.map(\.loosened)
        var verbs = [Command.Verb.define(.init(kinds: loose, settings: settings))]
        verbs += sections.map { .section($0.id, title: $0.title) }
        for section in sections {
            verbs += section.runs().joined().map { row in
                .add(
                    .init(id: row.id, row.content, section: section.id, carrying: Carried(of: row)))
            }
        }
        verbs += openings
        // Only now: rows below pinned ones could not come.
        if loose != ordered { verbs.append(.define(.init(kinds: ordered))) }
        return verbs + (isEditing ? [.edit(true)] : [])
    }

    private var openings: [Command.Verb] {
        // A row that opens may close others then.
        let isAccordion = settings.expandPolicy != .independent
        return rows.flatMap { row in
            var verbs: [Command.Verb] = []
            let initial = kind(of: row)?.initial ?? .collapsed
            if row.expansion != initial || (isAccordion && row.expansion != .collapsed) {
                verbs.append(.expand(row.id, row.expansion))
            }
            if let scroll = row.scroll { verbs.append(.scroll(row.id, scroll)) }
            if let edge = row.swipe { verbs.append(.swipe(row.id, edge)) }
            if let selection = row.selection { verbs.append(.mark(row.id, item: selection.item)) }
            return verbs
        }
    }
}

extension Kind {
    /// This kind without bounds on moves.
    fileprivate var loosened: Kind {
        var kind = self
        kind.canMove = true
        kind.isPinned = false
        return kind
    }
}
