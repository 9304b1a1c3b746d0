import TableModel

// Claims and edit mode end with their holders, and by time. Each end is a revision of its own, so it is journaled, and
// whoever replays it ends the same.

extension Ephemeral {
    /// The holder of a claim or of edit mode: the name, and the user as proven.
    struct Holder: Hashable {
        var actor: ID
        var owner: ProvenID?

        init(_ actor: ID, of owner: ProvenID?) {
            self.actor = actor
            self.owner = owner
        }

        init(_ person: Person) { self.init(person.actor, of: person.sender.provenName) }

        init(_ editor: Editor) { self.init(editor.actor, of: editor.user) }
    }
}

extension Server {
    /// Ends the claims of those of these whom no viewer stands for, and the edit mode that one of them holds.
    func endHolds(ofGone claimants: [Ephemeral.Person], on live: LiveTable) {
        let owners = live.owners
        if live.table.claimedRows.isEmpty, owners.editor == nil { return }
        let gone = Set(claimants).subtracting(live.ephemeral.claimants)
        if gone.isEmpty { return }
        let holders = Set(gone.map { Ephemeral.Holder($0) })
        let rows = live.table.claimedRows.filter { row in
            guard let holder = live.table.row(row)?.claim?.holder else { return false }
            // A claim that nobody is proven to have made ends by its time, or when it is taken back.
            return holders.contains(Ephemeral.Holder(holder, of: owners.owner(of: row)))
        }
        endClaims(of: rows.sorted(), on: live)
        if let editor = owners.editor, holders.contains(Ephemeral.Holder(editor)) {
            endEditing(on: live)
        }
    }

    func endClaims(of rows: [RowID], on live: LiveTable) {
        for start in stride(from: 0, to: rows.count, by: limits.batchCommands) {
            let part = rows[start..<min(start + limits.batchCommands, rows.count)]
            _ = apply(
                Plan(steps: part.map { .claim($0, nil) }),
                cause: Cause(verb: "expire", timeMs: ready.timeMs), on: live)
        }
    }

    // MARK: Edit mode

    /// Whether edit mode is on and its holder has neither looked nor turned it on again for too long. Where nobody knows
    /// since when it is on, its time begins now.
    func isEditingOver(on live: LiveTable) -> Bool {
        live.ephemeral.isEditingOver(
            live.table, of: live.owners.editor.map { Ephemeral.Holder($0) },
            nowMs: ready.monotonicMs)
    }

    func endEditing(on live: LiveTable) {
        _ = apply(
            Plan(steps: [.edit(false)]), cause: Cause(verb: "expire", timeMs: ready.timeMs),
            on: live)
    }

    // MARK: Renewals

    /// A holder that claims again renews its claim, and one that turns edit mode on again renews that, also where that
    /// changes nothing and there is no op.
    func renewHolds(by command: Command, on live: LiveTable) {
        if command.verb.name == .edit {
            live.ephemeral.noteEditing(live.table.isEditing, nowMs: ready.monotonicMs)
        }
        guard case .claim(let rows, _, _) = command.verb else { return }
        for row in rows {
            live.ephemeral.note(live.table.row(row)?.claim, of: row, nowMs: ready.monotonicMs)
        }
    }
}
