/// A kind of row: registered once in a table, referred to by its rows (design rules D3, A1, C5).
public struct Kind: Sendable {
    private struct Parts: Sendable {
        var id: KindID
        var heightPoints: Double = 60
        var layout: Layout = .auto
        var margins: Margins = Margins()
        var states: [State] = [.collapsed, .expanded]
        var initial: Expansion = .collapsed
        var isStrip: Bool = false
        var canMove: Bool = true
        var canDelete: Bool = true
        var isPinned: Bool = false
        var ages: Ages?
        var tap: [Effect] = []
        var tapRepeats = false
        var leading: ActionGroup?
        var trailing: ActionGroup?
        var appearances: [Expansion: Appearance] = [:]
        var itemKinds: [ID: ItemKind] = [:]
        var spacingPoints: Double = defaultSpacingPoints
        var page: Page = .none
        var editingStyle: EditingStyle = .delete
        var show = Show()
        var emphasis: [Emphasis] = []
        var form: [ID] = []
    }

    /// All that it is: decisions copy kinds, and a copy of this counts ten.
    private var box: Boxed<Parts>

    /// Its identity in the table.
    public var id: KindID {
        get { box.value.id }
        set { box.value.id = newValue }
    }
    /// Height when collapsed, in points.
    public var heightPoints: Double {
        get { box.value.heightPoints }
        set { box.value.heightPoints = newValue }
    }
    /// Where the height of an expanded row comes from (C5).
    public var layout: Layout {
        get { box.value.layout }
        set { box.value.layout = newValue }
    }
    /// Around the content of an expanded row (C5).
    public var margins: Margins {
        get { box.value.margins }
        set { box.value.margins = newValue }
    }
    /// The states that toggling goes through, in order. Each occurs once.
    public var states: [State] {
        get { box.value.states }
        set { box.value.states = newValue }
    }
    /// The state of a new row; one of `states`.
    public var initial: Expansion {
        get { box.value.initial }
        set { box.value.initial = newValue }
    }
    /// Its rows are strips of items.
    public var isStrip: Bool {
        get { box.value.isStrip }
        set { box.value.isStrip = newValue }
    }
    /// False: moving one of its rows is refused.
    public var canMove: Bool {
        get { box.value.canMove }
        set { box.value.canMove = newValue }
    }
    /// False: removing one of its rows is refused.
    public var canDelete: Bool {
        get { box.value.canDelete }
        set { box.value.canDelete = newValue }
    }
    /// Its rows do not move, and other rows do not move past them.
    public var isPinned: Bool {
        get { box.value.isPinned }
        set { box.value.isPinned = newValue }
    }
    /// Nil: viewers do not colour its rows by age.
    public var ages: Ages? {
        get { box.value.ages }
        set { box.value.ages = newValue }
    }
    /// The effects of selecting a row.
    public var tap: [Effect] {
        get { box.value.tap }
        set { box.value.tap = newValue }
    }
    /// The effects of selecting a row may come again at once (A18).
    public var tapRepeats: Bool {
        get { box.value.tapRepeats }
        set { box.value.tapRepeats = newValue }
    }
    /// Behind the leading edge; nil: no actions there.
    public var leading: ActionGroup? {
        get { box.value.leading }
        set { box.value.leading = newValue }
    }
    /// Behind the trailing edge; nil: no actions there.
    public var trailing: ActionGroup? {
        get { box.value.trailing }
        set { box.value.trailing = newValue }
    }
    /// How its rows look in some of its states (F12).
    public var appearances: [Expansion: Appearance] {
        get { box.value.appearances }
        set { box.value.appearances = newValue }
    }
    /// The kinds of its rows' items, by name (F13). Only of a strip.
    public var itemKinds: [ID: ItemKind] {
        get { box.value.itemKinds }
        set { box.value.itemKinds = newValue }
    }
    /// Gap between two items, in points.
    public var spacingPoints: Double {
        get { box.value.spacingPoints }
        set { box.value.spacingPoints = newValue }
    }
    /// Where viewers let its strips come to rest.
    public var page: Page {
        get { box.value.page }
        set { box.value.page = newValue }
    }
    /// Which control its rows have in edit mode (F10).
    public var editingStyle: EditingStyle {
        get { box.value.editingStyle }
        set { box.value.editingStyle = newValue }
    }
    /// The texts that its rows show.
    public var show: Show {
        get { box.value.show }
        set { box.value.show = newValue }
    }
    /// The parts of its rows that stand out. Of two for one field, the first that holds counts.
    public var emphasis: [Emphasis] {
        get { box.value.emphasis }
        set { box.value.emphasis = newValue }
    }
    /// The fields that a viewer's form asks for, in this order, when a person adds or edits one of its rows.
    public var form: [ID] {
        get { box.value.form }
        set { box.value.form = newValue }
    }

    /// A kind with every default.
    public init(_ id: KindID) { box = Boxed(Parts(id: id)) }

    /// How the height of an expanded row is found.
    public enum Layout: String, Sendable, CaseIterable {
        /// The content's own size.
        case auto
        /// The largest bottom edge of its parts.
        case manual
    }

