internal import TableModel

// Diffs and their ops.

extension WireDiff {
    init(_ diff: Diff, _ form: Form) {
        if form == .json || diff.base != 0 { base = diff.base }
        switch form {
        case .json: digest = diff.digest.lowerHex
        case .binary: digestWord = diff.digest
        }
        cause = WireCause(diff.cause)
        ops = diff.ops.map { WireOp($0, form) }
    }

    func read() throws(Rejection) -> Diff {
        Diff(
            base: base, digest: hasDigestWord ? digestWord : try UInt64(read: digest, "digest"),
            cause: try within("cause") { () throws(Rejection) in try cause.read() },
            ops: try ops.readAll("ops") { op throws(Rejection) in try op.read().inDiff })
    }
}

extension Op {
    /// In a diff, an inserted row has the version that the diff leads to, whatever the message says of
    /// it. An inverse brings a row back with the version that it had.
    var inDiff: Op {
        guard case .insert(let row, let place, let hint) = self, row.version != 0 else {
            return self
        }
        return .insert(row.with(version: 0), place, hint: hint)
    }
}

extension WireCause {
    init(_ cause: Cause) {
        if let id = cause.client { client = id.text }
        if let value = cause.number { number = value }
        verb = cause.verb
        if let id = cause.name { name = id.text }
        if cause.timeMs != 0 { timeMs = cause.timeMs }
        if let revision = cause.undoes { undoes = revision }
        if let id = cause.user { user = id.text }
    }

    func read() throws(Rejection) -> Cause {
        Cause(
            client: hasClient ? try ID(read: client, "client") : nil,
            number: hasNumber ? number : nil, verb: verb,
            name: hasName ? try ID(read: name, "name") : nil, timeMs: timeMs,
            undoes: hasUndoes ? undoes : nil,
            user: hasUser ? ProvenID(try ID(read: user, "user")) : nil)
    }
}

extension WireOp {
    /// An op of an inverse: rows come with versions of their own.
    init(back step: Op, _ form: Form) {
        self.init(step, form)
        if case .insert(let row, _, _) = step { insert.row = WireRow(row, form) }
    }

    init(_ step: Op, _ form: Form) {
        switch step {
        case .insert(let row, let place, let hint):
            insert.row = WireRow(inserted: row, form)
            if hint != .automatic { insert.hint = hint.rawValue }
            switch place {
            case .after(let id): insert.after = id.text
            case .top(let id): insert.section = id.text
            }
        case .remove(let id, let hint):
            remove.row = id.text
            if hint != .automatic { remove.hint = hint.rawValue }
        case .move(let ids, let place):
            move.rows = ids.map(\.text)
            switch place {
            case .after(let id): move.after = id.text
            case .top(let id): move.section = id.text
            }
        case .set(let id, let changes): set = WireOp.Set(id, changes)
        case .swipe(let id, let edge):
            swipe.row = id.text
            swipe.edge = Edge.word(edge)
        case .expand(let id, let state):
            expand.row = id.text
            expand.state = state.text
        case .swap(let first, let second):
            swap.a = first.text
            swap.b = second.text
        case .insertSection(let id, let title, let after):
            insertSection.id = id.text
            if form == .json || !title.isEmpty { insertSection.title = title }
            if let after { insertSection.after = after.text }
        case .removeSection(let id): removeSection.id = id.text
        case .setSection(let id, let title):
            setSection.id = id.text
            if form == .json || !title.isEmpty { setSection.title = title }
        case .define(let definitions): define = WireOp.Define(definitions, form)
        case .perform(let id, let performance):
            perform.row = id.text
            perform.performance = WirePerformance(performance)
        case .invoke(let invocation):
            invoke.invocation = WireInvocation(invocation, form, isWhole: false)
        case .take(let id, let holder):
            take.invocation = id.text
            take.holder = holder.text
        case .release(let id): release.invocation = id.text
        case .finish(let id, let outcome): finish = WireOp.Finish(id, outcome)
        case .edit(let isOn):
            edit = Edit()
            if form == .json || isOn { edit.on = isOn }
        case .expandAll(let isOpen):
            expandAll = ExpandAll()
            if form == .json || isOpen { expandAll.open = isOpen }
        case .item(let id, let step): write(id, step, form)
        case .scroll(let id, let place): scroll = WireOp.Scroll(id, place, form)
        case .select(let id, let item):
            select.row = id.text
            if let item { select.item = item.text }
        case .claim(let id, let claim):
            self.claim.row = id.text
            if let claim { self.claim.claim = WireRow.Claim(claim, form) }
        case .mark(let id, let what): mark = WireOp.Mark(id, what)
        case .restore(let id, let traces): restore = Restore(id, traces)
        case .invocation(let id, let invocation):
            setInvocation.id = id.text
            if let invocation {
                setInvocation.invocation = WireInvocation(invocation, form, isWhole: false)
            }
        }
    }

