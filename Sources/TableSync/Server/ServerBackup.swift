import TableModel

// Backups of all tables, and restores. A restore is staged part by part, and each part is journaled
// as it came. One more journal entry makes the staged tables live. After a crash either that entry
// is on disk and the whole restore is done, or none of it.

/// A restore that is under way. There is at most one.
struct Restoring {
    let client: ID
    /// Whose client it is; nil: the journal does not say, and whoever goes on first is the one.
    var owner: ProvenID?
    let staging: StagedTables
    var beganMs: UInt64
    var usedMs: UInt64

    /// A restore without a new part for so long is given up.
    private static let idleMs: UInt64 = 30_000
    /// Longest time of a restore: no checkpoint begins meanwhile, and the journal grows.
    private static let mostMs: UInt64 = 3_600_000
    /// The bytes by which the journal may grow meanwhile, besides the restore's own parts.
    private static let mostGrowth: UInt64 = 512 << 20
    /// The parts are sent, journaled, and may be begun anew.
    private static let growthPerByte: UInt64 = 4

    /// For whatever else the daemon does meanwhile and afterwards.
    private static let leastMemory = 32 << 20
    /// A part is in memory as it came, as its rows, in the journal's entry and in what is written of that. Small rows
    /// take more than their part does.
    private static let memoryPerByte = 8

    /// How much must be left before so many bytes come, where so much is staged: its indexes grow by half.
    static func memory(beside weight: Int, adding bytes: Int) -> Int {
        leastMemory + weight / 4 + memoryPerByte * bytes
    }

    /// The first turn after a start: its time counts from now.
    mutating func begin(nowMs: UInt64) { (beganMs, usedMs) = (nowMs, nowMs) }

    func isOver(nowMs: UInt64) -> Bool {
        nowMs - min(nowMs, usedMs) > Self.idleMs || nowMs - min(nowMs, beganMs) > Self.mostMs
    }

    func isOver(journalGrewBy bytes: UInt64) -> Bool {
        bytes > Self.mostGrowth + Self.growthPerByte * UInt64(clamping: staging.weight)
    }
}

/// Tables on their way to clients, and back from a backup.
public struct Copies {
    var snapshots: Snapshots
    var backups: Backups
    var restoring: Restoring?
    /// The journal has what is to be gone: parts of a restore that was given up, or what was forgotten. A checkpoint
    /// removes it.
    public var hasStaleParts = false
    /// Bytes of memory that the process may still take; nil: as many as there are. Only a restore asks.
    public var memoryLeft: () -> Int? = { nil }

    init(epoch: ID128, makeID: @escaping () -> ID128) {
        snapshots = Snapshots(makeID: makeID)
        backups = Backups(epoch: epoch)
    }

    /// The parts of a restore are only in the journal, so a checkpoint that began now would lose
    /// them.
    public var isRestoring: Bool { restoring != nil }

    /// Lets go of snapshots and backups that nobody takes any more.
    mutating func expire(nowMs: UInt64) {
        snapshots.expire(nowMs: nowMs)
        backups.expire(nowMs: nowMs)
    }

    /// Gives the restore up: its parts in the journal lead to nothing.
    mutating func giveUpRestoring() { (restoring, hasStaleParts) = (nil, true) }

    /// Staged tables stand beside the live ones, and a process that takes more memory than it may is ended.
    func checkMemory(for staging: StagedTables, adding bytes: Int = 0) throws(Rejection) {
        guard let left = memoryLeft() else { return }
        let needed = Restoring.memory(beside: staging.weight, adding: bytes)
        guard left < needed else { return }
        throw Rejection(
            .tooLarge,
            "bytes of memory that the restore needs: \(needed), at most \(left). Raise what the daemon may have "
                + "(MemoryMax), or restore fewer tables at a time.")
    }

    /// The staging of this client, if it has this number of parts.
    mutating func staging(
        of client: ID, _ sender: Principal, at parts: Int
    ) throws(Rejection) -> StagedTables {
        guard let restoring, restoring.client == client, restoring.staging.parts == parts,
            restoring.owner == nil || restoring.owner == sender.provenIdentity
        else {
            throw Rejection(
                .noSuchRestore,
                "No restore continues with this part: it was given up, because it took too long or "
                    + "the journal grew too much meanwhile, or another began. "
                    + "Begin again with part 0.")
        }
        self.restoring?.owner = sender.provenIdentity
        return restoring.staging
    }
}

extension Server {
    func backup(id: String?, chunk: Int, _ request: Request, _ route: Route) {
        var summaries: [TableSummary] = []
        var id = id
        if id == nil {
            summaries = self.tables.summaries
            let tables = summaries.compactMap { self.tables[$0.table]?.table }
            id = copies.backups.begin(tables, nowMs: ready.monotonicMs)
            note(request)
        }
        guard let id,
            var part = copies.backups.chunk(chunk, of: id, codec: codec, nowMs: ready.monotonicMs)
        else {
            let rejection = Rejection(
                .noSuchSnapshot, "That backup was let go, or has no such chunk: begin again.",
                field: "backup")
            return reply(to: request, route, .refused(rejection))
        }
        part.tables = summaries
        reply(to: request, route, .backup(part))
    }

