package import JournalPort

/// The journal of several daemons: entries are keys of etcd, one transaction for all that have come
/// meanwhile. What it does is decided in `EtcdMember`; here it is carried out, in the daemon's one thread.
///
/// An unknown outcome is settled here: the same bytes are sent until it is decided. So a turn only hears
/// that an entry is durable, or that its term is over.
package final class EtcdJournal: Journal {
    private let link: EtcdLink
    /// The service and its members, as far as they are known.
    package private(set) var member: EtcdMember
    private let settings: EtcdSettings
    /// Kept as long as the journal: whoever opened it holds it for this process alone.
    private let held: AnyObject?
    /// Called with each portion that is read while nothing else is done.
    package var goesOn: () -> Void = {}
    private var isClosed = false
    private var hasBeenRead = false
    /// The time of the next checkpoint, after one that was too large.
    private var nextTryMs: UInt64 = 0
    private static let triesEveryMs: UInt64 = 3_000
    /// The bounds of the next reading: smaller after one that was given up, since it begins anew.
    private var portion = EtcdReading.usual

    /// For the reading of the whole, over all members of etcd.
    private static let readingMs: UInt64 = 20_000
    /// How long a reading may take in a daemon that serves.
    private static let rereadingMs: UInt64 = 2_000

    /// Nothing is asked of etcd before `recover`.
    ///
    /// - Throws: `EtcdJournalError`.
    package init(
        _ settings: EtcdSettings, endpoints: [String], version: String, holding: AnyObject? = nil
    ) throws {
        self.settings = settings
        held = holding
        link = try EtcdLink(settings)
        var own = EtcdMember.Settings(settings, id: EtcdKeys.hex(.random(in: 1 ... .max)))
        own.endpoints = settings.advertise.isEmpty ? endpoints : settings.advertise
        own.version = version
        member = EtcdMember(own)
    }

    // MARK: Entries

    package var term: UInt64? { member.term }
    package var durable: UInt64 { member.durable }
    package var descriptor: Int32? { link.descriptor }

    package var isFollowed: Bool { true }
    package var isCurrent: Bool { member.isCurrent(nowMs: EtcdLink.elapsedMs) }

    package func submit(_ entry: [UInt8], position: UInt64, term: UInt64) throws {
        try writable()
        member.submit(entry, position: position, term: term)
        carry()
    }

    package func news() throws -> JournalNews {
        try writable()
        carry()
        if let fault = member.fault { throw EtcdJournalError.fault(fault) }
        return member.isLost ? .refused : .underWay
    }

    package func entries(
        after position: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        for (position, payload) in member.takeEntries(after: position) {
            try payload.withUnsafeBytes { try body(position, $0) }
        }
    }

    /// Takes what etcd has answered, and sends what is to be sent.
    private func carry() {
        for (slot, result) in link.work() {
            let nowMs = EtcdLink.elapsedMs
            switch result {
            case .success(let answer): member.answered(slot, answer, nowMs: nowMs)
            case .failure(let failure): member.failed(slot, failure, nowMs: nowMs)
            }
        }
        let keys = member.keys
        if member.isLeading || !hasBeenRead {
            link.stopWatching()
        } else if link.hasChanged(key: keys.head, end: keys.wakeEnd) {
            member.wake()
        }
        let nowMs = EtcdLink.elapsedMs
        link.readPatienceMs = Int(member.readPatienceMs)
        for (slot, call) in member.calls(nowMs: nowMs) { link.send(call, for: slot) }
        link.wake(inMs: member.wakeAtMs(nowMs: nowMs) - nowMs)
    }

    package var figures: JournalFigures {
        let upkeep = member.upkeep
        return JournalFigures(
            position: member.durable, entries: upkeep.entriesSince,
            checkpoint: upkeep.manifest?.covered.position, bytesSinceCheckpoint: upkeep.bytesSince,
            bytesOnDisk: upkeep.bytes, commits: upkeep.commits,
            isCheckpointDue: member.isCheckpointDue(mayTry: EtcdLink.elapsedMs >= nextTryMs))
    }

    // MARK: Checkpoints

    package func beginCheckpoint() throws {
        try writable()
        member.beginCheckpoint()
    }

    package func appendToCheckpoint(_ part: [UInt8]) throws {
        try writable()
        member.appendToCheckpoint(part)
    }

    package func finishCheckpoint() throws -> Bool {
        try writable()
        let isOver = member.finishCheckpoint()
        if isOver { nextTryMs = EtcdLink.elapsedMs + Self.triesEveryMs }
        return isOver
    }

    package func abandonCheckpoint() throws { member.abandonCheckpoint() }

    /// Nothing: the leader removes by itself what a checkpoint covers, one checkpoint behind.
    package func compact(before position: UInt64, atMost: Int) throws -> Int { 0 }

    // MARK: The whole

    package func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary {
        try writable()
        var reading = reading(most: portion)
        portion = EtcdReading.usual
        let summary: JournalSummary
        do {
            summary = try read(&reading, body)
        } catch let error as JournalUnavailable {
            portion = reading.less
            throw error
        }
        member.recovered(reading.found)
        hasBeenRead = true
        carry()
        return summary
    }

    package func verification() throws -> any Verification {
        // Small answers: each is looked at within a turn.
        EtcdVerification(link) { [unowned self] in reading(most: (2, 200)) }
    }

    private func reading(most: EtcdReading.Portion) -> EtcdReading {
        EtcdReading(keys: member.keys, mostBytes: settings.mostReadBytes, most: most)
    }

    /// Asks and waits. Whoever begins waits for long; a daemon that serves has to go on beating, and asks
    /// again later.
    private func read(
        _ reading: inout EtcdReading, _ body: (Recovered) throws -> Void
    ) throws -> JournalSummary {
        do {
            let ms = hasBeenRead ? Self.rereadingMs : Self.readingMs
            return try link.readAll(&reading, patienceMs: ms, goesOn: goesOn, body)
        } catch EtcdFailure.compacted {
            throw JournalMoved()
        } catch let error as EtcdFailure {
            if hasBeenRead { throw JournalUnavailable("etcd does not answer: \(error.text)") }
            throw EtcdJournalError.unreachable(error.text)
        }
    }

    // MARK: The service

    /// Entries that are known to be there and not here. The leader's head may be ahead of what it knows to be
    /// durable: that is its own entry, which is under way.
    package var lag: UInt64 {
        member.isLeading ? 0 : max(member.head?.position ?? 0, durable) - durable
    }
    /// The member of etcd that is asked at present.
    package var endpoint: String { link.endpoint }
    /// The term of the leader, here or elsewhere; 0: none is known.
    package var leadersTerm: UInt64 {
        member.leader == nil ? 0 : UInt64(clamping: member.leaderCreated)
    }

    package var leaders: [String] { member.leader?.endpoints ?? [] }
    package var refusesChanges: String? { member.refusesChanges }
    package var refusesMore: String? { member.refusesMore }

    /// Lets another daemon write, if this one does.
    package func stepDown() { member.stepDown() }

    /// Gives the lease back, so that another writes at once.
    package func close() throws {
        guard !isClosed else { return }
        isClosed = true
        link.stopWatching()
        guard let lease = member.lease else { return }
        _ = try? link.ask(.revoke(lease: lease.id), untilMs: EtcdLink.monotonicMs + 1_000)
    }

    private func writable() throws {
        guard !isClosed else { throw EtcdJournalError.fault("it is closed") }
    }
}
