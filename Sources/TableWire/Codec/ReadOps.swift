internal import TableModel
internal import TableSync

// Diffs and their ops.

extension Diff {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Diff {
        var (base, digest, cause, ops) = (UInt64(0), UInt64?.none, Cause?.none, [Op]())
        while try s.more() {
            try s.number(1, "base", &base)
            try s.hex(2, "digest", &digest)
            try s.one(3, "cause", &cause, Cause.read(from:))
            try s.all(4, "ops", &ops) { (s) throws(Refusal) in try Op.read(from: &s).inDiff }
            try s.fixed(5, "digestWord", &digest)
        }
        guard let digest else { throw .notHex(16, "digest") }
        return Diff(base: base, digest: digest, cause: cause ?? Cause(verb: ""), ops: ops)
    }
}

extension DiffOutline {
    /// Without the ops; nil: one of them is not among the frequent ones, and the log has to look at all.
    static func read(from s: inout BinarySource) throws(Refusal) -> DiffOutline? {
        var (base, digest, cause, isFrequent) = (UInt64(0), UInt64?.none, Cause?.none, true)
        while try s.more() {
            try s.number(1, "base", &base)
            try s.one(3, "cause", &cause, Cause.read(from:))
            var ops: [Void] = []
            try s.all(4, "ops", &ops) { (s) throws(Refusal) in
                let numbers: [UInt32] = [1, 6, 3, 4, 2, 5, 12]
                guard numbers.contains(where: { s.takes($0, .length, "") }) else {
                    isFrequent = false
                    return
                }
                try s.skip(.length)
                try s.next()
                if try s.more() { isFrequent = false }
            }
            try s.fixed(5, "digestWord", &digest)
        }
        guard isFrequent, let digest, let cause else { return nil }
        return DiffOutline(base: base, digest: digest, cause: cause)
    }
}

extension Cause {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Cause {
        var (client, name, user): (ID?, ID?, ID?) = (nil, nil, nil)
        var (number, undoes): (UInt64?, UInt64?) = (nil, nil)
        var (verb, timeMs) = ("", UInt64(0))
        while try s.more() {
            try s.id(1, "client", &client)
            try s.number(2, "number", &number)
            try s.text(3, "verb", &verb)
            try s.id(4, "name", &name)
            try s.number(5, "timeMs", &timeMs)
            try s.number(6, "undoes", &undoes)
            try s.id(7, "user", &user)
        }
        return Cause(
            client: client, number: number, verb: verb, name: name, timeMs: timeMs,
            undoes: undoes, user: user.map { ProvenID($0) })
    }
}

extension Op {
    /// In a diff, an inserted row has the version that the diff leads to, whatever the message says of it. An
    /// inverse brings a row back with the version that it had.
    var inDiff: Op {
        guard case .insert(let row, let place, let hint) = self, row.version != 0 else {
            return self
        }
        return .insert(row.with(version: 0), place, hint: hint)
    }

    /// An unknown op is an error: a follower that skipped it would diverge.
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Op {
        var op: Op?
        while try s.more() {
            try s.choice(1, "insert", &op, insert(from:))
            try s.choice(2, "remove", &op, remove(from:))
            try s.choice(3, "move", &op, move(from:))
            try s.choice(4, "set", &op) { (s) throws(Refusal) in
                let (row, changes) = try Command.Changes.read(from: &s)
                return .set(row, changes)
            }
            try s.choice(5, "swipe", &op, S.swipe(from:)) { .swipe($0, $1) }
            try s.choice(6, "expand", &op, expand(from:))
            try s.choice(12, "perform", &op, perform(from:))
            try s.choice(26, "restore", &op, restore(from:))
            if !s.isAtEnd, op == nil || S.isJSON { try takeRare(from: &s, into: &op) }
        }
        return try op.or(Refusal(.malformed, "An op that is not known here."))
    }

