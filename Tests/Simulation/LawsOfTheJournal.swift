import TableModel
import TableSync
import TableWire

// What reaches the disk, and what may be said before and after.

extension Laws {
    /// A commit is durable: from here on it may be spoken of, and must never be lost.
    func reachedDisk(_ bytes: [UInt8], at position: UInt64) {
        guard let entry = bytes.withUnsafeBytes({ try? Decode.entry($0) }) else {
            return demand(false, .recoveryIsWhole, "entry \(position) cannot be read")
        }
        demand(
            position == ledger.position + 1, .revisionsFollow,
            "entry \(position) follows \(ledger.position)")
        ledger.position = position
        for record in entry.records { take(record) }
        note("on disk \(position): \(entry.records.count)")
    }

    private func take(_ record: Ready.Record) {
        switch record {
        case .created(let name, let history): created(name, history)
        case .dropped(let name):
            guard let shadow = ledger.tables.removeValue(forKey: name) else {
                return demand(false, .revisionsFollow, "\(name) is dropped, and not there")
            }
            droppedHistories.insert(shadow.table.history)
        case .forgot(let name?, let rows): forgot(rows, of: name)
        case .forgot(nil, _): break
        case .changed(let name, let bytes, let inverse): changed(name, bytes, inverse)
        case .staged, .restored:
            demand(false, .recoveryIsWhole, "nobody restores by requests in a simulation")
        case .promoted: demand(false, .recoveryIsWhole, "there is no standby in a simulation")
        case .answered(let client, let user, _, let answered):
            let id = Numbered(client: client, number: answered.number)
            // Beside the answer to whose client it is.
            if user == Self.intruder.provenIdentity {
                return demand(forged.contains(id), .carriedOutOnce, "\(id) was never forged")
            }
            demand(ledger.answers[id] == nil, .carriedOutOnce, "\(id) is answered twice on disk")
            demand(issued[id] != nil, .carriedOutOnce, "\(id) was never issued")
            ledger.answers[id] = answered.reply
        }
    }

    private func created(_ name: TableID, _ history: ID128) {
        demand(ledger.tables[name] == nil, .revisionsFollow, "\(name) is made while it is there")
        let point = Point(history: history, revision: 0)
        demand(digests[point] == nil, .historyIsNew, "history \(history) begins twice")
        let table = Table(name: name, history: history)
        ledger.tables[name] = Ledger.Shadow(table: table)
        digests[point] = table.digest
    }

    private func changed(_ name: TableID, _ bytes: [UInt8], _ inverse: [UInt8]?) {
        guard let diff = codec.decodeDiff(bytes[...]), let shadow = ledger.tables[name] else {
            return demand(false, .revisionsFollow, "a diff on disk that fits no table")
        }
        let table = shadow.table
        demand(
            diff.base == table.revision, .revisionsFollow,
            "\(name): \(diff.base) follows \(table.revision) on disk")
        let point = Point(history: table.history, revision: diff.revision)
        demand(digests[point] == nil, .historyIsNew, "\(name): \(diff.revision) came before")
        caused(diff)
        let before = TableBefore(table)
        do throws(Mismatch) {
            try table.apply(diff)
        } catch { return demand(false, .digestsAgree, "\(name): on disk, \(error)") }
        digests[point] = diff.digest
        for case .insert(let row, _, _) in diff.ops { rowsOnDisk[name, default: []].insert(row.id) }
        diffsOnDisk.insert(bytes)
        judge(diff, inverse.flatMap { codec.decodeSteps($0[...]) }, on: name, before)
        note("\(name) \(diff.revision) \(diff.cause.verb) \(diff.digest.lowerHex)")
        trace.detail("\(diff.ops)")
    }

    private func caused(_ diff: Diff) {
        // What became late, or was lost, and what drags do to swipes, is nobody's command.
        if ["expire", "cancel", "lift"].contains(diff.cause.verb) { return }
        guard let client = diff.cause.client, let number = diff.cause.number else {
            return demand(false, .carriedOutOnce, "revision \(diff.revision) has no cause")
        }
        let id = Numbered(client: client, number: number)
        ledger.changes[id, default: 0] += 1
        demand(ledger.changes[id] == 1, .carriedOutOnce, "\(id) changed a table twice")
        demand(issued[id] != nil, .carriedOutOnce, "\(id) was never issued")
    }

    // MARK: Starts and restores

