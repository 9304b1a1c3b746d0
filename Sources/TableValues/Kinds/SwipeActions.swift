/// The swipe actions at one edge, in order from the edge (design rules A1, A10).
public struct ActionGroup: Equatable, Sendable {
    /// The look of its actions, unless an action overrides it.
    public var look = Look()
    /// The articles' geometry, without the fixes of rules A13 and A14.
    public var isCompatible = false
    /// A full swipe performs the first action (A6).
    public var hasFullSwipe = false
    /// In order from the edge.
    public var actions: [Action] = []
    /// The colour behind the buttons (F8); nil: the viewer's own.
    public var background: String?
    /// Space between the sliding row and the button beside it (F8); nil: none.
    public var gapPoints: Double?

    /// By default without actions.
    public init(look: Look = Look(), actions: [Action] = []) {
        self.look = look
        self.actions = actions
    }
}

/// The look that a table, a group or an action gives. An action overrides its group, and a group
/// the table; nil: as the next one out says.
public struct Look: Equatable, Sendable {
    /// The style that draws the face (A11); `default` unless given.
    public var style: Style?
    /// Width of the face, without the spacing (A2); 74 points unless given.
    public var width: Width?
    /// Space beside the face, part of the tap target (A12); 0 unless given.
    public var spacingPoints: Double?
    /// Insets of a custom face in its button (A14); 0 unless given.
    public var insets: Insets?

    /// Leaves everything to the next one out.
    public init() {}

    /// The three styles of rule A11.
    public enum Style: String, Sendable, CaseIterable {
        /// The viewer's own look.
        case standard = "default"
        case circular
        /// The action's face.
        case custom
    }

    /// The two width modes of rule A2.
    public enum Width: Equatable, Sendable {
        case points(Double)
        /// The width of the measured title.
        case intrinsic
        /// The width of the measured face, as the row fills it in (F7).
        case face
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
    /// The text that people read on it; it may be empty.
    public var title = ""
    /// Whether it destroys something.
    public var role: Role = .normal
    /// An icon's name; nil: none.
    public var icon: String?
    /// A colour such as `#d33333`; nil: the viewer's own.
    public var background: String?
    /// The colour of icon and title; nil: the viewer's own.
    public var foreground: String?
    /// Overrides the group's look.
    public var look = Look()
    /// The face that the style `custom` shows; nil: no face.
    public var face: Face?
    /// The row closes in the same revision (A7).
    public var hidesWhenSelected = true
    /// Whether a viewer asks the person before it acts.
    public var asksToConfirm = false
    /// Each press counts, also one a moment after another (A18): an action such as "+1".
    public var repeats = false
    /// The rows on which it is performed; nil: on all that have it.
    public var guarded: Guard?
    /// Applied in order, in one revision.
    public var effects: [Effect] = []

    /// An action with all defaults and no effect.
    public init(_ id: ID) { self.id = id }

    /// How people are to see an action (A1).
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
    /// An image of the face's own (F4).
    case image(FaceImage)
    /// A face that the table defines once, by its name (F6).
    case shared(ID)
}

/// A part of a face, with its look.
public struct Face: Equatable, Sendable {
    /// The content that it shows.
    public var content: FaceContent
    /// Size of the font or icon; nil: the viewer's own.
    public var sizePoints: Double?
    /// A font weight, by name; nil: the viewer's own.
    public var weight: String?
    /// Colour of the text or icon; nil: the viewer's own.
    public var color: String?
    /// How the parts of a stack line up, by name; nil: the viewer's own.
    public var align: String?
    /// Space between the parts of a stack; nil: the viewer's own.
    public var spacingPoints: Double?
    /// Space around the content; nil: none.
    public var insets: Look.Insets?
    /// Font families, the one most wanted first (F3); empty: as the stack around it, or the
    /// viewer's own.
    public var families: [String] = []
    /// Whether letters are slanted; nil: as in the stack around it, or upright.
    public var isItalic: Bool?

    /// A part with no look of its own.
    public init(_ content: FaceContent) { self.content = content }

