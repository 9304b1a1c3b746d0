import TableModel
import TableSync
import TableTurn

/// A copy of the disk, as it was at one moment, and what the laws knew then.
struct Backup {
    let content: SimulatedDisk.Content
    let ledger: Ledger
}

extension Table {
    /// A copy of the content in another history: revisions go on, and nobody takes it for the old one.
    func copy(history: ID128) -> Table {
        let copy = Table(
            restoring: name, history: history, revision: revision,
            kinds: kinds.values.sorted { $0.id < $1.id }, settings: settings)
        copy.restoreEditing(isEditing)
        do {
            for section in sections {
                try copy.appendSection(section.id, title: section.title)
                for run in section.runs() {
                    for row in run { try copy.appendRow(row, to: section.id) }
                }
            }
        } catch { preconditionFailure("a table does not fit into its own copy: \(error)") }
        for place in removed.entries { copy.appendRemovedPlace(place) }
        for invocation in invocations.all { copy.restore(invocation) }
        return copy
    }
}

/// Makes of a backup the disk of a daemon: the tables go on in new histories, and the position
/// above anything that any journal before can have reached, also one that was restored from the
/// same backup. A client's `opened` of before is then older than whatever is forgotten later; if
/// positions ran back, it would pass for new, and its command be carried out twice.
struct Restore {
    let content: SimulatedDisk.Content
    let position: UInt64
    var histories: [TableID: ID128] = [:]

    /// `recovered` is a server in the backup's state, `empty` one without anything; `number` counts
    /// the restores.
    init(
        of recovered: Server, into empty: Server, clock: SimulatedClock, number: UInt64,
        bug: PlantedBug?, makeID: () -> ID128
    ) throws {
        let low = recovered.position & 0xFFFF_FFFF
        position = bug == .restoreKeepsPosition ? recovered.position : number << 32 | low
        for (name, live) in recovered.tables.sorted(by: { $0.key < $1.key }) {
            let isNew = bug != .restoreKeepsHistory
            let history = isNew ? makeID() : live.table.history
            histories[name] = history
            empty.restore(live.table.copy(history: history))
            var log = CheckpointPart.Log()
            for piece in live.capturedDiffs(upTo: .max) {
                if case .log(let some) = piece.part { log.add(some) }
            }
            try empty.restore(log, of: name)
        }
        empty.restore(recovered.sessions)
        empty.restored(position: position)
        // The daemon's own way to write a state down.
        let laws = Laws(trace: Trace())
        let disk = SimulatedDisk(.init(base: position), laws: laws, bug: nil)
        let journal = try SimulatedJournal(
            on: disk, laws: laws, dice: Dice(number), clock: clock, bug: nil)
        try Checkpointer.write(empty, to: journal)
        content = disk.durable
    }
}
