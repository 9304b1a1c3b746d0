import TableModel
import TableSync

/// A lease as the laws know it.
struct KnownLease {
    let lease: Lease
    let table: TableID
    /// When its holder last spoke of it.
    var heardMs: UInt64
    var hasEnded = false
    /// When it ended its holder had spoken, and was to be heard.
    var endedUnheard = false
}

/// Edit mode for everybody as the laws know it.
struct KnownEdit {
    /// In which start of the daemon.
    let epoch: ID128?
    /// As the daemon knows its holder; nil: it knows none, and anybody prolongs it.
    let holder: Editor?
    /// When it was seen first, or its holder spoke of it last.
    var heardMs: UInt64

    /// Whether this is a request of its holder's.
    func isHeld(by request: Request) -> Bool {
        guard let holder else { return true }
        return request.actor == holder.actor
            && (holder.user == nil || holder.user == request.sender.provenName)
    }
}

// Leases and edit mode: what passes, and must.

extension Drag {
    /// That it is about.
    var lease: ID? {
        switch self {
        case .lift: return nil
        case .hover(let id, _, _), .drop(let id, _, _, _), .cancel(let id), .renew(let id):
            return id
        }
    }
}

extension Laws {
    /// How much later than its time a lease may end: the daemon looks ten times a second.
    private static let watchMs: UInt64 = 100

    /// A step of a drag arrived, and prolongs the lease that it is about.
    func holderIsHeard(_ drag: Drag, by actor: ID?, nowMs: UInt64) {
        switch drag {
        case .hover(let id, _, _), .drop(let id, _, _, _), .cancel(let id), .renew(let id):
            leases[id]?.heardMs = nowMs
        // The second one of the same rows is taken for the first, whose answer was lost.
        case .lift(let rows, _):
            for (id, known) in leases where known.lease.rows == rows && known.lease.holder == actor
            {
                leases[id]?.heardMs = nowMs
            }
        }
    }

    /// Looks at who drags what, by the clock that does not count pauses, after the daemon's own look at what is late.
    func look(at all: [Lease], of table: Table, nowMs: UInt64) {
        var lifted: Set<RowID> = []
        for lease in all {
            look(at: lease, of: table, nowMs: nowMs)
            for id in lease.rows {
                demand(lifted.insert(id).inserted, .oneLeasePerRow, "two drag row \(id)")
                let row = table.row(id)
                demand(row != nil, .leaseEndsInTime, "row \(id) is dragged, and not there")
                demand(row?.swipe == nil, .liftedRowIsClosed, "row \(id) is lifted and open")
            }
        }
        let present = Set(all.map(\.id))
        for (id, known) in leases
        where known.table == table.name && !known.hasEnded && !present.contains(id) {
            leases[id]?.hasEnded = true
            leases[id]?.endedUnheard = spokenOf.contains(id)
        }
    }

    /// Whom the daemon has called late by now had said nothing that it could have taken in before.
    func nobodyThereIsLate() {
        for id in calledLate {
            demand(
                leases[id]?.endedUnheard != true, .nobodyThereIsLate,
                "lease \(id) is called late, and its holder had spoken")
        }
        calledLate = []
    }

    // MARK: Edit mode

    /// A request of its holder's arrived that may turn edit mode on again. Where another one has turned it on, after somebody
    /// ended it, there is another holder at the next look.
    func editorIsHeard(_ request: Request, nowMs: UInt64) {
        guard let table = request.table, edits[table]?.isHeld(by: request) == true else { return }
        if ["edit", "undo", "redo", "batch"].contains(request.verb.name) {
            edits[table]?.heardMs = nowMs
        }
    }

    /// Looks at edit mode as `look(at:of:)` does at leases. No screen turns it on here: it has so many seconds.
    func look(
        atEditModeOf table: Table, heldBy holder: Editor?, seconds: Double, nowMs: UInt64
    ) {
        guard table.isEditing else {
            edits[table.name] = nil
            return
        }
        let known = edits[table.name]
        if let known, known.epoch == epoch, known.holder == holder {
            demand(
                nowMs <= max(known.heardMs + UInt64(seconds * 1_000), unjudgedMs, fullMs)
                    + Self.watchMs,
                .editModeEndsInTime, "\(table.name) is in edit mode, and nobody holds it")
        } else {
            // After a start its time begins when the daemon looks first.
            edits[table.name] = KnownEdit(
                epoch: epoch, holder: holder, heardMs: nowMs + Self.watchMs)
        }
    }

    private func look(at lease: Lease, of table: Table, nowMs: UInt64) {
        let known =
            leases[lease.id] ?? KnownLease(lease: lease, table: table.name, heardMs: nowMs)
        leases[lease.id] = known
        demand(
            !known.hasEnded && known.table == table.name, .leaseIDIsNew,
            "lease \(lease.id) is another's, or has ended")
        demand(
            nowMs <= max(known.heardMs + UInt64(lease.ttlSeconds * 1_000), unjudgedMs)
                + Self.watchMs,
            .leaseEndsInTime, "lease \(lease.id) goes on, and nobody holds it")
    }
}
