/// A diff and its inverse, as journaled. Both lie in one piece of memory, as a rule with those of other
/// changes.
public struct EncodedChange: Equatable, Sendable {
    private let memory: ChangeMemory
    private let start: Int
    /// Bytes of the diff.
    let diffByteCount: Int
    private let inverseBytes: Int
    private let hasInverse: Bool

    /// Copies both into memory that has room for them.
    fileprivate init(
        in memory: ChangeMemory, _ diff: UnsafeRawBufferPointer, _ inverse: UnsafeRawBufferPointer?
    ) {
        self.memory = memory
        start = memory.count
        (diffByteCount, inverseBytes) = (diff.count, inverse?.count ?? 0)
        hasInverse = inverse != nil
        memory.append(diff, inverse)
    }

    /// A change by itself, which is copied; without an inverse where that is too large to keep.
    public init(diff: UnsafeRawBufferPointer, inverse: UnsafeRawBufferPointer?) {
        self.init(in: ChangeMemory(room: diff.count + (inverse?.count ?? 0)), diff, inverse)
    }

    /// A change of two arrays.
    public init(diff: [UInt8], inverse: [UInt8]?) {
        self = diff.withUnsafeBytes { diff in
            guard let inverse else { return Self(diff: diff, inverse: nil) }
            return inverse.withUnsafeBytes { Self(diff: diff, inverse: $0) }
        }
    }

    /// The diff, which is published and replayed too.
    public var diff: ArraySlice<UInt8> { memory.bytes[start..<start + diffByteCount] }
    /// The inverse; nil: it is too large to keep.
    public var inverse: ArraySlice<UInt8>? {
        let place = start + diffByteCount
        return hasInverse ? memory.bytes[place..<place + inverseBytes] : nil
    }
    /// Bytes of both.
    public var byteCount: Int { diffByteCount + inverseBytes }

    /// Whether the inverse leads nowhere.
    var changesNothing: Bool { hasInverse && inverseBytes == 0 }

    /// Whether both have the same bytes.
    public static func == (one: EncodedChange, other: EncodedChange) -> Bool {
        one.diff == other.diff && one.inverse == other.inverse
    }
}

/// The bytes of some changes, which stay until none of them is kept.
///
/// It can be sent, as changes can: only `ChangeStore` adds to it, behind all that its changes look at. The
/// server that owns the store, and whoever looks at its changes, share a thread.
private final class ChangeMemory: @unchecked Sendable {
    /// The holder of a slice has a copy when more is added: a few kilobytes.
    private(set) var bytes: [UInt8]
    /// How many are written.
    private(set) var count: Int

    init(_ bytes: [UInt8]) { (self.bytes, count) = (bytes, bytes.count) }

    /// Empty, with room for so many.
    init(room: Int) {
        // It holds old bytes, and is written before it is read.
        bytes = [UInt8](unsafeUninitializedCapacity: room) { $1 = room }
        count = 0
    }

    var room: Int { bytes.count - count }

    func append(_ diff: UnsafeRawBufferPointer, _ inverse: UnsafeRawBufferPointer?) {
        let place = count
        count += diff.count + (inverse?.count ?? 0)
        bytes.withUnsafeMutableBytes { bytes in
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[place..<count])
            room.copyMemory(from: diff)
            guard let inverse else { return }
            UnsafeMutableRawBufferPointer(rebasing: room[diff.count...]).copyMemory(from: inverse)
        }
    }
}

/// Puts the bytes of the changes that are kept behind each other, so that none has memory of its own.
struct ChangeStore: Sendable {
    private var memory = ChangeMemory([])

    /// Bytes of changes that lie together, at most and at first: many tables have few. Memory stays until the
    /// last of them goes.
    private static let together = 16 << 10
    private static let togetherAtFirst = 1 << 10
    /// A larger change has memory of its own.
    private static let large = 4 << 10

    /// Copies a change to where it stays.
    mutating func keep(
        _ diff: UnsafeRawBufferPointer, _ inverse: UnsafeRawBufferPointer?
    ) -> EncodedChange {
        let size = diff.count + (inverse?.count ?? 0)
        if size > Self.large { return EncodedChange(diff: diff, inverse: inverse) }
        if size > memory.room {
            let next = min(max(4 * memory.count, Self.togetherAtFirst), Self.together)
            memory = ChangeMemory(room: max(next, size))
        }
        return EncodedChange(in: memory, diff, inverse)
    }

    /// Keeps a change that has memory of its own: a large one stays there.
    mutating func keep(_ change: EncodedChange) -> EncodedChange {
        if change.byteCount > Self.large { return change }
        return change.diff.withUnsafeBytes { diff in
            guard let inverse = change.inverse else { return keep(diff, nil) }
            return inverse.withUnsafeBytes { keep(diff, $0) }
        }
    }
}
