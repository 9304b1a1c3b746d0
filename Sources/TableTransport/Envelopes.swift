/// To which peer of a ROUTER an answer goes: the first frame of each of its messages.
public struct RoutingID: Equatable, Sendable {
    /// Up to 16 bytes, as those have that libzmq or a guard makes. So to keep one takes no memory.
    private let low: UInt64
    private let high: UInt64
    private let count: Int
    /// All of a longer one.
    private let long: [UInt8]?

    /// A copy of these bytes.
    public init(_ bytes: UnsafeRawBufferPointer) {
        count = bytes.count
        var words: (UInt64, UInt64) = (0, 0)
        if count > 16 {
            long = Array(bytes)
        } else {
            long = nil
            withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
        }
        (low, high) = words
    }

    /// Lends the bytes.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let long { return long.withUnsafeBytes(body) }
        return withUnsafeBytes(of: (low, high)) {
            body(UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
    }
}

/// The routing ids of messages that await an answer.
public struct Envelopes {
    /// How many envelopes it can hold.
    public let limit: Int
    /// How many envelopes it holds.
    public private(set) var count = 0

    private var slots: [RoutingID] = []
    /// Those of them that are not used.
    private var free: [Int] = []

    /// Holds this many at most.
    public init(limit: Int) { self.limit = limit }

    /// Keeps the routing id of a message, its first frame; returns its number, which is its own until
    /// it is let go.
    public mutating func store(from frames: borrowing Frames) -> Int {
        precondition(count < limit, "more envelopes than there is room for")
        let id = frames.withBytes(at: 0) { RoutingID($0) }
        count += 1
        guard let index = free.popLast() else {
            slots.append(id)
            return slots.count - 1
        }
        slots[index] = id
        return index
    }

    /// The routing id of an envelope.
    public subscript(index: Int) -> RoutingID { slots[index] }

    /// Lets go of an envelope.
    public mutating func drop(_ index: Int) {
        precondition(index >= 0 && index < slots.count, "no such envelope")
        count -= 1
        free.append(index)
    }
}