    /// The op. An unknown op is an error: a viewer that skipped it would diverge.
    func read() throws(Rejection) -> Op {
        switch op {
        case .insert(let step):
            return try within("insert") { () throws(Rejection) in try step.read() }
        case .remove(let step):
            return try within("remove") { () throws(Rejection) in try step.read() }
        case .move(let step):
            return try within("move") { () throws(Rejection) in try step.read() }
        case .set(let step):
            return try within("set") { () throws(Rejection) in try step.read() }
        case .swipe(let step):
            return .swipe(
                try ID(read: step.row, "swipe.row"), try Edge.read(step.edge, "swipe.edge"))
        case .expand(let step):
            return .expand(
                try ID(read: step.row, "expand.row"),
                try Expansion(read: step.state, "expand.state"))
        case .swap(let step):
            return .swap(try ID(read: step.a, "swap.a"), try ID(read: step.b, "swap.b"))
        case .insertSection(let step):
            return .insertSection(
                try ID(read: step.id, "insertSection.id"), title: step.title,
                after: step.hasAfter ? try ID(read: step.after, "insertSection.after") : nil)
        case .removeSection(let step):
            return .removeSection(try ID(read: step.id, "removeSection.id"))
        case .setSection(let step):
            return .setSection(try ID(read: step.id, "setSection.id"), title: step.title)
        case .define(let step):
            return try within("define") { () throws(Rejection) in .define(try step.read()) }
        case .perform(let step):
            return try within("perform") { () throws(Rejection) in try step.read() }
        case .invoke(let step):
            return try within("invoke.invocation") { () throws(Rejection) in
                .invoke(try step.invocation.read())
            }
        case .take(let step):
            return try within("take") { () throws(Rejection) in try step.read() }
        case .release(let step):
            return .release(try InvocationID(read: step.invocation, "release.invocation"))
        case .finish(let step):
            return try within("finish") { () throws(Rejection) in try step.read() }
        case .edit(let step): return .edit(step.on)
        case .expandAll(let step): return .expandAll(step.open)
        case .insertItem(let step):
            return try within("insertItem") { () throws(Rejection) in try step.read() }
        case .removeItem(let step):
            return .item(
                try ID(read: step.row, "removeItem.row"),
                .remove(try ID(read: step.item, "removeItem.item")))
        case .moveItems(let step):
            return try within("moveItems") { () throws(Rejection) in try step.read() }
        case .setItem(let step):
            return try within("setItem") { () throws(Rejection) in try step.read() }
        case .scroll(let step):
            return try within("scroll") { () throws(Rejection) in try step.read() }
        case .select(let step):
            return try within("select") { () throws(Rejection) in try step.read() }
        case .claim(let step):
            return try within("claim") { () throws(Rejection) in try step.read() }
        case .mark(let step):
            return try within("mark") { () throws(Rejection) in try step.read() }
        case .restore(let step):
            return try within("restore") { () throws(Rejection) in try step.read() }
        case .setInvocation(let step):
            return try within("setInvocation") { () throws(Rejection) in try step.read() }
        case nil: throw Rejection(.malformed, "An op that is not known here.")
        }
    }
}

extension WireOp.Perform {
    func read() throws(Rejection) -> Op {
        .perform(
            try ID(read: row, "row"),
            try within("performance") { () throws(Rejection) in try performance.read() })
    }
}

extension WireOp.Select {
    func read() throws(Rejection) -> Op {
        .select(try ID(read: row, "row"), item: hasItem ? try ID(read: item, "item") : nil)
    }
}

