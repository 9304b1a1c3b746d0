/// A connection of a client, as an administrator is told of it. A viewer has two: one asks, one subscribes.
public struct ConnectionSummary: Equatable, Sendable {
    /// Its name while it lasts, for ending it.
    public var id: String
    /// `pid:N` on a unix socket, `tcp:ADDRESS`.
    public var from: String
    /// The user of a unix socket; nil: not known.
    public var user: String?
    /// The user's number.
    public var uid: UInt32?
    /// When it was let in, in milliseconds since 1970 (UTC).
    public var sinceMs: UInt64 = 0
    /// Whether it subscribes, and asks nothing.
    public var subscribes = false
    /// Whether it is encrypted.
    public var isSealed = false
    /// Bytes that came of it, after its handshake.
    public var receivedBytes: UInt64 = 0
    /// Bytes that went to it.
    public var sentBytes: UInt64 = 0
    /// Bytes of its requests that wait, counted while much waits in all.
    public var waitingBytes: UInt64 = 0
    /// For how long it has not read what was sent; 0: it reads.
    public var unreadMs: UInt64 = 0
    /// How many topics it has subscribed to.
    public var topics = 0
    /// The tables of these, as far as there was room to say so.
    public var tables: [String] = []

    /// Nothing but its name and its origin.
    public init(id: String, from: String) {
        self.id = id
        self.from = from
    }
}
