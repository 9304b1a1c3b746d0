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
            try s.choice(12, "remove", &verb, remove(from:isOfEach:), isOfEach: true)
            try s.choice(13, "move", &verb, move(from:isOfEach:), isOfEach: true)
            try s.choice(20, "act", &verb, act(from:isOfEach:), isOfEach: true)
            try s.choice(29, "claim", &verb, claim(from:isOfEach:), isOfEach: true)
            try s.choice(33, "recall", &verb, recall(from:isOfEach:), isOfEach: true)
            try s.choice(66, "retry", &verb, retry(from:isOfEach:), isOfEach: true)
            try s.choice(68, "snooze", &verb, snooze(from:isOfEach:), isOfEach: true)
        }
        let words = "One of: set, remove, move, act, claim, recall, retry, snooze."
        let text = try condition.or(.missing("where"))
        let each = try verb.or(Refusal(.malformed, words))
        return .each(Command.Each(each, where: text, section: section, limit: limit))
    }
}

extension Command.Verb {
    static func claim<S: Source>(from s: inout S, isOfEach: Bool = false) throws(Refusal) -> Self {
        var (rows, note, ttl) = (Few<RowID>.none, "", Double?.none)
        while try s.more() {
            try s.ids(1, "rows", &rows)
            try s.text(2, "note", &note)
            try s.double(3, "ttl", &ttl)
        }
        try s.check(rows, isOfEach: isOfEach)
        return .claim(rows, note: note, ttlSeconds: ttl)
    }

    static func recall<S: Source>(from s: inout S, isOfEach: Bool = false) throws(Refusal) -> Self {
        var rows = Few<RowID>.none
        while try s.more() { try s.ids(1, "rows", &rows) }
        try s.check(rows, isOfEach: isOfEach)
        return .recall(rows)
    }

    static func pause<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (scope, note, ends) = (Pause.Scope(), String?.none, false)
        while try s.more() {
            try s.id(1, "section", &scope.section)
            try s.id(2, "action", &scope.action)
            try s.text(3, "note", &note)
            try s.flag(4, "resume", &ends)
        }
        if ends, note != nil { throw Refusal(.malformed, "One of: note, resume.") }
        return .pause(scope, note: ends ? nil : note ?? "")
    }

    /// Without a time the rows wake.
    static func snooze<S: Source>(from s: inout S, isOfEach: Bool = false) throws(Refusal) -> Self {
        var (rows, isToTop) = (Few<RowID>.none, false)
        var (untilMs, forMs): (UInt64?, UInt64?) = (nil, nil)
        while try s.more() {
            try s.ids(1, "rows", &rows)
            try s.number(2, "untilMs", &untilMs)
            try s.number(3, "forMs", &forMs)
            try s.flag(4, "top", &isToTop)
        }
        try s.check(rows, isOfEach: isOfEach)
        let end: Command.Snooze.End?
        switch (untilMs, forMs) {
        case (let timeMs?, nil): end = .at(timeMs)
        case (nil, let passMs?): end = .after(passMs)
        case (nil, nil): end = nil
        case (_?, _?): throw Refusal(.malformed, "One of: untilMs, forMs.")
        }
        if end == nil, isToTop {
            throw Refusal(.malformed, "A row that wakes now stays where it is.", "top")
        }
        return .snooze(rows, end.map { Command.Snooze($0, isToTop: isToTop) })
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
