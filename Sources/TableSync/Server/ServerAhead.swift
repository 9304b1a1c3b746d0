import TableDecisions
import TableModel

// Commands on very many rows: they are decided on ahead, in slices between turns, while others are answered
// (`DecidedAhead`). Whoever hands requests over keeps such a request, and asks with each turn whether it is prepared.

/// The ops on some rows, encoded ahead, and what leads back.
public struct PreparedOps: Sendable {
    /// The ops, as a diff has them.
    public var ops: [UInt8]
    /// The ops as JSON; empty: no viewer reads it.
    public var text: [UInt8]
    /// The way back, as the journal has it.
    public var inverse: [UInt8]

    static func += (all: inout PreparedOps, more: PreparedOps) {
        all.ops += more.ops
        all.text += more.text
        all.inverse += more.inverse
    }

    /// Encoded ops.
    public init(ops: [UInt8], text: [UInt8], inverse: [UInt8]) {
        (self.ops, self.text, self.inverse) = (ops, text, inverse)
    }
}

/// A command that is decided on ahead.
final class CommandAhead {
    let request: Request
    let ahead: any DecidedAhead
    /// Whether its ops are written as JSON too.
    let isText: Bool
    private(set) var leaves: [PreparedLeaf.Key: (leaf: PreparedLeaf, ops: PreparedOps)] = [:]
    /// When somebody asked for it last, in monotonic milliseconds.
    var askedMs: UInt64

    init(_ request: Request, _ ahead: any DecidedAhead, isText: Bool, nowMs: UInt64) {
        (self.request, self.ahead, self.isText) = (request, ahead, isText)
        askedMs = nowMs
    }

    func isOf(_ other: Request) -> Bool {
        request.table == other.table && request.client == other.client
            && request.number == other.number
            && request.sender.provenIdentity == other.sender.provenIdentity
            && request.verb == other.verb
    }

    /// How often it was begun anew, since kinds, settings or limits had changed.
    var restarts = 0
    /// In one go it keeps others waiting, but comes to an end.
    static let mostRestarts = 16
    /// Whether rows are left to look at.
    private(set) var hasWork = true
    /// Whether it had looked at all rows when it was asked last.
    private var hasLookedAtAll = false

    /// Whether one turn can do what is left.
    func isReady(for table: Table) -> Bool {
        let isReady = ahead.isReady(for: table)
        hasWork = !isReady
        if !isReady, hasLookedAtAll { letGo(allBut: table) }
        hasLookedAtAll = isReady
        return isReady
    }

    /// Leaves that others have changed since are made anew: without this, as many copies of the rows as passes are held.
    private func letGo(allBut table: Table) {
        let live = Set(table.leaves(of: nil).compactMap { PreparedLeaf.key(of: $0.rows) })
        for key in leaves.keys where !live.contains(key) { leaves[key] = nil }
    }

    /// Looks at some rows more; false: it has looked at all.
    func work(on table: Table, _ records: any EntryWriter) -> Bool {
        hasLookedAtAll = false
        defer { hasLookedAtAll = !hasWork }
        hasWork = ahead.work(on: table) { leaf, ops, inverse in
            guard let key = leaf.key else { return }
            let more = records.prepared(ops, inverse: inverse, asText: isText)
            if leaves[key] == nil { leaves[key] = (leaf, more) } else { leaves[key]?.ops += more }
        }
        return hasWork
    }
}

extension CommandAhead {
    /// The encoded ops on the rows of leaves that are to be exchanged.
    func ops(of settled: SettledAhead) -> [PreparedOps] {
        settled.leaves.compactMap { leaf in leaf.key.flatMap { leaves[$0]?.ops } }
    }
}

/// The command that is decided on ahead: one at a time, since its rows are held twice.
struct Aheads {
    var current: CommandAhead?
    /// Leaves of commands that are over. A hundred thousand rows are let go of in slices too.
    var gone: [PreparedLeaf] = []

    /// A command for which nobody asks any more makes way for others. Behind costly requests of others its turn to ask
    /// may come after seconds.
    static let patienceMs: UInt64 = 10_000

    /// The command is carried out, or given up.
    mutating func end() {
        gone += current?.leaves.values.map(\.leaf) ?? []
        current = nil
    }
}

extension Server {
    /// Whether something is decided on ahead, or is left of it.
    public var hasAhead: Bool { handlers.aheads.current != nil || !handlers.aheads.gone.isEmpty }

    /// Whether work is left for between the turns.
    public var isBusyAhead: Bool {
        handlers.aheads.current?.hasWork == true || !handlers.aheads.gone.isEmpty
    }

    /// Whether a request can be decided on in this turn. False: it is being decided on ahead, or waits for that; whoever
    /// hands it over keeps it, and asks again in the next turn.
    public func isPrepared(_ request: Request, requestHash: UInt64) -> Bool {
        guard let command = request.command, command.verb.mayBeAhead, duty.isLeader,
            let name = request.table, let live = tables.live(name),
            admission.refusal(of: request) == nil, room.takes(request), !room.isReadOnly,
            verdict(of: request, requestHash) == .fresh
        else { return true }
        if let current = handlers.aheads.current, !current.isOf(request),
            ready.monotonicMs <= current.askedMs + Aheads.patienceMs
        {
            return !Ahead.isFor(command, on: live.table, bounds.shared, context(of: request, live))
        }
        if let current = current(for: request, on: live) {
            current.askedMs = ready.monotonicMs
            return current.isReady(for: live.table)
        }
        let before = handlers.aheads.current.flatMap { $0.isOf(request) ? $0.restarts + 1 : nil }
        guard begin(command, of: request, on: live) else { return true }
        handlers.aheads.current?.restarts = before ?? 0
        return (before ?? 0) > CommandAhead.mostRestarts
    }

