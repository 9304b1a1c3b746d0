import TableModel

// Appearances, motion and states: what they may hold, and which of them a row can have.

extension Decision {
    /// Refuses an appearance that cannot be, by state and field.
    func checkAppearances(of kind: Kind) throws(Rejection) {
        for (state, appearance) in kind.appearances.sorted(by: { ID($0.key.text) < ID($1.key.text) }
        ) {
            let field = "appearance.\(state.text)"
            try require(
                kind.states.contains(where: { $0.expansion == state }), or: .noSuchState,
                "\"\(state.text)\" is not among the states.", field: field)
            try checkColor(appearance.background, field: "\(field).background")
            try checkColor(appearance.tint, field: "\(field).tint")
            guard let alpha = appearance.alpha else { continue }
            guard alpha >= 0, alpha <= 1 else {
                throw Rejection(.badNumber, "An alpha is from 0 to 1.", field: "\(field).alpha")
            }
        }
    }
}

extension Decision {
    func checkMotion(_ motion: Motion) throws(Rejection) {
        for key in Motion.Key.allCases {
            let (value, range) = (motion[key], key.range)
            let isFlag = key == .hidesLifted && value != 0 && value != 1
            try require(
                range.contains(value) && !isFlag, or: .badNumber,
                "From \(range.lowerBound) to \(range.upperBound).",
                field: "table.motion.\(key.rawValue)")
        }
    }
}

extension Decision {
    /// Checks a row's own states; an empty list is none.
    func checkOwnStates(_ states: [Kind.State]) throws(Rejection) {
        try bound("states", states.count, by: limits.ownStates, field: "states")
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
