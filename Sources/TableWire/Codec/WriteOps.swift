internal import TableModel
internal import TableSync

// Diffs and their ops.

extension Diff {
    func write<S: Sink>(to s: inout S) {
        s.head(base: base, digest: digest, cause)
        s.messages(4, "ops", ops) { $0.write(to: &$1, isInverse: false) }
        if !S.isJSON { s.fixed(5, "digestWord", digest) }
    }
}

extension Sink {
    /// The fields of a diff before its ops. Binary has the digest behind them: it is known when they are applied.
    @inline(__always)
    mutating func head(base: UInt64, digest: UInt64, _ cause: borrowing Cause) {
        number(1, "base", shown: base)
        if Self.isJSON { hex(2, "digest", digest) }
        message(3, "cause") { cause.write(to: &$0) }
    }
}

extension Sink {
    fileprivate mutating func restore(_ row: RowID, _ traces: Traces) {
        message(26, "restore", of: row) { s in
            s.number(2, "version", unlessZero: traces.version)
            s.messages(3, "performed", traces.performed) { $0.write(to: &$1) }
            s.number(4, "changedMs", unlessZero: traces.changedMs)
            s.number(5, "movedMs", unlessZero: traces.movedMs)
        }
    }
}

extension Cause {
    @inline(__always)
    func write<S: Sink>(to s: inout S) {
        s.id(1, "client", client)
        s.number(2, "number", number)
        s.text(3, "verb", unlessEmpty: verb)
        s.id(4, "name", name)
        s.number(5, "timeMs", unlessZero: timeMs)
        s.number(6, "undoes", undoes)
        s.id(7, "user", user?.id)
    }
}

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
}

extension Item.Step {
    fileprivate func write<S: Sink>(on row: RowID, to s: inout S) {
        switch self {
        case .insert(let item, let after):
            s.message(19, "insertItem", of: row) { s in
                s.message(2, "item") { item.write(to: &$0, showsTitle: S.isJSON) }
                s.id(3, "after", after)
            }
        case .remove(let item):
            s.message(20, "removeItem", of: row) { $0.id(2, "item", unlessEmpty: item) }
        case .move(let items, let after):
            s.message(21, "moveItems", of: row) { s in
                s.ids(2, "items", items)
                s.id(3, "after", after)
            }
        case .set(let item, let changes):
            s.message(22, "setItem", of: row) { s in
                changes.write(of: item, from: 2, hasDigest: true, to: &s)
            }
        }
    }
}

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
}

extension Invocation.Outcome {
    /// In the command and in the op.
    func write<S: Sink>(of id: InvocationID, to s: inout S) {
        s.text(1, "invocation", id.text)
        switch self {
        case .done: s.flag(2, "done", true)
        case .failed(let reason): s.text(3, "failed", reason)
        }
    }
}

extension Sink {
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

// MARK: Inverses

extension FieldWriter {
    /// One op of an inverse in its journaled form.
    mutating func write(step: Op) {
        binary { $0.message(1, "ops") { step.write(to: &$0, isInverse: true) } }
    }
}

/// Takes the ops of an inverse as they are journaled.
extension FieldWriter: InverseWriter {
    mutating func remove(_ id: RowID) { write(step: .remove(id)) }
    mutating func move(_ id: RowID, to place: Place) { write(step: .move(.one(id), place)) }
    mutating func expand(_ id: RowID, _ state: Expansion) { write(step: .expand(id, state)) }
    mutating func swipe(_ id: RowID, _ edge: Edge?) { write(step: .swipe(id, edge)) }
    mutating func set(_ id: RowID, _ changes: Command.Changes) { write(step: .set(id, changes)) }
    // An op with traces is in memory of its own, and nearly each inverse has one.
    mutating func restore(_ id: RowID, _ traces: Traces) {
        binary { $0.message(1, "ops") { $0.restore(id, traces) } }
    }

    /// As `Command.Changes`, from texts that are lent.
    mutating func set(
        _ id: RowID, title: UnsafeRawBufferPointer?, field key: ID?,
        _ value: UnsafeRawBufferPointer?
    ) {
        binary { s in
            s.message(1, "ops") { s in
                s.message(4, "set") { s in
                    s.id(1, "row", unlessEmpty: id)
                    if let title { s.text(2, "title", title) }
                    guard let key else { return }
                    guard let value else { return s.id(4, "unset", key) }
                    key.withLetters { key in s.entry(3, key) { $0.text(2, "", value) } }
                }
            }
        }
    }
}
