import TableModel

// Claims and edit mode end with their holders, and by time. Each end is a revision of its own, so it is journaled, and
// whoever replays it ends the same.

/// The part of a table's edit mode for everybody that passes.
struct EditTime {
    /// When it was last turned on; nil: it is off, or nobody knows, and its time begins with the next look.
    var sinceMs: UInt64?
    /// The screen that turned it on has gone, and another one of its holder has stayed.
    var hasLostScreen = false
}

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

    /// Whether one of the holder's viewers is there.
    func hasViewer(of holder: Holder) -> Bool { claimants.contains { Holder($0) == holder } }
}

extension Editor {
    /// Whether this viewer is the screen that turned edit mode on: it attends with the client id of that command, and is
    /// the same user's. A viewer that has this id for its name is another one.
    fileprivate func isScreen(_ viewer: Ephemeral.ViewerKey) -> Bool {
        viewer.client == client && viewer.sender.provenName == user
    }
}

extension Server {
    /// Viewers are gone, or have another name: what these persons held ends, unless another viewer stands for them.
    func endHolds(
        ofGone viewers: [Ephemeral.ViewerKey], _ claimants: [Ephemeral.Person], on live: LiveTable
    ) {
        endClaims(ofGone: claimants, on: live)
        endEditing(ofGone: viewers, on: live)
    }

    private func endClaims(ofGone claimants: [Ephemeral.Person], on live: LiveTable) {
        if live.table.claimedRows.isEmpty { return }
        let gone = Set(claimants).subtracting(live.ephemeral.claimants)
        if gone.isEmpty { return }
        let owners = live.owners
        let holders = Set(gone.map { Ephemeral.Holder($0) })
        let rows = live.table.claimedRows.filter { row in
            guard let holder = live.table.row(row)?.claim?.holder else { return false }
            // A claim that nobody is proven to have made ends by its time, or when it is taken back.
            return holders.contains(Ephemeral.Holder(holder, of: owners.owner(of: row)))
        }
        endClaims(of: rows.sorted(), on: live)
    }

    func endClaims(of rows: [RowID], on live: LiveTable) {
        for part in rows.chunks(of: limits.batchCommands) {
            _ = apply(
                Plan(steps: part.map { .claim($0, nil) }),
                cause: Cause(verb: "expire", timeMs: ready.timeMs), on: live)
        }
    }

    // MARK: Edit mode

    /// A script has turned it on and ended: whichever viewer of that name comes and goes says nothing of it. So only where
    /// the screen that turned it on goes do the holder's viewers count, and the last of them ends it.
    private func endEditing(ofGone viewers: [Ephemeral.ViewerKey], on live: LiveTable) {
        guard let editor = live.owners.editor else { return }
        if viewers.contains(where: editor.isScreen) { live.ephemeral.edit.hasLostScreen = true }
        if live.ephemeral.edit.hasLostScreen, !live.ephemeral.hasViewer(of: .init(editor)) {
            endEditing(on: live)
        }
    }

    /// Whether edit mode is on, was not turned on again in time, and the screen that turned it on is not there. Where
    /// nobody knows since when it is on, its time begins now.
    func isEditingOver(on live: LiveTable) -> Bool {
        guard live.table.isEditing else { return false }
        if let sinceMs = live.ephemeral.edit.sinceMs {
            if ready.monotonicMs <= sinceMs + UInt64(limits.editSeconds * 1_000) { return false }
            guard let editor = live.owners.editor,
                live.ephemeral.viewers.keys.contains(where: editor.isScreen)
            else { return true }
        }
        live.ephemeral.edit.sinceMs = ready.monotonicMs
        return false
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
        if command.verb.name == .edit, live.table.isEditing {
            live.ephemeral.edit.sinceMs = ready.monotonicMs
        }
        guard case .claim(let rows, _, _) = command.verb else { return }
        for row in rows {
            live.ephemeral.note(live.table.row(row)?.claim, of: row, nowMs: ready.monotonicMs)
        }
    }
}
