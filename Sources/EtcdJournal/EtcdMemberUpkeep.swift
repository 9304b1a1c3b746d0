import JournalFormat

// What is done beside the entries: checkpoints in pieces, removing what they cover, compacting etcd's
// revisions, looking at its size, and saying that this member is there.

extension EtcdMember {
    struct Upkeep {
        /// A checkpoint that is being written.
        struct Building {
            var name: String
            var covered: ChainPoint
            var pieces = EtcdPieces()
            var sent = 0
            var isClosed = false
            var isTooLarge = false
            var isDone = false
            /// Of entries that it covers.
            var entries: UInt64
            var bytes: UInt64
        }

        /// As of the newest answer.
        var revision: Int64 = 0
        /// The head was read since the key `leader` is ours.
        var hasReadHead = false
        var manifest: EtcdManifest?
        var building: Building?
        /// More than a checkpoint may hold, when all up to this entry was to be in one.
        var tooLargeAt: UInt64?
        var checkpoints: UInt64 = 0
        var entriesSince: UInt64 = 0
        var bytesSince: UInt64 = 0
        var commits: UInt64 = 0

        /// Etcd has refused to take more.
        var isFull = false
        /// The size of its file, and its version.
        var bytes: UInt64 = 0
        var version = ""

        /// Of the oldest entry; nil: to be looked up.
        var oldest: UInt64?
        var mustSweep = false
        var mustTrim = false
        var announceDueMs: UInt64 = 0
        var statusDueMs: UInt64 = 0
        var compactionDueMs: UInt64 = 0
        var compacted: Int64 = 0

        var dueMs: UInt64 {
            let isBusy =
                building.map { !$0.pieces.waiting.isEmpty || $0.isClosed && !$0.isDone } ?? false
            let isTidying = mustSweep && building == nil || mustTrim
            return isBusy || isTidying ? 0 : min(announceDueMs, statusDueMs)
        }

        mutating func grew(by more: Int, entries: Int = 1) {
            entriesSince += UInt64(entries)
            bytesSince += UInt64(more)
        }

        mutating func recovered(_ found: EtcdRecovered) {
            manifest = found.manifest
            entriesSince = found.known.position - (found.manifest?.covered.position ?? 0)
            bytesSince = found.bytesSinceCheckpoint
            building = nil
        }

        /// This member leads now.
        mutating func begin() {
            hasReadHead = false
            oldest = nil
            (mustSweep, mustTrim) = (manifest != nil, manifest != nil)
        }

        mutating func end() {
            hasReadHead = false
            building = nil
            (mustSweep, mustTrim) = (false, false)
        }
    }

    private static let announceMs: UInt64 = 2_000
    private static let statusMs: UInt64 = 5_000
    private static let compactionMs: UInt64 = 300_000
    private static let mostTrimmed: UInt64 = 1_000

    /// Nothing is changed any more before etcd's space is used up: then not even a lease could be had.
    package var refusesChanges: String? {
        let bytes = upkeep.bytes
        if upkeep.isFull { return "etcd has no space left (NOSPACE)" }
        if bytes > settings.quotaBytes / 5 * 4 {
            return "etcd holds \(bytes) bytes, four fifths of its quota of \(settings.quotaBytes)"
        }
        return nil
    }

    /// What does not make the tables less is not taken: no checkpoint holds them, and without one entries
    /// are never removed.
    package var refusesMore: String? {
        guard upkeep.tooLargeAt != nil else { return nil }
        return "the tables are larger than a checkpoint may be (max_state_bytes:"
            + " \(settings.mostStateBytes)); only removing rows and dropping tables is taken"
    }

    /// After one that was too large: whether another may be smaller.
    var isWorthACheckpoint: Bool { upkeep.tooLargeAt.map { $0 < known.position } ?? true }

    mutating func nextUpkeep(_ nowMs: UInt64) -> (Purpose, EtcdCall)? {
        if nowMs >= upkeep.announceDueMs, let lease {
            upkeep.announceDueMs = nowMs + Self.announceMs
            return (
                .announce,
                .txn(
                    EtcdTxn(success: [
                        .put(key: keys.member(settings.id), value: note.bytes, lease: lease.id),
                        .range(key: keys.members, end: keys.membersEnd, limit: 64),
                    ]))
            )
        }
        if nowMs >= upkeep.statusDueMs {
            upkeep.statusDueMs = nowMs + Self.statusMs
            return (.status, .status)
        }
        guard isWriter, case .leading(let created) = role else { return nil }
        if let call = nextOfCheckpoint(created) { return call }
        if upkeep.mustSweep, let call = sweep(created) { return call }
        if upkeep.mustTrim, let call = trim(created) { return call }
        if nowMs >= upkeep.compactionDueMs, upkeep.revision > upkeep.compacted {
            upkeep.compactionDueMs = nowMs + Self.compactionMs
            upkeep.compacted = upkeep.revision
            return (.compaction, .compact(revision: upkeep.revision))
        }
        return nil
    }

    private func nextOfCheckpoint(_ created: Int64) -> (Purpose, EtcdCall)? {
        guard let building = upkeep.building else { return nil }
        if let piece = building.pieces.waiting.first {
            let key = keys.piece(building.name, building.sent)
            return (
                .piece(building.name),
                .txn(fenced(created, [], [.put(key: key, value: piece, lease: 0)]))
            )
        }
        guard building.isClosed, !building.isDone else { return nil }
        let value = manifest(of: building).bytes
        return (
            .manifest(building.name),
            .txn(fenced(created, [], [.put(key: keys.manifest, value: value, lease: 0)]))
        )
    }

