import JournalPort
import Logging
import TableJournal
import TableModel
import TableSync
import TableTurn

/// A daemon and its standbys: what `health`, figures and the log say of them. It is the daemon's whose journal is in
/// its state directory, whether it follows another or is followed.
final class StandbyService {
    /// The journal of a standby; nil: this daemon has an ordinary one.
    let journal: FollowedJournal?
    let feed: StandbyFeed
    /// Where clients reach this daemon.
    private let endpoints: [String]
    private let duty: DutyFile
    private let server: () -> Server
    /// A standby was promoted, and this daemon writes no more: the term, and where that one is reached.
    private(set) var fence: (term: UInt64, by: [String])?
    private var role = ""

    init(
        _ journal: FollowedJournal?, _ feed: StandbyFeed, _ duty: DutyFile, endpoints: [String],
        server: @escaping () -> Server
    ) {
        (self.journal, self.feed, self.duty) = (journal, feed, duty)
        (self.endpoints, self.server) = (endpoints, server)
    }

    /// A copy of another daemon's journal is no journal to begin writing in: nobody would know of it.
    static func refuseIfStandby(_ duty: DutyFile, _ path: String) throws {
        switch try duty.read() {
        case .none, .leading, .fenced: return
        case .following, .promoting:
            throw DaemonError(
                .badConfiguration,
                "\(path) is a standby's, and the configuration has no `journal.follow`: start it with"
                    + " that, and promote it first (docs/STANDBY.md)")
        }
    }

    var isLeading: Bool { fence == nil && journal?.isLeading ?? true }

    /// Whether this daemon follows, or a standby waits for its answer: nearly none does.
    @inline(__always)
    var isAtWork: Bool { journal != nil || feed.isAwaited }

    /// Milliseconds until somebody who waits is due.
    var untilNext: Int? {
        // Nearly nobody waits, and to ask for the time costs.
        feed.isAwaited ? feed.untilNext(Clock.elapsedMs).map { Int(clamping: $0) } : nil
    }

    // MARK: Fencing

    /// A standby was promoted: this daemon writes no more, now and after a restart. False: it is known.
    func takeFence(_ term: UInt64, by endpoints: [String], _ log: DaemonLog) throws -> Bool {
        if let journal {
            let wasLeading = journal.isLeading
            try journal.stepDown(term)
            return wasLeading
        }
        guard fence?.term != term || fence?.by != endpoints else { return false }
        try duty.write(.fenced(term, by: endpoints))
        log.lines.critical(
            "a standby was promoted: this daemon writes no more",
            metadata: ["term": "\(term)", "at": "\(endpoints.joined(separator: " "))"])
        putInForce(term, by: endpoints)
        return true
    }

    /// Puts the fence of before the start into force again.
    func recoverFence() throws {
        if case .fenced(let term, let by) = try duty.read() { putInForce(term, by: by) }
    }

    private func putInForce(_ term: UInt64, by endpoints: [String]) {
        fence = (term, endpoints)
        server().duty = .standby(leader: endpoints)
        server().changeRole()
    }

    // MARK: What is told

    /// The role, if it is another one than before.
    func turn(position: UInt64, _ log: DaemonLog) -> String? {
        guard let fresh = present, fresh != role else { return nil }
        role = fresh
        log.lines.notice(
            "role: \(fresh)",
            metadata: ["term": "\(server().term.number)", "position": "\(position)"])
        return fresh
    }

    /// Nil: an ordinary daemon has no role.
    private var present: String? {
        if fence != nil { return "fenced" }
        guard let journal else { return nil }
        if journal.isLeading { return "leader" }
        return journal.isInTouch ? "standby" : "out of touch"
    }

    /// For `health`; nil: nobody follows, and nothing is followed.
    var cluster: Health.Cluster? {
        let (server, members) = (server(), feed.members)
        if journal == nil, fence == nil, members.isEmpty, server.term == Server.Term() {
            return nil
        }
        var cluster = Health.Cluster()
        cluster.role = fence != nil ? "fenced" : isLeading ? "leader" : "standby"
        cluster.term = isLeading ? server.term.number : 0
        cluster.lag = journal?.lag ?? 0
        cluster.isOutOfTouch = journal.map { !$0.isCurrent } ?? false
        cluster.leader = fence?.by ?? journal?.leaders ?? endpoints
        if let journal, !journal.isLeading, journal.isInTouch {
            cluster.members.append(
                .init(
                    id: "", endpoints: [journal.settings.endpoint],
                    position: journal.other.position, version: "", term: server.term.number))
        }
        cluster.members.append(
            .init(
                id: "\(server.epoch)", endpoints: endpoints, position: server.position,
                version: Daemon.programVersion, term: cluster.term))
        cluster.members += members.map { one in
            .init(
                id: one.asked.id, endpoints: one.asked.endpoints, position: one.position,
                version: one.asked.version)
        }
        return cluster
    }

