import CZeroMQ

/// The routing ids of messages that are still to be answered, where libzmq put them: they go from
/// the message that came to the one that answers it, without a copy.
public struct Envelopes: ~Copyable {
    /// How many it can hold.
    public let limit: Int
    /// How many it holds.
    public private(set) var count = 0

    private let slots: UnsafeMutablePointer<zmq_msg_t>

    /// Room for so many.
    public init(limit: Int) {
        self.limit = limit
        slots = .allocate(capacity: limit)
    }

    deinit {
        for index in 0..<count { zmq_msg_close(slots + index) }
        slots.deallocate()
    }

    /// Takes the first frame out of a message, which has an empty one there afterwards.
    public mutating func store(from frames: inout Frames) {
        precondition(count < limit, "more envelopes than there is room for")
        zmq_msg_init(slots + count)
        frames.moveFirst(to: slots + count)
        count += 1
    }

    /// Makes an envelope the next frame of a message. It can be used once.
    public mutating func use(_ index: Int, in frames: inout Frames) {
        precondition(index >= 0 && index < count, "no such envelope")
        frames.append(moving: slots + index)
    }

    /// Lets go of all of them.
    public mutating func removeAll() {
        for index in 0..<count { zmq_msg_close(slots + index) }
        count = 0
    }
}
