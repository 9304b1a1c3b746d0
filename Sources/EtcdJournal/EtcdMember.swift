package import JournalFormat

/// One daemon's part in a service of several, as a state machine without input or output: time, answers
/// and entries go in, requests to etcd come out. The daemon carries them, and so does a model of etcd in
/// tests.
///
/// There is one leader at a time: the daemon that made the key `leader`, which lives as long as its lease. The
/// revision at which the key was made is the term. Each entry is one transaction that compares the term
/// and the head: so a leader that was stopped and wakes writes nothing. The others are standbys: they read
/// entries as they come, and try to make the key when it is gone.
package struct EtcdMember {
    package struct Settings: Sendable {
        /// The settings that all members have alike.
        package var service: EtcdSettings
        /// The id of this process, drawn at its start.
        package var id: String
        /// Where clients reach it.
        package var endpoints: [String] = []
        package var version = ""

        package init(_ service: EtcdSettings, id: String) {
            (self.service, self.id) = (service, id)
        }
    }

    /// At most one request of each kind is under way.
    package enum Slot: Int, CaseIterable, Sendable { case lease, append, read, upkeep }

    enum Purpose: Equatable {
        case grant, renew
        case append(batch: UInt64)
        case poll(renewedMs: UInt64?)
        case campaign, resign
        case announce, status, piece(String), manifest(String)
        case sweep, oldest, trim(upTo: UInt64), compaction
    }

    struct UnderWay {
        var purpose: Purpose
        var sentMs: UInt64
    }

    struct Lease: Equatable {
        var id: Int64
        var ttlMs: UInt64
        /// It is over then if nobody renews it, by the clock of this machine.
        var untilMs: UInt64
    }

    enum Role: Equatable {
        case standby
        /// The key `leader` is ours, made at this revision.
        case leading(created: Int64)
    }

    package let settings: Settings
    let keys: EtcdKeys
    var underWay: [Slot: UnderWay] = [:]
    /// No request of this kind before: etcd did not answer, or refused.
    var notBeforeMs: [Slot: UInt64] = [:]

    var lease: Lease?
    var renewDueMs: UInt64 = 0
    /// When the renewal was sent that was answered last.
    var renewed: (sentMs: UInt64, ttlMs: UInt64)?
    var role = Role.standby
    /// How often this process has become the leader.
    package internal(set) var takeovers: UInt64 = 0
    /// Leading, and nothing is left that an earlier leader wrote: the turn may write.
    var mayWrite = false
    /// Until then what is here is known to be the service's present state.
    var currentUntilMs: UInt64 = 0
    /// Nobody takes part before the journal was read once.
    package internal(set) var isJoined = false
    /// The fate of a submitted entry, or the next entry, cannot be had: the journal is read anew.
    package internal(set) var isLost = false
    /// A fault that makes it dangerous to go on.
    package internal(set) var fault: String?
    /// Why etcd did not do the latest thing that was asked; nil: it did.
    package internal(set) var trouble: String?

    /// The leader, as far as it is known.
    package internal(set) var leader: EtcdMemberNote?
    /// The revision at which its key was made.
    package internal(set) var leaderCreated: Int64 = 0
    /// The members, by their own keys.
    package internal(set) var members: [EtcdMemberNote] = []
    /// The key `head`, as it is known.
    var head: EtcdHead?
    /// The revision of etcd when the head was read. Answers overtake one another: an older one says nothing new.
    var headRevision: Int64 = 0
    /// The newest entry that was read or written here: up to it all is durable.
    var known = ChainPoint.start
    /// Entries that were read and not taken yet.
    var fetched: [(position: UInt64, payload: [UInt8])] = []
    var fetchedBytes = 0
    /// Up to where the turn has taken them.
    var taken: UInt64 = 0
    var pollDueMs: UInt64 = 0
    var pollLimit = 128
    /// Without an answer between.
    var pollFailures: UInt64 = 0
    /// Not a candidate before: it has stepped down.
    var candidateAtMs: UInt64 = 0
    var isSteppingDown = false
    /// Whether the latest look found no leader.
    var hasSeenNoLeader = false

    // The leader's.
    var queue: [(position: UInt64, entry: [UInt8])] = []
    var batch: Batch?
    var batches: UInt64 = 0
    var upkeep = Upkeep()

    package init(_ settings: Settings) {
        self.settings = settings
        keys = EtcdKeys(name: settings.service.name)
    }

    // MARK: What the journal asks

    /// The term in which the turn may write.
    package var term: UInt64? {
        guard mayWrite, case .leading(let created) = role else { return nil }
        return UInt64(clamping: created)
    }

    package var durable: UInt64 { known.position }

    /// Whether what is here is the present state: for a leader, that nobody else can have written; for
    /// a standby, that it was in touch of late.
    package func isCurrent(nowMs: UInt64) -> Bool {
        // The key may be ours by a campaign that was carried out late: then there may be much to read first.
        nowMs < currentUntilMs && !isLost && !isSteppingDown && (mayWrite || !isLeading)
    }

    package var isLeading: Bool { role != .standby }

    /// Entries that are here and not taken yet, oldest first. They count as taken from now on.
    package mutating func takeEntries(
        after position: UInt64
    ) -> [(position: UInt64, payload: [UInt8])] {
        let some = fetched.filter { $0.position > position }
        (fetched, fetchedBytes) = ([], 0)
        taken = max(taken, known.position)
        writeIfAllIsRead()
        return some
    }

    /// The journal was read up to here.
    package mutating func recovered(_ found: EtcdRecovered) {
        (head, known) = (found.head, found.known)
        headRevision = found.revision
        (fetched, fetchedBytes, taken) = ([], 0, found.known.position)
        (queue, batch) = ([], nil)
        (isJoined, isLost) = (true, false)
        upkeep.recovered(found)
        pollDueMs = 0
        writeIfAllIsRead()
    }

    /// Something may have changed.
    package mutating func wake() { pollDueMs = 0 }

    /// Lets another one write: what is under way is finished first.
    package mutating func stepDown() {
        if case .leading = role { isSteppingDown = true }
    }

    // MARK: Requests

    /// The calls to send now.
    package mutating func calls(nowMs: UInt64) -> [(slot: Slot, call: EtcdCall)] {
        var calls: [(slot: Slot, call: EtcdCall)] = []
        for slot in Slot.allCases where underWay[slot] == nil && nowMs >= notBeforeMs[slot] ?? 0 {
            guard let (purpose, call) = next(slot, nowMs) else { continue }
            underWay[slot] = UnderWay(purpose: purpose, sentMs: nowMs)
            calls.append((slot, call))
        }
        return calls
    }

    private mutating func next(_ slot: Slot, _ nowMs: UInt64) -> (Purpose, EtcdCall)? {
        switch slot {
        case .lease: nextLease(nowMs)
        case .append: nextAppend()
        case .read: isJoined && !isLost ? nextRead(nowMs) : nil
        case .upkeep: isJoined ? nextUpkeep(nowMs) : nil
        }
    }

    /// When to ask for `calls` again though nothing has happened.
    package func wakeAtMs(nowMs: UInt64) -> UInt64 {
        var at = nowMs + 500
        for slot in Slot.allCases where underWay[slot] == nil {
            let due: UInt64 =
                switch slot {
                case .lease: renewDueMs
                case .append: hasToAppend ? 0 : .max
                case .read: pollDueMs
                case .upkeep: upkeep.dueMs
                }
            at = min(at, max(due, notBeforeMs[slot] ?? 0))
        }
        return max(at, nowMs + 1)
    }

    // MARK: Answers

    package mutating func answered(_ slot: Slot, _ answer: EtcdAnswer, nowMs: UInt64) {
        guard let was = underWay.removeValue(forKey: slot) else { return }
        notBeforeMs[slot] = nil
        trouble = nil
        upkeep.revision = max(upkeep.revision, answer.revision)
        switch was.purpose {
        case .grant: granted(answer, was.sentMs)
        case .renew: renewed(answer, was.sentMs)
        case .append(let number): appended(answer, number)
        case .poll(let renewedMs): polled(answer, was.sentMs, renewedMs: renewedMs, nowMs)
        case .campaign: campaigned(answer)
        case .resign: resigned(nowMs)
        case .announce, .status, .piece, .manifest, .sweep, .oldest, .trim, .compaction:
            keptUp(was.purpose, answer)
        }
    }

    package mutating func failed(_ slot: Slot, _ failure: EtcdFailure, nowMs: UInt64) {
        guard let was = underWay.removeValue(forKey: slot) else { return }
        var pauseMs: UInt64 = 50
        switch failure {
        case .noAnswer: break
        case .full:
            upkeep.isFull = true
            pauseMs = 500
        case .tooLarge, .denied: pauseMs = 1_000
        case .compacted, .leaseGone: pauseMs = 0
        }
        if failure == .leaseGone {
            if slot == .lease { loseLease() }
        } else if !(failure == .compacted && was.purpose == .compaction) {
            trouble = failure.text
        }
        notBeforeMs[slot] = nowMs + pauseMs
        switch was.purpose {
        case .poll: pollFailed()
        case .append: appendFailed(failure)
        case .campaign, .resign: pollDueMs = 0
        default: failedUpkeep(was.purpose, nowMs)
        }
    }
}

/// The result of a reading of the whole journal.
package struct EtcdRecovered: Equatable, Sendable {
    package var head: EtcdHead?
    /// The revision of etcd when the head was read.
    package var revision: Int64 = 0
    package var known = ChainPoint.start
    package var manifest: EtcdManifest?
    package var bytesSinceCheckpoint: UInt64 = 0
}
