public import TableModel

// Finds the commands for given ops, so that a recorded session can be replayed into another daemon.

/// Commands that lead to the ops of a diff.
public struct Retraced: Equatable, Sendable {
    /// One command is sent as a command, several as a batch: an invocation's id holds its command's
    /// place in the batch.
    public var commands: [Command]
    /// The plan of the commands on the table for which they were found.
    public var plan: Plan
}

/// Finds commands which `reduce`, on this table, at this time and from this client, turns into
/// exactly these ops. Nil if there are none. Every result has been tried.
public func retrace(
    _ ops: [Op], on table: Table, limits: Limits, nowMs: UInt64, client: ID?, name: ID? = nil
) -> Retraced? {
    let ops = ops.map(\.withoutVersion)
    let retracing = Retracing(
        table: table, limits: limits,
        context: DecisionContext(nowMs: nowMs, client: client, name: name))
    return retracing.single(ops) ?? retracing.batch(ops)
}

private struct Retracing {
    let table: Table
    let limits: Limits
    let context: DecisionContext
    /// More ops than this are hardly one command, unless the first op says so.
    private static let mostTried = 64
    /// An action has few effects.
    private static let mostLookedAhead = 8

    /// One of the ops is what was asked, and the others follow from it.
    func single(_ ops: [Op]) -> Retraced? {
        // A press of an action on a group comes behind all that it does.
        let tried = ops.prefix(Self.mostTried) + ops.dropFirst(Self.mostTried).suffix(4)
        for op in tried.reversed() {
            for command in candidates(for: op) + nexts(for: op, among: ops) {
                guard let plan = try? reduce(command, on: table, limits: limits, context).get(),
                    plan.ops.map(\.withoutVersion) == ops
                else { continue }
                return Retraced(commands: [command], plan: plan)
            }
        }
        return nil
    }

    /// A worker may have asked for any row, or for rows like the first that it got.
    private func nexts(for op: Op, among ops: [Op]) -> [Command] {
        guard case .take(let id, _) = op else { return [] }
        let taken = ops.count { if case .take = $0 { true } else { false } }
        let begun = ops.lazy.compactMap { op -> Invocation? in
            if case .begins(let invocation) = op.effect, invocation.id == id {
                invocation
            } else {
                nil
            }
        }
        guard let invocation = table.invocations[id] ?? begun.first else { return [] }
        let alike = (invocation.pressed ?? table.row(invocation.row)).map {
            RowCondition(alike: $0.content)
        }
        return [nil, alike].map { condition in
            Command(.next(.init(action: invocation.action, where: condition, atMost: taken)))
        }
    }

    /// A command at a time: each must lead to the next ops.
    func batch(_ ops: [Op]) -> Retraced? {
        let commands: [Command]? = table.onTrial { trial in
            var commands: [Command] = []
            var rest = ops[...]
            while let op = rest.first {
                pad(&commands, before: op)
                guard let (command, steps) = next(in: rest, suffix: commands.count) else {
                    return nil
                }
                trial.apply(steps)
                rest = rest.dropFirst(steps.count)
                commands.append(command)
            }
            return commands
        }
        guard let commands else { return nil }
        let result = reduce(batch: commands, on: table, limits: limits, context)
        guard let plan = try? result.get(),
            plan.ops.map(\.withoutVersion) == ops
        else { return nil }
        return Retraced(commands: commands, plan: plan)
    }

    /// The command that leads to most of the next ops. An action's effects could be commands too,
    /// but not all of them.
    private func next(in rest: ArraySlice<Op>, suffix: Int) -> (Command, [Op])? {
        var best: (Command, [Op])?
        for op in rest.prefix(Self.mostLookedAhead) {
            let decision = Decision(table: table, limits: limits, context: context, suffix: suffix)
            for command in candidates(for: op) {
                guard let plan = try? decision.plan(for: command),
                    plan.ops.count > best?.1.count ?? 0,
                    rest.starts(with: plan.ops.map(\.withoutVersion))
                else { continue }
                best = (command, plan.ops)
            }
        }
        return best
    }

    /// An invocation's id holds the place of its press in the batch. Commands that change nothing
    /// fill the places of those that changed nothing then.
    private func pad(_ commands: inout [Command], before op: Op) {
        guard case .begins(let invocation) = op.effect else { return }
        while commands.count < min(invocation.id.index, limits.batchCommands) {
            // Nothing is pressed in edit mode, so it is off; to turn it on again would be to hold it.
            commands.append(Command(.edit(false)))
        }
    }

    /// The commands that may lead to an op. Settings with fewer pauses come of a `resume`: `define` does not end the last.
    private func candidates(for op: Op) -> [Command] {
        let found = (candidate(for: op).map { [$0] } ?? []) + givenBack(op)
        guard case .define(let definitions) = op, let pauses = definitions.settings?.pauses else {
            return found
        }
        let ended = table.settings.pauses.map(\.scope).filter { scope in
            !pauses.contains { $0.scope == scope }
        }
        let scopes = ended.count > 1 ? [Pause.Scope()] : ended
        return scopes.map { Command(.pause($0, note: nil)) } + found
    }

