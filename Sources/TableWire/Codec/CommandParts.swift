internal import TableModel
internal import TableSync

// Parts of commands, and what commands and ops have in common.

extension Command.Changes {
    /// In the command and in the op.
    func write<S: Sink>(of row: RowID, to s: inout S) {
        s.id(1, "row", unlessEmpty: row)
        s.text(2, "title", title)
        s.map(3, "fields", fields)
        s.ids(4, "unset", unset)
        s.id(5, "kind", kind)
        if let actions { s.message(6, "actions") { actions.write(to: &$0) } }
        if let states { s.message(40, "states") { $0.states(1, states) } }
    }

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

extension Command.ItemChange {
    func write<S: Sink>(to s: inout S) {
        switch self {
        case .add(let item, let anchor):
            s.message(2, "add") { s in
                s.message(1, "item") { item.write(to: &$0, showsTitle: false) }
                s.message(2, "anchor") { $0.itemAnchor(anchor) }
            }
        case .set(let item, let changes):
            s.message(3, "set") { changes.write(of: item, from: 1, hasDigest: false, to: &$0) }
        case .remove(let items): s.message(4, "remove") { $0.ids(1, "items", items) }
        case .move(let items, let anchor):
            s.message(5, "move") { s in
                s.ids(1, "items", items)
                s.message(2, "anchor") { $0.itemAnchor(anchor) }
            }
        }
    }

    static func add<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (item, anchor): (Item?, Anchor?) = (nil, nil)
        while try s.more() {
            try s.one(1, "item", &item, Item.read(from:))
            try s.itemAnchor(&anchor)
        }
        return .add(try item.or(.missing("item")), anchor ?? .bottom)
    }

    static func move<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (items, anchor): ([ID], Anchor?) = ([], nil)
        while try s.more() {
            try s.ids(1, "items", &items, most: .max)
            try s.itemAnchor(&anchor)
        }
        guard let anchor else { throw Refusal(.malformed, "One of: first, last, before, after.") }
        if items.isEmpty { throw .missing("items") }
        return .move(items, anchor)
    }
}

extension Command.Definitions {
    func write<S: Sink>(to s: inout S) {
        s.messages(1, "kinds", kinds) { $0.write(to: &$1, naming: partial[$0.id]) }
        s.ids(2, "drop", dropped)
        if let settings {
            s.message(3, "table") {
                settings.write(to: &$0, naming: partialSettings, clearedFaces: clearedFaces)
            }
        }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var definitions = Self(kinds: [])
        let most = s.bounds.kinds
        while try s.more() {
            var kinds: [Kind] = []
            try s.messages(1, "kinds", &kinds, most: most) { (s) throws(Refusal) in
                let (kind, named) = try Kind.definition(from: &s)
                try s.bounds.check("bytes", nil) { kind.write(to: &$0, naming: named) }
                if let named { definitions.partial[kind.id] = named }
                return kind
            }
            definitions.kinds += kinds
            try s.ids(2, "drop", &definitions.dropped, most: .max)
            try s.message(3, "table") { (s) throws(Refusal) in
                let table = try Settings.definition(from: &s)
                definitions.settings = table.settings
                definitions.partialSettings = table.named
                definitions.clearedFaces = table.clearedFaces
            }
        }
        return definitions
    }
}

extension Command.Next {
    func write<S: Sink>(to s: inout S) {
        s.id(1, "action", action)
        s.id(2, "section", section)
        s.text(3, "where", condition?.text)
        if most != 1 { s.count(4, "most", most) }
        if ttlSeconds != Self.ttlSeconds { s.double(5, "ttl", ttlSeconds) }
        s.text(6, "note", unlessEmpty: note)
        if waitSeconds != 0 { s.double(7, "wait", waitSeconds) }
    }
}

extension Command.Each {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "where", condition)
        s.id(2, "section", section)
        if let limit { s.count(3, "limit", limit) }
        // Without conditions only the verb is written, which has the same number there.
        Command(verb).write(to: &s)
    }
}

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

    static func next<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (next, condition, ttl) = (Command.Next(), String?.none, Double?.none)
        while try s.more() {
            try s.id(1, "action", &next.action)
            try s.id(2, "section", &next.section)
            try s.text(3, "where", &condition)
            try s.count(4, "most", &next.most)
            try s.double(5, "ttl", &ttl)
            try s.text(6, "note", &next.note)
            try s.double(7, "wait", &next.waitSeconds)
        }
        next.condition = condition.map { RowCondition($0) }
        if let ttl { next.ttlSeconds = ttl }
        return .next(next)
    }

    static func retry<S: Source>(from s: inout S, isOfEach: Bool = false) throws(Refusal) -> Self {
        var (row, action, item) = (ID?.none, ID?.none, ID?.none)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.id(2, "action", &action)
            try s.id(3, "item", &item)
        }
        return .retry(try s.row(row, isOfEach: isOfEach), action: action, item: item)
    }
}

extension Refusal {
    fileprivate static func rowOfEach(_ name: StaticString) -> Refusal {
        Refusal(.malformed, "A command of `each` names no row: `where` chooses its rows.", name)
    }
}

extension Sink {
    mutating func pause(_ scope: Pause.Scope, _ note: String?) {
        id(1, "section", scope.section)
        id(2, "action", scope.action)
        if let note { text(3, "note", unlessEmpty: note) } else { flag(4, "resume", true) }
    }

    mutating func snooze(_ rows: Few<RowID>, _ snooze: Command.Snooze?) {
        ids(1, "rows", rows)
        switch snooze?.end {
        case .at(let timeMs)?: number(2, "untilMs", Optional(timeMs))
        case .after(let passMs)?: number(3, "forMs", Optional(passMs))
        case nil: break
        }
        flag(4, "top", ifSet: snooze?.isToTop == true)
    }

    mutating func move(
        _ rows: Few<RowID>, _ section: SectionID?, _ anchor: Anchor, _ policy: Command.Policy
    ) {
        ids(1, "rows", rows)
        id(2, "section", section)
        self.anchor(from: 3, anchor)
        flag(7, "strict", ifSet: policy == .strict)
    }

    fileprivate mutating func itemAnchor(_ anchor: Anchor) {
        switch anchor {
        case .top: flag(1, "first", true)
        case .bottom: flag(2, "last", true)
        case .before(let item): id(3, "before", item)
        case .after(let item): id(4, "after", item)
        }
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

    fileprivate mutating func itemAnchor(_ anchor: inout Anchor?) throws(Refusal) {
        try message(2, "anchor") { (s) throws(Refusal) in
            while try s.more() {
                try s.choice(1, "first", &anchor, chosen: .top)
                try s.choice(2, "last", &anchor, chosen: .bottom)
                try s.choice(3, "before", &anchor, id: { .before($0) })
                try s.choice(4, "after", &anchor, id: { .after($0) })
            }
        }
    }

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

    @inline(__always)
    mutating func anchor(from number: UInt32, _ anchor: inout Anchor?) throws(Refusal) {
        try choice(number, "top", &anchor, chosen: .top)
        try choice(number + 1, "bottom", &anchor, chosen: .bottom)
        try choice(number + 2, "before", &anchor, id: { .before($0) })
        try choice(number + 3, "after", &anchor, id: { .after($0) })
    }
}
