/// Where a row is to stand (design rule B3). An anchor names a row, never an index.
public enum Anchor: Equatable, Sendable {
    /// The ends of the section.
    case top, bottom
    case before(RowID)
    case after(RowID)

    /// The name of the field in the protocol.
    package var name: String {
        switch self {
        case .top: return "top"
        case .bottom: return "bottom"
        case .before: return "before"
        case .after: return "after"
        }
    }

    /// The row that the anchor names, if any.
    public var row: RowID? {
        switch self {
        case .top, .bottom: return nil
        case .before(let row), .after(let row): return row
        }
    }
}

/// A request to change one table. `reduce` decides on it.
public struct Command: Equatable, Sendable {
    // Optional<T>, where T? would do: that begins as nil, and costs a copy (docs/decisions/0041).
    /// An effect that the caller carries out.
    public var verb: Verb
    /// Refused as `stale` if the table is at another revision.
    public var ifRevision: Optional<UInt64>
    /// Refused as `stale` if the one row that the command names has another version.
    public var ifVersion: Optional<UInt64>
    /// Refused as `notClaimed` unless the sender has claimed every row that the command names.
    public var ifClaimed: Bool
    /// Refused as `stale` unless it is true.
    public var condition: Optional<CommandCondition>

    /// By default a command has no conditions.
    public init(
        _ verb: Verb, ifRevision: UInt64? = nil, ifVersion: UInt64? = nil, ifClaimed: Bool = false,
        if condition: CommandCondition? = nil
    ) {
        self.condition = condition
        self.ifClaimed = ifClaimed
        self.verb = verb
        self.ifRevision = ifRevision
        self.ifVersion = ifVersion
    }

    /// One case per verb. What a verb consists of lies in a box: so a command is small, and to hand it on
    /// moves a few words, whatever it says.
    public indirect enum Verb: Equatable, Sendable {
        case add(Add)
        case set(RowID, Changes)
        case remove(Few<RowID>, hint: AnimationHint = .automatic)
        case move(Few<RowID>, section: SectionID?, Anchor, Policy)
        case swap(RowID, RowID)
        /// Opens one side; nil closes the row.
        case swipe(RowID, Edge?)
        /// Goes to a state; nil: to the next one.
        case expand(RowID, Expansion?)
        case define(Definitions)
        case section(SectionID, title: String?)
        case removeSection(SectionID)
        /// Performs a swipe action, once.
        case act(Act)
        /// Edit mode on or off.
        case edit(Bool)
        /// A handler takes waiting invocations of one action; nil: of any action.
        case take(action: ID?, atMost: Int)
        /// A handler gives an invocation back.
        case release(InvocationID)
        /// A handler says how an invocation ended.
        case finish(InvocationID, Invocation.Outcome)
        /// Every row goes to `expanded` or `collapsed`, if its kind has that state.
        case expandAll(Bool)
        case item(RowID, ItemChange)
        case scroll(RowID, Scroll)
        /// Selects a row, or an item of a strip.
        case select(RowID, item: ID?)
        /// Keeps a selection without its `tap`; without a row, none is selected.
        case mark(RowID?, item: ID?)
        /// Says that the sender works on these rows.
        case claim(Few<RowID>, note: String, ttlSeconds: Double?)
        /// Ends the sender's claims, or those of the named `holder`. An empty list means all its
        /// rows.
        case unclaim(Few<RowID>, holder: ID?)
        /// These rows sleep: `next` passes them over. Nil: they wake.
        case snooze(Few<RowID>, Snooze?)
        /// New work is not taken any more, for the reason in the note; nil: it is again. Nothing named and no note:
        /// no work is paused any more.
        case pause(Pause.Scope, note: String?)
        /// The first rows that nobody works on are the sender's.
        case next(Next)
        /// The action that failed on the row is performed again, or is due now if it rests; nil: the only one, and the
        /// only item.
        case retry(RowID, action: ID?, item: ID?)
        /// Undoes a revision; nil: the latest that is not undone yet. `mine`: only the sender's own
        /// revisions count.
        case undo(revision: UInt64?, mine: Bool)
        /// Undoes the latest undo that is not undone yet.
        case redo(mine: Bool)
        /// Brings removed rows back as they were.
        case recall(Few<RowID>)
        /// Carries a command out on each row that a condition fits.
        case each(Each)
    }

