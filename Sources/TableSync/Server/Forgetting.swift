import TableDecisions
import TableModel

// Personal data: the past of a row can be made to be gone, from what is kept of a table's history, from answers that are
// remembered, and from the journal.

extension Server {
    /// Rows that one request forgets, at most.
    public static let mostForgotten = 1_000

    /// Forgets the past of rows that are removed. The revisions stay, with what they did to other rows; what was
    /// journaled goes with the next checkpoint, which is due at once.
    func forget(_ rows: [RowID], of name: TableID) -> Reply.Answer {
        guard let live = tables[name] else { return .refused(.noTable(name)) }
        if let rejection = refusal(toForget: rows, of: live.table) { return .refused(rejection) }
        let isAny = take(rows, fromPastOf: live)
        records.add(.forgot(name, rows))
        leaveNothingBehind()
        return .done(rows: [], unchanged: !isAny)
    }

    private func refusal(toForget rows: [RowID], of table: Table) -> Rejection? {
        if rows.isEmpty { return Rejection(.malformed, "No row is named.", field: "forget.rows") }
        let named = Set(rows)
        for (place, row) in rows.enumerated() where table.row(row) != nil {
            return Rejection(
                .exists, "Row \"\(row.text)\" is in the table: remove it first.",
                field: "forget.rows[\(place)]")
        }
        guard let busy = table.invocations.all.first(where: { named.contains($0.row) }) else {
            return nil
        }
        return Rejection(
            .conflict,
            "\"\(busy.action.text)\" of row \"\(busy.row.text)\" waits for its handler: it has to end first.",
            field: "forget.rows")
    }

    /// The next entry, and the checkpoint after it, let go of all that was journaled before.
    private func leaveNothingBehind() {
        ready.forgets = true
        copies.hasStaleParts = true
    }

    /// Whether anything was kept of these rows.
    private func take(_ rows: [RowID], fromPastOf live: LiveTable) -> Bool {
        var forgetting = Forgetting(Set(rows), codec)
        var log = live.log
        for index in log.kept.indices {
            if let change = forgetting.rest(of: log.kept[index].change) {
                log.replace(
                    at: index, by: log.store(change), changesNothing: forgetting.leftNothing)
            }
        }
        if forgetting.hasFound { tables.replaceLog(of: live, by: log) }
        let isRemembered = live.table.forgetRemoved(forgetting.rows)
        let isAnswered = sessions.rewrite { forgetting.rest(ofReply: $0) }
        return forgetting.hasFound || isRemembered || isAnswered
    }

    /// Forgets what an entry of the journal says. An entry without rows only lets go of the older journal.
    func replayForgotten(_ rows: [RowID], of name: TableID?) {
        copies.hasStaleParts = true
        if let live = name.flatMap({ tables[$0] }) { _ = take(rows, fromPastOf: live) }
    }

    /// Lets go of what was journaled of diffs that are too old, once a day, or as often as diffs get old: they have
    /// gone from memory, and no entry may follow for months. Only between `begin` and `finish`, since an entry says so.
    public func forgetWhatIsOld() {
        // Each turn asks.
        if !tables.hasLostOld { return }
        let keptMs = tables.retention.seconds.multipliedReportingOverflow(by: 1_000).partialValue
        guard !room.isShort, !copies.isRestoring,
            ready.monotonicMs - min(tables.forgotMs, ready.monotonicMs)
                >= min(keptMs, Self.forgettingMs)
        else { return }
        (tables.hasLostOld, tables.forgotMs) = (false, ready.monotonicMs)
        records.add(.forgot(nil, []))
        leaveNothingBehind()
    }

    private static let forgettingMs: UInt64 = 86_400_000
}

extension Request {
    /// The rows that it forgets; nil: it is another request.
    var rowsToForget: [RowID]? {
        if case .forget(let rows) = verb { return rows }
        return nil
    }
}

