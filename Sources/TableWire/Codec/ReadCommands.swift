internal import TableModel

extension Command {
    @inline(__always)  // Otherwise a command is moved from caller to caller.
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Command {
        var (ifRevision, ifVersion, ifClaimed): (UInt64?, UInt64?, Bool) = (nil, nil, false)
        var condition: String?
        var verb: Verb?
        while try s.more() {
            try s.number(1, "ifRevision", &ifRevision)
            try s.number(2, "ifVersion", &ifVersion)
            try s.flag(3, "ifClaimed", &ifClaimed)
            try s.text(4, "if", &condition)
            try s.choice(13, "move", &verb, Verb.move(from:isOfEach:), isOfEach: false)
            try s.choice(16, "expand", &verb, Verb.expand(from:))
            try s.choice(11, "set", &verb, Verb.set(from:))
            try s.choice(10, "add", &verb, Verb.add(from:))
            try s.choice(12, "remove", &verb, Verb.remove(from:isOfEach:), isOfEach: false)
            try s.choice(20, "act", &verb, Verb.act(from:isOfEach:), isOfEach: false)
            if !s.isAtEnd, verb == nil || S.isJSON { try Verb.takeRare(from: &s, into: &verb) }
        }
        guard let found = consume verb else {
            throw Refusal(.unknownVerb, "The command is missing or unknown.")
        }
        guard let condition else {
            return Command(
                found, ifRevision: ifRevision, ifVersion: ifVersion, ifClaimed: ifClaimed)
        }
        return Command(
            found, ifRevision: ifRevision, ifVersion: ifVersion, ifClaimed: ifClaimed,
            if: try parsed(condition, on: found))
    }

    @inline(never)
    private static func parsed(_ text: String, on verb: Verb) throws(Refusal) -> CommandCondition {
        do throws(PredicateFault) {
            return try CommandCondition(text, on: verb)
        } catch { throw Refusal(.badValue, error.sentence(in: text), "if") }
    }

    /// The fields of a move. A drop has them too, but its rows are known.
    struct Movement {
        var rows: Few<RowID>
        var section: SectionID?
        var anchor: Anchor
        var policy: Policy

        @inline(__always)
        static func read<S: Source>(from s: inout S) throws(Refusal) -> Movement {
            var (rows, section, anchor, isStrict) = (Few<RowID>.none, ID?.none, Anchor?.none, false)
            while try s.more() {
                try s.ids(1, "rows", &rows)
                try s.id(2, "section", &section)
                try s.anchor(from: 3, &anchor)
                try s.flag(7, "strict", &isStrict)
            }
            guard let anchor else { throw .noAnchor }
            return Movement(
                rows: rows, section: section, anchor: anchor, policy: isStrict ? .strict : .rebase)
        }
    }
}

extension Command.Verb {
    static func move<S: Source>(from s: inout S, isOfEach: Bool) throws(Refusal) -> Self {
        let move = try Command.Movement.read(from: &s)
        try s.check(move.rows, isOfEach: isOfEach)
        return .move(move.rows, section: move.section, move.anchor, move.policy)
    }

    fileprivate static func set<S: Source>(from s: inout S) throws(Refusal) -> Self {
        let (row, changes) = try Command.Changes.read(from: &s)
        return .set(row, changes)
    }

    static func remove<S: Source>(from s: inout S, isOfEach: Bool) throws(Refusal) -> Self {
        var (rows, hint) = (Few<RowID>.none, AnimationHint?.none)
        while try s.more() {
            try s.ids(1, "rows", &rows)
            try s.word(50, "hint", &hint)
        }
        try s.check(rows, isOfEach: isOfEach)
        return .remove(rows, hint: hint ?? .automatic)
    }