    @inline(never)
    private static func takeRare<S: Source>(from s: inout S, into op: inout Op?) throws(Refusal) {
        try s.choice(7, "swap", &op, S.pair(from:)) { .swap($0, $1) }
        try s.choice(8, "insertSection", &op) { (s) throws(Refusal) in
            var (id, title, after): (ID?, String, ID?) = (nil, "", nil)
            while try s.more() {
                try s.id(1, "id", &id)
                try s.text(2, "title", &title)
                try s.id(3, "after", &after)
            }
            return .insertSection(try s.needed(id, "id"), title: title, after: after)
        }
        try s.choice(9, "removeSection", &op, S.onlyID(from:)) { .removeSection($0) }
        try s.choice(10, "setSection", &op, S.section(from:)) { .setSection($0, title: $1 ?? "") }
        try s.choice(11, "define", &op, define(from:))
        try takeOfHandlers(from: &s, into: &op)
        try s.choice(17, "edit", &op) { (s) throws(Refusal) in
            .edit(try s.onlyFlag("on") ?? false)
        }
        try s.choice(18, "expandAll", &op) { (s) throws(Refusal) in
            .expandAll(try s.onlyFlag("open") ?? false)
        }
        try Item.Step.take(from: &s, into: &op)
        try s.choice(23, "scroll", &op) { (s) throws(Refusal) in
            var (row, item, fraction) = (ID?.none, ID?.none, 0.0)
            while try s.more() {
                try s.id(1, "row", &row)
                try s.id(2, "item", &item)
                try s.double(3, "fraction", &fraction)
            }
            let scroll = item.map { Scroll($0, fraction: fraction) }
            return .scroll(try s.needed(row, "row"), scroll)
        }
        try s.choice(24, "select", &op) { (s) throws(Refusal) in
            let (row, item) = try S.rowAndItem(from: &s)
            return .select(try s.needed(row, "row"), item: item)
        }
        try takeOfRow(from: &s, into: &op)
    }

    /// The ops that change one rare part of a row.
    private static func takeOfRow<S: Source>(from s: inout S, into op: inout Op?) throws(Refusal) {
        try s.choice(25, "claim", &op) { (s) throws(Refusal) in
            var (row, claim): (ID?, Claim?) = (nil, nil)
            while try s.more() {
                try s.id(1, "row", &row)
                try s.one(2, "claim", &claim, Claim.read(from:))
            }
            return .claim(try s.needed(row, "row"), claim)
        }
        try s.choice(66, "came", &op) { (s) throws(Refusal) in
            var (row, section): (ID?, ID?) = (nil, nil)
            while try s.more() {
                try s.id(1, "row", &row)
                try s.id(2, "from", &section)
            }
            return .came(try s.needed(row, "row"), from: section)
        }
        try s.choice(60, "mark", &op) { (s) throws(Refusal) in
            var (row, selection): (ID?, Row.Selection?) = (nil, nil)
            while try s.more() {
                try s.id(1, "row", &row)
                try s.one(2, "selected", &selection, Row.Selection.read(from:))
            }
            return .mark(try s.needed(row, "row"), selection)
        }
        try s.choice(63, "sleep", &op) { (s) throws(Refusal) in
            var (row, sleep): (ID?, Row.Sleep?) = (nil, nil)
            while try s.more() {
                try s.id(1, "row", &row)
                try s.one(2, "sleep", &sleep, Row.Sleep.read(from:))
            }
            return .sleep(try s.needed(row, "row"), sleep)
        }
    }

    private static func takeOfHandlers<S: Source>(
        from s: inout S, into op: inout Op?
    ) throws(Refusal) {
        try s.choice(13, "invoke", &op) { (s) throws(Refusal) in
            var invocation: Invocation?
            while try s.more() { try s.one(1, "invocation", &invocation, Invocation.read(from:)) }
            return .invoke(try invocation.or(.missing("invocation")))
        }
        try s.choice(14, "take", &op) { (s) throws(Refusal) in
            var (id, holder): (InvocationID?, ID?) = (nil, nil)
            while try s.more() {
                try s.invocationID(1, "invocation", &id)
                try s.id(2, "holder", &holder)
            }
            return .take(
                try id.or(.notInvocation("invocation")), by: try s.needed(holder, "holder"))
        }
        try s.choice(15, "release", &op, S.released(from:)) { .release($0) }
        try s.choice(61, "rest", &op) { (s) throws(Refusal) in
            var (id, failure): (InvocationID?, Invocation.Failure?) = (nil, nil)
            while try s.more() {
                try s.invocationID(1, "invocation", &id)
                try s.one(2, "failure", &failure, Invocation.Failure.read(from:))
            }
            return .rest(try id.or(.notInvocation("invocation")), failure)
        }
        try s.choice(16, "finish", &op, Invocation.Outcome.read(from:)) { .finish($0, $1) }
        try s.choice(27, "setInvocation", &op) { (s) throws(Refusal) in
            var (id, invocation): (InvocationID?, Invocation?) = (nil, nil)
            while try s.more() {
                try s.invocationID(1, "id", &id)
                try s.one(2, "invocation", &invocation, Invocation.read(from:))
            }
            return .invocation(try id.or(.notInvocation("id")), invocation)
        }
    }

