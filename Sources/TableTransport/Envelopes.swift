import CZeroMQ

/// The routing ids of messages that await an answer, as libzmq's own frames. They move from the
/// request to its answer without a copy.
public struct Envelopes: ~Copyable {
    /// How many envelopes it can hold.
    public let limit: Int
    /// How many envelopes it holds.
    public private(set) var count = 0

    private let slots: UnsafeMutablePointer<zmq_msg_t>
    /// So many slots are messages, empty or not.
    private var begun = 0
    /// Those of them that are empty.
    private var free: [Int] = []

    /// Makes room for this many.
    public init(limit: Int) {
        self.limit = limit
        slots = .allocate(capacity: limit)
    }

    deinit {
        for index in 0..<begun { zmq_msg_close(slots + index) }
        slots.deallocate()
    }

    /// Takes the first frame out of a message, which has an empty one there afterwards; returns its
    /// number, which is its own until it is used or dropped.
    public mutating func store(from frames: inout Frames) -> Int {
        precondition(count < limit, "more envelopes than there is room for")
        let index = free.popLast() ?? begun
        if index == begun {
            zmq_msg_init(slots + index)
            begun += 1
        }
        frames.moveFirst(to: slots + index)
        count += 1
        return index
    }

    /// The bytes of an envelope.
    public func bytes(of index: Int) -> [UInt8] {
        precondition(index >= 0 && index < begun, "no such envelope")
        let slot = slots + index
        return Array(UnsafeRawBufferPointer(start: zmq_msg_data(slot), count: zmq_msg_size(slot)))
    }

    /// Makes an envelope the next frame of a message. Each can be used once.
    public mutating func use(_ index: Int, in frames: inout Frames) {
        precondition(index >= 0 && index < begun, "no such envelope")
        frames.append(moving: slots + index)
        release(index)
    }

    /// Lets go of an envelope that is not used.
    public mutating func drop(_ index: Int) {
        precondition(index >= 0 && index < begun, "no such envelope")
        zmq_msg_close(slots + index)
        zmq_msg_init(slots + index)
        release(index)
    }

    private mutating func release(_ index: Int) {
        count -= 1
        free.append(index)
    }
}