    /// A change of a strip's items. Anchors name items; `top` is the start of the strip.
    public enum ItemChange: Equatable, Sendable {
        case add(Item, Anchor)
        case set(ID, Item.Changes)
        case remove([ID])
        case move([ID], Anchor)

        /// The command's word for it.
        public var name: String {
            switch self {
            case .add: return "add"
            case .set: return "set"
            case .remove: return "remove"
            case .move: return "move"
            }
        }
    }

    /// A press of an action. `ifVersion` holds the version that the presser saw.
    public struct Act: Equatable, Sendable {
        /// The row.
        public var row: RowID
        /// The action.
        public var action: ID
        /// The edge where the action must be; nil: either.
        public var edge: Edge?
        /// Performed by a full swipe. Not every group allows that (A6).
        public var isFull: Bool
        /// The person has confirmed, if the action asks for it.
        public var isConfirmed: Bool
        /// The item of the strip in whose menu the action is; nil: it is an action of the row.
        public var item: ID?

        /// A press; by default neither full nor confirmed.
        public init(
            _ action: ID, on row: RowID, item: ID? = nil, edge: Edge? = nil, isFull: Bool = false,
            isConfirmed: Bool = false
        ) {
            self.item = item
            self.row = row
            self.action = action
            self.edge = edge
            self.isFull = isFull
            self.isConfirmed = isConfirmed
        }
    }

    /// A worker wants something to do: the first rows in order that nobody works on, which the daemon picks. So
    /// two workers never get the same one.
    public struct Next: Equatable, Sendable {
        /// Performs this action on the rows, and holds the invocations. What waits for a handler of it comes
        /// first. Nil: the rows are claimed.
        public var action: ID?
        /// Only rows of this section.
        public var section: SectionID?
        /// Only rows for which this holds.
        public var condition: RowCondition?
        /// At most so many.
        public var most: Int
        /// How long the claim lives without renewal, in seconds.
        public var ttlSeconds: Double
        /// The note of the claim.
        public var note: String

        /// Where there is no row, the answer waits for one, at most so long; 0: it does not wait.
        public var waitSeconds = 0.0

        /// A claim ends by itself after a minute, if nothing else is said: a worker may die.
        public static let ttlSeconds = 60.0
        /// Nobody waits longer for a row: a day.
        public static let mostWaitSeconds = 86_400.0

        /// By default one row of any section, to be claimed.
        public init(
            action: ID? = nil, section: SectionID? = nil, where condition: RowCondition? = nil,
            atMost most: Int = 1, ttlSeconds: Double = Self.ttlSeconds, note: String = ""
        ) {
            self.action = action
            self.section = section
            self.condition = condition
            self.most = most
            self.ttlSeconds = ttlSeconds
            self.note = note
        }

        /// Whether the condition holds for a row.
        public func fits(_ row: Row) -> Bool {
            condition?.holds(for: row.content, in: row.expansion) ?? true
        }

        /// Whether an invocation that waits is among what it asks for, in whatever section it was pressed.
        public func fits(_ invocation: Invocation) -> Bool {
            guard invocation.isWaiting, invocation.action == action else { return false }
            return invocation.pressed.map(fits) ?? false
        }
    }

    /// A new row.
    public struct Add: Equatable, Sendable {
        /// Nil: the table makes one.
        public var id: RowID?
        /// Initial kind, title and fields.
        public var content: Row.Content
        /// Nil: the anchor row's section, or `main`.
        public var section: SectionID?
        /// Where in the section it is to stand.
        public var anchor: Anchor
        /// The past that the row brings from another table; nil: none.
        public var carried: Carried?
        /// The state it starts in; nil: the initial one (F11).
        public var expansion: Expansion?
        /// How viewers show that it comes (F2).
        public var hint: AnimationHint

        /// A new row; by default at the bottom.
        public init(
            id: RowID? = nil, _ content: Row.Content, section: SectionID? = nil,
            at anchor: Anchor = .bottom, carrying carried: Carried? = nil,
            startingIn expansion: Expansion? = nil, hint: AnimationHint = .automatic
        ) {
            self.hint = hint
            self.expansion = expansion
            self.id = id
            self.content = content
            self.section = section
            self.anchor = anchor
            self.carried = carried
        }
    }

