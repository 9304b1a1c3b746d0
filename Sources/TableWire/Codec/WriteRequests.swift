internal import TableModel
internal import TableSync

// Requests, as a client sends them.

extension Request {
    func write<S: Sink>(to s: inout S) {
        s.id(1, "client", client)
        s.number(2, "number", number)
        s.number(3, "opened", opened)
        s.id(4, "table", table)
        s.id(5, "name", name)
        verb.write(to: &s)
        s.number(61, "atMs", atMs)
        if zoneSeconds != 0 { s.signed(62, "zoneSeconds", Int64(zoneSeconds)) }
    }
}

extension Request.Verb {
    fileprivate func write<S: Sink>(to s: inout S) {
        switch self {
        case .hello: s.message(10, "hello") { _ in }
        case .tables: s.message(11, "tables") { _ in }
        case .kinds: s.message(12, "kinds") { _ in }
        case .snapshot(let id, let chunk): s.message(13, "snapshot") { $0.chunk(id, chunk) }
        case .replay(let history, let since):
            s.message(14, "replay") { s in
                s.hex(1, "history", history)
                s.number(2, "since", since)
            }
        case .offer(let history, let revision, let digest):
            s.message(15, "offer") { s in
                s.hex(1, "history", history)
                s.number(2, "revision", revision)
                s.hex(3, "digest", digest)
            }
        case .health: s.message(16, "health") { _ in }
        case .stats: s.message(17, "stats") { _ in }
        case .check: s.message(18, "check") { _ in }
        case .renew: s.message(19, "renew") { _ in }
        case .backup(let id, let chunk): s.message(20, "backup") { $0.chunk(id, chunk) }
        case .audit(let most): s.message(21, "audit") { $0.count(1, "most", most) }
        case .stepDown: s.message(22, "stepDown") { _ in }
        case .connections: s.message(25, "connections") { _ in }
        case .endConnection(let id):
            s.message(26, "endConnection") { $0.text(1, "id", unlessEmpty: id) }
        case .replicate(let asked): s.message(68, "replicate") { asked.write(to: &$0) }
        case .promote: s.message(69, "promote") { _ in }
        case .create: Request.Change.create.write(to: &s)
        case .drop: Request.Change.drop.write(to: &s)
        case .forget(let rows): s.message(36, "forget") { $0.ids(1, "rows", rows) }
        case .command(let command): s.message(32, "command") { command.write(to: &$0) }
        case .batch(let commands, let ifRevision):
            Request.Change.batch(commands, ifRevision: ifRevision).write(to: &s)
        case .restore(let step): s.message(34, "restore") { step.write(to: &$0) }
        case .drag(let drag): s.message(40, "drag") { drag.write(to: &$0) }
        case .attend(let revision, let isLeaving):
            s.message(41, "attend") { s in
                s.number(1, "revision", revision)
                s.flag(2, "leaving", ifSet: isLeaving)
            }
        case .who: s.message(50, "who") { _ in }
        case .history(let filter):
            s.message(51, "history") { s in
                s.number(1, "before", filter.before)
                s.count(2, "most", filter.most)
                s.id(3, "row", filter.row)
                s.id(4, "actor", filter.actor)
                s.text(5, "verb", filter.verb)
                s.number(6, "fromMs", filter.fromMs)
                s.number(7, "toMs", filter.toMs)
            }
        case .rewind(let history, let since, let to):
            s.message(52, "rewind") { s in
                s.hex(1, "history", history)
                s.number(2, "since", since)
                s.number(3, "to", to)
            }
        case .query(let query): s.message(53, "query") { query.write(to: &$0) }
        case .explain(let change): s.message(60, "explain") { change.write(to: &$0) }
        }
    }
}

extension Sink {
    fileprivate mutating func chunk(_ id: String?, _ chunk: Int) {
        text(1, "id", id)
        count(2, "chunk", chunk)
    }
}

extension Request.Change {
    fileprivate func write<S: Sink>(to s: inout S) {
        switch self {
        case .create: s.message(30, "create") { _ in }
        case .drop: s.message(31, "drop") { _ in }
        case .command(let command): s.message(32, "command") { command.write(to: &$0) }
        case .batch(let commands, let ifRevision):
            s.message(33, "batch") { s in
                s.messages(1, "commands", commands) { $0.write(to: &$1) }
                s.number(2, "ifRevision", ifRevision)
            }
        }
    }
}