    /// For `stats`.
    func tell(in stats: inout Stats) {
        let (members, newest) = (feed.members, server().position)
        stats.gauges["standbys"] = UInt64(members.count)
        if let journal, !journal.isLeading {
            stats.gauges["standby_lag"] = journal.lag
            stats.gauges["standby_lag_ms"] = journal.lagMs
        } else {
            let lags = members.map { newest - min(newest, $0.position) }
            stats.gauges["standby_lag"] = lags.max() ?? 0
            stats.gauges["standby_lag_ms"] = members.map(\.lagMs).max() ?? 0
        }
        guard let cluster else { return }
        stats.gauges["cluster_leader"] = isLeading ? 1 : 0
        // A fenced daemon shows an old state.
        stats.gauges["cluster_in_touch"] = cluster.isOutOfTouch || fence != nil ? 0 : 1
        stats.gauges["cluster_term"] = server().term.number
        stats.gauges["cluster_members"] = UInt64(cluster.members.count)
        stats.gauges["cluster_lag"] = cluster.lag
    }
}

extension Daemon {
    /// Sets up what standbys ask of this daemon, where the journal is a log.
    func serveStandbys(
        _ journal: any Journal, _ duty: DutyFile, _ configuration: Configuration
    ) throws {
        guard membership.service == nil else { return }
        let followed = journal as? FollowedJournal
        let plain = journal as? LogJournal
        // A daemon that asks again and again is noted once.
        var refusedFence: String?
        let feed = StandbyFeed(
            log, reign: { [unowned turn] in turn.server.term },
            fence: { [unowned self] asked, sender, origin in
                // A promoted standby goes on with the log that it copied, and names that log's number.
                guard let number = (plain ?? followed?.local)?.logNumber,
                    asked.place?.log == number, !asked.endpoints.isEmpty, asked.term < .max
                else {
                    if refusedFence != asked.id {
                        refusedFence = asked.id
                        let code = StandbyFeed.refusedFence.code.rawValue
                        log.note(AuditEntry(sender, from: origin, verb: "fence", refusedAs: code))
                    }
                    return StandbyFeed.refusedFence
                }
                if try membership.standby?.takeFence(asked.term, by: asked.endpoints, log) == true {
                    log.note(AuditEntry(sender, from: origin, verb: "fence", refusedAs: nil))
                }
                return nil
            },
            source: { [unowned self] in
                guard membership.standby?.isLeading == true else { return nil }
                return plain ?? followed?.local
            })
        let service = StandbyService(
            followed, feed, duty, endpoints: configuration.shownEndpoints
        ) { [unowned turn] in turn.server }
        membership.standby = service
        feed.origin = { [unowned outbox] in outbox.origin(of: $0) }
        outbox.feed = feed
        if followed == nil { try service.recoverFence() }
    }

    /// Makes a standby the daemon that writes, as a request asks.
    func promote(for sender: Principal, from origin: String) -> Reply.Answer {
        let refusal =
            if let journal = membership.standby?.journal {
                journal.refusalOfPromotion
            } else {
                "This daemon is no standby: its configuration has no `journal.follow`."
            }
        let rejection = refusal.map { Rejection(.notStandby, $0) }
        log.note(
            AuditEntry(sender, from: origin, verb: "promote", refusedAs: rejection?.code.rawValue))
        if let rejection { return .refused(rejection) }
        guard let journal = membership.standby?.journal else {
            return .refused(StandbyFeed.refusal)
        }
        do {
            let promotion = try journal.promote(
                server.promotion(timeMs: Clock.wallMs), server.term.number + 1)
            log.lines.warning(
                "promoted: this daemon writes from now on",
                metadata: [
                    "term": "\(promotion.term)", "position": "\(promotion.position)",
                    "missing": "\(promotion.missing)", "silent_ms": "\(promotion.silentMs)",
                ])
            return .promoted(promotion)
        } catch {
            // The log takes nothing more after a failure: the next turn ends the process.
            log.lines.critical("the promotion failed", metadata: ["fault": "\(error)"])
            isStopping = true
            return .refused(.unknown, "The promotion failed: \(error).")
        }
    }
}