/// Takes out of changes what they hold of some rows.
private struct Forgetting {
    let rows: Set<RowID>
    private let codec: any Codec
    /// The rows, and the invocations of them that were met so far.
    private var search: RowSearch
    private var invocations: Set<InvocationID> = []
    /// Something was found.
    private(set) var hasFound = false
    /// The latest change that was found leads nowhere any more.
    private(set) var leftNothing = false

    init(_ rows: Set<RowID>, _ codec: any Codec) {
        (self.rows, self.codec) = (rows, codec)
        search = RowSearch(rows)
    }

    /// Nil: the change holds nothing of them. Changes come in their order: what begins an invocation names its row,
    /// and what ends it does not.
    mutating func rest(of change: EncodedChange) -> EncodedChange? {
        guard
            codec.mayMention(search, change.diff)
                || change.inverse.map({ codec.mayMention(search, $0) }) ?? false,
            var diff = codec.decodeDiff(change.diff)
        else { return nil }
        let inverse = change.inverse.flatMap { codec.decodeSteps($0) }
        for invocation in diff.ops.begun + (inverse ?? []).begun
        where rows.contains(invocation.row) && invocations.insert(invocation.id).inserted {
            search.insert(ID(invocation.id.text))
        }
        let left = diff.ops.compactMap { rest(of: $0) }
        var back = inverse?.compactMap { rest(of: $0) }
        guard left != diff.ops || back != inverse else { return nil }
        if let inverse { back = back?.placed(without: rows, as: inverse) }
        diff.ops = left
        hasFound = true
        leftNothing = back?.isEmpty ?? left.isEmpty
        return EncodedChange(diff: codec.encode(diff), inverse: back.map { codec.encode($0) })
    }

    /// Nil: it is about them alone. A row that is another's neighbour stays named there.
    private func rest(of op: Op) -> Op? {
        switch op.effect {
        case .inserts(let row, _): return rows.contains(row.id) ? nil : op
        case .removes(let row), .changes(let row), .claims(let row, _), .news(let row):
            return rows.contains(row) ? nil : op
        case .swaps(let one, let other):
            return rows.contains(one) || rows.contains(other) ? nil : op
        case .moves(let ids, let place):
            let left = ids.filter { !rows.contains($0) }
            if left.count == ids.count { return op }
            return left.isEmpty ? nil : .move(Few(left), place)
        case .begins(let invocation): return rows.contains(invocation.row) ? nil : op
        case .changesInvocation(let id), .ends(let id): return invocations.contains(id) ? nil : op
        case .changesAll, .ofSection, .ofTable: return op
        }
    }

    /// An answer without the rows of its invocations; nil: it holds none of them.
    mutating func rest(ofReply bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard codec.mayMention(search, bytes), var reply = codec.decodeReply(bytes),
            case .done(let landed, let unchanged, var begun) = reply.answer,
            begun.contains(where: { $0.pressed != nil && rows.contains($0.row) })
        else { return nil }
        for place in begun.indices where rows.contains(begun[place].row) {
            begun[place] = begun[place].withoutRow
        }
        reply.answer = .done(rows: landed, unchanged: unchanged, invocations: begun)
        return codec.encode(reply)
    }
}

extension [Op] {
    /// These steps of an inverse, where what stood behind a row that is forgotten comes to stand behind the one above it.
    fileprivate func placed(without rows: Set<RowID>, as inverse: [Op]) -> [Op] {
        var above: [RowID: Place] = [:]
        for case .inserts(let row, let place) in inverse.lazy.map(\.effect)
        where rows.contains(row.id) {
            above[row.id] = place
        }
        if above.isEmpty { return self }
        return map { op in
            guard case .insert(let row, .after(var neighbour), let hint) = op else { return op }
            // Each row is passed once: no row stands above itself.
            for _ in above {
                guard let place = above[neighbour] else { break }
                guard case .after(let next) = place else { return .insert(row, place, hint: hint) }
                neighbour = next
            }
            return .insert(row, .after(neighbour), hint: hint)
        }
    }
}
