import TableDecisions
import TableModel

// Commands on very many rows: they are decided on ahead, in slices between turns, while others are answered
// (`EachAhead`). Whoever hands requests over keeps such a request, and asks with each turn whether it is prepared.

/// The ops on some rows, encoded ahead, and what leads back.
public struct PreparedOps: Sendable {
    /// The ops, as a diff has them.
    public var ops: [UInt8]
    /// The same as JSON; empty: no viewer reads it.
    public var text: [UInt8]
    /// The way back, as the journal has it.
    public var inverse: [UInt8]

    /// Encoded ops.
    public init(ops: [UInt8], text: [UInt8], inverse: [UInt8]) {
        (self.ops, self.text, self.inverse) = (ops, text, inverse)
    }
}

/// A command that is decided on ahead.
final class CommandAhead {
    let request: Request
    let ahead: EachAhead
    /// Whether its ops are written as JSON too.
    let isText: Bool
    private(set) var leaves: [PreparedLeaf.Key: (leaf: PreparedLeaf, ops: PreparedOps)] = [:]
    /// When somebody asked for it last, in monotonic milliseconds.
    var askedMs: UInt64 = 0

    init?(
        _ command: Command, of request: Request, on table: Table, limits: SharedLimits,
        timeMs: UInt64, isText: Bool
    ) {
        guard let ahead = EachAhead(command, on: table, limits: limits, timeMs: timeMs) else {
            return nil
        }
        (self.request, self.ahead, self.isText) = (request, ahead, isText)
    }

    func isOf(_ other: Request) -> Bool {
        request.table == other.table && request.client == other.client
            && request.number == other.number
            && request.sender.provenIdentity == other.sender.provenIdentity
            && request.verb == other.verb
    }

    /// Looks at some rows more; false: it has looked at all.
    func work(on table: Table, _ records: any EntryWriter) -> Bool {
        ahead.work(on: table) { leaf, ops, inverse in
            guard let key = leaf.key else { return }
            leaves[key] = (leaf, records.prepared(ops, inverse: inverse, asText: isText))
        }
    }
}

extension CommandAhead {
    /// The encoded ops on the rows of leaves that are to be exchanged.
    func ops(of settled: EachAhead.Settled) -> [PreparedOps] {
        settled.leaves.compactMap { leaf in leaf.key.flatMap { leaves[$0]?.ops } }
    }
}

/// What is decided on ahead: one command at a time, since its rows are held twice.
struct Aheads {
    var current: CommandAhead?
    /// Leaves of commands that are over. A hundred thousand rows are let go of in slices too.
    var gone: [PreparedLeaf] = []

    /// A command for which nobody asks any more makes way for others.
    static let patienceMs: UInt64 = 10_000

    /// The command is carried out, or given up.
    mutating func end() {
        gone += current?.leaves.values.map(\.leaf) ?? []
        current = nil
    }
}

extension Server {
    /// Whether work is left for between the turns.
    public var isBusyAhead: Bool { aheads.current != nil || !aheads.gone.isEmpty }

    /// Whether a request can be decided on in this turn. False: it is being decided on ahead, or waits for that; whoever
    /// hands it over keeps it, and asks again in the next turn.
    public func isPrepared(_ request: Request, requestHash: UInt64) -> Bool {
        guard let command = request.command, case .each = command.verb, duty.isLeader,
            let name = request.table, let live = tables.live(name),
            admission.refusal(of: request) == nil, room.takes(request), !room.isReadOnly,
            verdict(of: request, requestHash) == .fresh
        else { return true }
        let isText = tables.isReadAsText(name)
        if let current = aheads.current {
            let isAwaited = ready.monotonicMs <= current.askedMs + Aheads.patienceMs
            if isAwaited, !current.isOf(request) {
                return !EachAhead.isFor(command, on: live.table)
            }
            if current.isOf(request), current.ahead.fits(live.table, bounds.shared),
                current.isText == isText
            {
                current.askedMs = ready.monotonicMs
                return current.ahead.isReady(for: live.table)
            }
            aheads.end()
        }
        let next = CommandAhead(
            command, of: request, on: live.table, limits: bounds.shared,
            timeMs: request.atMs ?? ready.timeMs, isText: isText)
        next?.askedMs = ready.monotonicMs
        aheads.current = next
        return next == nil
    }

