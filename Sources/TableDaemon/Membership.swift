import EtcdJournal
import Logging
import TableModel
import TableSync

/// One daemon of several that share a journal: what the log, `health` and `systemctl status` say of it. Without a
/// service it is alone, and has nothing to say.
final class Membership {
    /// The journal of several daemons; nil: it is not on etcd.
    let service: EtcdJournal?
    /// The daemon that this one follows and its standbys, where the journal is in the state directory.
    var standby: StandbyService?
    /// The role that was told last; empty: none was.
    private(set) var role = ""
    /// Why the journal takes nothing more, as it was said last.
    private(set) var refusal: String?
    private var leader = ""
    private var trouble = ""
    private var term: UInt64?
    private var nextLookMs: UInt64 = 0
    private var nextTroubleMs: UInt64 = 0
    /// A request asks that another daemon lead. It is answered first.
    private var isToStepDown = false
    private let log: DaemonLog

    /// Between two looks, unless the term is another one.
    private static let lookMs: UInt64 = 100
    /// One line in so long tells of etcd's faults, which alternate.
    private static let troubleMs: UInt64 = 10_000

    init(_ service: EtcdJournal?, _ log: DaemonLog) { (self.service, self.log) = (service, log) }

    /// Says what has changed since it was said last, and steps down if a request asked for it. Called with each turn,
    /// and cheap where there is nothing to say.
    func turn(position: UInt64) {
        if isToStepDown { stepDown() }
        guard let service else {
            if let fresh = standby?.turn(position: position, log) { role = fresh }
            return
        }
        let nowMs = Clock.monotonicMs
        guard nowMs >= nextLookMs || service.term != term else { return }
        (nextLookMs, term) = (nowMs + Self.lookMs, service.term)
        tell(of: service, position, nowMs)
    }

    private func tell(of service: EtcdJournal, _ position: UInt64, _ nowMs: UInt64) {
        let before = (role: role, leader: leader)
        let (term, isCurrent) = (service.term, service.isCurrent)
        role =
            switch (term != nil, isCurrent) {
            case (true, true): "leader"
            case (true, false): "suspended"
            case (false, true): "standby"
            case (false, false): "out of touch"
            }
        leader = service.leaders.joined(separator: " ")
        if role != before.role {
            log.lines.notice(
                "role: \(role)",
                metadata: [
                    "term": "\(term ?? 0)", "position": "\(position)", "leader": "\(leader)",
                ])
        } else if leader != before.leader, term == nil {
            log.lines.info("leader: \(leader.isEmpty ? "nobody" : leader)")
        }
        // Only what lasts: a member of etcd that is down costs one request.
        if isCurrent {
            trouble = ""
        } else if let fresh = service.member.trouble, nowMs >= nextTroubleMs {
            nextTroubleMs = nowMs + Self.troubleMs
            if fresh != trouble, !fresh.isEmpty {
                log.lines.warning("etcd: \(fresh)", metadata: ["endpoint": "\(service.endpoint)"])
            }
            trouble = fresh
        }
    }

    /// Lets another daemon lead, as a signal or a request asks.
    func stepDown() {
        isToStepDown = false
        guard let service, service.term != nil else {
            return log.lines.notice("asked to step down, and it does not write")
        }
        log.lines.notice("stepping down")
        service.stepDown()
    }

    /// Says that the journal takes nothing more, for a reason that may become another one, or does again.
    ///
    /// - Returns: whether the reason is another one than before.
    func tell(ofRefusal fresh: String?) -> Bool {
        guard fresh != refusal else { return false }
        // A sentence whose numbers have changed is no news for the log.
        let isNews = fresh?.withoutDigits != refusal?.withoutDigits
        refusal = fresh
        if let fresh {
            if isNews { log.lines.error("read-only: \(fresh)") }
        } else {
            log.lines.notice("changes are taken again")
        }
        return true
    }

    /// For `health`.
    var cluster: Health.Cluster? {
        guard let service else { return standby?.cluster }
        let (member, isCurrent) = (service.member, service.isCurrent)
        var cluster = Health.Cluster()
        // One that cannot prove that it still writes answers nothing else either.
        cluster.role = member.term != nil && isCurrent ? "leader" : "standby"
        cluster.term = member.term ?? 0
        cluster.lag = service.lag
        cluster.isOutOfTouch = !isCurrent
        cluster.leader = service.leaders
        cluster.members = member.members.map {
            Health.Cluster.Member(
                id: $0.id, endpoints: $0.endpoints, position: $0.position, version: $0.version,
                term: $0.id == member.leader?.id ? service.leadersTerm : 0)
        }
        return cluster
    }

    /// Answers a request that another daemon lead. That is done behind this turn: the answer comes first.
    func stepDown(for sender: Principal, from origin: String) -> Reply.Answer {
        let rejection: Rejection? =
            if let member = service?.member {
                member.members.contains { $0.id != member.settings.id }
                    ? nil
                    : Rejection(
                        .noOtherDaemon,
                        "No other daemon of the service is there: nobody would write.")
            } else {
                Rejection(
                    .noOtherDaemon, "This daemon is no service of several: it has its own journal.")
            }
        log.note(
            AuditEntry(sender, from: origin, verb: "stepDown", refusedAs: rejection?.code.rawValue))
        if let rejection { return .refused(rejection) }
        isToStepDown = true
        return .done(rows: [], unchanged: false)
    }

    /// For `stats`.
    func tell(in stats: inout Stats) {
        guard let service else {
            standby?.tell(in: &stats)
            return
        }
        let (term, isCurrent) = (service.term, service.isCurrent)
        stats.gauges["cluster_leader"] = term != nil && isCurrent ? 1 : 0
        stats.gauges["cluster_in_touch"] = isCurrent ? 1 : 0
        stats.gauges["cluster_term"] = term ?? 0
        stats.gauges["cluster_lag"] = service.lag
        stats.gauges["cluster_members"] = UInt64(service.member.members.count)
        stats.counters["cluster_takeovers"] = service.member.takeovers
    }
}

extension String {
    fileprivate var withoutDigits: [UInt8] { utf8.filter { !(48...57 ~= $0) } }
}
