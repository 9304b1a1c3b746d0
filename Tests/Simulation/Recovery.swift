import JournalPort
import TableModel
import TableSync
import TableTurn
import TableWire

// The ends of processes, and the beginnings of the next ones.

extension SimulatedDaemon {
    func end(_ crash: Crash) {
        isUp = false
        journal?.end()
        journal = nil
        laws.note("\(crash)")
        if crash == .powerCut { disk.cutPower(dice) }
        if bug == .lostTail { disk = disk.withoutTail(laws) }
    }

    /// Another process, with what is on disk. It may fail, and is started again later.
    func restart() {
        do {
            let journal = try SimulatedJournal(
                on: disk, laws: laws, dice: dice, clock: clock, bug: bug, lateness: lateness)
            let turn = try Turn(
                journal: journal, clock: clock, heartbeatMs: 1_000,
                checkpointAfterBytes: checkpointAfter, bounds: bounds
            ) { [unowned self] journal, refused in
                guard bug == .stateKeptAfterRefusal, let refused else {
                    return try recovered(from: journal)
                }
                refused.restored(position: journal.durable)
                return refused
            }
            (self.turn, self.journal) = (turn, journal)
            isUp = true
            if turn.server.sessions.evictedTo > 0 { laws.hasForgotten = true }
            laws.started(turn.server)
        } catch is SimulatedDisk.Broken {
            return laws.note("the disk fails at the start")
        } catch {
            return laws.demand(false, .recoveryIsWhole, "recovery: \(error)")
        }
    }

    private func recovered(from journal: any Journal) throws -> Server {
        let server = makeServer()
        try Recovery.bring(server, upTo: journal)
        if bug == .answersNotRecovered { server.restore(SessionBook()) }
        if bug == .floorsNotRecovered { forgetFloors(of: server) }
        return server
    }

    private func forgetFloors(of server: Server) {
        var book = SessionBook()
        for (owner, sessions) in server.sessions.all {
            let clients = sessions.byClient.map { client, session in
                var session = session
                session.floor = 0
                return CheckpointPart.Client(client, session)
            }
            book.restore(clients, evictedTo: sessions.evictedTo, of: owner)
        }
        server.restore(book)
    }

    // MARK: Backups

    func backUp() {
        let backup = Backup(content: disk.durable, ledger: laws.ledger.copy())
        if backups.count < 4 {
            backups.append(backup)
        } else {
            backups[dice.below(backups.count)] = backup
        }
        laws.note("backup at \(laws.ledger.position)")
    }

    /// The state directory is replaced by that of a backup, if there is one.
    func restoreBackup() {
        if backups.isEmpty { return }
        let backup = backups[dice.below(backups.count)]
        restores += 1
        if isUp { end(.killed) }
        let scratch = Laws(trace: Trace())
        scratch.ledger = backup.ledger.copy()
        let old = SimulatedDisk(backup.content, laws: scratch, bug: nil)
        do {
            let journal = try SimulatedJournal(
                on: old, laws: scratch, dice: dice, clock: clock, bug: nil)
            let recovered = try recovered(from: journal)
            let restore = try Restore(
                of: recovered, into: makeServer(), clock: clock, number: restores, bug: bug,
                makeID: { dice.id128() })
            let isFull = disk.isFull
            disk = SimulatedDisk(restore.content, laws: laws, bug: bug)
            disk.isFull = isFull
            laws.restored(
                to: backup.ledger.copy(), position: restore.position,
                histories: restore.histories)
        } catch { laws.demand(false, .recoveryIsWhole, "restore: \(error)") }
    }

    // MARK: At the end

    /// Compares recovery from the disk with the state in memory, to the last remembered place.
    func compareWithDisk() {
        guard let journal, let server = turn?.server else { return }
        do {
            let other = try recovered(from: journal)
            laws.demand(other.position == server.position, .recoveryIsWhole, "another position")
            laws.demand(
                hasFewSessions || other.sessions.byOwner == server.sessions.byOwner,
                .recoveryIsWhole, "other sessions")
            for (name, live) in server.tables {
                guard let table = other.tables[name]?.table else {
                    laws.demand(false, .recoveryIsWhole, "\(name) is not on disk")
                    continue
                }
                laws.demand(
                    table.digest == live.table.digest && table.history == live.table.history
                        && table.revision == live.table.revision,
                    .recoveryIsWhole, "\(name) is otherwise on disk")
                laws.demand(
                    table.removed.entries == live.table.removed.entries, .recoveryIsWhole,
                    "\(name): other removed rows are remembered on disk")
            }
        } catch { laws.demand(false, .recoveryIsWhole, "recovery: \(error)") }
    }
}

extension SimulatedDisk {
    /// Without the newest entry (a planted bug).
    func withoutTail(_ laws: Laws) -> SimulatedDisk {
        var content = durable
        if !content.entries.isEmpty, content.checkpoint?.position != content.position {
            content.entries.removeLast()
        }
        return SimulatedDisk(content, laws: laws, bug: .lostTail)
    }
}

/// A codec that reads inverses without what restores a row's age (a planted bug).
struct AgelessCodec: Codec {
    private let codec = WireCodec()

    func encode(_ diff: Diff) -> [UInt8] { codec.encode(diff) }
    func decodeDiff(_ bytes: ArraySlice<UInt8>) -> Diff? { codec.decodeDiff(bytes) }
    func outline(_ bytes: ArraySlice<UInt8>) -> DiffOutline? { codec.outline(bytes) }
    func encode(_ steps: [Op]) -> [UInt8] { codec.encode(steps) }
    func mayMention(_ rows: RowSearch, _ diff: ArraySlice<UInt8>) -> Bool {
        codec.mayMention(rows, diff)
    }
    func encode(_ reply: Reply) -> [UInt8] { codec.encode(reply) }
    func decodeReply(_ bytes: ArraySlice<UInt8>) -> Reply? { codec.decodeReply(bytes) }
    func makeEntryWriter() -> any EntryWriter { codec.makeEntryWriter() }
    func encode(_ part: CheckpointPart) -> [UInt8] { codec.encode(part) }
    func decodePart(_ bytes: [UInt8], limits: Limits?) throws(Rejection) -> CheckpointPart {
        try codec.decodePart(bytes, limits: limits)
    }

    func end(ofSteps number: Int, in bytes: ArraySlice<UInt8>) -> Int? {
        codec.end(ofSteps: number, in: bytes)
    }

    func decodeSteps(_ bytes: ArraySlice<UInt8>) -> [Op]? {
        codec.decodeSteps(bytes)?.map { op in
            guard case .restore(let row, var traces) = op else { return op }
            (traces.changedMs, traces.movedMs) = (0, 0)
            return .restore(row, traces)
        }
    }
}
