// What there is to know of a command without deciding on it, one line for each. The decision about a
// batch, the reading of requests, clients, hints at misspelt keys, `trestle --help` and docs/VERBS.md
// read it here. Requests that are no commands have the same lines in RequestDescription.swift.

/// What there is to know of a verb without carrying it out.
public struct VerbDescription: Equatable, Sendable {
    /// What the verb does, by what it takes to be allowed to.
    public enum Deed: String, Sendable, CaseIterable {
        case reads
        /// Says that somebody is there, or drags: viewers hear of it, and no revision holds it.
        case passes
        case changesRows = "changes rows"
        /// Kinds, settings and sections.
        case defines
        /// Whole tables, or the daemon.
        case administers
    }

    /// The word for it: in requests, in `cause`, in the counters and in the log.
    public var name: String
    /// Where people look for it.
    public var group: VerbGroup
    /// What it does.
    public var deed: Deed
    /// Whether the request has to name a table.
    public var needsTable: Bool
    /// Carried out once: a client numbers it, and its answer is remembered.
    public var isRemembered: Bool
    /// Whether `explain` can say what it would do.
    public var isExplained: Bool
    /// Whether it may be one of several in a batch.
    public var standsInBatch: Bool
    /// Between spaces: most who ask for a description do not want them.
    private let keyList: String

    /// A description as given; `keys` between spaces.
    public init(
        _ name: String, _ group: VerbGroup, _ deed: Deed, needsTable: Bool = true,
        isRemembered: Bool = false, isExplained: Bool = false, standsInBatch: Bool = false,
        keys: String = ""
    ) {
        self.name = name
        self.group = group
        self.deed = deed
        self.needsTable = needsTable
        self.isRemembered = isRemembered
        self.isExplained = isExplained
        self.standsInBatch = standsInBatch
        keyList = keys
    }

    /// The keys of its message in JSON.
    public var keys: [String] { keyList.split(separator: " ").map(String.init) }
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
        case undo, redo, recall, mark
    }

    /// The word for it: on the command line, in `cause`, in the log.
    public var name: String { verb.name.rawValue }
}

extension Command.Name {
    /// The table of commands.
    public var description: VerbDescription {
        switch self {
        case .add:
            return line(
                .rows, .changesRows,
                "id kind title fields section top bottom before after actions items carried states "
                    + "expand hint")
        case .set: return line(.rows, .changesRows, "row title fields unset kind actions states")
        case .remove: return line(.rows, .changesRows, "rows hint")
        case .move: return line(.rows, .changesRows, "rows section top bottom before after strict")
        case .swap: return line(.rows, .changesRows, "a b")
        case .swipe: return line(.rows, .changesRows, "row edge")
        case .expand: return line(.rows, .changesRows, "row toggle to")
        case .define: return line(.tables, .defines, "kinds drop table")
        case .section: return line(.tables, .defines, "id title")
        case .removeSection: return line(.tables, .defines, "id")
        case .act: return line(.actions, .changesRows, "row action edge full confirmed item")
        case .edit: return line(.rows, .changesRows, "on")
        case .take: return line(.actions, .changesRows, "action most")
        case .release: return line(.actions, .changesRows, "invocation")
        case .finish: return line(.actions, .changesRows, "invocation done failed")
        case .expandAll: return line(.rows, .changesRows, "open")
        case .item: return line(.rows, .changesRows, "row add set remove move")
        case .scroll: return line(.rows, .changesRows, "row item fraction")
        case .select: return line(.rows, .changesRows, "row item")
        case .mark: return line(.rows, .changesRows, "row item")
        case .claim: return line(.together, .changesRows, "rows note ttl")
        case .unclaim: return line(.together, .changesRows, "rows holder")
        case .undo: return line(.past, .changesRows, standsAlone: true, "revision mine")
        case .redo: return line(.past, .changesRows, standsAlone: true, "mine")
        case .recall: return line(.past, .changesRows, standsAlone: true, "rows")
        }
    }

    private func line(
        _ group: VerbGroup, _ deed: VerbDescription.Deed, standsAlone: Bool = false, _ keys: String
    ) -> VerbDescription {
        VerbDescription(
            rawValue, group, deed, isRemembered: true, isExplained: true,
            standsInBatch: !standsAlone, keys: keys)
    }
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
        }
    }

    /// The rows that it names, which `ifVersion` and `ifClaimed` are about; nil: these cannot be
    /// required of it.
    public var rows: Few<RowID>? {
        switch self {
        case .set(let id, _), .swipe(let id, _), .expand(let id, _), .item(let id, _),
            .scroll(let id, _), .select(let id, _):
            return .one(id)
        case .act(let act): return .one(act.row)
        case .mark(let id, _): return id.map { .one($0) }
        case .swap(let a, let b): return [a, b]
        case .remove(let ids, _), .move(let ids, _, _, _): return ids
        // About rows too, but about whose they are, or about rows that are not there.
        case .claim, .unclaim, .recall: return nil
        case .add, .define, .section, .removeSection, .edit, .expandAll: return nil
        case .take, .release, .finish, .undo, .redo: return nil
        }
    }
}
