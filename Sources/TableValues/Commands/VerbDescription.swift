// The descriptions of commands, which need no decision, one line for each. Rights, the audit, the decision
// about a batch, what waits, hints at misspelt keys, `trestle --help` and docs/VERBS.md read it here. Requests
// that are no commands have the same lines in RequestDescription.swift.

/// The description of a verb: all that can be known without carrying it out.
public struct VerbDescription: Equatable, Sendable {
    /// The word for it: in requests, in `cause`, in the counters and in the log.
    public let name: String
    /// Where people look for it.
    public let group: VerbGroup
    /// The rights that it needs on its table, or on all tables. A request that names no table and only reads
    /// needs none: its answer holds what its sender may read. To undo what defined something needs `define`
    /// too, which only the decision can tell.
    public let rights: Rights
    /// Its traits, which are true whatever it holds.
    public let traits: VerbTraits
    /// Between spaces: most who ask for a description do not want them.
    private let keyList: String

    /// A description as given; `keys` between spaces.
    public init(
        _ name: String, _ group: VerbGroup, _ rights: Rights, _ traits: VerbTraits,
        keys: String = ""
    ) {
        self.name = name
        self.group = group
        self.rights = rights
        self.traits = traits
        keyList = keys
    }

    /// The keys of its message in JSON.
    public var keys: [String] { keyList.split(separator: " ").map(String.init) }
    /// Whether the request has to name a table.
    public var needsTable: Bool { traits.contains(.table) }
    /// Whether it is carried out once: a client numbers it, and its answer is remembered.
    public var isRemembered: Bool { traits.contains(.once) }
}

/// A trait of a verb, which is true whatever it holds. docs/VERBS.md has the same words.
public struct VerbTraits: OptionSet, Sendable {
    /// The bits, one for each trait.
    public let rawValue: UInt32

    /// Traits of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The request has to name a table.
    public static var table: VerbTraits { VerbTraits(rawValue: 1 << 0) }
    /// It is about all tables, and its rights are needed on all of them.
    public static var allTables: VerbTraits { VerbTraits(rawValue: 1 << 1) }
    /// It is about the daemon that is asked, and answered by any daemon in any state.
    public static var process: VerbTraits { VerbTraits(rawValue: 1 << 2) }
    /// Only the leader can answer: it changes something, or is about who is there.
    public static var leader: VerbTraits { VerbTraits(rawValue: 1 << 3) }
    /// Nothing but an answer comes of it.
    public static var reads: VerbTraits { VerbTraits(rawValue: 1 << 4) }
    /// It may take milliseconds, or its answer be so large that it counts though everybody reads. Other
    /// requests are let by.
    public static var costly: VerbTraits { VerbTraits(rawValue: 1 << 5) }
    /// It is carried out once: a client numbers it, and its answer is remembered.
    public static var once: VerbTraits { VerbTraits(rawValue: 1 << 6) }
    /// `explain` can say what it would do.
    public static var explained: VerbTraits { VerbTraits(rawValue: 1 << 7) }
    /// It stands in the audit when it is carried out: it makes or drops a table, defines, or takes all
    /// tables away or puts them in place.
    public static var audited: VerbTraits { VerbTraits(rawValue: 1 << 8) }
    /// The tables are smaller afterwards, whatever they hold: it is done also while the journal takes only that. A journal
    /// on etcd does so when the tables no longer fit a checkpoint; a full disk refuses it like all changes.
    public static var makesLess: VerbTraits { VerbTraits(rawValue: 1 << 9) }
    /// It may be one of several commands in a batch.
    public static var batch: VerbTraits { VerbTraits(rawValue: 1 << 10) }
    /// `ifVersion` and `ifClaimed` can be required of the rows that it names.
    public static var conditions: VerbTraits { VerbTraits(rawValue: 1 << 11) }
    /// It names many rows at once, and takes long if they are many, or if there are none: then it is
    /// about all.
    public static var manyRows: VerbTraits { VerbTraits(rawValue: 1 << 12) }
    /// The decision looks at every row of the table.
    public static var everyRow: VerbTraits { VerbTraits(rawValue: 1 << 13) }
    /// The decision looks at the rows that are pinned.
    public static var pinned: VerbTraits { VerbTraits(rawValue: 1 << 14) }
    /// The decision looks at the rows that are open, if only one may be.
    public static var open: VerbTraits { VerbTraits(rawValue: 1 << 15) }
    /// Its effect depends on earlier changes, however many those are.
    public static var past: VerbTraits { VerbTraits(rawValue: 1 << 16) }
}

