public import TableModel

// Claims on rows, and rows that are being dragged (design rules B5, B7).

extension Decision {
    func claim(_ ids: Few<RowID>, note: String, _ ttlSeconds: Double?) throws(Rejection) -> Plan {
        let actor = try actor(to: "claim rows")
        try checkDistinct(ids, field: "rows")
        try checkClaim(note: note, ttlSeconds)
        var ops: [Op] = []
        for id in ids {
            let old = try row(id, field: "rows").claim
            if let old, old.holder != actor || isForeign(id) {
                throw .claimed(id, old, field: "rows")
            }
            if old == nil { try checkMayClaim(id) }
            let claim = Claim(
                holder: actor, note: note, ttlSeconds: ttlSeconds, sinceMs: old?.sinceMs ?? nowMs)
            if claim != old { ops.append(.claim(id, claim)) }
        }
        let fresh = ids.count { table.row($0)?.claim == nil }
        // A limit that became smaller must not keep a claim from being renewed.
        if fresh > 0 { try check(table.claimedRows.count + fresh, of: .claimedRows, field: "rows") }
        return Plan(ops, rows: ids)
    }

    func checkClaim(
        note: String, _ ttlSeconds: Double?, within prefix: String = ""
    ) throws(Rejection) {
        try bound("note bytes", note.utf8.count, by: limits.noteBytes, field: "\(prefix)note")
        try require(
            !note.hasNUL, or: .badValue, "A note cannot hold a NUL.", field: "\(prefix)note")
        if let ttlSeconds, !limits.claimSeconds.contains(ttlSeconds) {
            throw Rejection(
                .badNumber, "A claim lasts 1 second to a day, or until it is ended.",
                field: "\(prefix)ttl")
        }
    }

    func unclaim(_ ids: Few<RowID>, of holder: ID?) throws(Rejection) -> Plan {
        let ofAnybody = holder != nil && context.mayEndClaims
        let holder = if let holder { holder } else { try actor(to: "end claims") }
        try checkDistinct(ids, field: "rows")
        var rows = ids
        if ids.isEmpty {
            let theirs = table.claimedRows.filter {
                table.row($0)?.claim?.holder == holder && (ofAnybody || !isForeign($0))
            }
            rows = Few(Array(theirs.sorted().prefix(limits.batchCommands)))
        }
        var ops: [Op] = []
        for id in rows {
            guard let claim = try row(id, field: "rows").claim else { continue }
            if claim.holder != holder || !ofAnybody && isForeign(id) {
                throw .claimed(id, claim, field: "rows")
            }
            ops.append(.claim(id, nil))
        }
        return Plan(ops, rows: rows)
    }

    /// For a command that requires its sender to have claimed the rows that it names.
    func checkClaimed(_ verb: Command.Verb) throws(Rejection) {
        guard let rows = try chosenRows(of: verb) else {
            throw Rejection(
                .badValue, "Only commands about rows can require claims.", field: "ifClaimed")
        }
        for id in rows {
            let holder = try row(id, field: "ifClaimed").claim?.holder
            guard let holder, holder == context.actor, !isForeign(id) else {
                throw Rejection(
                    .notClaimed,
                    "Row \"\(id.text)\" is "
                        + (holder.map { "claimed by \($0.text)." } ?? "not claimed."),
                    field: "ifClaimed")
            }
        }
    }

    /// For an undo, which would end or replace the claim that a row has now.
    func checkMayEndClaim(of id: RowID) throws(Rejection) {
        guard !context.mayEndClaims, isForeign(id), let claim = table.row(id)?.claim else { return }
        throw .claimed(id, claim, field: "revision")
    }

    /// Whether another principal has claimed the row, whatever name the claim has.
    private func isForeign(_ row: RowID) -> Bool {
        context.isForeign(context.owners.owner(of: row))
    }

    private func actor(to what: String) throws(Rejection) -> ID {
        guard let actor = context.actor else {
            throw Rejection(
                .malformed, "Only a client with a name or an id can \(what).", field: "client")
        }
        return actor
    }

    func checkNotLifted(_ ids: some Collection<RowID>, field: String) throws(Rejection) {
        if !context.isAnyLifted { return }
        let lifted = context.lifted
        for id in ids {
            guard let holder = lifted[id] else { continue }
            throw Rejection(
                .leased, "Row \"\(id.text)\" is being dragged by \(holder.text).", field: field,
                saying: Saying("leased.by", ["who": holder.text]))
        }
    }

    /// The plan of lifting rows. It closes them, since no row is lifted and swiped open at once
    /// (B7).
    func lift(_ ids: [RowID]) throws(Rejection) -> Plan {
        try require(!ids.isEmpty, or: .badValue, "No row is named.", field: "rows")
        try bound("lifted rows", ids.count, by: limits.liftedRows, field: "rows")
        try checkDistinct(ids, field: "rows")
        try checkMovable(ids)
        try checkNotLifted(ids, field: "rows")
        let open = ids.filter { table.row($0)?.swipe != nil }
        return Plan(open.map { .swipe($0, nil) }, rows: Few(ids))
    }
}

/// Decides on lifting rows (B5). The plan closes those that are swiped open.
public func reduce(
    lift ids: [RowID], on table: Table, limits: Limits, _ context: DecisionContext
) -> Result<Plan, Rejection> {
    let decision = Decision(table: table, limits: limits, context: context)
    return Result { () throws(Rejection) in try decision.lift(ids) }
}

/// Decides on dropping rows that the sender has lifted (B5). It is always one revision, even if the
/// rows are there already.
public func reduce(
    drop ids: [RowID], section: SectionID?, _ anchor: Anchor, _ policy: Command.Policy,
    on table: Table, limits: Limits, _ context: DecisionContext
) -> Result<Plan, Rejection> {
    let decision = Decision(table: table, limits: limits, context: context)
    return Result { () throws(Rejection) in
        try decision.move(Few(ids), section: section, anchor, policy, by: .drop)
    }
}

extension Rejection {
    static func claimed(_ id: RowID, _ claim: Claim, field: String) -> Rejection {
        Rejection(
            .claimed, "Row \"\(id.text)\" is claimed by \(claim.holder.text).", field: field,
            saying: Saying("claimed.by", ["who": claim.holder.text]))
    }
}
