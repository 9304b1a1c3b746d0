/// Where a row is to stand (design rule B3): by identity, never by index.
public enum Anchor: Equatable, Sendable {
    /// Of the section.
    case top, bottom
    case before(RowID)
    case after(RowID)

    /// As the protocol names the field.
    var name: String {
        switch self {
        case .top: return "top"
        case .bottom: return "bottom"
        case .before: return "before"
        case .after: return "after"
        }
    }

    /// The row that it names, if it names one.
    public var row: RowID? {
        switch self {
        case .top, .bottom: return nil
        case .before(let row), .after(let row): return row
        }
    }
}

/// A wish to change one table: `reduce` decides on it.
public struct Command: Equatable, Sendable {
    /// What is to be done.
    public var verb: Verb
    /// Refused as `stale` unless the table is at this revision.
    public var ifRevision: UInt64?
    /// Refused as `stale` unless the one row that the command names has this version.
    public var ifVersion: UInt64?
    /// Refused as `notClaimed` unless who sends it has claimed every row that it names.
    public var ifClaimed: Bool

    /// A command; without conditions unless they are given.
    public init(
        _ verb: Verb, ifRevision: UInt64? = nil, ifVersion: UInt64? = nil, ifClaimed: Bool = false
    ) {
        self.ifClaimed = ifClaimed
        self.verb = verb
        self.ifRevision = ifRevision
        self.ifVersion = ifVersion
    }

    /// One case per verb.
    public enum Verb: Equatable, Sendable {
        indirect case add(Add)
        indirect case set(RowID, Changes)
        case remove([RowID])
        case move([RowID], section: SectionID?, Anchor, Policy)
        case swap(RowID, RowID)
        /// Opens one side, or closes the row with nil.
        case swipe(RowID, Edge?)
        /// Goes to a state, or to the next one with nil.
        case expand(RowID, Expansion?)
        indirect case define(Definitions)
        case section(SectionID, title: String?)
        case removeSection(SectionID)
        /// Performs a swipe action, once.
        indirect case act(Act)
        /// Edit mode on or off.
        case edit(Bool)
        /// A handler takes invocations that wait: of one action, or of any with nil.
        case take(action: ID?, atMost: Int)
        /// A handler gives an invocation back.
        case release(InvocationID)
        /// A handler says how an invocation ended.
        indirect case finish(InvocationID, Invocation.Outcome)
        /// Every row to `expanded`, or to `collapsed`, as far as its kind has that state.
        case expandAll(Bool)
        indirect case item(RowID, ItemChange)
        indirect case scroll(RowID, Scroll)
        /// A row, or an item of a strip.
        case select(RowID, item: ID?)
        /// Says that who sends it works on these rows.
        indirect case claim([RowID], note: String, ttlSeconds: Double?)
        /// Ends claims: one's own, or, by name, those of `holder`; all of them without rows.
        indirect case unclaim([RowID], holder: ID?)
        /// Takes a revision back, or the latest that is not taken back yet; `mine`: of those
        /// that who sends it has made.
        case undo(revision: UInt64?, mine: Bool)
        /// Takes the latest undo back that is not taken back yet.
        case redo(mine: Bool)
        /// Brings removed rows back, each as it was.
        case recall([RowID])
    }

    /// A change of a strip's items. Anchors name items; `top` is the beginning.
    public enum ItemChange: Equatable, Sendable {
        case add(Item, Anchor)
        case set(ID, Item.Changes)
        case remove([ID])
        case move([ID], Anchor)

        /// The word for it.
        public var name: String {
            switch self {
            case .add: return "add"
            case .set: return "set"
            case .remove: return "remove"
            case .move: return "move"
            }
        }
    }

    /// A press. The version that the presser saw stands in `ifVersion`.
    public struct Act: Equatable, Sendable {
        /// The row.
        public var row: RowID
        /// The action.
        public var action: ID
        /// Where the action must be; nil: wherever it is.
        public var edge: Edge?
        /// By a full swipe, which not every group allows (A6).
        public var isFull: Bool
        /// The person was asked, where the action wants that.
        public var isConfirmed: Bool