    /// A handler gives up an attempt, and may try again at once.
    private func givenBack(_ op: Op) -> [Command] {
        guard case .rest(let id, _?) = op else { return [] }
        return [Command(.release(id))]
    }

    private func candidate(for op: Op) -> Command? {
        switch op {
        case .insert(let row, let place, let hint):
            let (section, anchor) = place.asAnchor
            let carried = Carried(of: row, since: context.nowMs)
            let isInitial = table.kind(of: row).map { $0.initial == row.expansion } ?? true
            return Command(
                .add(
                    .init(
                        id: row.id, row.content, section: section, at: anchor,
                        carrying: carried.isEmpty ? nil : carried,
                        startingIn: isInitial ? nil : row.expansion, hint: hint)))
        case .remove(let id, let hint): return Command(.remove([id], hint: hint))
        case .move(let ids, let place):
            let (section, anchor) = place.asAnchor
            return Command(.move(ids, section: section, anchor, .strict))
        case .set(let id, let changes): return Command(.set(id, changes))
        case .swipe(let id, let edge): return Command(.swipe(id, edge))
        case .expand(let id, let state): return Command(.expand(id, state))
        case .swap(let a, let b): return Command(.swap(a, b))
        case .insertSection(let id, let title, _), .setSection(let id, let title):
            return Command(.section(id, title: title))
        case .removeSection(let id): return Command(.removeSection(id))
        case .define(let definitions): return Command(.define(definitions))
        case .edit(let isOn): return Command(.edit(isOn))
        case .expandAll(let isOpen): return Command(.expandAll(isOpen))
        case .item(let id, let step): return Command(.item(id, step.asChange))
        case .scroll(let id, let place): return place.map { Command(.scroll(id, $0)) }
        case .select(let id, let item): return Command(.select(id, item: item))
        case .mark(let id, let what):
            return Command(what.map { .mark(id, item: $0.item) } ?? .mark(nil, item: nil))
        case .perform(let id, let performance): return press(performance.deed, on: id)
        case .invoke(let invocation): return press(invocation.deed, on: invocation.row)
        case .take(let id, _):
            return Command(.take(action: table.invocations[id]?.action, atMost: 1))
        case .release(let id): return Command(.release(id))
        case .rest(let id, let failure?): return Command(.finish(id, .failed(failure.reason)))
        case .rest(let id, nil):
            return table.invocations[id].map {
                Command(.retry($0.row, action: $0.action, item: $0.item))
            }
        case .finish(let id, let outcome): return Command(.finish(id, outcome))
        case .sleep(let id, let sleep):
            // By the time that it lasts: a session is repeated at another time.
            let snooze = sleep.map { sleep in
                Command.Snooze(.after(sleep.untilMs &- context.nowMs), isToTop: sleep.isToTop)
            }
            return Command(.snooze([id], snooze))
        case .claim(let id, let claim):
            guard let claim else {
                return Command(.unclaim([id], holder: table.row(id)?.claim?.holder))
            }
            return Command(.claim([id], note: claim.note, ttlSeconds: claim.ttlSeconds))
        // Part of a move, or of an undo, which is sent as one (Repeat.swift).
        case .came, .restore, .invocation: return nil
        }
    }

    /// The press of somebody who sees the row as it is, and who has confirmed.
    private func press(_ deed: Deed, on id: RowID) -> Command {
        Command(
            .act(Command.Act(deed.action, on: id, item: deed.item, isConfirmed: true)),
            ifVersion: table.row(id)?.version)
    }
}

extension RowCondition {
    /// Rows with this title and these fields.
    fileprivate init(alike content: Row.Content) {
        func quoted(_ text: String) -> String {
            let escaped = text.map { sign in
                switch sign {
                case "\\", "\"": "\\\(sign)"
                case "\n": "\\n"
                default: "\(sign)"
                }
            }
            return "\"\(escaped.joined())\""
        }
        let parts =
            ["title == \(quoted(content.title))"]
            + content.fields.map { "field.\(quoted($0.key.text)) == \(quoted($0.value))" }
        self.init(parts.joined(separator: " and "))
    }
}

extension Place {
    /// In the form that commands use.
    var asAnchor: (section: SectionID?, anchor: Anchor) {
        switch self {
        case .after(let row): return (nil, .after(row))
        case .top(let section): return (section, .top)
        }
    }
}

extension Item.Step {
    fileprivate var asChange: Command.ItemChange {
        switch self {
        case .insert(let item, let after): return .add(item, after.map { .after($0) } ?? .top)
        case .remove(let id): return .remove([id])
        case .move(let ids, let after): return .move(ids, after.map { .after($0) } ?? .top)
        case .set(let id, let changes): return .set(id, changes)
        }
    }
}

extension Op {
    /// The op without versions of rows, which are others at each repetition.
    fileprivate var withoutVersion: Op { insertedWithoutVersion.restoredWithoutVersion }

    /// An inserted row gets the version that the diff leads to, whatever the op says.
    private var insertedWithoutVersion: Op {
        guard case .insert(let row, let place, let hint) = self, row.version != 0 else {
            return self
        }
        return .insert(row.with(version: 0), place, hint: hint)
    }

    private var restoredWithoutVersion: Op {
        guard case .restore(let id, var traces) = self else { return self }
        traces.version = 0
        return .restore(id, traces)
    }
}
