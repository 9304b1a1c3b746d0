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
