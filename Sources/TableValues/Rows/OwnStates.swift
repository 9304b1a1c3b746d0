// States of a row's own (design rule F11). They stand in place of its kind's, and everything else of
// the kind stays.

extension Kind {
    /// The kind as a row with this content has it: with the row's own states, if it has any. It
    /// starts in the kind's initial state if that is among them, else in the first of them.
    public consuming func fitted(to content: Row.Content) -> Kind {
        let own = content.states
        guard let first = own.first else { return self }
        var kind = self
        kind.states = own
        if !kind.has(kind.initial) { kind.initial = first.expansion }
        return kind
    }
}
