// Definitions in part: what they do not name stays as it is (design rules A10 and F9). Settings
// change one by one. Lists (states, effects, actions, insets) change as a whole.

extension Settings {
    /// The settings that a definition names.
    public struct Named: OptionSet, Hashable, Sendable {
        /// One bit for each setting.
        public let rawValue: UInt64
        /// The settings of these bits.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// The style of the look. The first four bits are those of `ActionGroup.Named`.
        public static let style = Named(rawValue: 1)
        /// The width of the look.
        public static let width = Named(rawValue: 2)
        /// The spacing of the look.
        public static let spacing = Named(rawValue: 4)
        /// The insets of the look.
        public static let insets = Named(rawValue: 8)
        /// How many rows may be swiped open.
        public static let swipePolicy = Named(rawValue: 16)
        /// Whose the open swipe is.
        public static let swipeScope = Named(rawValue: 32)
        /// How many rows may be expanded.
        public static let expandPolicy = Named(rawValue: 64)
        /// Whose the scroll position is.
        public static let scrollScope = Named(rawValue: 128)
        /// Some of the shared faces, each by its name.
        public static let faces = Named(rawValue: 1 << 16)
        /// Whether the table keeps what is selected.
        public static let selection = Named(rawValue: 1 << 24)
        /// The alerts, as a list.
        public static let alerts = Named(rawValue: 1 << 25)
        /// On whose screens rows open.
        public static let expandScope = Named(rawValue: 1 << 26)
    }

    /// These settings, with those that `named` lists taken from `change`.
    public func taking(_ named: Named, of change: Settings) -> Settings {
        var settings = self
        settings.look = look.taking(UInt8(truncatingIfNeeded: named.rawValue), of: change.look)
        if named.contains(.swipePolicy) { settings.swipePolicy = change.swipePolicy }
        if named.contains(.swipeScope) { settings.swipeScope = change.swipeScope }
        if named.contains(.expandPolicy) { settings.expandPolicy = change.expandPolicy }
        if named.contains(.expandScope) { settings.expandScope = change.expandScope }
        if named.contains(.scrollScope) { settings.scrollScope = change.scrollScope }
        for key in Motion.Key.allCases where named.contains(.motion(key)) {
            settings.motion[key] = change.motion[key]
        }
        // Each face by itself: others stay.
        if named.contains(.faces) { settings.faces.merge(change.faces) { $1 } }
        if named.contains(.selection) { settings.selection = change.selection }
        if named.contains(.alerts) { settings.alerts = change.alerts }
        return settings
    }
}

extension ActionGroup {
    /// The properties of a group that a definition names.
    public struct Named: OptionSet, Hashable, Sendable {
        /// One bit for each property.
        public let rawValue: UInt16
        /// The properties of these bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The style of the look.
        public static let style = Named(rawValue: 1)
        /// The width of the look.
        public static let width = Named(rawValue: 2)
        /// The spacing of the look.
        public static let spacing = Named(rawValue: 4)
        /// The insets of the look.
        public static let insets = Named(rawValue: 8)
        /// Whether the group has the articles' geometry.
        public static let compatible = Named(rawValue: 16)
        /// Whether a full swipe performs the first action.
        public static let fullSwipe = Named(rawValue: 32)
        /// The list as a whole, since its order matters.
        public static let actions = Named(rawValue: 64)
        /// The colour behind the buttons.
        public static let background = Named(rawValue: 128)
        /// The space between the row and the button beside it.
        public static let gap = Named(rawValue: 256)
    }

    fileprivate func taking(_ named: Named, of change: ActionGroup) -> ActionGroup {
        var group = self
        group.look = look.taking(UInt8(truncatingIfNeeded: named.rawValue), of: change.look)
        if named.contains(.compatible) { group.isCompatible = change.isCompatible }
        if named.contains(.fullSwipe) { group.hasFullSwipe = change.hasFullSwipe }
        if named.contains(.actions) { group.actions = change.actions }
        if named.contains(.background) { group.background = change.background }
        if named.contains(.gap) { group.gapPoints = change.gapPoints }
        return group
    }
}

extension Look {
    /// The bits are those of `Settings.Named` and `ActionGroup.Named`.
    fileprivate func taking(_ named: UInt8, of change: Look) -> Look {
        var look = self
        if named & 1 != 0 { look.style = change.style }
        if named & 2 != 0 { look.width = change.width }
        if named & 4 != 0 { look.spacingPoints = change.spacingPoints }
        if named & 8 != 0 { look.insets = change.insets }
        return look
    }
}

extension Kind {
    /// The properties of a kind that a definition names.
    public struct Named: Equatable, Sendable {
        /// Those outside the groups.
        public var own: Own
        /// Those of the leading group, if the definition has one.
        public var leading: ActionGroup.Named
        /// Those of the trailing group, if the definition has one.
        public var trailing: ActionGroup.Named
        /// Item kinds to take away. Those that the definition has replace others of their names.
        public var droppedItems: [ID]

        /// By default it names nothing.
        public init(
            _ own: Own = [], leading: ActionGroup.Named = [], trailing: ActionGroup.Named = [],
            droppedItems: [ID] = []
        ) {
            self.droppedItems = droppedItems
            self.own = own
            self.leading = leading
            self.trailing = trailing
        }
    }

