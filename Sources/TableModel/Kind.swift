/// A kind of row: registered once in a table, referred to by its rows (design rules D3, A1, C5).
public struct Kind: Sendable {
    /// Its identity in the table.
    public var id: KindID
    /// Height when collapsed, in points.
    public var heightPoints: Double = 60
    /// Where the height of an expanded row comes from (C5).
    public var layout: Layout = .auto
    /// Around the content of an expanded row (C5).
    public var margins = Margins()
    /// What toggling goes through, in order; each once.
    public var states: [State] = [.collapsed, .expanded]
    /// The state of a new row; one of `states`.
    public var initial: Expansion = .collapsed
    /// Its rows are strips of items.
    public var isStrip = false
    /// False: moving one of its rows is refused.
    public var canMove = true
    /// False: removing one of its rows is refused.
    public var canDelete = true
    /// Its rows do not move, and are not passed.
    public var isPinned = false
    /// Nil: viewers do not colour its rows by age.
    public var ages: Ages?
    /// What selecting a row does.
    public var tap: [Effect] = []
    /// Behind the leading edge; nil: no actions there.
    public var leading: ActionGroup?
    /// Behind the trailing edge; nil: no actions there.
    public var trailing: ActionGroup?

    /// A kind with every default.
    public init(_ id: KindID) {
        self.id = id
    }

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

        /// Margins in points; by default those of C5.
        public init(text: Double = 20, bottom: Double = 40) {
            self.text = text
            self.bottom = bottom
        }
    }

    /// A state that rows can be in.
    public enum State: Equatable, Sendable {
        case collapsed
        case expanded
        /// A name of the kind's own, with a height in points.
        case named(ID, heightPoints: Double)

        /// The row's state that this is.
        public var expansion: Expansion {
            switch self {
            case .collapsed: return .collapsed
            case .expanded: return .expanded
            case .named(let name, _): return .named(name)
            }
        }
    }

    /// Seconds since a row was made, from which viewers colour it.
    public struct Ages: Equatable, Sendable {
        /// From here on a row wants attention; nil: never.
        public var warnSeconds: UInt64?
        /// From here on a row is late; nil: never.
        public var lateSeconds: UInt64?

        /// Ages in seconds; by default none.
        public init(warnSeconds: UInt64? = nil, lateSeconds: UInt64? = nil) {
            self.warnSeconds = warnSeconds
            self.lateSeconds = lateSeconds
        }
    }
}

/// The swipe actions at one edge, in order from the edge (design rules A1, A10).
public struct ActionGroup: Equatable, Sendable {
    /// What its actions look like unless they say otherwise.
    public var look = Look()
    /// The articles' geometry, without the fixes of A13 and A14.
    public var isCompatible = false
    /// A full swipe performs the first action (A6).
    public var hasFullSwipe = false
    /// In order from the edge.
    public var actions: [Action] = []

    /// A group; by default with no actions.
    public init(look: Look = Look(), actions: [Action] = []) {
        self.look = look
        self.actions = actions
    }
}

/// What a group gives and an action may override: nil is "as the next one out says".
public struct Look: Equatable, Sendable {
    /// What draws the face (A11); `default` if nobody says.
    public var style: Style?
    /// Of the face, without the spacing (A2); 74 points if nobody says.
    public var width: Width?
    /// Beside the face, part of the tap target (A12); 0 if nobody says.
    public var spacingPoints: Double?
    /// Of a custom face in its button (A14); 0 if nobody says.
    public var insets: Insets?

    /// A look that leaves everything to the next one out.
    public init() {}

    /// The three styles of A11.
    public enum Style: String, Sendable, CaseIterable {
        /// The viewer's own look.
        case standard = "default"
        case circular
        /// The action's face.
        case custom
    }

    /// The two width modes of A2.
    public enum Width: Equatable, Sendable {
        case points(Double)
        /// From the measured title.
        case intrinsic
    }

    /// In points.
    public struct Insets: Equatable, Sendable {
        public var top: Double, left: Double, bottom: Double, right: Double

        /// Insets in points.
        public init(top: Double, left: Double, bottom: Double, right: Double) {
            self.top = top
            self.left = left
            self.bottom = bottom
            self.right = right
        }
    }
}