/// The groups in which people find verbs, as `trestle --help` shows them.
public enum VerbGroup: String, Sendable, CaseIterable {
    case tables = "Tables"
    case looking = "Looking"
    case rows = "Rows"
    case together = "Together"
    case past = "The past"
    case actions = "Actions"
    case manyAtOnce = "Many at once"
    case trying = "Trying"
    case daemon = "The daemon"
}

extension Command {
    /// The names of commands, in the order of the schema.
    public enum Name: String, Sendable, CaseIterable {
        case add, set, remove, move, swap, swipe, expand, define, section, removeSection, act, edit
        case take, release, finish, expandAll, item, scroll, select, claim, unclaim
        case undo, redo, recall, mark, next, each, retry, snooze, pause
    }

    /// The word for it: on the command line, in `cause`, in the log.
    public var name: String { verb.name.rawValue }
}

extension Command.Name {
    /// The table of commands, in the order of the names.
    private static let table: [VerbDescription] = [
        line(
            .add, .rows, [.batch, .pinned, .open],
            "id kind title fields section top bottom before after actions items carried states expand "
                + "hint"),
        line(
            .set, .rows, [.batch, .conditions, .open], "row title fields unset kind actions states"),
        line(.remove, .rows, [.batch, .conditions, .manyRows, .makesLess], "rows hint"),
        line(
            .move, .rows, [.batch, .conditions, .manyRows, .pinned, .open],
            "rows section top bottom before after strict"),
        line(.swap, .rows, [.batch, .conditions, .pinned, .open], "a b"),
        line(.swipe, .rows, [.batch, .conditions], "row edge"),
        line(.expand, .rows, [.batch, .conditions, .open], "row toggle to"),
        line(
            .define, .tables, needs: .define, [.batch, .audited, .everyRow, .costly],
            "kinds drop table"),
        line(.section, .tables, needs: .define, [.batch, .audited], "id title"),
        line(.removeSection, .tables, needs: .define, [.batch, .audited, .makesLess], "id"),
        line(
            .act, .actions, [.batch, .conditions, .pinned, .open],
            "row action edge full confirmed item"),
        // It may close all swipes.
        line(.edit, .rows, [.batch, .costly], "on"),
        line(.take, .actions, needs: .handle, [.batch], "action most"),
        line(.release, .actions, needs: .handle, [.batch], "invocation"),
        line(
            .finish, .actions, needs: .handle, [.batch, .pinned, .open], "invocation done failed"),
        line(.expandAll, .rows, [.batch, .everyRow, .costly], "open"),
        line(.item, .rows, [.batch, .conditions], "row add set remove move"),
        line(.scroll, .rows, [.batch, .conditions], "row item fraction"),
        line(.select, .rows, [.batch, .conditions, .pinned, .open], "row item"),
        line(.claim, .together, [.batch, .manyRows], "rows note ttl"),
        line(.unclaim, .together, [.batch, .manyRows], "rows holder"),
        // An undone change may have been as large as a batch.
        line(.undo, .past, [.past, .costly], "revision mine"),
        line(.redo, .past, [.past, .costly], "mine"),
        line(.recall, .past, [.past, .manyRows], "rows"),
        line(.mark, .rows, [.batch, .conditions], "row item"),
        // Where it holds what a handler finishes it takes the right to handle too.
        line(.next, .actions, [.pinned, .open], "action section where most ttl note wait"),
        // It has the rights of its command, which are the same for all that it takes.
        line(
            .each, .manyAtOnce, [.everyRow, .costly],
            "where section limit set remove move act claim recall retry snooze"),
        line(.retry, .actions, [.batch, .conditions, .pinned, .open], "row action item"),
        line(.snooze, .rows, [.batch, .conditions, .manyRows], "rows untilMs forMs top"),
        line(.pause, .actions, [.batch], "section action note resume"),
    ]

