import EtcdJournal
import Logging
import TableModel
import TableSync

// A daemon that is one of several: what the log, `health` and `systemctl status` say of it.

extension Daemon {
    /// What was said last.
    struct ToldState: Equatable {
        var role = ""
        var writer = ""
        var trouble = ""
        var refusal = ""
    }

    /// Nil where there is no other daemon.
    var membership: EtcdState? { (turn.journal as? EtcdJournal)?.state }

    /// Says what has changed since it was said last. Called with each turn, and cheap where there is
    /// nothing to say.
    func tellOfMembership() {
        guard let state = membership else { return }
        var new = told
        new.role = state.term > 0 ? (state.isCurrent ? "writer" : "suspended") : "follower"
        if state.term == 0, !state.isCurrent { new.role = "out of touch" }
        new.writer = state.writer?.endpoints.joined(separator: " ") ?? ""
        // Only what lasts: a member of etcd that is down costs one request.
        new.trouble = state.isCurrent ? "" : state.trouble ?? told.trouble
        guard new != told else { return }
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
        told = new
        notify.status(status)
    }

    /// Lets another daemon write: somebody asked for it, by a signal.
    func stepDown() {
        guard let journal = turn.journal as? EtcdJournal, journal.term != nil else {
            return log.notice("asked to step down, and it does not write")
        }
        log.notice("stepping down")
        journal.stepDown()
    }

    /// The journal takes nothing more, or does again.
    func tell(ofRefusal refusal: String?) {
        guard (refusal ?? "").isEmpty != told.refusal.isEmpty else { return }
        told.refusal = refusal ?? ""
        server.refusesBecause = refusal
        if let refusal {
            log.error("read-only: \(refusal)")
        } else {
            log.notice("changes are taken again")
        }
        notify.status(status)
    }

    /// For `health`.
    var cluster: Health.Cluster? {
        guard let state = membership else { return nil }
        var cluster = Health.Cluster()
        cluster.role = state.term > 0 ? "writer" : "follower"
        cluster.term = state.term
        cluster.lag = state.lag
        cluster.writer = state.writer?.endpoints ?? []
        cluster.members = state.members.map {
            Health.Cluster.Member(
                id: $0.id, endpoints: $0.endpoints, position: $0.position, version: $0.version)
        }
        return cluster
    }
}