extension RestoreStep {
    fileprivate func write<S: Sink>(to s: inout S) {
        switch self {
        case .parts(let contents, let index):
            s.message(1, "parts") { s in
                s.count(1, "index", index)
                s.bytes(2, "contents", all: contents)
            }
        case .finish(let parts, let replaces):
            s.message(2, "finish") { s in
                s.count(1, "parts", parts)
                s.flag(2, "replace", ifSet: replaces)
            }
        }
    }
}

extension Drag {
    fileprivate func write<S: Sink>(to s: inout S) {
        switch self {
        case .lift(let rows, let ttl):
            s.message(1, "lift") { s in
                s.ids(1, "rows", rows)
                s.double(2, "ttl", ttl)
            }
        case .hover(let lease, let section, let anchor):
            s.message(2, "hover") { s in
                s.id(1, "lease", unlessEmpty: lease)
                s.id(2, "section", section)
                s.anchor(from: 3, anchor)
            }
        case .drop(let lease, let section, let anchor, let policy):
            s.message(3, "drop") { s in
                s.id(1, "lease", unlessEmpty: lease)
                s.message(2, "to") { $0.move(.none, section, anchor, policy) }
            }
        case .cancel(let lease): s.id(4, "cancel", lease)
        case .renew(let lease): s.id(5, "renew", lease)
        }
    }
}

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
}

extension Command.Next {
    fileprivate func write<S: Sink>(to s: inout S) {
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
    fileprivate func write<S: Sink>(to s: inout S) {
        s.text(1, "where", condition)
        s.id(2, "section", section)
        if let limit { s.count(3, "limit", limit) }
        // Without conditions only the verb is written, which has the same number there.
        Command(verb).write(to: &s)
    }
}

extension Sink {
    fileprivate mutating func pause(_ scope: Pause.Scope, _ note: String?) {
        id(1, "section", scope.section)
        id(2, "action", scope.action)
        if let note { text(3, "note", unlessEmpty: note) } else { flag(4, "resume", true) }
    }

    fileprivate mutating func snooze(_ rows: Few<RowID>, _ snooze: Command.Snooze?) {
        ids(1, "rows", rows)
        switch snooze?.end {
        case .at(let timeMs)?: number(2, "untilMs", Optional(timeMs))
        case .after(let passMs)?: number(3, "forMs", Optional(passMs))
        case nil: break
        }
        flag(4, "top", ifSet: snooze?.isToTop == true)
    }

    fileprivate mutating func move(
        _ rows: Few<RowID>, _ section: SectionID?, _ anchor: Anchor, _ policy: Command.Policy
    ) {
        ids(1, "rows", rows)
        id(2, "section", section)
        self.anchor(from: 3, anchor)
        flag(7, "strict", ifSet: policy == .strict)
    }
}

extension Command.Add {
    fileprivate func write<S: Sink>(to s: inout S) {
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
    fileprivate func write<S: Sink>(to s: inout S) {
        s.id(1, "row", unlessEmpty: row)
        s.id(2, "action", unlessEmpty: action)
        s.text(3, "edge", edge?.rawValue)
        s.flag(4, "full", ifSet: isFull)
        s.flag(5, "confirmed", ifSet: isConfirmed)
        s.id(70, "item", item)
    }
}

extension Command.Definitions {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.messages(1, "kinds", kinds) { $0.write(to: &$1, naming: partial[$0.id]) }
        s.ids(2, "drop", dropped)
        if let settings {
            s.message(3, "table") {
                settings.write(to: &$0, naming: partialSettings, clearedFaces: clearedFaces)
            }
        }
    }
}

extension Command.ItemChange {
    fileprivate func write<S: Sink>(to s: inout S) {
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
}

extension Sink {
    fileprivate mutating func itemAnchor(_ anchor: Anchor) {
        switch anchor {
        case .top: flag(1, "first", true)
        case .bottom: flag(2, "last", true)
        case .before(let item): id(3, "before", item)
        case .after(let item): id(4, "after", item)
        }
    }
}
