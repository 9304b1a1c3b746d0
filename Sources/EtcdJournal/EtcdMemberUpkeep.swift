import JournalFormat

// The upkeep beside the entries: checkpoints in pieces, removing what they cover, compacting etcd's
// revisions, looking at its size, and saying that this member is there.

extension EtcdMember {
    struct Upkeep {
        /// A checkpoint that is being written.
        struct Building {
            var name: String
            var covered: ChainPoint
            /// The position of the checkpoint before.
            var previous: UInt64
            var pieces = EtcdPieces()
            var sent = 0
            var isClosed = false
            var isTooLarge = false
            var isDone = false
            /// The number of entries that it covers.
            var entries: UInt64
            var bytes: UInt64
        }

        /// The store's revision in the newest answer.
        var revision: Int64 = 0
        /// The head was read since the key `leader` is ours.
        var hasReadHead = false
        var manifest: EtcdManifest?
        /// The store's revision when the manifest was read.
        var manifestRevision: Int64 = 0
        var building: Building?
        /// More than a checkpoint may hold, when all up to this entry was to be in one.
        var tooLargeAt: UInt64?
        var checkpoints: UInt64 = 0
        var entriesSince: UInt64 = 0
        var bytesSince: UInt64 = 0
        var commits: UInt64 = 0

        /// Etcd has refused to take more.
        var isFull = false
        /// The size of its file.
        var bytes: UInt64 = 0

        /// The position of the oldest entry; nil: to be looked up.
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
            (manifest, manifestRevision) = (found.manifest, found.revision)
            entriesSince = found.known.position - (found.manifest?.covered.position ?? 0)
            bytesSince = found.bytesSinceCheckpoint
            building = nil
        }

