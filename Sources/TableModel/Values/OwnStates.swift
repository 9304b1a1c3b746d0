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

extension Table {
    /// The kind of a row, with the row's own states.
    public func kind(of row: Row) -> Kind? {
        kinds[row.content.kind]?.fitted(to: row.content)
    }
}

extension Decision {
    /// Checks a row's own states; an empty list is none.
    func checkOwnStates(_ states: [Kind.State]) throws(Rejection) {
        guard states.count <= limits.ownStates else {
            throw .tooLarge("states", states.count, limit: limits.ownStates, field: "states")
        }
        try checkStates(states)
    }

    /// The state of a new row, which nobody sees change.
    func start(_ wanted: Expansion?, of kind: Kind) throws(Rejection) -> Expansion {
        guard let wanted else { return kind.initial }
        try checkState(wanted, of: kind, field: "expand")
        return wanted
    }

    /// Checks that a row of this kind can be in the state.
    func checkState(_ state: Expansion, of kind: Kind, field: String) throws(Rejection) {
        switch state {
        case .height(let points): try checkHeight(points, field: field)
        case .collapsed, .expanded, .named:
            guard kind.has(state) else {
                // The kind that is registered may well have it.
                if let known = table.kinds[kind.id], known.states != kind.states {
                    throw Rejection(
                        .noSuchState,
                        "The row has states of its own, and \"\(state.text)\" is none of them.",
                        field: field)
                }
                throw Rejection(
                    .noSuchState, "Kind \"\(kind.id.text)\" has no state \"\(state.text)\".",
                    field: field)
            }
        }
    }
}
