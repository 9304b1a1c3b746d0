package import TableModel
package import TableSync
package import TableWire

// What a turn needs from around it: four ports. Behind them are sockets, a disk and a clock in the
// daemon, and a network, a disk and a clock that do what they must not in the simulation. The
// fourth port is `Journal`.

/// The requests that have arrived.
package protocol Inbox: AnyObject {
    /// A turn begins to take in requests.
    ///
    /// - Parameters:
    ///   - monotonicNs: when it began.
    ///   - processorNs: how long the thread had the processor until then.
    func begin(monotonicNs: UInt64, processorNs: UInt64)

    /// Hands the next request that has arrived to the server, by `receive` or `refuse`, or lets it wait; the
    /// route that it names is its own until it is answered or forgotten.
    ///
    /// - Returns: what it was, also if nothing came of it; nil: there is none, or none may be taken.
    func receive(into server: Server) throws -> Received?

    /// Hands a request to the server that was postponed; those of other users first.
    ///
    /// - Returns: its bytes; nil: none waits.
    func receivePostponed(into server: Server) throws -> Int?

    /// Whether a request waits that was postponed.
    var hasPostponed: Bool { get }

    /// Whether the sender of a request that waits for a row is still connected.
    func isThere(_ route: Route) -> Bool

    /// Those who have subscribed since the last turn.
    func newcomers() throws -> [Newcomer]
}

/// A request that was taken in.
package enum Received: Sendable {
    /// It was decided on, or refused. A slow one took so long that the turn may have to end.
    case decided(bytes: Int, isSlow: Bool)
    /// It may take milliseconds. So it waits while others are taken in, and is received once more.
    case postponed
}

/// A subscription that is new.
package struct Newcomer: Hashable, Sendable {
    /// The table that it is about.
    package let table: TableID
    /// In which form it wants to be told.
    package let form: Form
    /// To who is there, not to what the table holds.
    package let isPresence: Bool

    /// A subscription to a topic.
    package init(table: TableID, form: Form, isPresence: Bool) {
        self.table = table
        self.form = form
        self.isPresence = isPresence
    }
}

/// The messages to send, with their addresses. Whatever is handed over may be sent at once.
package protocol Outbox: AnyObject {
    /// Publishes a table's news. `encoded` are its diffs as they are in the journal; the publication
    /// itself has none.
    func publish(_ publication: Publication, encoded: EncodedDiffs) throws

    /// Publishes who is there.
    func publish(_ presence: Presence) throws

    /// Nanoseconds of processor time, of late, that what one turn publishes takes outside of the
    /// turn: of threads that send it to each viewer. Asked once in a turn that publishes.
    func sendingNs() -> UInt64

    /// Tells those of one form that their subscription is live.
    func welcome(_ publication: Publication, form: Form) throws

    /// Tells the audit what was done and refused, before it is answered.
    func note(_ audited: [AuditEntry])

    /// Says in a request that waited who sent it, as it is known now: a reload may have changed the
    /// sender's groups, and so what it may do.
    func sign(_ request: inout Request, _ route: Route)

    /// Where the request of this route came from, for the audit: its message is gone. Only of
    /// requests that wait for others.
    func origin(of route: Route) -> String

    /// Sends an answer, which may lie in the entry that its turn has submitted; without one it is empty. Its
    /// route means nothing any more.
    func reply(_ answer: Ready.Answer, in entry: [UInt8]) throws

    /// The answer to a request that only the process around the turn can answer, as things are now; nil: it
    /// will be given later, by that process.
    func answer(to request: Request, _ route: Route) -> Reply.Answer?

    /// Nobody will answer this request: what was decided on it was thrown away. Its sender asks again.
    func forget(_ route: Route)

    /// The state was thrown away, and this server is what the journal leads to.
    func hasRecovered(_ server: Server)
}

/// The times that a turn goes by.
package protocol Clock {
    /// Milliseconds since 1970 (UTC): for what people read. It may go back.
    var wallMs: UInt64 { get }
    /// Milliseconds that never go back: for intervals.
    var monotonicMs: UInt64 { get }
    /// Milliseconds that never go back, and go on while the machine sleeps: for pauses.
    var elapsedMs: UInt64 { get }
    /// Nanoseconds that never go back: for what takes less.
    var monotonicNs: UInt64 { get }
    /// Nanoseconds for which this thread had the processor: for what it did itself.
    var processorNs: UInt64 { get }
}
