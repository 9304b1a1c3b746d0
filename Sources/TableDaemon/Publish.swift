import CPeerGuard
import Glibc
import TableSync
import TableTransport
import TableTurn
import TableWire

// The part of the outbox that goes to all: to the XPUB socket, in the forms that viewers want.

extension DaemonOutbox {
    /// Tells those of one form that their subscription is live.
    func welcome(_ publication: Publication, form: Form) throws {
        let topic = Topics.topic(form, publication.table)
        try send(publication, encoded: EncodedDiffs(), Topics.Wanted(form: form, topic: topic))
    }

    /// Publishes who is there.
    func publish(_ presence: Presence) throws {
        for form in Form.allCases {
            let topic = Topics.presence(form, presence.table)
            guard subscriptions.topics.isWanted(topic) else { continue }
            try Encode.presence(presence, form: form).withUnsafeBytes { try send($0, under: topic) }
        }
    }

    /// Publishes a table's news.
    func publish(_ publication: Publication, encoded: EncodedDiffs) throws {
        for wanted in subscriptions.topics.wanted(of: publication.table) {
            try send(publication, encoded: encoded, wanted)
        }
    }

    private func send(
        _ publication: Publication, encoded: EncodedDiffs, _ wanted: Topics.Wanted
    ) throws {
        if wanted.form == .binary {
            return try Encode.withPublication(publication, encodedDiffs: encoded) {
                try send($0, under: wanted.topic)
            }
        }
        let body = Encode.publication(publication, encodedDiffs: encoded, form: wanted.form)
        try body.withUnsafeBytes { try send($0, under: wanted.topic) }
    }

    private func send(_ body: UnsafeRawBufferPointer, under topic: [UInt8]) throws {
        try sockets.publications.publish(body, under: topic)
        counters.publications += 1
        connections.published(body.count)
    }

    /// Nanoseconds of libzmq's thread for what one turn publishes.
    func sendingNs() -> UInt64 {
        sendingCost.published {
            let all = Clock.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
            let own = Clock.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
            return SendingCost.Sample(
                elsewhereNs: all - min(all, own), toViewers: peer_guard_sends(true),
                toAskers: peer_guard_sends(false))
        }
        return sendingCost.ns
    }
}