    /// Carries out one step of a restore. A part or backup that is invalid ends the restore.
    func restore(_ step: RestoreStep, _ request: Request) -> Reply.Answer {
        guard let client = request.client else {
            return .refused(
                .malformed, "Only a client with an id and numbers restores.", field: "client")
        }
        do throws(Rejection) {
            switch step {
            case .parts(let contents, let index):
                try stage(contents, index: index, of: client, request.sender)
                return .done(rows: [], unchanged: false)
            case .finish(let parts, let replaces):
                return try finishRestoring(
                    parts: parts, replaces: replaces, of: client, request.sender)
            }
        } catch {
            var rejection = error
            rejection.field = error.field.map { "\(step.name).\($0)" } ?? step.name
            return .refused(rejection)
        }
    }

    private func stage(
        _ contents: [[UInt8]], index: Int, of client: ID, _ sender: Principal
    ) throws(Rejection) {
        // Recovery knows a restore only by its parts in the journal, so there must be one.
        try require(!contents.isEmpty, or: .badValue, "A step of a restore has at least one part.")
        if index == 0 {
            if copies.isRestoring { copies.hasStaleParts = true }
            copies.restoring = Restoring(
                client: client, owner: sender.provenIdentity, staging: StagedTables(codec: codec),
                beganMs: ready.monotonicMs, usedMs: ready.monotonicMs)
        }
        let staging = try copies.staging(of: client, sender, at: index)
        do throws(Rejection) {
            try copies.checkMemory(for: staging, adding: contents.reduce(0) { $0 + $1.count })
            for content in contents { try staging.add(content, within: limits) }
        } catch {
            letGoOfRestoring()
            throw error
        }
        copies.restoring?.usedMs = ready.monotonicMs
        for (place, content) in contents.enumerated() {
            records.add(
                .staged(
                    client: client, user: sender.provenIdentity, index: index + place,
                    part: content))
        }
    }

    private func finishRestoring(
        parts: Int, replaces: Bool, of client: ID, _ sender: Principal
    ) throws(Rejection) -> Reply.Answer {
        let staging = try copies.staging(of: client, sender, at: parts)
        do throws(Rejection) {
            try copies.checkMemory(for: staging)
            try staging.finish(within: limits)
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
        try bound("tables", count, by: limits.tables)
        let restored = staging.tables.map {
            Ready.Record.Restored(table: $0.name, history: makeID())
        }
        records.add(.restored(restored))
        show(staging, restored)
        copies.restoring = nil
        for one in restored {
            // Viewers of a replaced table see another history; others see that there is a table.
            ready.publications.append(.init(welcome(to: one.table)))
        }
        return .tables(restored.compactMap { tables[$0.table]?.summary })
    }

    private func show(_ staging: StagedTables, _ restored: [Ready.Record.Restored]) {
        for (table, one) in zip(staging.tables, restored) {
            table.begin(history: one.history)
            hold(table)
        }
    }

    /// Gives the restore up, for whoever reads the journal too: its parts in it lead to nothing.
    private func letGoOfRestoring() {
        copies.giveUpRestoring()
        records.add(.restored([]))
    }

    /// Gives up a restore that takes too long, or during which the journal has grown too much: no
    /// checkpoint makes it shorter meanwhile. Whoever restores is told with its next part.
    ///
    /// Only between `begin` and `finish`, since it is journaled. Else another daemon of the service, which
    /// knows the parts too and not how long they take, would go on with them when it writes.
    public func giveUpRestoring(journalGrewBy bytes: UInt64) {
        guard let restoring = copies.restoring, !room.isReadOnly,
            restoring.isOver(nowMs: ready.monotonicMs) || restoring.isOver(journalGrewBy: bytes)
        else { return }
        letGoOfRestoring()
    }

    // MARK: Recovery

    func replayStaged(
        _ part: [UInt8], index: Int, of client: ID, _ user: ProvenID?, _ position: UInt64
    ) throws(RecoveryError) {
        if index == 0 {
            copies.restoring = Restoring(
                client: client, owner: user, staging: StagedTables(codec: codec), beganMs: 0,
                usedMs: 0)
        }
        guard let restoring = copies.restoring, restoring.client == client,
            restoring.staging.parts == index
        else {
            // A daemon of before gave restores up without a word in the journal, and its checkpoint has none
            // of the parts. Another one then went on with them. Nobody sees what is staged, so nothing is
            // missing without it. Only an entry that makes it live cannot be read, and recovery ends there.
            // Nor is what is staged here still the writer's: it has one restore, and that is another.
            copies.giveUpRestoring()
            return
        }
        do throws(Rejection) {
            try restoring.staging.add(part, within: limits, wasChecked: true)
        } catch {
            throw RecoveryError("entry \(position) has a part that does not fit: \(error)")
        }
    }

    func replayRestored(
        _ restored: [Ready.Record.Restored], _ position: UInt64
    ) throws(RecoveryError) {
        // The restore was given up.
        if restored.isEmpty {
            copies.giveUpRestoring()
            return
        }
        guard let staging = copies.restoring?.staging else {
            throw RecoveryError("entry \(position) restores what was not staged")
        }
        do throws(Rejection) {
            try staging.finish(within: limits, wasChecked: true)
        } catch {
            throw RecoveryError("entry \(position) restores what does not fit: \(error)")
        }
        guard staging.tables.map(\.name) == restored.map(\.table) else {
            throw RecoveryError("entry \(position) restores other tables than were staged")
        }
        show(staging, restored)
        copies.restoring = nil
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