    private static func insert<S: Source>(from s: inout S) throws(Refusal) -> Op {
        var (row, place, hint) = (Row?.none, Place?.none, AnimationHint?.none)
        while try s.more() {
            try s.one(1, "row", &row, Row.read(from:))
            try s.place(&place)
            try s.word(50, "hint", &hint)
        }
        guard let row else { throw Refusal.missing("id").within("row") }
        guard let place else { throw .missing("after") }
        return .insert(row, place, hint: hint ?? .automatic)
    }

    private static func remove<S: Source>(from s: inout S) throws(Refusal) -> Op {
        var (row, hint) = (ID?.none, AnimationHint?.none)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.word(50, "hint", &hint)
        }
        return .remove(try s.needed(row, "row"), hint: hint ?? .automatic)
    }

    private static func move<S: Source>(from s: inout S) throws(Refusal) -> Op {
        var (rows, place) = (Few<RowID>.none, Place?.none)
        while try s.more() {
            try s.ids(1, "rows", &rows)
            try s.place(&place)
        }
        if rows.isEmpty { throw .missing("rows") }
        return .move(rows, try place.or(.missing("after")))
    }

    private static func expand<S: Source>(from s: inout S) throws(Refusal) -> Op {
        var (row, state) = (ID?.none, Expansion?.none)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.state(2, "state", &state)
        }
        return .expand(try s.needed(row, "row"), try state.or(.missing("state")))
    }

    private static func perform<S: Source>(from s: inout S) throws(Refusal) -> Op {
        var (row, performance) = (ID?.none, Performance?.none)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.one(2, "performance", &performance, Performance.read(from:))
        }
        guard let performance else { throw .missing("performance") }
        return .perform(try s.needed(row, "row"), performance)
    }

    private static func restore<S: Source>(from s: inout S) throws(Refusal) -> Op {
        var (row, performed) = (ID?.none, [Performance]())
        var (version, changedMs, movedMs) = (UInt64(0), UInt64(0), UInt64(0))
        while try s.more() {
            try s.id(1, "row", &row)
            try s.number(2, "version", &version)
            try s.all(3, "performed", &performed, Performance.read(from:))
            try s.number(4, "changedMs", &changedMs)
            try s.number(5, "movedMs", &movedMs)
        }
        let traces = Traces(
            version: version, performed: performed, changedMs: changedMs, movedMs: movedMs)
        return .restore(try s.needed(row, "row"), traces)
    }

    private static func define<S: Source>(from s: inout S) throws(Refusal) -> Op {
        var definitions = Command.Definitions(kinds: [])
        while try s.more() {
            try s.all(1, "kinds", &definitions.kinds, Kind.read(from:))
            try s.ids(2, "drop", &definitions.dropped, most: .max)
            try s.one(3, "settings", &definitions.settings, Settings.read(from:))
        }
        return .define(definitions)
    }
}

extension Item.Step {
    fileprivate static func take<S: Source>(from s: inout S, into op: inout Op?) throws(Refusal) {
        try s.choice(19, "insertItem", &op) { (s) throws(Refusal) in
            var (row, item, after): (ID?, Item?, ID?) = (nil, nil, nil)
            while try s.more() {
                try s.id(1, "row", &row)
                try s.one(2, "item", &item, Item.read(from:))
                try s.id(3, "after", &after)
            }
            guard let item else { throw .missing("item") }
            return .item(try s.needed(row, "row"), .insert(item, after: after))
        }
        try s.choice(20, "removeItem", &op) { (s) throws(Refusal) in
            let (row, item) = try S.rowAndItem(from: &s)
            return .item(try s.needed(row, "row"), .remove(try s.needed(item, "item")))
        }
        try s.choice(21, "moveItems", &op) { (s) throws(Refusal) in
            var (row, items, after): (ID?, [ID], ID?) = (nil, [], nil)
            while try s.more() {
                try s.id(1, "row", &row)
                try s.ids(2, "items", &items, most: .max)
                try s.id(3, "after", &after)
            }
            return .item(try s.needed(row, "row"), .move(items, after: after))
        }
        try s.choice(22, "setItem", &op) { (s) throws(Refusal) in
            var (row, item, changes) = (ID?.none, ID?.none, Item.Changes())
            while try s.more() {
                try s.id(1, "row", &row)
                try Item.Changes.take(from: 2, of: &s, item: &item, into: &changes)
            }
            return .item(try s.needed(row, "row"), .set(try s.needed(item, "item"), changes))
        }
    }
}
