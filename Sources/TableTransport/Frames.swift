public import CZeroMQ

/// One multipart message, and the room for the next. Make it once, then fill and empty it again and
/// again.
///
/// The frames are libzmq's own messages on the heap. They never move, and are read in place.
/// `Socket.receive` fills it, and `Socket.send` empties it, so that a received message can be sent
/// on.
public struct Frames: ~Copyable {
    /// How many frames it can hold.
    public let limit: Int

    /// How many frames it holds.
    public internal(set) var count = 0

    /// How many frames of the last received message were dropped because they exceeded `limit`.
    public internal(set) var excess = 0

    /// Bytes of all frames of the last received message, also of those that were dropped.
    public internal(set) var receivedBytes = 0

    /// `limit` messages, and one more for excess frames. Always initialised.
    @usableFromInline let slots: UnsafeMutablePointer<zmq_msg_t>

    /// Where the bytes of each frame lie, once that is known: to ask libzmq takes two calls, and a
    /// received frame is looked at several times. Without an address: libzmq is to be asked.
    @usableFromInline let known: UnsafeMutablePointer<UnsafeRawBufferPointer>

    /// Room for messages of at most `limit` frames (a ROUTER's routing id counts).
    public init(limit: Int) {
        precondition(limit > 0, "a message has at least one frame")
        self.limit = limit
        slots = .allocate(capacity: limit + 1)
        known = .allocate(capacity: limit + 1)
        known.initialize(repeating: Self.unknown, count: limit + 1)
        for index in 0...limit { zmq_msg_init(slots + index) }
    }

    deinit {
        for index in 0...limit { zmq_msg_close(slots + index) }
        slots.deallocate()
        known.deallocate()
    }

    private static var unknown: UnsafeRawBufferPointer { .init(start: nil, count: 0) }

    /// Lends the bytes of one frame, without a copy, while `body` runs.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        at index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(lent(index)) }

    /// The bytes of one frame, until it is changed.
    @inlinable
    func lent(_ index: Int) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < count, "no such frame: count the frames before")
        if known[index].baseAddress == nil { find(index, byteCount: zmq_msg_size(slots + index)) }
        return known[index]
    }

    /// Asks libzmq where the bytes of a frame lie.
    @usableFromInline
    func find(_ index: Int, byteCount: Int) {
        known[index] = UnsafeRawBufferPointer(start: zmq_msg_data(slots + index), count: byteCount)
    }

    /// A copy of one frame.
    public func bytes(at index: Int) -> [UInt8] { withBytes(at: index) { Array($0) } }

    /// The size of one frame.
    @inlinable
    public func byteCount(at index: Int) -> Int { lent(index).count }

    /// The descriptor of the connection on which a received frame came; −1 if libzmq does not say,
    /// as for a ROUTER's routing id. It may be closed by now, or belong to another connection.
    public func descriptor(at index: Int) -> Int32 {
        precondition(index >= 0 && index < count, "no such frame: count the frames before")
        return zmq_msg_get(slots + index, ZMQ_SRCFD)
    }

    /// A property of the connection on which a received frame came, for instance `User-Id`,
    /// which the `Authenticator` sets; `nil` if unknown.
    public func property(_ name: String, at index: Int) -> String? {
        precondition(index >= 0 && index < count, "no such frame: count the frames before")
        return zmq_msg_gets(slots + index, name).map { String(cString: $0) }
    }

    /// Adds a frame with a copy of these bytes.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(count < limit, "more frames than this message was made for")
        let slot = slots + count
        let made = zmq_msg_init_size(slot, bytes.count)
        // As for any Swift allocation: there is no sensible way to continue.
        precondition(made == 0, "no memory for a frame of \(bytes.count) bytes")
        UnsafeMutableRawBufferPointer(start: zmq_msg_data(slot), count: bytes.count)
            .copyMemory(from: bytes)
        known[count] = Self.unknown
        count += 1
    }

    /// Adds a frame with a copy of these bytes.
    public mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    /// Adds a frame with this text, as UTF-8.
    public mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    /// Releases every frame.
    public mutating func removeAll() {
        for index in 0..<count { (slots + index).clear() }
        noteEmpty()
    }

    /// Every frame is empty: libzmq has taken what they held.
    mutating func noteEmpty() {
        count = 0
        excess = 0
        receivedBytes = 0
    }

    /// So many frames were received in place of those that were here, of which the rest is released.
    mutating func replaced(byFrames received: Int) {
        let old = count
        count = min(received, limit)
        excess = received - count
        for index in count..<max(count, old) { (slots + index).clear() }
        if excess > 0 { (slots + limit).clear() }
    }
}

extension UnsafeMutablePointer<zmq_msg_t> {
    /// Makes it an initialised message without content.
    func clear() {
        zmq_msg_close(self)
        zmq_msg_init(self)
    }
}