    /// Levels of nested parts, counting this one.
    public var depth: Int {
        switch content {
        case .vertical(let parts), .horizontal(let parts):
            return 1 + (parts.map(\.depth).max() ?? 0)
        default: return 1
        }
    }
}

/// An effect of performing an action or selecting a row.
public enum Effect: Equatable, Sendable {
    case remove
    case move(section: SectionID?, Anchor)
    case set([Row.Field])
    /// As `set`, with `Template`s for values (F14).
    case fill([Row.Field])
    /// Adds to fields that hold whole numbers.
    case increment([Increment])
    case toggle
    case expand(Expansion)
    /// An outside handler completes it. The deadline counts in seconds from the press, or for each attempt
    /// where `retries` bounds them. When the handler is done, `then` is applied.
    case invoke(deadlineSeconds: Double, then: [Effect], retries: Retries = Retries())
    /// Removes the item that was pressed.
    case removeItem
    /// Sets fields of the item that was pressed.
    case setItem([Row.Field])
    /// Takes fields away.
    case unset([ID])
    /// Gives the row another kind.
    case kind(KindID)
    /// Moves the row to the end of the section from which it last came.
    case moveBack
    /// Applied to every row of the row's group, to one after the other.
    case group([Effect])
    /// Puts the row off for so long.
    case snooze(milliseconds: UInt64, isToTop: Bool)
}

extension Effect {
    /// The effect with the fields of `set` sorted by key, each key once, so that equal effects have
    /// equal bytes.
    var normalized: Effect {
        switch self {
        case .set(let fields): return .set(Row.Field.sorted(fields))
        case .fill(let fields): return .fill(Row.Field.sorted(fields))
        case .increment(let increments): return .increment(Increment.sorted(increments))
        case .setItem(let fields): return .setItem(Row.Field.sorted(fields))
        case .invoke(let deadline, let then, var retries):
            retries.otherwise = retries.otherwise.map(\.normalized)
            return .invoke(
                deadlineSeconds: deadline, then: then.map(\.normalized), retries: retries)
        case .unset(let keys): return .unset(Set(keys).sorted())
        case .group(let effects): return .group(effects.map(\.normalized))
        case .remove, .move, .toggle, .expand, .removeItem, .kind, .moveBack, .snooze: return self
        }
    }

    /// Whether it removes the row, and at once.
    package var removesRow: Bool {
        if case .group(let effects) = self { return effects.contains(.remove) }
        // By its case: a comparison of effects is a call.
        if case .remove = self { return true } else { return false }
    }

    /// The effects that it applies to rows of a group, or at its end.
    private var nested: [Effect] {
        switch self {
        case .group(let effects): return effects
        case .invoke(_, let then, let retries): return then + retries.otherwise
        case .remove, .move, .set, .fill, .increment, .toggle, .expand, .removeItem, .setItem,
            .unset, .kind, .moveBack, .snooze:
            return []
        }
    }

    /// Whether it asks from which section the row came.
    fileprivate var looksBack: Bool {
        if case .fill(let fields) = self { return fields.contains { $0.value.contains("{from}") } }
        return self == .moveBack || nested.contains(where: \.looksBack)
    }

    /// The kinds that it gives rows.
    fileprivate var namedKinds: [KindID] {
        if case .kind(let kind) = self { [kind] } else { nested.flatMap(\.namedKinds) }
    }
}

/// A definition with effects: they say something of the rows that it is for.
package protocol Effective {
    var everyEffect: [Effect] { get }
}

extension Effective {
    /// Whether a row remembers the section from which it came: an effect asks for it.
    package var looksBack: Bool { everyEffect.contains(where: \.looksBack) }

    /// The kinds that the effects give rows.
    package var namedKinds: [KindID] { everyEffect.flatMap(\.namedKinds) }
}

extension Kind: Effective {
    package var everyEffect: [Effect] {
        let items = itemKinds.values
        let actions = [leading, trailing].flatMap { $0?.actions ?? [] } + items.flatMap(\.menu)
        return tap + items.flatMap(\.tap) + actions.flatMap(\.effects)
    }
}

extension RowActions: Effective {
    package var everyEffect: [Effect] {
        [leading, trailing].flatMap { $0?.actions ?? [] }.flatMap(\.effects)
    }
}

extension ActionGroup {
    /// This group in the form that is kept and hashed.
    var normalized: ActionGroup {
        var group = self
        group.actions = actions.normalized
        return group
    }
}

extension [Action] {
    /// These actions in the form that is kept and hashed.
    var normalized: [Action] {
        map { action in
            var action = action
            action.effects = action.effects.map(\.normalized)
            return action
        }
    }
}

/// A row's own swipe actions, instead of its kind's (A1). Immutable, and shared by the row's
/// versions.
public final class RowActions: Sendable {
    /// Nil: the kind's. A group without actions: none at this edge.
    public let leading: ActionGroup?
    /// As `leading`.
    public let trailing: ActionGroup?
    /// Hash of the canonical form of both groups: it travels with them.
    public let hash: UInt64
    /// Size of the canonical form: it counts towards the row's bytes.
    package let byteCount: Int

    /// With nil at both edges, the kind's actions apply.
    public init(leading: ActionGroup? = nil, trailing: ActionGroup? = nil) {
        self.leading = leading?.normalized
        self.trailing = trailing?.normalized
        let writer = Self.canonical(self.leading, self.trailing)
        hash = writer.hash
        byteCount = writer.bytes.count
    }

    /// Whether both edges are left to the kind.
    public var isEmpty: Bool { leading == nil && trailing == nil }

    private static func canonical(
        _ leading: ActionGroup?, _ trailing: ActionGroup?
    ) -> CanonicalWriter {
        var writer = CanonicalWriter(capacity: 256)
        for group in [leading, trailing] {
            writer.write(group != nil)
            group?.write(to: &writer)
        }
        return writer
    }
}

extension RowActions: Equatable {
    /// By the bytes of the canonical form.
    public static func == (a: RowActions, b: RowActions) -> Bool {
        a === b || canonical(a.leading, a.trailing).bytes == canonical(b.leading, b.trailing).bytes
    }
}