extension WireOp.Take {
    func read() throws(Rejection) -> Op {
        .take(
            try InvocationID(read: invocation, "invocation"), by: try ID(read: holder, "holder"))
    }
}

extension WireOp.Claim {
    func read() throws(Rejection) -> Op {
        .claim(
            try ID(read: row, "row"),
            hasClaim ? try within("claim") { () throws(Rejection) in try claim.read() } : nil)
    }
}

extension WireOp.SetInvocation {
    func read() throws(Rejection) -> Op {
        .invocation(
            try InvocationID(read: id, "id"),
            hasInvocation
                ? try within("invocation") { () throws(Rejection) in try invocation.read() } : nil)
    }
}

extension WireOp.Restore {
    init(_ id: RowID, _ traces: Traces) {
        row = id.text
        if traces.version != 0 { version = traces.version }
        performed = traces.performed.map { WirePerformance($0) }
        if traces.changedMs != 0 { changedMs = traces.changedMs }
        if traces.movedMs != 0 { movedMs = traces.movedMs }
    }

    func read() throws(Rejection) -> Op {
        .restore(
            try ID(read: row, "row"),
            Traces(
                version: version,
                performed: try performed.readAll("performed") { one throws(Rejection) in
                    try one.read()
                }, changedMs: changedMs, movedMs: movedMs))
    }
}

extension WireOp.Insert {
    func read() throws(Rejection) -> Op {
        .insert(
            try within("row") { () throws(Rejection) in try row.read() }, try Place(place),
            hint: try .read(hint, hasHint, "hint"))
    }
}

extension WireOp.Remove {
    func read() throws(Rejection) -> Op {
        .remove(try ID(read: row, "row"), hint: try .read(hint, hasHint, "hint"))
    }
}

extension WireOp.Move {
    func read() throws(Rejection) -> Op {
        guard !rows.isEmpty else { throw .missing("rows") }
        let ids = try rows.readAll("rows") { row throws(Rejection) in
            guard !row.isEmpty else { throw Rejection(.malformed, "An id cannot be empty.") }
            return ID(row)
        }
        return .move(Few(ids), try Place(place))
    }
}

extension Place {
    init(_ wire: WireOp.Insert.OneOf_Place?) throws(Rejection) {
        switch wire {
        case .after(let id): self = .after(try ID(read: id, "after"))
        case .section(let id): self = .top(try ID(read: id, "section"))
        case nil: throw .missing("after")
        }
    }

    init(_ wire: WireOp.Move.OneOf_Place?) throws(Rejection) {
        switch wire {
        case .after(let id): self = .after(try ID(read: id, "after"))
        case .section(let id): self = .top(try ID(read: id, "section"))
        case nil: throw .missing("after")
        }
    }
}

extension WireOp.Set {
    init(_ id: RowID, _ changes: Command.Changes) {
        row = id.text
        if let text = changes.title { title = text }
        if let id = changes.kind { kind = id.text }
        fields = changes.fields.map
        unset = changes.unset.map(\.text)
        if let own = changes.actions { actions = WireRowActions(own) }
        if let own = changes.states { states = WireOwnStates(own) }
    }

    func read() throws(Rejection) -> Op {
        .set(
            try ID(read: row, "row"),
            Command.Changes(
                title: hasTitle ? title : nil, kind: hasKind ? try ID(read: kind, "kind") : nil,
                fields: Row.Field.read(fields), unset: unset.map { ID($0) },
                actions: hasActions
                    ? try within("actions") { () throws(Rejection) in try actions.read() } : nil,
                states: hasStates ? try states.read() : nil))
    }
}

extension WireOp.Define {
    init(_ definitions: Command.Definitions, _ form: Form) {
        kinds = definitions.kinds.map { WireKind($0) }
        drop = definitions.dropped.map(\.text)
        if let settings = definitions.settings { self.settings = WireSettings(settings) }
    }

    func read() throws(Rejection) -> Command.Definitions {
        Command.Definitions(
            kinds: try kinds.readAll("kinds") { kind throws(Rejection) in try kind.read() },
            dropped: drop.map { ID($0) },
            settings: hasSettings
                ? try within("settings") { () throws(Rejection) in try settings.read() } : nil)
    }
}