    fileprivate static func expand<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (row, target) = (ID?.none, Expansion??.none)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.choice(2, "toggle", &target, chosen: nil)
            if s.takes(3, .length, "to") {
                if S.isJSON, target != nil { throw .twice("to") }
                target = .some(try s.takeState("to"))
            }
        }
        let id = try s.needed(row, "row")
        return .expand(id, try target.or(Refusal(.malformed, "One of: toggle, to.")))
    }

    static func act<S: Source>(from s: inout S, isOfEach: Bool) throws(Refusal) -> Self {
        var (row, action, item): (ID?, ID?, ID?) = (nil, nil, nil)
        var (edge, isFull, isConfirmed): (Edge?, Bool, Bool) = (nil, false, false)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.id(2, "action", &action)
            try s.word(3, "edge", &edge)
            try s.flag(4, "full", &isFull)
            try s.flag(5, "confirmed", &isConfirmed)
            try s.id(70, "item", &item)
        }
        let id = try s.row(row, isOfEach: isOfEach)
        return .act(
            Command.Act(
                try s.needed(action, "action"), on: id, item: item, edge: edge, isFull: isFull,
                isConfirmed: isConfirmed))
    }

    fileprivate static func add<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (id, kind, section): (ID?, ID?, ID?) = (nil, nil, nil)
        var (title, fields, anchor) = (String?.none, [Row.Field](), Anchor?.none)
        var (actions, items, states): (RowActions?, [Item], [Kind.State]) = (nil, [], [])
        var (carried, expand, hint): (Carried?, Expansion?, AnimationHint?) = (nil, nil, nil)
        let (mostItems, mostStates) = (s.bounds.items, s.bounds.states)
        while try s.more() {
            try s.id(1, "id", &id)
            try s.id(2, "kind", &kind)
            try s.text(3, "title", &title)
            try s.map(4, "fields", &fields)
            try s.id(5, "section", &section)
            try s.anchor(from: 6, &anchor)
            try s.one(10, "actions", &actions, RowActions.read(from:))
            try s.messages(11, "items", &items, most: mostItems, Item.read(from:))
            try s.one(12, "carried", &carried, Carried.read(from:))
            try s.states(40, &states, most: mostStates)
            try s.state(41, "expand", &expand)
            try s.word(50, "hint", &hint)
        }
        let content = Row.Content(
            kind: kind ?? .plainKind, title: title ?? "", fields: fields, actions: actions,
            items: items, states: states)
        return .add(
            Command.Add(
                id: id, content, section: section, at: anchor ?? .bottom, carrying: carried,
                startingIn: expand, hint: hint ?? .automatic))
    }

    @inline(never)
    fileprivate static func takeRare<S: Source>(
        from s: inout S, into verb: inout Self?
    ) throws(Refusal) {
        try s.choice(14, "swap", &verb, S.pair(from:)) { .swap($0, $1) }
        try s.choice(15, "swipe", &verb, S.swipe(from:)) { .swipe($0, $1) }
        try s.choice(17, "define", &verb, Command.Definitions.read(from:)) { .define($0) }
        try s.choice(18, "section", &verb, S.section(from:)) { .section($0, title: $1) }
        try s.choice(19, "removeSection", &verb, S.onlyID(from:)) { .removeSection($0) }
        try s.choice(21, "edit", &verb) { (s) throws(Refusal) in
            .edit(try s.onlyFlag("on").or(.missing("on")))
        }
        try s.choice(22, "take", &verb) { (s) throws(Refusal) in
            var (action, most) = (ID?.none, 1)
            while try s.more() {
                try s.id(1, "action", &action)
                try s.count(2, "most", &most)
            }
            return .take(action: action, atMost: most)
        }
        try s.choice(23, "release", &verb, S.released(from:)) { .release($0) }
        try s.choice(24, "finish", &verb, Invocation.Outcome.read(from:)) { .finish($0, $1) }
        try s.choice(25, "expandAll", &verb) { (s) throws(Refusal) in
            .expandAll(try s.onlyFlag("open").or(.missing("open")))
        }
        try s.choice(26, "item", &verb, item(from:))
        try takeRarest(from: &s, into: &verb)
    }

    private static func takeRarest<S: Source>(
        from s: inout S, into verb: inout Self?
    ) throws(Refusal) {
        try s.choice(27, "scroll", &verb) { (s) throws(Refusal) in
            var (row, item, fraction) = (ID?.none, ID?.none, 0.0)
            while try s.more() {
                try s.id(1, "row", &row)
                try s.id(2, "item", &item)
                try s.double(3, "fraction", &fraction)
            }
            let id = try s.needed(row, "row")
            return .scroll(id, Scroll(try s.needed(item, "item"), fraction: fraction))
        }
        try s.choice(28, "select", &verb) { (s) throws(Refusal) in
            let (row, item) = try S.rowAndItem(from: &s)
            return .select(try s.needed(row, "row"), item: item)
        }
        try s.choice(29, "claim", &verb) { (s) throws(Refusal) in try claim(from: &s) }
        try s.choice(30, "unclaim", &verb) { (s) throws(Refusal) in
            var (rows, holder) = (Few<RowID>.none, ID?.none)
            while try s.more() {
                try s.ids(1, "rows", &rows)
                try s.id(2, "holder", &holder)
            }
            return .unclaim(rows, holder: holder)
        }
        try s.choice(31, "undo", &verb) { (s) throws(Refusal) in
            var (revision, mine): (UInt64?, Bool) = (nil, false)
            while try s.more() {
                try s.number(1, "revision", &revision)
                try s.flag(2, "mine", &mine)
            }
            return .undo(revision: revision, mine: mine)
        }
        try s.choice(32, "redo", &verb) { (s) throws(Refusal) in
            .redo(mine: try s.onlyFlag("mine") ?? false)
        }
        try s.choice(33, "recall", &verb) { (s) throws(Refusal) in try recall(from: &s) }
        try s.choice(60, "mark", &verb, S.rowAndItem(from:)) { .mark($0, item: $1) }
        try s.choice(63, "next", &verb, next(from:))
        try s.choice(65, "each", &verb, each(from:))
        try s.choice(66, "retry", &verb) { (s) throws(Refusal) in try retry(from: &s) }
        try s.choice(68, "snooze", &verb) { (s) throws(Refusal) in try snooze(from: &s) }
        try s.choice(69, "pause", &verb, pause(from:))
    }

    private static func item<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (row, change): (ID?, Command.ItemChange?) = (nil, nil)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.choice(2, "add", &change, Command.ItemChange.add(from:))
            try s.choice(3, "set", &change) { (s) throws(Refusal) in
                var (item, changes) = (ID?.none, Item.Changes())
                while try s.more() {
                    try Item.Changes.take(from: 1, of: &s, item: &item, into: &changes)
                }
                return .set(try s.needed(item, "item"), changes)
            }
            try s.choice(4, "remove", &change) { (s) throws(Refusal) in
                var items: [ID] = []
                while try s.more() { try s.ids(1, "items", &items, most: .max) }
                if items.isEmpty { throw .missing("items") }
                return .remove(items)
            }
            try s.choice(5, "move", &change, Command.ItemChange.move(from:))
        }
        let id = try s.needed(row, "row")
        return .item(id, try change.or(Refusal(.malformed, "One of: add, set, remove, move.")))
    }
}

extension Command.ItemChange {
    fileprivate static func add<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (item, anchor): (Item?, Anchor?) = (nil, nil)
        while try s.more() {
            try s.one(1, "item", &item, Item.read(from:))
            try s.itemAnchor(&anchor)
        }
        return .add(try item.or(.missing("item")), anchor ?? .bottom)
    }

    fileprivate static func move<S: Source>(from s: inout S) throws(Refusal) -> Self {
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

extension Source {
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
}

extension Command.Definitions {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
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