    /// The properties of a kind outside its groups.
    public struct Own: OptionSet, Hashable, Sendable {
        /// One bit for each property.
        public let rawValue: UInt32
        /// The properties of these bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The height of a collapsed row.
        public static let height = Own(rawValue: 1)
        /// Where the height of an expanded row comes from.
        public static let layout = Own(rawValue: 2)
        /// The margin of text.
        public static let textMargin = Own(rawValue: 4)
        /// The margin below the content.
        public static let bottomMargin = Own(rawValue: 8)
        /// The list of states.
        public static let states = Own(rawValue: 16)
        /// The state of a new row.
        public static let initial = Own(rawValue: 32)
        /// Whether its rows are strips.
        public static let strip = Own(rawValue: 64)
        /// Whether its rows can be moved.
        public static let canMove = Own(rawValue: 128)
        /// Whether its rows can be removed.
        public static let canDelete = Own(rawValue: 256)
        /// Whether its rows are pinned.
        public static let pinned = Own(rawValue: 512)
        /// The age from which rows want attention.
        public static let warn = Own(rawValue: 1_024)
        /// The age from which rows are late.
        public static let late = Own(rawValue: 2_048)
        /// The effects of selecting.
        public static let tap = Own(rawValue: 4_096)
        /// That there are no ages. A definition with ages names them by `warn` and `late`.
        public static let ages = Own(rawValue: 8_192)
        /// That there is no leading group. A definition with a group names it by `Named.leading`.
        public static let leading = Own(rawValue: 16_384)
        /// That there is no trailing group. A definition with a group names it by `Named.trailing`.
        public static let trailing = Own(rawValue: 32_768)
        /// The appearances of all states together.
        public static let appearance = Own(rawValue: 1 << 24)
        /// That there are no item kinds. A definition with item kinds names them by having them.
        public static let items = Own(rawValue: 1 << 25)
        /// The gap between two items.
        public static let spacing = Own(rawValue: 1 << 26)
        /// Where strips come to rest.
        public static let page = Own(rawValue: 1 << 27)
        /// The control in edit mode.
        public static let editingStyle = Own(rawValue: 1 << 30)
        /// The texts that rows show, as a whole.
        public static let show = Own(rawValue: 1 << 28)
        /// The list of what stands out.
        public static let emphasis = Own(rawValue: 1 << 29)
        /// The sections in which rows have ages.
        public static let agesSections = Own(rawValue: 1 << 16)
        /// Since when ages count.
        public static let agesSince = Own(rawValue: 1 << 17)
        /// The fields of a form.
        public static let form = Own(rawValue: 1 << 18)
    }

    /// This kind, with the properties that `named` lists taken from `change`.
    public func taking(_ named: Named, of change: Kind) -> Kind {
        var kind = self
        let own = named.own
        if own.contains(.height) { kind.heightPoints = change.heightPoints }
        if own.contains(.layout) { kind.layout = change.layout }
        if own.contains(.textMargin) { kind.margins.text = change.margins.text }
        if own.contains(.bottomMargin) { kind.margins.bottom = change.margins.bottom }
        if own.contains(.states) { kind.states = change.states }
        if own.contains(.initial) { kind.initial = change.initial }
        if own.contains(.strip) { kind.isStrip = change.isStrip }
        if own.contains(.canMove) { kind.canMove = change.canMove }
        if own.contains(.canDelete) { kind.canDelete = change.canDelete }
        if own.contains(.pinned) { kind.isPinned = change.isPinned }
        if own.contains(.tap) { (kind.tap, kind.tapRepeats) = (change.tap, change.tapRepeats) }
        if own.contains(.appearance) { kind.appearances = change.appearances }
        if own.contains(.spacing) { kind.spacingPoints = change.spacingPoints }
        if own.contains(.page) { kind.page = change.page }
        if own.contains(.items) { kind.itemKinds = [:] }
        // Each item kind by itself: others stay.
        kind.itemKinds.merge(change.itemKinds) { $1 }
        for name in named.droppedItems { kind.itemKinds[name] = nil }
        if own.contains(.editingStyle) { kind.editingStyle = change.editingStyle }
        if own.contains(.show) { kind.show = change.show }
        if own.contains(.emphasis) { kind.emphasis = change.emphasis }
        if own.contains(.form) { kind.form = change.form }
        kind.ages = ages(taking: own, of: change)
        if let group = change.leading {
            kind.leading = (leading ?? ActionGroup()).taking(named.leading, of: group)
        } else if own.contains(.leading) {
            kind.leading = nil
        }
        if let group = change.trailing {
            kind.trailing = (trailing ?? ActionGroup()).taking(named.trailing, of: group)
        } else if own.contains(.trailing) {
            kind.trailing = nil
        }
        return kind
    }
}

extension Kind {
    private func ages(taking own: Own, of change: Kind) -> Ages? {
        if change.ages == nil, own.contains(.ages) { return nil }
        // A definition may clear one age of a kind that has no ages: it still has none.
        guard var ages = ages ?? change.ages.map({ _ in Ages() }) else { return nil }
        if own.contains(.warn) { ages.warnSeconds = change.ages?.warnSeconds }
        if own.contains(.late) { ages.lateSeconds = change.ages?.lateSeconds }
        if own.contains(.agesSections) { ages.sections = change.ages?.sections ?? [] }
        if own.contains(.agesSince) { ages.since = change.ages?.since ?? .made }
        return ages
    }
}

extension Command.Definitions {
    /// The whole definitions on a table without them: what they do not name takes its default.
    public var whole: Command.Definitions {
        Command.Definitions(kinds: kinds, dropped: dropped, settings: settings)
    }
}
