import TableModel
import TableSync
import TableTransport
import TableWire

// From the server to the XPUB socket, after the commit, in the forms that somebody wants.

extension Daemon {
    /// Publishes what a turn has changed.
    func publish(_ ready: Ready) throws {
        for outgoing in ready.publications {
            try publish(outgoing.publication, encoded: outgoing.encoded)
        }
    }

    /// Sends a heartbeat for every table that somebody watches.
    func beat() throws {
        for publication in server.heartbeats(nowMs: Clock.wallMs) {
            try publish(publication, encoded: [])
        }
        for presence in server.fullPresences { try publish(presence) }
        lookAtPeers()
        notify.status(status)
    }

    /// Tells new subscribers that their subscription is live.
    ///
    /// A welcome goes to all who have the topic: however many ask for it in a turn, it is one.
    func welcomeSubscribers() throws {
        var targets: Set<Topics.Target> = []
        let arrived = PeerGuard.Inbox.subscriptions.arrived
        // Bounded, so that a flood of subscriptions does not keep commands waiting.
        for _ in 0..<1_000 {
            guard try sockets.publications.receive(into: &subscription) else {
                PeerGuard.Inbox.subscriptions.drained(of: arrived)
                break
            }
            PeerGuard.Inbox.subscriptions.took(frames: 1, bytes: subscription.byteCount(at: 0))
            guard subscription.count > 0, let target = topics.note(subscription.bytes(at: 0))
            else { continue }
            targets.insert(target)
        }
        for target in targets {
            if !target.isPresence {
                try send(server.welcome(to: target.table), encoded: [], form: target.form)
            } else if let presence = server.presence(of: target.table) {
                try send(presence, form: target.form)
            }
        }
    }

    /// Publishes who is there.
    func publish(_ presence: Presence) throws {
        for form in Form.allCases
        where topics.isWanted(Topics.presence(form, presence.table)) {
            try send(presence, form: form)
        }
    }

    private func send(_ presence: Presence, form: Form) throws {
        try send(
            Encode.presence(presence, form: form), under: Topics.presence(form, presence.table))
    }

    private func publish(_ publication: Publication, encoded: [[UInt8]]) throws {
        for form in Form.allCases where topics.isWanted(Topics.topic(form, publication.table)) {
            try send(publication, encoded: encoded, form: form)
        }
    }

    private func send(_ publication: Publication, encoded: [[UInt8]], form: Form) throws {
        try send(
            form == .binary && !encoded.isEmpty
                ? Encode.publication(publication, encodedDiffs: encoded)
                : Encode.publication(publication, form: form),
            under: Topics.topic(form, publication.table))
    }

    private func send(_ body: [UInt8], under topic: [UInt8]) throws {
        outgoing.removeAll()
        outgoing.append(topic)
        outgoing.append(body)
        // An XPUB never makes us wait: it drops for a viewer that is slow.
        _ = try sockets.publications.send(&outgoing)
        outgoing.removeAll()
        counters.publications += 1
        PeerGuard.published(body.count)
        publishedSinceLook += body.count
        if publishedSinceLook >= PeerGuard.publishedPerLook { lookAtPeers() }
    }

    /// Ends connections that do not read, and says what was ended.
    func lookAtPeers() {
        publishedSinceLook = 0
        PeerGuard.look()
        let figures = PeerGuard.figures
        for reason in PeerGuard.Reason.allCases {
            let ended = figures.ended[reason, default: 0]
            let new = ended - reportedEnds[reason, default: 0]
            guard new > 0, Clock.monotonicMs >= nextEndReportMs else { continue }
            reportedEnds[reason] = ended
            log.warning(
                "connections ended",
                metadata: [
                    "reason": "\(reason.rawValue)", "count": "\(new)",
                    "last user": "\(figures.lastUser)", "last process": "\(figures.lastProcess)",
                ])
        }
        if Clock.monotonicMs >= nextEndReportMs { nextEndReportMs = Clock.monotonicMs + 1_000 }
    }
}
