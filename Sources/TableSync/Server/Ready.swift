public import TableModel

/// Work that one turn has made, to be done in exactly this order: submit `entry` to the journal; when
/// the journal is durable up to `position`, publish; note; then reply. Whoever drops the order breaks
/// law L2 of the protocol: nothing is published or acknowledged before it is durable.
public struct Ready: Sendable {
    /// The position of the journal entry that leads to the state that all of this was made at. It is that of
    /// `entry`, or where nothing was changed that of an entry before.
    public internal(set) var position: UInt64 = 0
    /// 1. One entry of the journal: the turn's records. Nil: nothing to commit.
    public internal(set) var entry: [UInt8]?
    /// No bytes are to stay of what was journaled before the entry.
    public internal(set) var forgets = false
    /// 2. Publications on the tables' topics, in order.
    public internal(set) var publications: [Outgoing] = []
    /// 3. What the audit is told, in order: before its sender hears of it.
    public internal(set) var audited: [AuditEntry] = []
    /// 4. Replies, in the order of their requests. Most of them lie in the entry.
    public internal(set) var replies: [Answer] = []
    /// Requests that nobody answers: whoever sent them asks again.
    public internal(set) var unanswered: [Route] = []

    /// The turn's time, in milliseconds since 1970 (UTC).
    public internal(set) var timeMs: UInt64 = 0
    /// The turn's time by a clock that never goes back.
    var monotonicMs: UInt64 = 0
    /// The work that is left for after the intake.
    public internal(set) var load = Load()

    /// The work of a turn after its intake, while others wait.
    public struct Load: Sendable {
        /// How many requests only the daemon can answer.
        public internal(set) var daemonRequests = 0
        /// Rows of the tables that were asked for: each is encoded.
        var rowsAsked = 0
        /// Bytes, about, of the other answers that are encoded, and those of the past that were decoded for
        /// them.
        var answerBytes = 0

        /// Each takes a fraction of a millisecond: others must not wait for a thousand of them.
        private static let mostDaemonRequests = 16
        /// A thousand rows are encoded in some milliseconds.
        private static let mostRows = 1_024
        /// The bytes of other answers: some milliseconds of JSON.
        private static let mostAnswerBytes = 64 << 10

        var isFull: Bool {
            daemonRequests >= Self.mostDaemonRequests || rowsAsked >= Self.mostRows
                || answerBytes >= Self.mostAnswerBytes
        }
    }

    /// The next turn begins, which is much like the one before it: the lists' memory is used again. That of
    /// many at once is let go.
    mutating func begin(timeMs: UInt64, monotonicMs: UInt64) {
        (self.timeMs, self.monotonicMs, load) = (timeMs, monotonicMs, Load())
        (entry, forgets) = (nil, false)
        publications.removeAll(keepingCapacity: publications.count <= Self.usual)
        audited = []
        replies.removeAll(keepingCapacity: replies.count <= Self.usual)
        unanswered = []
    }

    private static let usual = 256

    /// A record of a journal entry.
    public enum Record: Equatable, Sendable {
        case created(TableID, history: ID128)
        case dropped(TableID)
        /// The past of these rows is gone. Without rows: what is older than it may be is.
        case forgot(TableID?, [RowID])
        /// An encoded diff and its inverse; nil: the inverse is too large to keep.
        case changed(TableID, diff: [UInt8], inverse: [UInt8]?)
        /// `user` is the identity of the client's principal; nil: from before there were any. `opened` is what
        /// a client said of its `hello` that was not known; nil: it was, or this is from before it was written.
        case answered(client: ID, user: ProvenID?, opened: UInt64?, Sessions.Answered)
        /// An encoded part of this client's restore, which nobody sees yet. Index 0 replaces all
        /// that was staged. `user` as of an answer; nil: from before it was written.
        case staged(client: ID, user: ProvenID?, index: Int, part: [UInt8])
        /// The staged tables are live now, in the order of their parts, and replace tables of the
        /// same names. An empty list: the restore was given up.
        case restored([Restored])
        /// A standby writes from now on, in this term. Its tables begin these histories.
        case promoted(term: UInt64, [Restored])

        /// A table that was restored.
        public struct Restored: Equatable, Sendable {
            /// The table's name.
            public var table: TableID
            /// Its new history.
            public var history: ID128

            /// A table and its new history.
            public init(table: TableID, history: ID128) {
                self.table = table
                self.history = history
            }
        }
    }

    /// Moves every recorded range by `shift` bytes, because the entry's header grew.
    mutating func rebase(onto entry: [UInt8], by shift: Int) {
        self.entry = entry
        for place in publications.indices { publications[place].rebase(onto: entry, by: shift) }
        if shift == 0 { return }
        for place in replies.indices {
            guard case .recorded(let range) = replies[place].body else { continue }
            replies[place].body = .recorded(range.shifted(by: shift))
        }
    }

    /// A publication whose diffs are encoded already. Nobody needs them as values any more.
    public struct Outgoing: Sendable {
        /// The publication without its diffs.
        public let publication: Publication
        /// The diffs as journaled.
        public private(set) var encoded = EncodedDiffs()
        /// Where the last of them leads; nil: there is none.
        public private(set) var head: (revision: UInt64, digest: UInt64)?
        private var size = 0
        /// Bound on a message, so that it does not occupy a viewer's connection for long.
        private static let mostBytes = 1 << 20

        init(_ publication: Publication) { self.publication = publication }

        func canAppend(_ bytes: Int, of history: ID128) -> Bool {
            !publication.isDropped && publication.history == history
                && !publication.isWelcome && size + bytes <= Self.mostBytes
        }

        /// A diff that will lie in the turn's entry, and its text.
        mutating func append(
            at place: Range<Int>, _ text: [UInt8], leadingTo revision: UInt64, _ digest: UInt64
        ) {
            head = (revision, digest)
            encoded.append(at: place, text)
            size += place.count
        }

        /// A diff from somewhere else: all of a publication are.
        mutating func append(_ diff: [UInt8], leadingTo revision: UInt64, _ digest: UInt64) {
            head = (revision, digest)
            encoded.append(diff[...])
            size += diff.count
        }

        mutating func rebase(onto entry: [UInt8], by shift: Int) {
            if !encoded.isEmpty { encoded.rebase(onto: entry, by: shift) }
        }
    }

    /// A reply and its destination.
    public struct Answer: Sendable {
        /// Where the reply goes.
        public var route: Route
        /// The body that is sent.
        public var body: Body

        /// The body is small, because nearly all bodies of a turn are remembered replies.
        public enum Body: Sendable {
            indirect case reply(Reply)
            /// A reply that is remembered, where it lies in the turn's entry.
            case recorded(Range<Int>)
            /// A reply to a request in JSON, in that form.
            case text([UInt8])
            /// An encoded reply that was remembered before.
            case remembered([UInt8])
            /// A replay. Its publication has no diffs: they are here, encoded.
            indirect case replay(Reply, encoded: EncodedDiffs)
            /// A request that only the daemon can answer.
            indirect case forDaemon(Request)
        }

        /// An answer to whom it goes.
        public init(route: Route, body: Body) {
            self.route = route
            self.body = body
        }
    }

    /// Answers those whom only the daemon can answer; nil: it will, and later.
    public mutating func answerForDaemon(_ answer: (Route, Request) -> Reply?) {
        replies = replies.compactMap { one in
            guard case .forDaemon(let request) = one.body else { return one }
            return answer(one.route, request).map { Answer(route: one.route, body: .reply($0)) }
        }
    }
}

/// Where a reply goes: the daemon's own numbering of the requests that wait for an answer.
public typealias Route = Int
