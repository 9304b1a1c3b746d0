internal import TableModel

// The commands of requests.

extension RequestReader {
    func command(_ wire: WireCommand) throws(Rejection) -> Command {
        guard let verb = wire.verb else {
            throw Rejection(.unknownVerb, "The command is missing or unknown.")
        }
        return Command(
            try self.verb(verb), ifRevision: wire.hasIfRevision ? wire.ifRevision : nil,
            ifVersion: wire.hasIfVersion ? wire.ifVersion : nil, ifClaimed: wire.ifClaimed)
    }

    private func verb(_ verb: WireCommand.OneOf_Verb) throws(Rejection) -> Command.Verb {
        switch verb {
        case .add(let wire): return try within("add") { () throws(Rejection) in try add(wire) }
        case .set(let wire): return try within("set") { () throws(Rejection) in try set(wire) }
        case .remove(let wire):
            return .remove(
                Few(try ids(wire.rows, "remove.rows")),
                hint: try .read(wire.hint, wire.hasHint, "remove.hint"))
        case .move(let wire): return try within("move") { () throws(Rejection) in try move(wire) }
        case .swap(let wire): return .swap(try id(wire.a, "swap.a"), try id(wire.b, "swap.b"))
        case .swipe(let wire):
            return .swipe(try id(wire.row, "swipe.row"), try Edge.read(wire.edge, "swipe.edge"))
        case .expand(let wire):
            return try within("expand") { () throws(Rejection) in try expand(wire) }
        case .define(let wire):
            return try within("define") { () throws(Rejection) in try define(wire) }
        case .section(let wire):
            return .section(try id(wire.id, "section.id"), title: wire.hasTitle ? wire.title : nil)
        case .removeSection(let wire):
            return .removeSection(try id(wire.id, "removeSection.id"))
        case .act(let wire): return try within("act") { () throws(Rejection) in try act(wire) }
        case .edit(let wire):
            guard wire.hasOn else { throw .missing("edit.on") }
            return .edit(wire.on)
        case .take(let wire): return try within("take") { () throws(Rejection) in try take(wire) }
        case .release(let wire):
            return .release(try InvocationID(read: wire.invocation, "release.invocation"))
        case .finish(let wire):
            return try within("finish") { () throws(Rejection) in try finish(wire) }
        case .expandAll(let wire):
            guard wire.hasOpen else { throw .missing("expandAll.open") }
            return .expandAll(wire.open)
        case .item(let wire): return try within("item") { () throws(Rejection) in try item(wire) }
        case .scroll(let wire):
            return try within("scroll") { () throws(Rejection) in try scroll(wire) }
        case .select(let wire):
            return try within("select") { () throws(Rejection) in try select(wire) }
        case .mark(let wire): return try within("mark") { () throws(Rejection) in try mark(wire) }
        case .claim(let wire): return try claim(wire)
        case .unclaim(let wire): return try unclaim(wire)
        case .undo(let wire):
            return .undo(revision: wire.hasRevision ? wire.revision : nil, mine: wire.mine)
        case .redo(let wire): return .redo(mine: wire.mine)
        case .recall(let wire): return .recall(Few(try ids(wire.rows, "recall.rows")))
        }
    }

    private func add(_ wire: WireCommand.Add) throws(Rejection) -> Command.Verb {
        let fields = try fields(wire.fields, "fields")
        let content = Row.Content(
            kind: wire.hasKind ? try id(wire.kind, "kind") : .plainKind, title: wire.title,
            fields: fields, actions: wire.hasActions ? try actions(wire.actions) : nil,
            items: try items(wire.items), states: try ownStates(wire.states))
        return .add(
            Command.Add(
                id: wire.hasID ? try id(wire.id, "id") : nil, content,
                section: wire.hasSection ? try id(wire.section, "section") : nil,
                at: try checked(try Anchor(wire.anchor)),
                carrying: wire.hasCarried
                    ? try within("carried") { () throws(Rejection) in try wire.carried.read() }
                    : nil, startingIn: try state(wire.expand, wire.hasExpand, "expand"),
                hint: try .read(wire.hint, wire.hasHint, "hint")))
    }

    private func set(_ wire: WireCommand.Set) throws(Rejection) -> Command.Verb {
        guard wire.unset.count <= limits.fields else {
            throw .tooMuch("fields", wire.unset.count, limit: limits.fields, "unset")
        }
        let fields = try fields(wire.fields, "fields")
        return .set(
            try id(wire.row, "row"),
            Command.Changes(
                title: wire.hasTitle ? wire.title : nil,
                kind: wire.hasKind ? try id(wire.kind, "kind") : nil, fields: fields,
                unset: try anyIDs(wire.unset, "unset"),
                actions: wire.hasActions ? try actions(wire.actions) : nil,
                states: wire.hasStates ? try ownStates(wire.states.states) : nil))
    }

    private func move(_ wire: WireCommand.Move) throws(Rejection) -> Command.Verb {
        .move(
            Few(try ids(wire.rows, "rows")),
            section: wire.hasSection ? try id(wire.section, "section") : nil,
            try checked(try Anchor(wire.anchor)), wire.strict ? .strict : .rebase)
    }

    func checked(_ anchor: Anchor) throws(Rejection) -> Anchor {
        switch anchor {
        case .top, .bottom: break
        case .before(let row): try row.check(limits: limits, field: "before")
        case .after(let row): try row.check(limits: limits, field: "after")
        }
        return anchor
    }

    private func expand(_ wire: WireCommand.Expand) throws(Rejection) -> Command.Verb {
        let row = try id(wire.row, "row")
        switch wire.target {
        case .toggle(let chosen):
            try chosen.chosen("toggle")
            return .expand(row, nil)
        case .to(let text):
            return .expand(row, try state(text, true, "to"))
        case nil:
            throw Rejection(.malformed, "One of: toggle, to.")
        }
    }

    private func define(_ wire: WireCommand.Define) throws(Rejection) -> Command.Verb {
        let kinds = try wire.kinds.readAll("kinds") { kind throws(Rejection) in
            try self.kind(kind)
        }
        var definitions = Command.Definitions(kinds: kinds, dropped: try anyIDs(wire.drop, "drop"))
        let partial = try wire.kinds.readAll("kinds") { kind throws(Rejection) in
            try kind.readNamed()
        }
        for (kind, named) in zip(kinds, partial) where named != nil {
            definitions.partial[kind.id] = named
        }
        if wire.hasTable {
            try within("table") { () throws(Rejection) in
                definitions.settings = try wire.table.read()
                definitions.partialSettings = try wire.table.readNamed()
                definitions.clearedFaces = try wire.table.readCleared()
            }
        }
        return .define(definitions)
    }

    /// A definition is measured as JSON, the form that a person would write.
    func kind(_ wire: WireKind) throws(Rejection) -> Kind {
        let size = wire.bytes(.json).count
        guard size <= limits.kindBytes else {
            throw Rejection(.tooLarge, "bytes: \(size), at most \(limits.kindBytes).")
        }
        let kind = try wire.read()
        try kind.id.check(limits: limits, field: "id")
        return kind
    }
}
