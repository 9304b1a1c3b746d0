internal import TableModel
internal import TableSync

// An op is a step of a diff.

extension Op {
    /// `isInverse`: rows come with versions of their own.
    func write<S: Sink>(to s: inout S, isInverse: Bool) {
        switch self {
        case .insert(let row, let place, let hint):
            s.message(1, "insert") { s in
                s.message(1, "row", about: 0x80) { row.write(to: &$0, hasVersion: isInverse) }
                s.place(place)
                s.hint(hint)
            }
        case .remove(let row, let hint): s.message(2, "remove", of: row) { $0.hint(hint) }
        case .move(let rows, let place):
            s.message(3, "move") { s in
                s.ids(1, "rows", rows)
                s.place(place)
            }
        case .set(let row, let changes): s.message(4, "set") { changes.write(of: row, to: &$0) }
        case .swipe(let row, let edge):
            s.message(5, "swipe", of: row) { $0.text(2, "edge", OpenEdge.word(edge)) }
        case .expand(let row, let state):
            s.message(6, "expand", of: row) { $0.text(2, "state", unlessEmpty: state.text) }
        case .perform(let row, let performance):
            s.message(12, "perform", of: row) { s in
                s.message(2, "performance") { performance.write(to: &$0) }
            }
        case .restore(let row, let traces): s.restore(row, traces)
        case .swap, .insertSection, .removeSection, .setSection, .define, .edit, .expandAll, .item,
            .scroll, .select, .claim, .sleep, .mark, .came, .invoke, .take, .release, .rest,
            .finish, .invocation:
            writeRare(to: &s)
        }
    }

    @inline(never)
    private func writeRare<S: Sink>(to s: inout S) {
        switch self {
        case .insert, .remove, .move, .set, .swipe, .expand, .perform, .restore:
            preconditionFailure("the frequent ops are written before")
        case .swap(let a, let b): s.message(7, "swap") { $0.pair(a, b) }
        case .insertSection(let id, let title, let after):
            s.message(8, "insertSection") { s in
                s.id(1, "id", unlessEmpty: id)
                s.text(2, "title", shown: title)
                s.id(3, "after", after)
            }
        case .removeSection(let id):
            s.message(9, "removeSection") { $0.id(1, "id", unlessEmpty: id) }
        case .setSection(let id, let title):
            s.message(10, "setSection") { s in
                s.id(1, "id", unlessEmpty: id)
                s.text(2, "title", shown: title)
            }
        case .define(let definitions):
            s.message(11, "define") { s in
                s.messages(1, "kinds", definitions.kinds) { $0.write(to: &$1) }
                s.ids(2, "drop", definitions.dropped)
                if let settings = definitions.settings {
                    s.message(3, "settings") { settings.write(to: &$0) }
                }
            }
        case .invoke, .take, .release, .rest, .finish, .invocation: writeOfHandlers(to: &s)
        case .edit(let isOn): s.message(17, "edit") { $0.flag(1, "on", shown: isOn) }
        case .expandAll(let isOpen):
            s.message(18, "expandAll") { $0.flag(1, "open", shown: isOpen) }
        case .item(let row, let step): step.write(on: row, to: &s)
        case .scroll(let row, let scroll):
            s.message(23, "scroll", of: row) { s in
                guard let scroll else { return }
                s.id(2, "item", scroll.item)
                if S.isJSON || scroll.fraction != 0 { s.double(3, "fraction", scroll.fraction) }
            }
        case .select(let row, let item): s.message(24, "select", of: row) { $0.id(2, "item", item) }
        case .claim(let row, let claim):
            s.message(25, "claim", of: row) { s in
                guard let claim else { return }
                s.message(2, "claim") { claim.write(to: &$0, showsNote: S.isJSON) }
            }
        case .came(let row, let section):
            s.message(66, "came", of: row) { $0.id(2, "from", section) }
        case .sleep(let row, let sleep):
            s.message(63, "sleep", of: row) { s in
                if let sleep { s.message(2, "sleep") { sleep.write(to: &$0) } }
            }
        case .mark(let row, let selection):
            s.message(60, "mark", of: row) { s in
                if let selection { s.message(2, "selected") { selection.write(to: &$0) } }
            }
        }
    }

    private func writeOfHandlers<S: Sink>(to s: inout S) {
        switch self {
        case .invoke(let invocation):
            s.message(13, "invoke") { s in
                s.message(1, "invocation") { invocation.write(to: &$0, isWhole: false) }
            }
        case .take(let id, let holder):
            s.message(14, "take") { s in
                s.text(1, "invocation", id.text)
                s.id(2, "holder", unlessEmpty: holder)
            }
        case .release(let id): s.message(15, "release") { $0.text(1, "invocation", id.text) }
        case .rest(let id, let failure):
            s.message(61, "rest") { s in
                s.text(1, "invocation", id.text)
                if let failure { s.message(2, "failure") { failure.write(to: &$0) } }
            }
        case .finish(let id, let outcome):
            s.message(16, "finish") { outcome.write(of: id, to: &$0) }
        case .invocation(let id, let invocation):
            s.message(27, "setInvocation") { s in
                s.text(1, "id", id.text)
                guard let invocation else { return }
                s.message(2, "invocation") { invocation.write(to: &$0, isWhole: false) }
            }
        case .insert, .remove, .move, .set, .swipe, .expand, .perform, .restore, .swap,
            .insertSection, .removeSection, .setSection, .define, .edit, .expandAll, .item, .scroll,
            .select, .claim, .sleep, .mark, .came:
            preconditionFailure("only the ops of handlers come here")
        }
    }

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

extension Sink {
    mutating func restore(_ row: RowID, _ traces: Traces) {
        message(26, "restore", of: row) { s in
            s.number(2, "version", unlessZero: traces.version)
            s.messages(3, "performed", traces.performed) { $0.write(to: &$1) }
            s.number(4, "changedMs", unlessZero: traces.changedMs)
            s.number(5, "movedMs", unlessZero: traces.movedMs)
        }
    }

    @inline(__always)
    fileprivate mutating func place(_ place: Place) {
        switch place {
        case .after(let row): id(2, "after", row)
        case .top(let section): id(3, "section", section)
        }
    }

    mutating func pair(_ a: RowID, _ b: RowID) {
        id(1, "a", unlessEmpty: a)
        id(2, "b", unlessEmpty: b)
    }

    /// How a row comes or goes. Nearly always nothing is said of it.
    mutating func hint(_ hint: AnimationHint) {
        if hint != .automatic { text(50, "hint", hint.rawValue) }
    }
}
