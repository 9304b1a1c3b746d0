internal import TableModel

// Rows' own actions, performed actions, and invocations.

extension WireRowActions {
    init(_ actions: RowActions) {
        if let group = actions.leading { leading = WireActionGroup(group) }
        if let group = actions.trailing { trailing = WireActionGroup(group) }
        digest = actions.hash.lowerHex
    }

    func read() throws(Rejection) -> RowActions {
        let actions = RowActions(
            leading: hasLeading
                ? try within("leading") { () throws(Rejection) in try leading.read() } : nil,
            trailing: hasTrailing
                ? try within("trailing") { () throws(Rejection) in try trailing.read() } : nil)
        if hasDigest { try check(digest, is: actions.hash) }
        return actions
    }
}

extension WirePerformance {
    init(_ performance: Performance) {
        action = performance.action.text
        state = performance.state.name
        if let id = performance.item { item = id.text }
        switch performance.state {
        case .pending(let id): invocation = id.text
        case .done: break
        case .failed(let text): reason = text
        }
    }

    func read() throws(Rejection) -> Performance {
        let deed = Deed(
            try ID(read: action, "action"), on: hasItem ? try ID(read: item, "item") : nil)
        switch state {
        case "pending":
            return Performance(deed, .pending(try InvocationID(read: invocation, "invocation")))
        case "done": return Performance(deed, .done)
        case "failed": return Performance(deed, .failed(reason))
        default: throw .word(["pending", "done", "failed"], "state")
        }
    }
}

extension InvocationID {
    /// Reads a received id.
    init(read text: String, _ field: String) throws(Rejection) {
        guard let id = InvocationID(text) else {
            throw Rejection(
                .badID, "An invocation is named by a revision and an index, such as 12.0.",
                field: field)
        }
        self = id
    }
}

extension WireInvocation {
    /// `isWhole`: includes the row at the press.
    init(_ invocation: Invocation, _ form: Form, isWhole: Bool) {
        id = invocation.id.text
        row = invocation.row.text
        action = invocation.action.text
        if let id = invocation.item { item = id.text }
        if let id = invocation.client { client = id.text }
        pressedMs = invocation.pressedMs
        deadline = invocation.deadlineSeconds
        then = invocation.then.map { WireEffect($0) }
        if let id = invocation.holder { holder = id.text }
        digest = invocation.digest.lowerHex
        if form == .json || invocation.attempts > 0 {
            attempts = UInt32(clamping: invocation.attempts)
        }
        guard isWhole, let row = invocation.pressed else { return }
        pressed = WireRow(row, form)
        if let id = invocation.section { pressed.section = id.text }
        if let index = invocation.index { pressed.index = UInt64(clamping: index) }
    }

    func read() throws(Rejection) -> Invocation {
        guard deadline.isFinite else {
            throw Rejection(.badNumber, "The number must be finite.", field: "deadline")
        }
        let invocation = Invocation(
            id: try InvocationID(read: id, "id"), row: try ID(read: row, "row"),
            action: try ID(read: action, "action"),
            item: hasItem ? try ID(read: item, "item") : nil,
            client: hasClient ? try ID(read: client, "client") : nil, pressedMs: pressedMs,
            deadlineSeconds: deadline,
            then: try then.readAll("then") { effect throws(Rejection) in try effect.read() },
            holder: hasHolder ? try ID(read: holder, "holder") : nil, attempts: Int(attempts),
            pressed: hasPressed
                ? try within("pressed") { () throws(Rejection) in try pressed.read() } : nil,
            section: hasPressed && pressed.hasSection
                ? try ID(read: pressed.section, "pressed.section") : nil,
            index: hasPressed && pressed.hasIndex
                ? try Int(read: pressed.index, "pressed.index") : nil)
        if hasDigest { try check(digest, is: invocation.digest) }
        return invocation
    }
}

extension WireOp.Finish {
    init(_ id: InvocationID, _ outcome: Invocation.Outcome) {
        invocation = id.text
        switch outcome {
        case .done: done = true
        case .failed(let reason): failed = reason
        }
    }

    func read() throws(Rejection) -> Op {
        let id = try InvocationID(read: invocation, "invocation")
        switch outcome {
        case .done(let chosen):
            try chosen.chosen("done")
            return .finish(id, .done)
        case .failed(let reason): return .finish(id, .failed(reason))
        case nil: throw .missing("done")
        }
    }
}

extension WireCommand.Act {
    init(_ act: Command.Act) {
        row = act.row.text
        action = act.action.text
        if let edge = act.edge { self.edge = edge.rawValue }
        if act.isFull { full = true }
        if act.isConfirmed { confirmed = true }
        if let id = act.item { item = id.text }
    }
}

extension WireCommand.Finish {
    init(_ id: InvocationID, _ outcome: Invocation.Outcome) {
        invocation = id.text
        switch outcome {
        case .done: done = true
        case .failed(let reason): failed = reason
        }
    }
}

extension RequestReader {
    func act(_ wire: WireCommand.Act) throws(Rejection) -> Command.Verb {
        .act(
            Command.Act(
                try id(wire.action, "action"), on: try id(wire.row, "row"),
                item: wire.hasItem ? try id(wire.item, "item") : nil,
                edge: wire.hasEdge ? try Edge(read: wire.edge, "edge") : nil,
                isFull: wire.full, isConfirmed: wire.confirmed))
    }

    func take(_ wire: WireCommand.Take) throws(Rejection) -> Command.Verb {
        .take(
            action: wire.hasAction ? try id(wire.action, "action") : nil,
            atMost: wire.hasMost ? Int(wire.most) : 1)
    }

    func finish(_ wire: WireCommand.Finish) throws(Rejection) -> Command.Verb {
        let id = try InvocationID(read: wire.invocation, "invocation")
        switch wire.outcome {
        case .done(let chosen):
            try chosen.chosen("done")
            return .finish(id, .done)
        case .failed(let reason): return .finish(id, .failed(reason))
        case nil: throw Rejection(.malformed, "One of: done, failed.")
        }
    }

    /// Actions are measured before they are built, as kinds are.
    func actions(_ wire: WireRowActions) throws(Rejection) -> RowActions {
        let size = wire.bytes(.json).count
        guard size <= limits.kindBytes else {
            throw .tooMuch("bytes", size, limit: limits.kindBytes, "actions")
        }
        return try within("actions") { () throws(Rejection) in try wire.read() }
    }
}