    /// The decision on this request that is made ahead, if it can be used.
    private func current(for request: Request, on live: LiveTable) -> CommandAhead? {
        guard let current = handlers.aheads.current, current.isOf(request),
            current.isText == tables.isReadAsText(live.table.name),
            current.ahead.fits(live.table, bounds.shared, context(of: request, live))
        else { return nil }
        return current
    }

    /// Begins to decide on a command ahead, instead of on any other; false: it is decided on in one go.
    private func begin(_ command: Command, of request: Request, on live: LiveTable) -> Bool {
        handlers.aheads.end()
        var context = context(of: request, live)
        context.nowMs = request.atMs ?? ready.timeMs
        guard let ahead = Ahead.begin(command, on: live.table, bounds.shared, context) else {
            return false
        }
        handlers.aheads.current = CommandAhead(
            request, ahead, isText: tables.isReadAsText(live.table.name), nowMs: ready.monotonicMs)
        return true
    }

    /// Goes on with what is decided ahead, until `isOver`.
    public func workAhead(until isOver: () -> Bool) {
        if let current = handlers.aheads.current {
            guard ready.monotonicMs <= current.askedMs + Aheads.patienceMs,
                let name = current.request.table, let live = tables.live(name)
            else { return handlers.aheads.end() }
            // It is begun anew when somebody asks.
            guard self.current(for: current.request, on: live) != nil else { return }
            while current.hasWork, !isOver(), current.work(on: live.table, records) {}
        }
        while !handlers.aheads.gone.isEmpty, !isOver() { handlers.aheads.gone.removeLast() }
    }

    /// Decides on a command on very many rows, on the table as it is now; nil: it is decided on as any other. What was
    /// not looked at ahead is looked at now.
    @inline(never)  // Without this each command is copied for it.
    func decideAhead(
        _ command: Command, of request: Request, on live: LiveTable
    ) throws(Rejection) -> (SettledAhead, CommandAhead)? {
        let context = context(of: request, live)
        guard Ahead.isFor(command, on: live.table, bounds.shared, context) else { return nil }
        if current(for: request, on: live) == nil, !begin(command, of: request, on: live) {
            return nil
        }
        guard let current = handlers.aheads.current else { return nil }
        while current.work(on: live.table, records) {}
        do throws(Rejection) {
            guard let settled = try current.ahead.settled(command, on: live.table, context),
                // To decide on the rest must not have touched a leaf. If it has, no process ends for it.
                live.table.has(settled.leaves),
                current.ops(of: settled).count == settled.leaves.count
            else {
                handlers.aheads.end()
                return nil
            }
            try checkBytes(of: settled, current)
            return (settled, current)
        } catch {
            handlers.aheads.end()
            throw error.below("command")
        }
    }

    private func checkBytes(of settled: SettledAhead, _ current: CommandAhead) throws(Rejection) {
        let bytes = current.ops(of: settled).reduce(0) { $0 + $1.ops.count + $1.inverse.count }
        guard bytes <= Limits.eachInverseBytes || settled.rest.undoes != nil else {
            throw .tooLarge(
                "bytes of what is changed at once", bytes, limit: Limits.eachInverseBytes,
                field: "limit"
            ).below(Command.Name.each.rawValue)
        }
    }

    /// Carries out what was decided ahead.
    @inline(never)
    func carryOut(
        _ settled: SettledAhead, _ current: CommandAhead, _ command: Command,
        of request: Request, on live: LiveTable
    ) -> Outcome {
        var cause = cause(of: request, verb: command.name, undoes: settled.rest.undoes)
        // It stands in each row.
        cause.timeMs = current.ahead.timeMs
        let isChanged = apply(settled, current, cause: cause, on: live)
        handlers.aheads.end()
        follow(command, settled.rest, of: request, on: live)
        // So many rows are not told one by one.
        if settled.rest.rows.count < settled.found {
            return .answer(.manyDone(rows: settled.found, unchanged: !isChanged))
        }
        return .done(settled.rest, live, unchanged: !isChanged)
    }

    /// Applies what was decided ahead, and on the rows besides, as the table's next revision; false: nothing was
    /// changed.
    func apply(
        _ settled: SettledAhead, _ current: CommandAhead, cause: borrowing Cause, on live: LiveTable
    ) -> Bool {
        let table = live.table
        if !handlers.waiting.isEmpty { handlers.waiting.noteAll(of: table.name) }
        guard !room.isReadOnly, !settled.leaves.isEmpty || !settled.rest.ops.isEmpty else {
            return false
        }
        records.begin(
            changed: table.name, base: table.revision, cause: cause,
            inverseBytes: limits.keptInverseBytes(of: cause.verb, ops: .max),
            asText: current.isText)
        records.add(current.ops(of: settled))
        table.exchange(settled.leaves, timeMs: cause.timeMs, takesBack: settled.rest.undoes != nil)
        table.applyOps(of: settled.rest, timeMs: cause.timeMs) {
            records.add($0, of: $1, on: table)
        }
        publish(settled.rest.ops, of: cause, on: live)
        return true
    }
}

extension Command.Verb {
    /// Whether it may be decided on ahead: a quick look.
    @inline(__always)
    var mayBeAhead: Bool {
        let name = name
        return name == .each || name == .undo
    }
}

extension Request {
    /// Its command; nil: it is none.
    var command: Command? {
        if case .command(let command) = verb { return command }
        return nil
    }
}
