/// New work is not taken: of a section, of an action, of both together, or of the whole table. What runs may
/// finish, and edits and moves go on.
public struct Pause: Canonical, Equatable, Sendable {
    /// The work that is paused.
    public struct Scope: Hashable, Sendable {
        /// Nil: of every section.
        public var section: SectionID?
        /// Nil: claims, and every action that a handler completes.
        public var action: ID?

        /// By default the whole table.
        public init(section: SectionID? = nil, action: ID? = nil) {
            self.section = section
            self.action = action
        }
    }

    /// The work that is paused.
    public var scope: Scope
    /// The person who has paused it.
    public var actor: ID
    /// Why, in their words; it may be empty.
    public var note: String
    /// Since when, in milliseconds since 1970 (UTC).
    public var sinceMs: UInt64

    /// A pause as given.
    public init(_ scope: Scope, by actor: ID, note: String = "", sinceMs: UInt64) {
        self.scope = scope
        self.actor = actor
        self.note = note
        self.sinceMs = sinceMs
    }

    /// More than a board has sections and actions that are paused at once.
    package static let most = 64

    /// Whether it stops this work. Nil: a claim.
    func stops(_ action: ID?, in section: SectionID?) -> Bool {
        (scope.section == nil || scope.section == section)
            && (scope.action == nil || scope.action == action)
    }

    /// The work in words: `grill`, `Page`, `Page in grill`, or `all`.
    public var subject: String {
        switch (scope.section, scope.action) {
        case (nil, nil): return "all"
        case (let section?, nil): return section.text
        case (nil, let action?): return action.text
        case (let section?, let action?): return "\(action.text) in \(section.text)"
        }
    }

    /// The person and the reason: `mary: oven broken`.
    public var reason: String { actor.text + (note.isEmpty ? "" : ": \(note)") }

    func write(to writer: inout CanonicalWriter) {
        writer.write(scope.section?.text ?? "")
        writer.write(scope.action?.text ?? "")
        writer.write(actor)
        writer.write(note)
        writer.write(sinceMs)
    }
}

extension Settings {
    /// The pause that stops this work; nil: none does. Without an action it is about a claim.
    public func pause(of action: ID?, in section: SectionID?) -> Pause? {
        pauses.first { $0.stops(action, in: section) }
    }

    /// The pause that stops a press; nil: none does. One of a section, or of the whole table, stops only what a handler
    /// would have to complete.
    package func pause(ofPress action: ID, isHandled: Bool, in section: SectionID?) -> Pause? {
        pauses.first { pause in
            pause.stops(action, in: section) && (isHandled || pause.scope.action != nil)
        }
    }
}
