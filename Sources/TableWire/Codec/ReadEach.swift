internal import TableModel

// A command on each row that a condition fits.

extension Command.Verb {
    static func each<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (condition, section, limit): (String?, ID?, Int?) = (nil, nil, nil)
        var verb: Self?
        while try s.more() {
            try s.text(1, "where", &condition)
            try s.id(2, "section", &section)
            try s.count(3, "limit", &limit)
            try s.choice(11, "set", &verb) { (s) throws(Refusal) in
                .set(Command.Each.noRow, try Command.Changes.read(from: &s, isOfEach: true).1)
            }
            try s.choice(12, "remove", &verb) { (s) throws(Refusal) in
                try remove(from: &s, isOfEach: true)
            }
            try s.choice(13, "move", &verb) { (s) throws(Refusal) in
                try move(from: &s, isOfEach: true)
            }
            try s.choice(20, "act", &verb) { (s) throws(Refusal) in
                try act(from: &s, isOfEach: true)
            }
            try s.choice(29, "claim", &verb) { (s) throws(Refusal) in
                try claim(from: &s, isOfEach: true)
            }
            try s.choice(66, "retry", &verb) { (s) throws(Refusal) in
                try retry(from: &s, isOfEach: true)
            }
        }
        guard let condition else { throw .missing("where") }
        guard let verb else {
            throw Refusal(.malformed, "One of: set, remove, move, act, claim, retry.")
        }
        return .each(Command.Each(verb, where: condition, section: section, limit: limit))
    }
}

extension Source {
    /// The row that a command names; none, if a condition chooses its rows.
    func row(_ row: RowID?, isOfEach: Bool) throws(Refusal) -> RowID {
        guard isOfEach else { return try needed(row, "row") }
        guard row == nil else { throw .rowOfEach("row") }
        return Command.Each.noRow
    }

    /// The rows of a command are named, unless a condition chooses them.
    func check(_ rows: Few<RowID>, isOfEach: Bool) throws(Refusal) {
        if isOfEach, !rows.isEmpty { throw .rowOfEach("rows") }
        if !isOfEach, rows.isEmpty { throw .missing("rows") }
    }
}

extension Refusal {
    fileprivate static func rowOfEach(_ name: StaticString) -> Refusal {
        Refusal(.malformed, "A command of `each` names no row: `where` chooses its rows.", name)
    }
}
