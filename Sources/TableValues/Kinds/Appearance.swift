// How rows of a kind look in each of their states (design rule F12).

extension Kind {
    /// The look of a row in one state. What is nil is the viewer's own.
    public struct Appearance: Hashable, Sendable {
        /// The colour behind the row's content.
        public var background: String?
        /// How much of the hidden part can be seen, from 0 (nothing) to 1 (all). The hidden part is
        /// all below the title's first line; nil: 0 of a collapsed row, 1 in other states.
        public var alpha: Double?
        /// The colour of the row's text.
        public var tint: String?

        /// By default all is the viewer's own.
        public init(background: String? = nil, alpha: Double? = nil, tint: String? = nil) {
            self.background = background
            // Zero has two bit patterns.
            self.alpha = alpha.map { $0 == 0 ? 0 : $0 }
            self.tint = tint
        }

        /// Whether all is the viewer's own.
        public var isEmpty: Bool { background == nil && alpha == nil && tint == nil }

        /// How much of the hidden part of a row in this state can be seen.
        public func alpha(in state: Expansion) -> Double { alpha ?? (state == .collapsed ? 0 : 1) }

        func write(to writer: inout CanonicalWriter) {
            writer.write(optional: background)
            writer.write(alpha)
            writer.write(optional: tint)
        }
    }

    /// The look of a row in this state. A row at a height of its own looks as an expanded one.
    public func appearance(in state: Expansion) -> Appearance {
        if let appearance = appearances[state] { return appearance }
        if case .height = state { return appearances[.expanded] ?? Appearance() }
        return Appearance()
    }

    /// The look of a row as it is. A colour of its own goes first while it is closed; in other states it stands in
    /// where the kind says none.
    public func appearance(of row: Row) -> Appearance {
        var found = appearance(in: row.expansion)
        guard let key = show.color, row.expansion == .collapsed || found.background == nil,
            let own = row.content.value(of: key), Color(own) != nil
        else { return found }
        found.background = own
        // The kind chose its ink for another ground.
        found.tint = nil
        return found
    }

    /// Written only where a kind has some, so that other kinds have the digests they had.
    func writeAppearances(to writer: inout CanonicalWriter) {
        if appearances.isEmpty { return }
        writer.write("appearance")
        writer.write(UInt64(appearances.count))
        for (state, appearance) in appearances.sorted(by: { ID($0.key.text) < ID($1.key.text) }) {
            writer.write(state.text)
            appearance.write(to: &writer)
        }
    }
}
