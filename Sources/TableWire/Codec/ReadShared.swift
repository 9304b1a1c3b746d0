internal import TableModel

// Messages that commands and ops have in common.

extension Command.Changes {
    static func read<S: Source>(
        from s: inout S, isOfEach: Bool = false
    ) throws(Refusal) -> (RowID, Self) {
        var (row, title, kind) = (ID?.none, String?.none, ID?.none)
        var (fields, unset): ([Row.Field], [ID]) = ([], [])
        var (actions, states): (RowActions?, [Kind.State]?) = (nil, nil)
        let (most, mostStates) = (s.bounds.fields, s.bounds.states)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.text(2, "title", &title)
            try s.map(3, "fields", &fields)
            try s.ids(4, "unset", &unset, most: most)
            try s.id(5, "kind", &kind)
            try s.one(6, "actions", &actions, RowActions.read(from:))
            try s.one(40, "states", &states) { (s) throws(Refusal) in
                var states: [Kind.State] = []
                while try s.more() { try s.states(1, &states, most: mostStates) }
                return states
            }
        }
        let id = try s.row(row, isOfEach: isOfEach)
        let changes = Self(
            title: title, kind: kind, fields: fields, unset: unset, actions: actions,
            states: states)
        return (id, changes)
    }
}

extension Invocation.Outcome {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> (InvocationID, Self) {
        var (id, outcome): (InvocationID?, Self?) = (nil, nil)
        while try s.more() {
            try s.invocationID(1, "invocation", &id)
            try s.choice(2, "done", &outcome, chosen: .done)
            try s.choice(3, "failed", &outcome, text: { .failed($0) })
        }
        return (
            try id.or(.notInvocation("invocation")),
            try outcome.or(Refusal(.malformed, "One of: done, failed."))
        )
    }
}

extension Source {
    @inline(__always)
    mutating func place(_ place: inout Place?) throws(Refusal) {
        try choice(2, "after", &place, id: { .after($0) })
        try choice(3, "section", &place, id: { .top($0) })
    }

    static func swipe(from s: inout Self) throws(Refusal) -> (RowID, Edge?) {
        var (row, edge): (ID?, OpenEdge?) = (nil, nil)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.word(2, "edge", &edge)
        }
        let id = try s.needed(row, "row")
        guard let edge else { throw .word(OpenEdge.allCases.map(\.rawValue), "edge") }
        return (id, edge.edge)
    }

    static func pair(from s: inout Self) throws(Refusal) -> (ID, ID) {
        var (a, b): (ID?, ID?) = (nil, nil)
        while try s.more() {
            try s.id(1, "a", &a)
            try s.id(2, "b", &b)
        }
        return (try s.needed(a, "a"), try s.needed(b, "b"))
    }

    static func section(from s: inout Self) throws(Refusal) -> (SectionID, title: String?) {
        var (section, title): (ID?, String?) = (nil, nil)
        while try s.more() {
            try s.id(1, "id", &section)
            try s.text(2, "title", &title)
        }
        return (try s.needed(section, "id"), title)
    }

    static func onlyID(from s: inout Self) throws(Refusal) -> ID {
        var only: ID?
        while try s.more() { try s.id(1, "id", &only) }
        return try s.needed(only, "id")
    }

    static func released(from s: inout Self) throws(Refusal) -> InvocationID {
        var id: InvocationID?
        while try s.more() { try s.invocationID(1, "invocation", &id) }
        return try id.or(.notInvocation("invocation"))
    }

    mutating func onlyFlag(_ name: StaticString) throws(Refusal) -> Bool? {
        var value: Bool?
        while try more() { try flag(1, name, &value) }
        return value
    }

    static func rowAndItem(from s: inout Self) throws(Refusal) -> (row: ID?, item: ID?) {
        var (row, item): (ID?, ID?) = (nil, nil)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.id(2, "item", &item)
        }
        return (row, item)
    }
}

extension Saying {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Saying {
        var (key, values) = ("", [Row.Field]())
        while try s.more() {
            try s.text(1, "key", &key)
            try s.map(2, "values", &values)
        }
        return Saying(key, values: values)
    }
}