    /// Space around the content, in points.
    public struct Margins: Equatable, Sendable {
        /// Left and right of the text.
        public var text: Double = 20
        /// Below the content.
        public var bottom: Double = 40

        /// In points; by default those of rule C5.
        public init(text: Double = 20, bottom: Double = 40) {
            self.text = text
            self.bottom = bottom
        }
    }

    /// A state that rows can be in.
    public enum State: Equatable, Sendable {
        case collapsed
        case expanded
        /// A state with a name of the kind's own.
        case named(ID, heightPoints: Double)

        /// This state as a row has it.
        public var expansion: Expansion {
            switch self {
            case .collapsed: return .collapsed
            case .expanded: return .expanded
            case .named(let name, _): return .named(name)
            }
        }
    }

    /// Seconds from which viewers colour a row.
    public struct Ages: Equatable, Sendable {
        /// At this age a row wants attention; nil: never.
        public var warnSeconds: UInt64?
        /// At this age a row is late; nil: never.
        public var lateSeconds: UInt64?
        /// The sections in which rows have ages; empty: all.
        public var sections: [SectionID] = []
        /// Since when they count.
        public var since: Since = .made

        /// In seconds; by default none.
        public init(warnSeconds: UInt64? = nil, lateSeconds: UInt64? = nil) {
            self.warnSeconds = warnSeconds
            self.lateSeconds = lateSeconds
        }

        /// The moment from which ages count.
        public enum Since: String, Sendable, CaseIterable {
            /// When the row was made.
            case made
            /// When the row last moved, as into its section.
            case moved
        }
    }
}

extension Kind {
    /// Whether a command may be refused because it moves one of its rows.
    package var isFixed: Bool { !canMove || isPinned }

    /// This kind in the form that is kept and hashed.
    package var normalized: Kind {
        var kind = self
        kind.tap = tap.map(\.normalized)
        kind.leading = leading?.normalized
        kind.trailing = trailing?.normalized
        kind.appearances = appearances.filter { !$0.value.isEmpty }
        kind.itemKinds = itemKinds.mapValues(\.normalized)
        return kind
    }
}

/// The definitions of a table for all its rows.
public struct Settings: Equatable, Sendable {
    /// How many rows may be swiped open at once (A8).
    public var swipePolicy: SwipePolicy = .exclusive
    /// Whether all viewers share the open swipe.
    public var swipeScope: SwipeScope = .shared
    /// How many rows may be expanded at once (C9).
    public var expandPolicy: ExpandPolicy = .independent
    /// Whether a row that a person opens is open on all screens.
    public var expandScope: ExpandScope = .shared
    /// The look of swipe actions, unless their group or the action overrides it (A10).
    public var look = Look()
    /// Whether all viewers share a strip's scroll position (D4).
    public var scrollScope: ScrollScope = .viewer
    /// How viewers move things (F1).
    public var motion = Motion()
    /// Faces that actions name, each defined once (F6).
    public var faces: [ID: Face] = [:]
    /// Whether the table keeps what is selected (F15).
    public var selection: SelectionScope = .none
    /// The rules by which screens make people notice rows.
    public var alerts: [Alert] = []
    /// The work that is paused, in the order of the pauses.
    public var pauses: [Pause] = []

    /// All defaults.
    public init() {}

    /// How many rows can be swiped open (A8).
    public enum SwipePolicy: String, Sendable, CaseIterable {
        case exclusive, multiple
    }
    /// Whether the open swipe is shared or each viewer's own.
    public enum SwipeScope: String, Sendable, CaseIterable {
        case shared, viewer
    }
    /// Whether a strip's scroll position is shared or each viewer's own.
    public enum ScrollScope: String, Sendable, CaseIterable {
        case viewer, shared
    }
    /// How many rows can be expanded (C9).
    public enum ExpandPolicy: String, Sendable, CaseIterable {
        case independent, accordionTable, accordionSection
    }
    /// Whether rows open on all screens, or on the one where a person opens them.
    public enum ExpandScope: String, Sendable, CaseIterable {
        case shared, viewer
    }
}

extension Kind: CustomStringConvertible {
    /// Its parts, as of a value without a box: a trace tells of them, and not of a class.
    public var description: String { "\(box.value)" }
}

extension Kind {
    /// Whether its rows can be in this state. Every kind allows any height.
    public func has(_ state: Expansion) -> Bool {
        switch state {
        case .height: return true
        case .collapsed, .expanded, .named: return states.contains { $0.expansion == state }
        }
    }

    /// The state to which expand-all or collapse-all sets its rows; nil: it has no such state.
    package func state(forAll isOpen: Bool) -> Expansion? {
        let state: Expansion = isOpen ? .expanded : .collapsed
        return has(state) ? state : nil
    }

    /// The next state in the cycle. From a state outside the cycle, the first (C2).
    public func state(after present: Expansion) -> Expansion {
        guard let index = states.firstIndex(where: { $0.expansion == present }) else {
            return states.first?.expansion ?? .collapsed
        }
        return states[(index + 1) % states.count].expansion
    }
}