        /// A press; by default neither full nor confirmed.
        public init(
            _ action: ID, on row: RowID, edge: Edge? = nil, isFull: Bool = false,
            isConfirmed: Bool = false
        ) {
            self.row = row
            self.action = action
            self.edge = edge
            self.isFull = isFull
            self.isConfirmed = isConfirmed
        }
    }

    /// A new row.
    public struct Add: Equatable, Sendable {
        /// Nil: the table makes one.
        public var id: RowID?
        /// Kind, title and fields to begin with.
        public var content: Row.Content
        /// Nil: the anchor row's section, or `main`.
        public var section: SectionID?
        /// Where in the section it is to stand.
        public var anchor: Anchor
        /// What it was before, elsewhere; nil: it begins now.
        public var carried: Carried?

        /// A new row; by default at the bottom.
        public init(
            id: RowID? = nil, _ content: Row.Content, section: SectionID? = nil,
            at anchor: Anchor = .bottom, carrying carried: Carried? = nil
        ) {
            self.id = id
            self.content = content
            self.section = section
            self.anchor = anchor
            self.carried = carried
        }
    }

    /// What becomes of a row's content; nil and absent leave things as they are.
    public struct Changes: Equatable, Sendable {
        /// The new title.
        public var title: String?
        /// The new kind.
        public var kind: KindID?
        /// To set; others stay.
        public var fields: [Row.Field]
        /// Keys of fields to remove, before `fields` are set.
        public var unset: [ID]
        /// The new swipe actions of its own; one that is empty gives the row its kind's again.
        public var actions: RowActions?

        /// Changes; by default none.
        public init(
            title: String? = nil, kind: KindID? = nil, fields: [Row.Field] = [], unset: [ID] = [],
            actions: RowActions? = nil
        ) {
            self.actions = actions
            self.title = title
            self.kind = kind
            self.fields = fields
            self.unset = unset
        }

        /// The content after these changes: fields are unset first, then set.
        public func applied(to old: Row.Content) -> Row.Content {
            var content = old
            if title != nil || kind != nil { content = content.with(kind: kind, title: title) }
            content.change(unset: unset, set: fields)
            if let actions { content.actions = actions.isEmpty ? nil : actions }
            return content
        }

        /// Titles compare by bytes.
        public static func == (a: Changes, b: Changes) -> Bool {
            let titles: (ID?, ID?) = (a.title.map { ID($0) }, b.title.map { ID($0) })
            return titles.0 == titles.1 && a.kind == b.kind && a.fields == b.fields
                && a.unset == b.unset && a.actions == b.actions
        }
    }

    /// Kinds to register or replace, kinds to drop, and the table's settings.
    public struct Definitions: Equatable, Sendable {
        /// To register, or to put in the place of those with the same ids.
        public var kinds: [Kind]
        /// To drop.
        public var dropped: [KindID]
        /// Nil: they stay.
        public var settings: Settings?
        /// What those of the kinds name that say only part of themselves. Steps have none.
        public var partial: [KindID: Kind.Named]
        /// What the settings name; nil: all. Likewise.
        public var partialSettings: Settings.Named?

        /// Definitions; by default none.
        public init(
            kinds: [Kind] = [], dropped: [KindID] = [], settings: Settings? = nil,
            partial: [KindID: Kind.Named] = [:], partialSettings: Settings.Named? = nil
        ) {
            self.kinds = kinds
            self.dropped = dropped
            self.settings = settings
            self.partial = partial
            self.partialSettings = partialSettings
        }
    }

    /// What happens when the anchor of a move is gone.
    public enum Policy: Sendable {
        /// The command is refused.
        case strict
        /// The rows land where the anchor last stood.
        case rebase
    }
}