    /// A daemon begins to serve.
    func started(_ server: Server) {
        demand(epochs.insert(server.epoch).inserted, .epochIsNew, "an epoch comes twice")
        epoch = server.epoch
        for lease in leases.keys { leases[lease]?.hasEnded = true }
        demand(
            server.position == ledger.position, .recoveryIsWhole,
            "started at \(server.position), the disk is at \(ledger.position)")
        demand(
            Set(server.tables.keys) == Set(ledger.tables.keys), .recoveryIsWhole, "other tables")
        for (name, live) in server.tables {
            guard let shadow = ledger.tables[name] else { continue }
            demand(
                shadow.table.revision == live.table.revision
                    && shadow.table.history == live.table.history
                    && shadow.table.digest == live.table.digest,
                .recoveryIsWhole, "\(name) is not as it was on disk")
        }
        note("start at \(server.position)")
    }

    /// The disk is that of the backup, with tables of new histories: what came since never was.
    func restored(to backup: Ledger, position: UInt64, histories: [TableID: ID128]) {
        ledger = backup
        ledger.position = position
        for (name, history) in histories {
            guard let old = backup.tables[name] else { continue }
            let table = old.table.copy(history: history)
            demand(
                digests[Point(history: history, revision: 0)] == nil, .historyIsNew,
                "\(name) is restored into a history that was")
            for revision in 0...table.revision {
                let known = digests[Point(history: old.table.history, revision: revision)]
                digests[Point(history: history, revision: revision)] = known
            }
            ledger.tables[name] = Ledger.Shadow(table: table, revisions: old.revisions)
        }
        // What was heard in another line of time is not held against this one.
        heard = heard.filter { id, reply in
            ledger.answers[id].flatMap { codec.decodeReply($0[...]) } == reply
        }
        note("restored, at \(position)")
    }

    // MARK: What the daemon says

    private func onDisk(_ law: Law, _ history: ID128?, _ head: Head, _ what: String) {
        guard let history else { return }
        let known = digests[Point(history: history, revision: head.revision)]
        demand(
            known == head.digest, law, "\(what) of \(head.revision), not on disk like that")
    }

    func published(_ publication: Publication, encoded: EncodedDiffs) {
        let law = Law.commitBeforePublish
        demand(publication.epoch == epoch, .epochIsNew, "a publication of another epoch")
        demand(publication.diffs.isEmpty, .sameBytesEverywhere, "diffs that are not in bytes")
        for bytes in encoded {
            let diff = codec.decodeDiff(bytes)
            let revision = diff.map { "\($0.revision)" } ?? "nobody can read"
            demand(diffsOnDisk.contains(Array(bytes)), law, "revision \(revision) is not on disk")
            demand(
                diff.map { codec.encode($0)[...] } == bytes, .sameBytesEverywhere,
                "revision \(revision) in other bytes")
        }
        if publication.isDropped, let history = publication.history {
            demand(droppedHistories.contains(history), law, "a drop that is not on disk")
        }
        if let head = publication.welcome { onDisk(law, publication.history, head, "welcome") }
        if let head = publication.heartbeat { onDisk(law, publication.history, head, "heartbeat") }
    }

    func published(_ presence: Presence) {
        demand(presence.epoch == epoch, .epochIsNew, "a presence of another epoch")
        let known = rowsOnDisk[presence.table] ?? []
        let rows = presence.leases?.flatMap(\.rows) ?? []
        demand(
            rows.allSatisfy(known.contains), .commitBeforePublish,
            "a row is shown as lifted that was never on disk")
        calledLate += presence.ended.filter { $0.reason.hasSuffix("in time") }.map(\.lease)
    }

    func replied(_ reply: Reply, encoded: EncodedDiffs = EncodedDiffs()) {
        let law = Law.commitBeforeReply
        if let history = reply.history, let revision = reply.revision {
            demand(
                digests[Point(history: history, revision: revision)] != nil, law,
                "a reply says revision \(revision), which is not on disk")
        }
        switch reply.answer {
        case .hello(let hello):
            demand(hello.opened <= ledger.position, law, "\(hello.opened) is told, and not on disk")
        case .snapshot(let chunk):
            let head = Head(revision: chunk.revision, digest: chunk.digest, oldest: 0)
            onDisk(law, reply.history, head, "snapshot")
        case .standing(let standing): onDisk(law, reply.history, standing.head, "standing")
        case .replay:
            let isOnDisk = encoded.allSatisfy { diffsOnDisk.contains(Array($0)) }
            demand(isOnDisk, law, "a replay, not on disk")
        case .done(_, let unchanged, _):
            guard let client = reply.client, let number = reply.number else {
                return demand(unchanged, law, "something is done that nobody numbered")
            }
            let id = Numbered(client: client, number: number)
            let stored = ledger.answers[id].flatMap { codec.decodeReply($0[...]) }
            demand(stored == reply, law, "\(id) is acknowledged, and not like that on disk")
        default: break
        }
    }
}
