public import TableModel

// Swipes that lifts have closed, and who opens them again: whoever ends the drag, or the daemon that comes after one
// that was killed in a drag (design rules B6, E3).

/// A swipe that a lift has closed. It opens again when the drag ends without a drop.
public struct ClosedSwipe: Equatable, Sendable {
    /// The row that was lifted.
    public var row: RowID
    /// The edge at which it was open.
    public var edge: Edge
    /// The holder of the lease.
    public var holder: ID
    /// The holder's user, as the connection proved it.
    public var user: ProvenID?

    /// A swipe that this holder has closed.
    public init(row: RowID, edge: Edge, holder: ID, user: ProvenID?) {
        self.row = row
        self.edge = edge
        self.holder = holder
        self.user = user
    }
}

extension Server.LiveTable {
    /// All that drags under way have closed, the first lift first.
    var closedSwipes: [ClosedSwipe] {
        abandoned
            + ephemeral.heldInOrder.flatMap { held in
                held.closed.sorted { $0.key < $1.key }.map { row, edge in
                    ClosedSwipe(
                        row: row, edge: edge, holder: held.lease.holder,
                        user: held.sender.provenName)
                }
            }
    }

    private static let perPiece = 512

    /// The memory of rows for a checkpoint: where removed ones stood, what was performed a moment ago, and
    /// what drags have closed.
    public func capturedMemory() -> [CapturedPiece] {
        table.capturedRemovedPlaces()
            + table.recent.entries.chunks(of: Self.perPiece).map {
                .whole(.removed([], recent: $0))
            }
            + closedSwipes.chunks(of: Self.perPiece).map { .whole(.removed([], lifted: $0)) }
    }

    /// The ops that open swipes again, as far as the table allows that by now.
    func reopening(_ closed: [(row: RowID, edge: Edge)]) -> [Op] {
        guard !closed.isEmpty, !table.isEditing, table.settings.swipeScope == .shared else {
            return []
        }
        var ops: [Op] = []
        for (row, edge) in closed {
            let isAlone =
                table.settings.swipePolicy == .multiple || (table.openRows.isEmpty && ops.isEmpty)
            if isAlone, let present = table.row(row), present.swipe == nil,
                table.hasActions(present, at: edge), ephemeral.lifted[row] == nil
            {
                ops.append(.swipe(row, edge))
            }
        }
        return ops
    }

    // MARK: Another daemon's

    /// The swipes that a diff closes which is to be applied, if it is a lift.
    func closing(by diff: Diff) -> [ClosedSwipe] {
        guard diff.cause.verb == "lift", let holder = diff.cause.actor else { return [] }
        return diff.ops.compactMap { op in
            guard case .swipe(let id, nil) = op, let edge = table.row(id)?.swipe else { return nil }
            return ClosedSwipe(row: id, edge: edge, holder: holder, user: diff.cause.user)
        }
    }

    /// Follows drags of another daemon: a diff was applied, which was a lift that closed these, or may have ended
    /// some. A drag that has ended where its swipe could not be opened again has left no trace; so what cannot be
    /// opened at some time stays closed.
    func follow(_ ops: [Op], closing: [ClosedSwipe]) {
        if !abandoned.isEmpty {
            abandoned.removeAll { swipe in
                ops.contains { $0.ends(swipe) } || reopening([(swipe.row, swipe.edge)]).isEmpty
            }
        }
        abandoned += closing
    }
}

extension Server {
    /// Ends the drags that nobody holds any more, since the daemon that knew of them was killed. Call it within a turn,
    /// before anything is decided in it.
    public func endAbandonedDrags() {
        guard tables.mayHaveAbandoned, !room.isReadOnly else { return }
        tables.mayHaveAbandoned = false
        for name in tables.keys.sorted() {
            guard let live = tables[name] else { continue }
            while let first = live.abandoned.first {
                let ofOne = live.abandoned.prefix {
                    $0.holder == first.holder && $0.user == first.user
                }
                live.abandoned.removeFirst(ofOne.count)
                let ops = live.reopening(ofOne.map { ($0.row, $0.edge) })
                let cause = Cause(
                    verb: "cancel", name: first.holder, timeMs: ready.timeMs, user: first.user)
                _ = apply(Plan(steps: ops), cause: cause, on: live)
            }
        }
    }

    /// Takes over from a checkpoint what drags had closed then.
    public func restore(_ closed: [ClosedSwipe], of name: TableID) {
        if closed.isEmpty { return }
        tables[name]?.abandoned = closed
        tables.mayHaveAbandoned = true
    }
}

extension Op {
    /// Whether the drag that closed a swipe has ended with it, or its row is swiped again.
    fileprivate func ends(_ swipe: ClosedSwipe) -> Bool {
        if case .swipe(let id, _) = self { return id == swipe.row }
        switch effect {
        case .inserts, .removes, .moves, .swaps: return rows.contains(swipe.row)
        case .changes, .claims, .changesAll, .news: return false
        case .ofSection, .ofTable, .begins, .changesInvocation, .ends: return false
        }
    }
}
