internal import TableModel
public import TableSync

extension Encode {
    /// A request in the form that a client sends.
    public static func request(_ request: Request, form: Form) -> [UInt8] {
        WireRequest(request).bytes(form)
    }
}

extension WireRequest {
    init(_ request: Request) {
        if let id = request.client { client = id.text }
        if let value = request.number { number = value }
        if let value = request.opened { opened = value }
        if let id = request.table { table = id.text }
        if let id = request.name { name = id.text }
        if let value = request.atMs { atMs = value }
        switch request.verb {
        case .hello: hello = Hello()
        case .tables: tables = Tables()
        case .kinds: kinds = Kinds()
        case .snapshot(let id, let chunk):
            snapshot = Snapshot()
            if let id { snapshot.id = id }
            snapshot.chunk = UInt32(clamping: chunk)
        case .replay(let history, let since):
            replay.history = history.description
            replay.since = since
        case .offer(let history, let revision, let digest):
            offer.history = history.description
            offer.revision = revision
            offer.digest = digest.lowerHex
        case .health: health = Health()
        case .stats: stats = Stats()
        case .check: check = Check()
        case .renew: renew = Renew()
        case .create: create = Create()
        case .drop: drop = Drop()
        case .command(let command): self.command = WireCommand(command)
        case .batch(let commands, let ifRevision): batch = Batch(commands, ifRevision)
        case .explain(let change): explain = Explain(change)
        case .drag(let step): drag = Drag(step)
        case .attend(let revision, let isLeaving):
            attend.revision = revision
            if isLeaving { attend.leaving = true }
        case .backup(let id, let chunk):
            backup = Backup()
            if let id { backup.id = id }
            backup.chunk = UInt32(clamping: chunk)
        case .restore(let step): restore = Restore(step)
        case .audit(let most):
            audit = Audit()
            audit.most = UInt32(clamping: most)
        case .stepDown: stepDown = StepDown()
        case .who: who = Who()
        case .history(let filter): history = History(filter)
        case .rewind(let history, let since, let to):
            rewind.history = history.description
            rewind.since = since
            rewind.to = to
        }
    }
}

extension WireRequest.Batch {
    init(_ commands: [Command], _ revision: UInt64?) {
        self.commands = commands.map { WireCommand($0) }
        if let revision { ifRevision = revision }
    }
}

extension WireRequest.Explain {
    init(_ change: Request.Change) {
        switch change {
        case .create: create = WireRequest.Create()
        case .drop: drop = WireRequest.Drop()
        case .command(let command): self.command = WireCommand(command)
        case .batch(let commands, let ifRevision):
            batch = WireRequest.Batch(commands, ifRevision)
        }
    }
}

extension WireCommand {
    init(_ command: Command) {
        if let revision = command.ifRevision { ifRevision = revision }
        if let version = command.ifVersion { ifVersion = version }
        if command.ifClaimed { ifClaimed = true }
        switch command.verb {
        case .add(let add): self.add = Add(add)
        case .set(let id, let changes): set = WireCommand.Set(id, changes)
        case .remove(let ids, let hint):
            remove.rows = ids.map(\.text)
            if hint != .automatic { remove.hint = hint.rawValue }
        case .move(let ids, let section, let anchor, let policy):
            move.rows = ids.map(\.text)
            if let section { move.section = section.text }
            move.anchor = anchor.inMove
            if policy == .strict { move.strict = true }
        case .swap(let first, let second):
            swap.a = first.text
            swap.b = second.text
        case .swipe(let id, let edge):
            swipe.row = id.text
            swipe.edge = Edge.word(edge)
        case .expand(let id, let target):
            expand.row = id.text
            if let target { expand.to = target.text } else { expand.toggle = true }
        case .define(let definitions):
            define.kinds = definitions.kinds.map { kind in
                WireKind(kind, naming: definitions.partial[kind.id])
            }
            define.drop = definitions.dropped.map(\.text)
            if let settings = definitions.settings {
                define.table = WireSettings(settings, naming: definitions.partialSettings)
                define.table.dropFaces = definitions.clearedFaces.map(\.text)
            }
        case .section(let id, let title):
            section.id = id.text
            if let title { section.title = title }
        case .removeSection(let id): removeSection.id = id.text
        case .act(let act): self.act = Act(act)
        case .edit(let isOn): edit.on = isOn
        case .take(let action, let most):
            take = Take()
            if let action { take.action = action.text }
            take.most = UInt32(clamping: most)
        case .release(let id): release.invocation = id.text
        case .finish(let id, let outcome): finish = Finish(id, outcome)
        case .expandAll(let isOpen): expandAll.open = isOpen
        case .item(let id, let change): item = Item(id, change)
        case .scroll(let id, let place):
            scroll.row = id.text
            scroll.item = place.item.text
            scroll.fraction = place.fraction
        case .select(let id, let item):
            select.row = id.text
            if let item { select.item = item.text }
        case .mark(let id, let item): mark = Mark(id, item)
        case .claim(let ids, let note, let ttl):
            claim = Claim(ids, note: note, ttlSeconds: ttl)
        case .unclaim(let ids, let holder): unclaim = Unclaim(ids, holder: holder)
        case .undo(let revision, let mine):
            undo = Undo()
            if let revision { undo.revision = revision }
            if mine { undo.mine = true }
        case .redo(let mine):
            redo = Redo()
            if mine { redo.mine = true }
        case .recall(let ids): recall.rows = ids.map(\.text)
        }
    }
}

extension WireCommand.Add {
    init(_ add: Command.Add) {
        if let id = add.id { self.id = id.text }
        kind = add.content.kind.text
        title = add.content.title
        fields = add.content.fields.map
        if let section = add.section { self.section = section.text }
        anchor = add.anchor.inAdd
        if let own = add.content.actions { actions = WireRowActions(own) }
        items = add.content.items.map { WireStripItem($0, .binary) }
        if let own = add.carried { carried = Carried(own) }
        states = add.content.states.map { WireKind.State($0) }
        if let state = add.expansion { expand = state.text }
        if add.hint != .automatic { hint = add.hint.rawValue }
    }
}

extension WireCommand.Set {
    init(_ id: RowID, _ changes: Command.Changes) {
        row = id.text
        if let text = changes.title { title = text }
        if let id = changes.kind { kind = id.text }
        fields = changes.fields.map
        unset = changes.unset.map(\.text)
        if let own = changes.actions { actions = WireRowActions(own) }
        if let own = changes.states { states = WireOwnStates(own) }
    }
}
