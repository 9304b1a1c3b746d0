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
        notify.status(status)
    }

    /// Tells new subscribers that their subscription is live.
    func welcomeSubscribers() throws {
        // Bounded, so that a flood of subscriptions does not keep commands waiting.
        for _ in 0..<1_000 {
            guard try sockets.publications.receive(into: &subscription) else { return }
            guard subscription.count > 0, let target = topics.note(subscription.bytes(at: 0))
            else { continue }
            if target.isPresence {
                if let presence = server.presence(of: target.table) {
                    try send(presence, form: target.form)
                }
            } else {
                try send(server.welcome(to: target.table), encoded: [], form: target.form)
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
        outgoing.removeAll()
        outgoing.append(Topics.presence(form, presence.table))
        outgoing.append(Encode.presence(presence, form: form))
        _ = try sockets.publications.send(&outgoing)
        outgoing.removeAll()
        figures.publications += 1
    }

    private func publish(_ publication: Publication, encoded: [[UInt8]]) throws {
        for form in Form.allCases where topics.isWanted(Topics.topic(form, publication.table)) {
            try send(publication, encoded: encoded, form: form)
        }
    }

    private func send(_ publication: Publication, encoded: [[UInt8]], form: Form) throws {
        outgoing.removeAll()
        outgoing.append(Topics.topic(form, publication.table))
        outgoing.append(
            form == .binary && !encoded.isEmpty
                ? Encode.publication(publication, encodedDiffs: encoded)
                : Encode.publication(publication, form: form))
        // An XPUB never makes us wait: it drops for a viewer that is slow.
        _ = try sockets.publications.send(&outgoing)
        outgoing.removeAll()
        figures.publications += 1
    }
}