    /// Changes of a row's content. What is nil or absent stays as it is.
    public struct Changes: Equatable, Sendable {
        private struct Parts: Sendable {
            // Optional<T>, where T? would do: that begins as nil, and costs a copy (docs/decisions/0041).
            var title: Optional<String>
            var kind: Optional<KindID>
            var fields: [Row.Field]
            var unset: [ID]
            var actions: Optional<RowActions>
            var states: Optional<[Kind.State]>
        }

        /// All of them: a command has them, and the op that it becomes has the same.
        private var box: Boxed<Parts>

        /// The new title.
        public var title: String? {
            get { box.value.title }
            set { box.value.title = newValue }
        }
        /// The new kind.
        public var kind: KindID? {
            get { box.value.kind }
            set { box.value.kind = newValue }
        }
        /// Fields to set; others stay.
        public var fields: [Row.Field] {
            get { box.value.fields }
            set { box.value.fields = newValue }
        }
        /// Keys of fields to remove, before `fields` are set.
        public var unset: [ID] {
            get { box.value.unset }
            set { box.value.unset = newValue }
        }
        /// The row's own swipe actions. An empty value removes them: the kind's apply again.
        public var actions: RowActions? {
            get { box.value.actions }
            set { box.value.actions = newValue }
        }
        /// The row's own states. An empty list removes them: the kind's apply again.
        public var states: [Kind.State]? {
            get { box.value.states }
            set { box.value.states = newValue }
        }

        /// Changes; by default none.
        public init(
            title: String? = nil, kind: KindID? = nil, fields: [Row.Field] = [], unset: [ID] = [],
            actions: RowActions? = nil, states: [Kind.State]? = nil
        ) {
            box = Boxed(
                Parts(
                    title: title, kind: kind, fields: fields, unset: unset, actions: actions,
                    states: states))
        }

        /// Whether they change the title, the kind or a field.
        var changesTexts: Bool { title != nil || kind != nil || !fields.isEmpty || !unset.isEmpty }

        /// The content after these changes: fields are unset first, then set.
        public func applied(to old: Row.Content) -> Row.Content {
            var content = changesTexts ? old.with(self) : old
            if let actions { content.actions = actions.isEmpty ? nil : actions }
            if let states { content.states = states }
            return content
        }

        /// Titles are compared by bytes.
        public static func == (a: Changes, b: Changes) -> Bool {
            let titles: (ID?, ID?) = (a.title.map { ID($0) }, b.title.map { ID($0) })
            return titles.0 == titles.1 && a.kind == b.kind && a.fields == b.fields
                && a.unset == b.unset && a.actions == b.actions && a.states == b.states
        }
    }

    /// Kinds to register or replace, kinds to drop, and the table's settings.
    public struct Definitions: Equatable, Sendable {
        /// To register. A kind with the same id is replaced.
        public var kinds: [Kind]
        /// To drop.
        public var dropped: [KindID]
        /// Nil: the settings stay.
        public var settings: Settings?
        /// For each kind that is defined in part, the properties that are given. Ops have none.
        public var partial: [KindID: Kind.Named]
        /// The settings that are given; nil: all. Ops have none.
        public var partialSettings: Settings.Named?
        /// Shared faces to take away; only with `partialSettings`. Ops have none.
        public var clearedFaces: [ID]

        /// Definitions; by default none.
        public init(
            kinds: [Kind] = [], dropped: [KindID] = [], settings: Settings? = nil,
            partial: [KindID: Kind.Named] = [:], partialSettings: Settings.Named? = nil,
            clearedFaces: [ID] = []
        ) {
            self.clearedFaces = clearedFaces
            self.kinds = kinds
            self.dropped = dropped
            self.settings = settings
            self.partial = partial
            self.partialSettings = partialSettings
        }
    }

    /// The policy for a move whose anchor is gone.
    public enum Policy: Sendable {
        /// The command is refused.
        case strict
        /// The rows land where the anchor last stood.
        case rebase
    }
}

extension Command.Changes: CustomStringConvertible {
    /// The changes without the box, which would print as an address that differs in each process.
    public var description: String { "\(box.value)" }
}
