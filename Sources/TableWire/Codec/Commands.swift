internal import TableModel
internal import TableSync

// Commands on a table.

extension Command {
    func write<S: Sink>(to s: inout S) {
        s.number(1, "ifRevision", ifRevision)
        s.number(2, "ifVersion", ifVersion)
        s.flag(3, "ifClaimed", ifSet: ifClaimed)
        s.text(4, "if", condition?.text)
        switch verb {
        case .add(let add): s.message(10, "add") { add.write(to: &$0) }
        case .set(let row, let changes): s.message(11, "set") { changes.write(of: row, to: &$0) }
        case .remove(let rows, let hint):
            s.message(12, "remove") { s in
                s.ids(1, "rows", rows)
                s.hint(hint)
            }
        case .move(let rows, let section, let anchor, let policy):
            s.message(13, "move") { $0.move(rows, section, anchor, policy) }
        case .swap(let a, let b): s.message(14, "swap") { $0.pair(a, b) }
        case .swipe(let row, let edge):
            s.message(15, "swipe", of: row) { $0.text(2, "edge", OpenEdge.word(edge)) }
        case .expand(let row, let state):
            s.message(16, "expand", of: row) { s in
                if let state { s.text(3, "to", state.text) } else { s.flag(2, "toggle", true) }
            }
        case .act(let act): s.message(20, "act") { act.write(to: &$0) }
        case .define, .section, .removeSection, .edit, .take, .release, .finish, .expandAll, .item,
            .scroll, .select, .claim, .unclaim, .undo, .redo, .recall, .mark, .next,
            .each, .retry, .snooze, .pause:
            writeRare(to: &s)
        }
    }

    private func writeRare<S: Sink>(to s: inout S) {
        switch verb {
        case .add, .set, .remove, .move, .swap, .swipe, .expand, .act:
            preconditionFailure("the frequent commands are written before")
        case .define(let definitions): s.message(17, "define") { definitions.write(to: &$0) }
        case .section(let id, let title):
            s.message(18, "section") { s in
                s.id(1, "id", unlessEmpty: id)
                s.text(2, "title", title)
            }
        case .removeSection(let id):
            s.message(19, "removeSection") { $0.id(1, "id", unlessEmpty: id) }
        case .edit(let isOn): s.message(21, "edit") { $0.flag(1, "on", isOn) }
        case .take(let action, let most):
            s.message(22, "take") { s in
                s.id(1, "action", action)
                s.count(2, "most", most)
            }
        case .release(let id): s.message(23, "release") { $0.text(1, "invocation", id.text) }
        case .finish(let id, let outcome):
            s.message(24, "finish") { outcome.write(of: id, to: &$0) }
        case .expandAll(let isOpen): s.message(25, "expandAll") { $0.flag(1, "open", isOpen) }
        case .item(let row, let change): s.message(26, "item", of: row) { change.write(to: &$0) }
        case .scroll(let row, let scroll):
            s.message(27, "scroll", of: row) { s in
                s.id(2, "item", unlessEmpty: scroll.item)
                s.double(3, "fraction", scroll.fraction)
            }
        case .select(let row, let item): s.message(28, "select", of: row) { $0.id(2, "item", item) }
        case .claim(let rows, let note, let ttl):
            s.message(29, "claim") { s in
                s.ids(1, "rows", rows)
                s.text(2, "note", unlessEmpty: note)
                s.double(3, "ttl", ttl)
            }
        case .unclaim(let rows, let holder):
            s.message(30, "unclaim") { s in
                s.ids(1, "rows", rows)
                s.id(2, "holder", holder)
            }
        case .undo(let revision, let mine):
            s.message(31, "undo") { s in
                s.number(1, "revision", revision)
                s.flag(2, "mine", ifSet: mine)
            }
        case .redo(let mine): s.message(32, "redo") { $0.flag(1, "mine", ifSet: mine) }
        case .recall(let rows): s.message(33, "recall") { $0.ids(1, "rows", rows) }
        case .mark(let row, let item):
            s.message(60, "mark") { s in
                s.id(1, "row", row)
                s.id(2, "item", item)
            }
        case .next(let next): s.message(63, "next") { next.write(to: &$0) }
        case .each(let each): s.message(65, "each") { each.write(to: &$0) }
        case .retry(let row, let action, let item):
            s.message(66, "retry", of: row) { s in
                s.id(2, "action", action)
                s.id(3, "item", item)
            }
        case .pause(let scope, let note): s.message(69, "pause") { $0.pause(scope, note) }
        case .snooze(let rows, let snooze): s.message(68, "snooze") { $0.snooze(rows, snooze) }
        }
    }

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

    static func add<S: Source>(from s: inout S) throws(Refusal) -> Self {
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

extension Command.Add {
    func write<S: Sink>(to s: inout S) {
        s.id(1, "id", id)
        content.withTexts { texts in
            s.text(2, "kind", texts.kind)
            s.text(3, "title", texts.title)
            s.map(4, "fields", fieldsOf: texts)
        }
        s.id(5, "section", section)
        s.anchor(from: 6, anchor)
        if let actions = content.actions { s.message(10, "actions") { actions.write(to: &$0) } }
        s.messages(11, "items", content.items) { $0.write(to: &$1, showsTitle: false) }
        if let carried {
            s.message(12, "carried") { s in
                s.number(1, "createdMs", carried.createdMs)
                s.number(2, "changedMs", unlessZero: carried.changedMs)
                s.number(3, "movedMs", unlessZero: carried.movedMs)
                s.messages(4, "performed", carried.performed) { $0.write(to: &$1) }
                if let claim = carried.claim {
                    s.message(5, "claim") { claim.write(to: &$0, showsNote: false) }
                }
                if let sleep = carried.sleep { s.message(8, "sleep") { sleep.write(to: &$0) } }
                s.id(11, "cameFrom", carried.cameFrom)
            }
        }
        s.states(40, content.states)
        s.text(41, "expand", expansion?.text)
        s.hint(hint)
    }
}

extension Command.Act {
    func write<S: Sink>(to s: inout S) {
        s.id(1, "row", unlessEmpty: row)
        s.id(2, "action", unlessEmpty: action)
        s.text(3, "edge", edge?.rawValue)
        s.flag(4, "full", ifSet: isFull)
        s.flag(5, "confirmed", ifSet: isConfirmed)
        s.id(70, "item", item)
    }
}
