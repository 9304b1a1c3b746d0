public import TableModel

// Commands that build a copy of a table: the start of a session that is replayed into another
// daemon.

/// A command with the time at which to decide it, and its sender's name.
public struct TimedCommand: Equatable, Sendable {
    /// What is to be done.
    public var verb: Command.Verb
    /// Milliseconds since 1970 (UTC).
    public var atMs: UInt64
    /// The name of a claim's holder; nil: the name does not matter.
    public var name: ID?

    /// By default at a time that leaves no trace.
    public init(_ verb: Command.Verb, atMs: UInt64 = 0, name: ID? = nil) {
        self.verb = verb
        self.atMs = atMs
        self.name = name
    }
}

extension Table {
    /// Commands that make an empty table like this one, in order. They do not perform actions, so
    /// rows on which some were performed come out differently.
    public var beginning: [TimedCommand] {
        let ordered = kinds.values.sorted { $0.id < $1.id }
        let loose = ordered.map(\.loosened)
        var commands = [TimedCommand(.define(.init(kinds: loose, settings: settings)))]
        commands += sections.map { TimedCommand(.section($0.id, title: $0.title)) }
        for section in sections {
            for row in section.runs().joined() {
                let add = Command.Add(id: row.id, row.content, section: section.id)
                commands.append(TimedCommand(.add(add), atMs: row.createdMs))
            }
        }
        commands += changes + moves + openings
        // Only now: pinned rows would block others, and some kinds forbid moves.
        if loose != ordered { commands.append(TimedCommand(.define(.init(kinds: ordered)))) }
        return commands + claims + (isEditing ? [TimedCommand(.edit(true))] : [])
    }

    /// Changes a title and changes it back, to leave the time of the row's last change.
    private var changes: [TimedCommand] {
        rows.filter { $0.changedMs != 0 }.sorted { $0.changedMs < $1.changedMs }.flatMap { row in
            let title = row.content.title
            let other = title.isEmpty ? "." : ""
            return [other, title].map {
                TimedCommand(.set(row.id, .init(title: $0)), atMs: row.changedMs)
            }
        }
    }

    /// Moves each row to an extra section and back, to leave the time of its last move. At that
    /// time, all rows above it are in place.
    private var moves: [TimedCommand] {
        var moved: [(row: Row, home: SectionID, anchor: Anchor)] = []
        for section in sections {
            var anchor = Anchor.top
            for row in section.runs().joined() {
                if row.movedMs != 0 { moved.append((row, section.id, anchor)) }
                anchor = .after(row.id)
            }
        }
        if moved.isEmpty { return [] }
        let away = unusedSection
        let moves = moved.sorted { $0.row.movedMs < $1.row.movedMs }.flatMap { row, home, anchor in
            [(away, Anchor.top), (home, anchor)].map { section, anchor in
                TimedCommand(
                    .move([row.id], section: section, anchor, .strict), atMs: row.movedMs)
            }
        }
        return [TimedCommand(.section(away, title: nil))] + moves
            + [TimedCommand(.removeSection(away))]
    }

    var unusedSection: SectionID {
        var id = "away"
        while section(ID(id)) != nil { id += "x" }
        return ID(id)
    }

    private var openings: [TimedCommand] {
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
            if let selection = row.selection {
                verbs.append(.mark(row.id, item: selection.item))
            }
            return verbs.map { TimedCommand($0) }
        }
    }

    /// Each in the name of its holder: a claim stores only the name.
    private var claims: [TimedCommand] {
        rows.compactMap { row in
            row.claim.map { claim in
                TimedCommand(
                    .claim([row.id], note: claim.note, ttlSeconds: claim.ttlSeconds),
                    atMs: claim.sinceMs, name: claim.holder)
            }
        }
    }
}

extension Kind {
    /// The same kind without bounds on moves.
    fileprivate var loosened: Kind {
        var kind = self
        kind.canMove = true
        kind.isPinned = false
        return kind
    }
}