        /// This member leads now.
        mutating func begin() {
            hasReadHead = false
            oldest = nil
            (mustSweep, mustTrim) = (true, true)
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
    private static let manyEntries: UInt64 = 10_000

    /// Nothing is changed any more before etcd's space is used up: then not even a lease could be had.
    package var refusesChanges: String? {
        let bytes = upkeep.bytes
        if upkeep.isFull { return "etcd has no space left (NOSPACE)" }
        let quota = UInt64(settings.service.quotaBytes)
        if bytes > quota / 5 * 4 {
            return "etcd holds \(bytes) bytes, four fifths of its quota of \(quota)"
        }
        return nil
    }

    /// Why only changes that make the tables less are taken: no checkpoint holds the tables, and without one entries
    /// are never removed.
    package var refusesMore: String? {
        guard upkeep.tooLargeAt != nil else { return nil }
        return "the tables are larger than a checkpoint may be (max_state_bytes:"
            + " \(settings.service.mostStateBytes)); only removing rows and dropping tables is taken"
    }

    /// After one that was too large: whether another may be smaller.
    var isWorthACheckpoint: Bool { upkeep.tooLargeAt.map { $0 < known.position } ?? true }

    /// Whether a checkpoint is due, or none is; nil: the bytes of the entries say it.
    ///
    /// Many small entries make a start as long as a few large ones. What was too large for a checkpoint is tried
    /// again as soon as something has changed, if it may be by now, and until then not.
    func isCheckpointDue(mayTry: Bool) -> Bool? {
        if refusesMore != nil { return mayTry && isWorthACheckpoint }
        return upkeep.entriesSince >= Self.manyEntries ? true : nil
    }

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
        guard mayWrite, case .leading(let created) = role else { return nil }
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
            .txn(
                fenced(
                    created, [isInForce(upkeep.manifest)],
                    [.put(key: keys.manifest, value: value, lease: 0)],
                    [.range(key: keys.manifest, end: [], limit: 1)]))
        )
    }

    /// A copy that nobody hears of may arrive when the next checkpoint is there already: it must do nothing.
    private func isInForce(_ manifest: EtcdManifest?) -> EtcdTxn.Compare {
        manifest.map { .value(key: keys.manifest, $0.bytes) } ?? .created(key: keys.manifest, 0)
    }

    /// Each name comes after all earlier ones of the service, in the order of keys: a checkpoint covers no less than
    /// the one before, and terms grow.
    private func name(ofCheckpoint number: UInt64) -> String {
        [known.position, term ?? 0, number].map { EtcdKeys.hex($0) }.joined(separator: "-")
    }

    private func manifest(of building: Upkeep.Building) -> EtcdManifest {
        building.pieces.manifest(
            named: building.name, covering: building.covered, previous: building.previous)
    }

    /// Removes the pieces of checkpoints that are not in force, and of none that is yet to be written: a copy of
    /// this may arrive late too.
    private func sweep(_ created: Int64) -> (Purpose, EtcdCall)? {
        guard upkeep.building == nil else { return nil }
        let next = keys.piecesBegin(name(ofCheckpoint: upkeep.checkpoints + 1))
        var steps = [EtcdTxn.Op.delete(key: keys.pieces, end: next)]
        if let name = upkeep.manifest?.name {
            steps = [
                .delete(key: keys.pieces, end: keys.piecesBegin(name)),
                .delete(key: keys.piecesEnd(name), end: next),
            ]
        }
        return (.sweep, .txn(fenced(created, [isInForce(upkeep.manifest)], steps)))
    }

    /// The checkpoint in force, which another member may have written.
    mutating func note(manifest found: [EtcdPair]?, _ revision: Int64) {
        guard let found, revision >= upkeep.manifestRevision else { return }
        upkeep.manifestRevision = revision
        let value = found.first?.value
        guard value != upkeep.manifest?.bytes else { return }
        guard let manifest = value.flatMap({ EtcdManifest($0) }) else {
            fault =
                "the key \(keys.prefix)checkpoint holds something that this version does not know"
            return
        }
        // Ours, though no answer had said so.
        if let building = upkeep.building, building.name == manifest.name {
            return checkpointIsComplete(revision)
        }
        upkeep.manifest = manifest
        upkeep.tooLargeAt = nil
        let before = upkeep.entriesSince
        upkeep.entriesSince = known.position - min(manifest.covered.position, known.position)
        // About so many: those of each entry are not kept. What etcd holds cannot make it more.
        upkeep.bytesSince = upkeep.bytesSince / max(before, 1) * min(upkeep.entriesSince, before)
    }

    /// Removes entries one checkpoint behind: a standby that is a little late still finds them.
    private func trim(_ created: Int64) -> (Purpose, EtcdCall)? {
        guard let oldest = upkeep.oldest else {
            return (.oldest, .range(key: keys.log, end: keys.logEnd, limit: 1, revision: 0))
        }
        let upTo = min(upkeep.manifest?.previous ?? 0, oldest + Self.mostTrimmed - 1)
        guard upTo >= oldest else { return nil }
        let step = EtcdTxn.Op.delete(key: keys.log, end: keys.entry(upTo + 1))
        return (.trim(upTo: upTo), .txn(fenced(created, [], [step])))
    }

    mutating func keptUp(_ purpose: Purpose, _ answer: EtcdAnswer) {
        switch (purpose, answer.body) {
        case (.announce, .txn(_, let found)):
            let pairs = found.compactMap { $0 }.last ?? []
            members = pairs.compactMap { EtcdMemberNote($0.value) }
        case (.status, .status(let bytes, let isFull)):
            (upkeep.bytes, upkeep.isFull) = (bytes, isFull)
        case (.piece(let name), .txn(true, _))
        where upkeep.building?.name == name && upkeep.building?.isTooLarge == false:
            upkeep.building?.pieces.waiting.removeFirst()
            upkeep.building?.sent += 1
        case (.manifest(let name), .txn(true, _)) where upkeep.building?.name == name:
            checkpointIsComplete(answer.revision)
        case (.manifest(let name), .txn(false, let found)) where upkeep.building?.name == name:
            // An earlier copy of it may have been carried out.
            let value = found.count == 3 ? found[2]?.first?.value : nil
            if value == upkeep.building.map({ manifest(of: $0).bytes }) {
                checkpointIsComplete(answer.revision)
            }
            pollDueMs = 0
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
        upkeep.building = Upkeep.Building(
            name: name(ofCheckpoint: upkeep.checkpoints), covered: known,
            previous: upkeep.manifest?.covered.position ?? 0, entries: upkeep.entriesSince,
            bytes: upkeep.bytesSince)
    }

    package mutating func appendToCheckpoint(_ part: [UInt8]) {
        guard var building = upkeep.building else { return }
        upkeep.building = nil
        building.pieces.add(part)
        building.isTooLarge = building.pieces.partBytes > settings.service.mostStateBytes
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
            if building.isTooLarge { upkeep.mustSweep = true }
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
        upkeep.mustSweep = true
    }

    private mutating func checkpointIsComplete(_ revision: Int64) {
        guard let building = upkeep.building, !building.isDone else { return }
        upkeep.manifest = manifest(of: building)
        upkeep.manifestRevision = max(upkeep.manifestRevision, revision)
        upkeep.building?.isDone = true
        upkeep.tooLargeAt = nil
        upkeep.entriesSince -= min(upkeep.entriesSince, building.entries)
        upkeep.bytesSince -= min(upkeep.bytesSince, building.bytes)
        upkeep.mustSweep = true
        let target = upkeep.manifest?.previous ?? 0
        upkeep.mustTrim = upkeep.oldest.map { $0 <= target } ?? true
    }
}
