public import TableClient

/// A table that is followed, for `async` code: a `Follower` on a queue of its own.
///
///     let follower = try AsyncFollower("board", at: "ipc:///run/trestle/request.sock")
///     for try await news in follower.news {
///         let titles = try await follower.read { table in table?.rows.map(\.content.title) ?? [] }
///         print(news.freshness, titles)
///     }
///
/// Nothing is taken in while nobody waits for the next news: what a slow task leaves lying stays within the bounds of
/// libzmq's queue, and what goes beyond them is replayed, or comes as a new table.
public actor AsyncFollower {
    private let executor = ThreadExecutor("trestle.follower")
    private let follower: Follower
    private var told: Replica.Freshness?

    /// A queue of its own: it blocks there.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// The steps since the news before, in order.
    public struct News: Sendable {
        /// The steps that the table has taken. Empty: only the freshness is another.
        public let steps: [Replica.Step]
        /// How fresh the table is after them.
        public let freshness: Replica.Freshness
    }

    /// Follows a table, without waiting for the daemon.
    public init(_ table: TableID, at endpoint: String, name: ID? = nil, keys: ClientKeys? = nil)
        throws
    {
        let client = try Client(endpoint, keys: keys)
        client.name = name
        follower = try Follower(table, client: client)
    }

    /// How fresh the table is.
    public var freshness: Replica.Freshness { follower.freshness }

    /// Hands the table to `body`, at the latest news, and returns its result; nil: none has come, or there is none.
    public func read<Value: Sendable>(_ body: @Sendable (Table?) throws -> Value) rethrows -> Value
    {
        try body(follower.replica.table)
    }

    /// The news, without an end. They go to one task. Throws `ClientError.refused` if the table may not be read, and
    /// ends when the task is cancelled.
    public nonisolated var news: Sequence { Sequence(follower: self) }

    /// The news of a follower.
    public struct Sequence: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let follower: AsyncFollower

        /// Itself: all iterators take from the same news.
        public func makeAsyncIterator() -> Sequence { self }

        /// The next news; nil: the task is cancelled.
        public func next() async throws -> News? {
            // Between two looks others may read the table.
            while !Task.isCancelled {
                if let news = try await follower.look() { return news }
            }
            return nil
        }
    }

    private func look() throws -> News? {
        let steps = try follower.next(withinMilliseconds: 100)
        let freshness = follower.freshness
        if steps.isEmpty, let told, told.isLike(freshness) { return nil }
        told = freshness
        return News(steps: steps, freshness: freshness)
    }
}

extension Replica.Freshness {
    /// Whether it is the same word, whatever time has passed.
    fileprivate func isLike(_ other: Replica.Freshness) -> Bool {
        switch (self, other) {
        case (.stale, .stale): true
        default: self == other
        }
    }
}
