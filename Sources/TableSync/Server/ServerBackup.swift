import TableModel

// Backups of all tables, and putting them back. A restore is staged part by part, each of them in the
// journal as it came, and is there for everybody with one more entry: after a crash either that
// entry is on disk, and all of it is there, or nothing of it.

/// A restore that is under way. There is one at most.
struct Restoring {
    let client: ID
    let staging: StagedTables
    var beganMs: UInt64
    var usedMs: UInt64

    /// Without a part for so long it is given up.
    private static let idleMs: UInt64 = 30_000
    /// However busy it is: no checkpoint is begun meanwhile, and the journal grows.
    private static let mostMs: UInt64 = 3_600_000

    func isOver(nowMs: UInt64) -> Bool {
        nowMs - min(nowMs, usedMs) > Self.idleMs || nowMs - min(nowMs, beganMs) > Self.mostMs
    }
}

extension Server {
    /// Parts of a restore are in the journal, and nowhere else: a checkpoint that is begun now
    /// would pass over them.
    public var isRestoring: Bool { restoring != nil }

    func backup(id: String?, chunk: Int, _ request: Request, _ route: Route) {
        var summaries: [TableSummary] = []
        var id = id
        if id == nil {
            summaries = self.summaries
            let tables = summaries.compactMap { self.tables[$0.table]?.table }
            id = backups.begin(tables, nowMs: monotonicMs)
        }
        guard let id,
            var part = backups.chunk(chunk, of: id, codec: codec, nowMs: monotonicMs)
        else {
            let rejection = Rejection(
                .noSuchSnapshot, "That backup was let go, or has no such chunk: begin again.",
                field: "backup")
            return reply(to: request, route, .refused(rejection))
        }
        part.tables = summaries
        reply(to: request, route, .backup(part))
    }

    /// One step of a restore, which is in order and remembered, or leaves nothing of the restore.
    func restore(_ step: RestoreStep, _ request: Request) -> Reply.Answer {
        guard let client = request.client else {
            return .refused(
                Rejection(
                    .malformed, "Only a client with an id and numbers restores.", field: "client"))
        }
        do throws(Rejection) {
            switch step {
            case .parts(let contents, let index):
                try stage(contents, index: index, of: client)
                return .done(rows: [], unchanged: false)
            case .finish(let parts, let replaces):
                return try finishRestoring(parts: parts, replaces: replaces, of: client)
            }
        } catch {
            var rejection = error
            rejection.field = error.field.map { "\(step.name).\($0)" } ?? step.name
            return .refused(rejection)
        }
    }

    private func stage(_ contents: [[UInt8]], index: Int, of client: ID) throws(Rejection) {
        // A restore that has begun is in the journal: recovery knows no other.
        guard !contents.isEmpty else {
            throw Rejection(.badValue, "A step of a restore has at least one part.")
        }
        if index == 0 {
            if restoring != nil { hasStaleParts = true }
            restoring = Restoring(
                client: client, staging: StagedTables(codec: codec),
                beganMs: monotonicMs, usedMs: monotonicMs)
        }
        let staging = try staging(of: client, at: index)
        do throws(Rejection) {
            for content in contents { try staging.add(content, within: limits) }
        } catch {
            letGoOfRestoring()
            throw error
        }
        restoring?.usedMs = monotonicMs
        for (place, content) in contents.enumerated() {
            ready.records.append(.staged(client: client, index: index + place, part: content))
        }
    }

    /// What this client has staged, if that are so many parts.
    private func staging(of client: ID, at parts: Int) throws(Rejection) -> StagedTables {
        guard let restoring, restoring.client == client, restoring.staging.parts == parts else {
            throw Rejection(
                .noSuchRestore,
                "There is no restore that goes on here: it was let go, or another began. "
                    + "Begin again with part 0.")
        }
        return restoring.staging
    }

    private func finishRestoring(
        parts: Int, replaces: Bool, of client: ID
    ) throws(Rejection) -> Reply.Answer {
        let staging = try staging(of: client, at: parts)
        do throws(Rejection) {
            try staging.finish()
        } catch {
            letGoOfRestoring()
            throw error
        }
        let present = staging.tables.filter { tables[$0.name] != nil }
        if let first = present.first, !replaces {
            throw Rejection(
                .exists, "There is a table \"\(first.name.text)\" already.", field: "replace")
        }
        let count = tables.count - present.count + staging.tables.count
        guard count <= limits.tables else {
            throw Rejection(.tooLarge, "tables: \(count), at most \(limits.tables).")
        }
        let restored = staging.tables.map {
            Ready.Record.Restored(table: $0.name, history: makeID())
        }
        ready.records.append(.restored(restored))
        show(staging, restored)
        restoring = nil
        for one in restored {
            // To viewers of the table that was there it names another history, to others a table.
            ready.publications.append(.init(publication: welcome(to: one.table), encoded: []))
        }
        return .tables(restored.compactMap { tables[$0.table]?.summary })
    }

    private func show(_ staging: StagedTables, _ restored: [Ready.Record.Restored]) {
        for (table, one) in zip(staging.tables, restored) {
            table.begin(history: one.history)
            hold(table)
        }
    }

    /// After a restart, too, nothing goes on from what is in the journal of it.
    private func letGoOfRestoring() {
        restoring = nil
        hasStaleParts = true
        ready.records.append(.restored([]))
    }

    /// Ends a restore that does not go on. What is in the journal of it leads to nothing.
    func giveUpRestoring() {
        guard restoring?.isOver(nowMs: monotonicMs) == true else { return }
        restoring = nil
        hasStaleParts = true
    }

    // MARK: Recovery

    func replayStaged(
        _ part: [UInt8], index: Int, of client: ID, _ position: UInt64
    ) throws(RecoveryError) {
        if index == 0 {
            restoring = Restoring(
                client: client,
                staging: StagedTables(checksParts: false, codec: codec), beganMs: 0, usedMs: 0)
        }
        guard let restoring, restoring.client == client, restoring.staging.parts == index else {
            throw RecoveryError("entry \(position) has part \(index) of a restore out of turn")
        }
        do throws(Rejection) {
            try restoring.staging.add(part, within: limits)
        } catch {
            throw RecoveryError("entry \(position) has a part that does not fit: \(error)")
        }
    }

    func replayRestored(
        _ restored: [Ready.Record.Restored], _ position: UInt64
    ) throws(RecoveryError) {
        // Let go of.
        if restored.isEmpty {
            restoring = nil
            hasStaleParts = true
            return
        }
        guard let staging = restoring?.staging else {
            throw RecoveryError("entry \(position) restores what was not staged")
        }
        do throws(Rejection) {
            try staging.finish()
        } catch {
            throw RecoveryError("entry \(position) restores what does not fit: \(error)")
        }
        guard staging.tables.map(\.name) == restored.map(\.table) else {
            throw RecoveryError("entry \(position) restores other tables than were staged")
        }
        show(staging, restored)
        restoring = nil
    }
}

extension RestoreStep {
    fileprivate var name: String {
        switch self {
        case .parts: return "restore.parts"
        case .finish: return "restore.finish"
        }
    }
}