/// One swipe action: data, never pixels (A1, A4).
public struct Action: Equatable, Sendable {
    /// Its identity in its group.
    public var id: ID
    /// What people read on it; may be empty.
    public var title = ""
    /// Whether it destroys something.
    public var role: Role = .normal
    /// An icon's name; nil: none.
    public var icon: String?
    /// A colour, such as `#d33333`; nil: the viewer's own.
    public var background: String?
    /// A colour, of icon and title; nil: the viewer's own.
    public var foreground: String?
    /// Overrides the group's.
    public var look = Look()
    /// What the style `custom` shows; nil: no face.
    public var face: Face?
    /// The row closes in the same revision (A7).
    public var hidesWhenSelected = true
    /// A viewer asks before it acts.
    public var asksToConfirm = false
    /// Applied in order, in one revision.
    public var effects: [Effect] = []

    /// An action with every default, and no effect.
    public init(_ id: ID) {
        self.id = id
    }

    /// What an action is to people (A1).
    public enum Role: String, Sendable, CaseIterable {
        case normal, destructive
    }
}

/// A small declarative layout of icon and text (A4).
public indirect enum FaceContent: Equatable, Sendable {
    case vertical([Face])
    case horizontal([Face])
    case icon(String)
    case text(String)
    /// In points.
    case spacer(Double)
}

/// A part of a face, with its looks.
public struct Face: Equatable, Sendable {
    /// What it shows.
    public var content: FaceContent
    /// Of the font or icon; nil: the viewer's own.
    public var sizePoints: Double?
    /// A font weight, by name; nil: the viewer's own.
    public var weight: String?
    /// A colour, of text or icon; nil: the viewer's own.
    public var color: String?
    /// How the parts of a stack line up, by name; nil: the viewer's own.
    public var align: String?
    /// Between the parts of a stack; nil: the viewer's own.
    public var spacingPoints: Double?
    /// Around the content; nil: none.
    public var insets: Look.Insets?

    /// A part with no looks of its own.
    public init(_ content: FaceContent) {
        self.content = content
    }

    /// Levels of stacks, counting this one.
    public var depth: Int {
        switch content {
        case .vertical(let parts), .horizontal(let parts):
            return 1 + (parts.map(\.depth).max() ?? 0)
        default: return 1
        }
    }
}

/// What performing an action or selecting a row does.
public enum Effect: Equatable, Sendable {
    case remove
    case move(section: SectionID?, Anchor)
    case set([Row.Field])
    case toggle
    case expand(Expansion)
    /// An outside handler completes it, within so many seconds.
    case invoke(deadlineSeconds: Double)
}

extension Effect {
    /// With the fields of `set` in the order of their keys, each once, so that equal effects are
    /// the same bytes.
    var normalized: Effect {
        guard case .set(let fields) = self else { return self }
        return .set(Row.Content(fields: fields).fields)
    }
}

extension Kind {
    /// The same kind in the form in which it is kept and hashed.
    var normalized: Kind {
        var kind = self
        kind.tap = tap.map(\.normalized)
        for group in [\Kind.leading, \Kind.trailing] {
            guard let actions = kind[keyPath: group]?.actions else { continue }
            for index in actions.indices {
                kind[keyPath: group]?.actions[index].effects =
                    actions[index].effects.map(\.normalized)
            }
        }
        return kind
    }
}

/// What a table says once for all its rows.
public struct Settings: Equatable, Sendable {
    /// How many rows may be swiped open at once (A8).
    public var swipePolicy: SwipePolicy = .exclusive
    /// Whether all viewers share the open swipe.
    public var swipeScope: SwipeScope = .shared
    /// How many rows may be expanded at once (C9).
    public var expandPolicy: ExpandPolicy = .independent

    /// Every default.
    public init() {}

    /// How many rows can be swiped open (A8).
    public enum SwipePolicy: String, Sendable, CaseIterable {
        case exclusive, multiple
    }
    /// Whose the open swipe is.
    public enum SwipeScope: String, Sendable, CaseIterable {
        case shared, viewer
    }
    /// How many rows can be expanded (C9).
    public enum ExpandPolicy: String, Sendable, CaseIterable {
        case independent, accordionTable, accordionSection
    }
}
