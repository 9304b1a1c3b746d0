import EtcdJournal
import Logging
import TableModel
import TableSync

// A daemon that is one of several: what the log, `health` and `systemctl status` say of it.

extension Daemon {
    /// What was said last.
    struct ToldState {
        var role = ""
        var writer = ""
        var trouble = ""
        var refusal: String?
        /// One line in so long tells of etcd's faults, which alternate.
        var nextTroubleMs: UInt64 = 0
        static let troubleMs: UInt64 = 10_000
        var term: UInt64?
        /// Between two looks, unless the term is another one.
        var nextLookMs: UInt64 = 0
        static let lookMs: UInt64 = 100
    }

    /// Nil where there is no other daemon.
    var membership: EtcdState? { service?.state }

    /// Says what has changed since it was said last. Called with each turn, and cheap where there is
    /// nothing to say.
    func tellOfMembership() {
        guard let service else { return }
        let nowMs = Clock.monotonicMs
        guard nowMs >= told.nextLookMs || service.term != told.term else { return }
        let state = service.state
        var new = told
        (new.nextLookMs, new.term) = (nowMs + ToldState.lookMs, service.term)
        defer { told = new }
        new.role = state.term > 0 ? (state.isCurrent ? "writer" : "suspended") : "follower"
        if state.term == 0, !state.isCurrent { new.role = "out of touch" }
        new.writer = state.writer?.endpoints.joined(separator: " ") ?? ""
        // Only what lasts: a member of etcd that is down costs one request.
        if state.isCurrent {
            new.trouble = ""
        } else if let trouble = state.trouble, nowMs >= told.nextTroubleMs {
            (new.trouble, new.nextTroubleMs) = (trouble, nowMs + ToldState.troubleMs)
        }
        if new.role != told.role {
            log.notice(
                "role: \(new.role)",
                metadata: [
                    "term": "\(state.term)", "position": "\(server.position)",
                    "writer": "\(new.writer)",
                ])
        } else if new.writer != told.writer, state.term == 0 {
            log.info("writer: \(new.writer.isEmpty ? "nobody" : new.writer)")
        }
        if new.trouble != told.trouble, !new.trouble.isEmpty {
            log.warning("etcd: \(new.trouble)", metadata: ["endpoint": "\(state.etcd)"])
        }
    }

    /// Lets another daemon write: somebody asked for it, by a signal or a request.
    func stepDown() {
        guard let service, service.term != nil else {
            return log.notice("asked to step down, and it does not write")
        }
        log.notice("stepping down")
        service.stepDown()
    }

    /// The journal takes nothing more, for a reason that may become another one, or does again.
    func tell(ofRefusal refusal: String?) {
        guard refusal != told.refusal else { return }
        // A sentence whose numbers have changed is no news for the log.
        let isNews = refusal?.withoutDigits != told.refusal?.withoutDigits
        told.refusal = refusal
        server.refusesBecause = refusal
        if let refusal {
            if isNews { log.error("read-only: \(refusal)") }
        } else {
            log.notice("changes are taken again")
        }
        notify.status(status)
    }

    /// For `health`.
    var cluster: Health.Cluster? {
        guard let state = membership else { return nil }
        var cluster = Health.Cluster()
        // One that cannot prove that it still writes answers nothing else either.
        cluster.role = state.term > 0 && state.isCurrent ? "writer" : "follower"
        cluster.term = state.term
        cluster.lag = state.lag
        cluster.isOutOfTouch = !state.isCurrent
        cluster.writer = state.writer?.endpoints ?? []
        cluster.members = state.members.map {
            Health.Cluster.Member(
                id: $0.id, endpoints: $0.endpoints, position: $0.position, version: $0.version,
                term: $0.id == state.writer?.id ? state.writersTerm : 0)
        }
        return cluster
    }

    /// Somebody asks that another daemon write. It is done behind this turn: the answer comes first.
    func stepDown(for sender: Principal, from origin: String) -> Reply.Answer {
        let others = membership.map { state in state.members.filter { $0.id != state.id } } ?? []
        let rejection: Rejection? =
            if membership == nil {
                Rejection(
                    .noOtherDaemon,
                    "This daemon is no service of several: it has its own journal.")
            } else if others.isEmpty {
                Rejection(
                    .noOtherDaemon,
                    "No other daemon of the service is there: nobody would write.")
            } else {
                nil
            }
        note([
            AuditEntry(
                sender, from: origin, verb: "stepDown", refusedAs: rejection?.code.rawValue)
        ])
        if let rejection { return .refused(rejection) }
        isToStepDown = true
        return .done(rows: [], unchanged: false)
    }

    /// For `stats`.
    func tellOfMembership(in stats: inout Stats) {
        guard let state = membership else { return }
        stats.gauges["cluster_writer"] = state.term > 0 && state.isCurrent ? 1 : 0
        stats.gauges["cluster_in_touch"] = state.isCurrent ? 1 : 0
        stats.gauges["cluster_term"] = state.term
        stats.gauges["cluster_lag"] = state.lag
        stats.gauges["cluster_members"] = UInt64(state.members.count)
        stats.counters["cluster_takeovers"] = state.takeovers
    }
}

extension String {
    fileprivate var withoutDigits: [UInt8] { utf8.filter { !(48...57 ~= $0) } }
}