    private static func line(
        _ name: Self, _ group: VerbGroup, needs rights: Rights = .changeRows,
        _ traits: VerbTraits, _ keys: String
    ) -> VerbDescription {
        VerbDescription(
            name.rawValue, group, rights, traits.union([.table, .leader, .once, .explained]),
            keys: keys)
    }

    /// Its line in the table.
    public var description: VerbDescription { Self.table[placeInOrder] }
    /// The rights that it needs on its table.
    public var rights: Rights { Self.table[placeInOrder].rights }

    /// Whether this is true of it.
    public func has(_ trait: VerbTraits) -> Bool { Self.table[placeInOrder].traits.contains(trait) }
}

extension CaseIterable {
    /// The place of a case among all, for an enum without values.
    ///
    /// Such an enum is one byte, which numbers its cases in their order. To search the list would cost more
    /// than a dictionary. Where a compiler does it otherwise, `VerbTests` fails, and an index traps.
    package var placeInOrder: Int { Int(unsafeBitCast(self, to: UInt8.self)) }
}

extension Command.Verb {
    /// Its name.
    public var name: Command.Name {
        switch self {
        case .add: return .add
        case .set: return .set
        case .remove: return .remove
        case .move: return .move
        case .swap: return .swap
        case .swipe: return .swipe
        case .expand: return .expand
        case .define: return .define
        case .section: return .section
        case .removeSection: return .removeSection
        case .act: return .act
        case .edit: return .edit
        case .take: return .take
        case .release: return .release
        case .finish: return .finish
        case .expandAll: return .expandAll
        case .item: return .item
        case .scroll: return .scroll
        case .select: return .select
        case .mark: return .mark
        case .claim: return .claim
        case .unclaim: return .unclaim
        case .undo: return .undo
        case .redo: return .redo
        case .recall: return .recall
        case .next: return .next
        case .each: return .each
        case .retry: return .retry
        case .snooze: return .snooze
        case .pause: return .pause
        }
    }

    /// The rows that it names, also those that are not there; nil: it names none.
    public var namedRows: Few<RowID>? {
        switch self {
        case .set(let id, _), .swipe(let id, _), .expand(let id, _), .item(let id, _),
            .scroll(let id, _), .select(let id, _), .retry(let id, _, _):
            return .one(id)
        case .act(let act): return .one(act.row)
        case .mark(let id, _): return id.map { .one($0) }
        case .swap(let a, let b): return [a, b]
        case .remove(let ids, _), .move(let ids, _, _, _), .claim(let ids, _, _),
            .unclaim(let ids, _), .recall(let ids), .snooze(let ids, _):
            return ids
        case .add, .define, .section, .removeSection, .edit, .expandAll, .pause: return nil
        case .take, .release, .finish, .next, .undo, .redo, .each: return nil
        }
    }

    /// Puts other rows into the command; nil: a condition cannot choose its rows. A command without `VerbTraits.manyRows`
    /// takes the first of them, and keeps its own row if there is none.
    public func about(_ rows: Few<RowID>) -> Command.Verb? {
        switch self {
        case .set(let row, let changes): return .set(rows.first ?? row, changes)
        case .act(var act):
            act.row = rows.first ?? act.row
            return .act(act)
        case .retry(let row, let action, let item):
            return .retry(rows.first ?? row, action: action, item: item)
        case .remove(_, let hint): return .remove(rows, hint: hint)
        case .move(_, let section, let anchor, let policy):
            return .move(rows, section: section, anchor, policy)
        case .claim(_, let note, let ttl): return .claim(rows, note: note, ttlSeconds: ttl)
        case .snooze(_, let snooze): return .snooze(rows, snooze)
        case .recall: return .recall(rows)
        case .add, .swap, .swipe, .expand, .define, .section, .removeSection, .edit, .take,
            .release, .finish, .expandAll, .item, .scroll, .select, .mark, .unclaim, .undo, .redo,
            .pause, .next, .each:
            return nil
        }
    }

    /// Whether it is decided by earlier revisions.
    public var looksBack: Bool {
        if case .each(let each) = self { return each.verb.name.has(.past) }
        return name.has(.past)
    }

    /// The rows which `ifVersion` and `ifClaimed` are about; nil: these cannot be required of it.
    public var rows: Few<RowID>? { name.has(.conditions) ? namedRows : nil }
}