    private func manifest(of building: Upkeep.Building) -> EtcdManifest {
        building.pieces.manifest(
            named: building.name, covering: building.covered,
            previous: upkeep.manifest?.covered.position ?? 0)
    }

    /// Removes the pieces of checkpoints that are not in force.
    private func sweep(_ created: Int64) -> (Purpose, EtcdCall)? {
        guard let name = upkeep.manifest?.name, upkeep.building == nil else { return nil }
        return (
            .sweep,
            .txn(
                fenced(
                    created, [],
                    [
                        .delete(key: keys.pieces, end: keys.piecesBegin(name)),
                        .delete(key: keys.piecesEnd(name), end: keys.piecesEnd),
                    ]))
        )
    }

    /// Removes entries one checkpoint behind: a follower that is a little late still finds them.
    private func trim(_ created: Int64) -> (Purpose, EtcdCall)? {
        guard let oldest = upkeep.oldest else {
            return (.oldest, .range(key: keys.log, end: keys.logEnd, limit: 1, revision: 0))
        }
        let upTo = min(upkeep.manifest?.previous ?? 0, oldest + Self.mostTrimmed - 1)
        guard upTo >= oldest else { return nil }
        let step = EtcdTxn.Op.delete(key: keys.log, end: keys.entry(upTo + 1))
        return (.trim(upTo: upTo), .txn(fenced(created, [], [step])))
    }

    mutating func keptUp(_ purpose: Purpose, _ answer: EtcdAnswer, _ nowMs: UInt64) {
        switch (purpose, answer.body) {
        case (.announce, .txn(_, let found)):
            let pairs = found.compactMap { $0 }.last ?? []
            members = pairs.compactMap { EtcdMemberNote($0.value) }
        case (.status, .status(let version, let bytes, let isFull)):
            (upkeep.version, upkeep.bytes) = (version, bytes)
            upkeep.isFull = isFull
        case (.piece(let name), .txn(true, _))
        where upkeep.building?.name == name && upkeep.building?.isTooLarge == false:
            upkeep.building?.pieces.waiting.removeFirst()
            upkeep.building?.sent += 1
        case (.manifest(let name), .txn(true, _)) where upkeep.building?.name == name:
            checkpointIsComplete()
        case (.sweep, .txn(true, _)): upkeep.mustSweep = false
        case (.oldest, .range(let pairs, _)):
            upkeep.oldest = pairs.first.flatMap { keys.place(of: $0.key)?.position }
            let target = upkeep.manifest?.previous ?? 0
            upkeep.mustTrim = upkeep.oldest.map { $0 <= target } ?? false
        case (.trim(let upTo), .txn(true, _)):
            upkeep.oldest = upTo + 1
            upkeep.mustTrim = upTo < upkeep.manifest?.previous ?? 0
        case (_, .txn(false, _)):
            // The key is another's: a look tells.
            pollDueMs = 0
        default: break
        }
    }

    mutating func failedUpkeep(_ purpose: Purpose, _ nowMs: UInt64) {
        if purpose == .announce { upkeep.announceDueMs = nowMs + 200 }
    }

    // MARK: Checkpoints

    package mutating func beginCheckpoint() {
        upkeep.checkpoints += 1
        let name =
            EtcdKeys.hex(known.position) + "-" + EtcdKeys.hex(term ?? 0, digits: 1)
            + "-\(upkeep.checkpoints)"
        upkeep.building = Upkeep.Building(
            name: name, covered: known, entries: upkeep.entriesSince, bytes: upkeep.bytesSince)
    }

    package mutating func appendToCheckpoint(_ part: [UInt8]) {
        guard var building = upkeep.building else { return }
        upkeep.building = nil
        building.pieces.add(part)
        building.isTooLarge = building.pieces.partBytes > settings.mostStateBytes
        if building.isTooLarge {
            // The rest of it is not kept: it would be for nothing.
            building.pieces.discard()
            upkeep.tooLargeAt = building.covered.position
        }
        upkeep.building = building
    }

    /// True when it is in force; asked again and again.
    package mutating func finishCheckpoint() -> Bool {
        guard let building = upkeep.building else { return true }
        if building.isTooLarge || building.isDone {
            upkeep.building = nil
            if building.isTooLarge { upkeep.mustSweep = upkeep.manifest != nil }
            return true
        }
        if !building.isClosed {
            upkeep.building?.pieces.close()
            upkeep.building?.isClosed = true
        }
        return false
    }

    package mutating func abandonCheckpoint() {
        upkeep.building = nil
        upkeep.mustSweep = upkeep.manifest != nil
    }

    private mutating func checkpointIsComplete() {
        guard let building = upkeep.building else { return }
        upkeep.manifest = manifest(of: building)
        upkeep.building?.isDone = true
        upkeep.tooLargeAt = nil
        upkeep.entriesSince -= min(upkeep.entriesSince, building.entries)
        upkeep.bytesSince -= min(upkeep.bytesSince, building.bytes)
        upkeep.mustSweep = true
        let target = upkeep.manifest?.previous ?? 0
        upkeep.mustTrim = upkeep.oldest.map { $0 <= target } ?? true
    }
}