    /// Goes on with what is decided ahead, until `isOver`.
    public func workAhead(until isOver: () -> Bool) {
        if let current = aheads.current {
            guard ready.monotonicMs <= current.askedMs + Aheads.patienceMs,
                let name = current.request.table, let live = tables.live(name),
                current.ahead.fits(live.table, bounds.shared)
            else { return aheads.end() }
            while !isOver(), current.work(on: live.table, records) {}
        }
        while !aheads.gone.isEmpty, !isOver() { aheads.gone.removeLast() }
    }

    /// Decides on a command on very many rows, on the table as it is now; nil: it is decided on as any other. What was
    /// not looked at ahead is looked at now.
    @inline(never)  // Else each command is copied for it.
    func decideAhead(
        _ command: Command, of request: Request, on live: LiveTable
    ) throws(Rejection) -> (EachAhead.Settled, CommandAhead)? {
        guard EachAhead.isFor(command, on: live.table) else { return nil }
        let isText = tables.isReadAsText(live.table.name)
        if aheads.current?.isOf(request) != true
            || aheads.current?.ahead.fits(live.table, bounds.shared) != true
            || aheads.current?.isText != isText
        {
            guard
                let next = CommandAhead(
                    command, of: request, on: live.table, limits: bounds.shared,
                    timeMs: ready.timeMs, isText: isText)
            else { return nil }
            aheads.end()
            aheads.current = next
        }
        guard let current = aheads.current else { return nil }
        while current.work(on: live.table, records) {}
        do throws(Rejection) {
            let settled = try current.ahead.settled(
                command, on: live.table, context(of: request, live))
            try checkBytes(of: settled, current)
            return (settled, current)
        } catch {
            aheads.end()
            throw error.below("command")
        }
    }

    private func checkBytes(
        of settled: EachAhead.Settled, _ current: CommandAhead
    ) throws(Rejection) {
        let bytes = current.ops(of: settled).reduce(0) { $0 + $1.ops.count + $1.inverse.count }
        guard bytes <= Limits.eachInverseBytes else {
            throw .tooLarge(
                "bytes of what is changed at once", bytes, limit: Limits.eachInverseBytes,
                field: "limit"
            ).below(Command.Name.each.rawValue)
        }
    }

    /// Carries out what was decided ahead.
    @inline(never)
    func carryOut(
        _ settled: EachAhead.Settled, _ current: CommandAhead, _ command: Command,
        of request: Request, on live: LiveTable
    ) -> Outcome {
        var cause = cause(of: request, verb: command.name)
        // It stands in each row.
        cause.timeMs = current.ahead.timeMs
        let isChanged = apply(settled, current, cause: cause, on: live)
        aheads.end()
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
        _ settled: EachAhead.Settled, _ current: CommandAhead, cause: borrowing Cause,
        on live: LiveTable
    ) -> Bool {
        let table = live.table
        if !handlers.waiting.isEmpty { handlers.waiting.noteAll(of: table.name) }
        guard !room.isReadOnly, !settled.leaves.isEmpty || !settled.rest.ops.isEmpty else {
            return false
        }
        records.begin(
            changed: table.name, base: table.revision, cause: cause,
            inverseBytes: max(limits.inverseBytes, 2 * Limits.eachInverseBytes),
            asText: current.isText)
        records.add(current.ops(of: settled))
        table.exchange(settled.leaves, timeMs: cause.timeMs)
        table.applyOps(of: settled.rest, timeMs: cause.timeMs) {
            records.add($0, of: $1, on: table)
        }
        publish(settled.rest.ops, of: cause, on: live)
        return true
    }
}
