// Requests to etcd and its answers, as values: the state machine makes them, the connection
// carries them, and a model of etcd answers them in tests.

/// One request.
package enum EtcdCall: Equatable, Sendable {
    case txn(EtcdTxn)
    /// `end` is not part of it; empty: one key. `revision` 0: as it is now.
    case range(key: [UInt8], end: [UInt8], limit: Int, revision: Int64)
    case grant(seconds: Int64)
    case keepAlive(lease: Int64)
    case revoke(lease: Int64)
    case compact(revision: Int64)
    case status
}

/// Some changes that happen all at once, if what is compared holds; else others.
package struct EtcdTxn: Equatable, Sendable {
    package var compares: [Compare] = []
    package var success: [Op] = []
    package var failure: [Op] = []

    package enum Compare: Equatable, Sendable {
        /// The revision at which the key began to exist; 0: it does not.
        case created(key: [UInt8], Int64)
        case value(key: [UInt8], [UInt8])
    }

    package enum Op: Equatable, Sendable {
        case put(key: [UInt8], value: [UInt8], lease: Int64)
        case range(key: [UInt8], end: [UInt8], limit: Int)
        case delete(key: [UInt8], end: [UInt8])
    }
}

/// A key and what etcd knows of it.
package struct EtcdPair: Equatable, Sendable {
    package var key: [UInt8]
    package var value: [UInt8]
    package var created: Int64
    package var lease: Int64

    package init(key: [UInt8], value: [UInt8], created: Int64, lease: Int64) {
        (self.key, self.value, self.created, self.lease) = (key, value, created, lease)
    }
}

/// One answer.
package struct EtcdAnswer: Equatable, Sendable {
    /// The revision of the whole store when it answered.
    package var revision: Int64
    package var body: Body

    package init(revision: Int64, _ body: Body) { (self.revision, self.body) = (revision, body) }

    package enum Body: Equatable, Sendable {
        /// The pairs that each range of the branch taken has found, in order; nil for other steps.
        case txn(succeeded: Bool, [[EtcdPair]?])
        case range([EtcdPair], more: Bool)
        /// 0 seconds: the lease is over.
        case lease(Int64, seconds: Int64)
        /// `isFull`: the alarm NOSPACE is raised.
        case status(bytes: UInt64, isFull: Bool)
        case done
    }

    /// The answer to a transaction; nil: this answers something else.
    var txn: (succeeded: Bool, found: [[EtcdPair]?])? {
        guard case .txn(let succeeded, let found) = body else { return nil }
        return (succeeded, found)
    }
}

/// Why there is no answer.
package enum EtcdFailure: Error, Equatable, Sendable {
    /// Nobody knows whether it was carried out.
    case noAnswer(String)
    /// etcd's space is used up. It was not carried out, this time.
    case full(String)
    /// etcd does not take so much at once.
    case tooLarge(String)
    /// The revision that was asked for is gone.
    case compacted
    case leaseGone
    /// The user or the certificate may not do that.
    case denied(String)

    package var text: String {
        switch self {
        case .noAnswer(let text), .full(let text), .tooLarge(let text), .denied(let text): text
        case .compacted: "the revision has been compacted"
        case .leaseGone: "the lease is over"
        }
    }
}
