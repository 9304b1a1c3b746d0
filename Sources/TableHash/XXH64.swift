/// XXH64, the 64-bit xxHash: fast, well spread, not cryptographic.
///
/// It detects damage and distinguishes contents. It proves nothing against someone who chooses the
/// bytes. Source: the xxHash specification, <https://github.com/Cyan4973/xxHash>.
public enum XXH64 {
    /// The hash of `bytes`, of any length (also 0) and alignment.
    public static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { hash($0, seed: seed) }
    }

    /// The hash of `bytes`, of any length (also 0) and alignment.
    public static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        // A place goes from the first byte to the last: nothing is read beyond `end`.
        guard var place = bytes.baseAddress else { return avalanche(seed &+ prime5) }
        let end = place + bytes.count
        var hash =
            bytes.count >= stripe ? stripes(from: &place, to: end, seed: seed) : seed &+ prime5
        hash &+= UInt64(truncatingIfNeeded: bytes.count)
        while end - place >= 8 {
            hash = take(word(place), hash)
            place += 8
        }
        if end - place >= 4 {
            let half = UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
            hash ^= UInt64(half) &* prime1
            hash = rotate(hash, 23) &* prime2 &+ prime3
            place += 4
        }
        while place < end {
            hash ^= UInt64(place.load(as: UInt8.self)) &* prime5
            hash = rotate(hash, 11) &* prime1
            place += 1
        }
        return avalanche(hash)
    }

    /// The hash of three numbers, each of eight bytes, the lowest first. What a table comes to is written so.
    @inlinable
    public static func hash(_ first: UInt64, _ second: UInt64, _ third: UInt64) -> UInt64 {
        avalanche(take(third, take(second, take(first, prime5 &+ 24))))
    }

    @inlinable @inline(__always)
    static func take(_ word: UInt64, _ hash: UInt64) -> UInt64 {
        rotate(hash ^ round(0, word), 27) &* prime1 &+ prime4
    }

    private static let stripe = 32
    @usableFromInline static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    @usableFromInline static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    @usableFromInline static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    @usableFromInline static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    @usableFromInline static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// Four independent lanes over the whole stripes of 32 bytes, at least one, then merged into one.
    @inline(__always)
    private static func stripes(
        from place: inout UnsafeRawPointer, to end: UnsafeRawPointer, seed: UInt64
    ) -> UInt64 {
        var lane1 = seed &+ prime1 &+ prime2
        var lane2 = seed &+ prime2
        var lane3 = seed
        var lane4 = seed &- prime1
        let last = end - stripe
        repeat {
            lane1 = round(lane1, word(place))
            lane2 = round(lane2, word(place + 8))
            lane3 = round(lane3, word(place + 16))
            lane4 = round(lane4, word(place + 24))
            place += stripe
        } while place <= last
        let sum = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
        return merge(merge(merge(merge(sum, lane1), lane2), lane3), lane4)
    }

    @inline(__always)
    private static func word(_ place: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
    }

    @inlinable @inline(__always)
    static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        value &<< bits | value &>> (64 &- bits)
    }

    @inlinable @inline(__always)
    static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    @inlinable @inline(__always)
    static func avalanche(_ hash: UInt64) -> UInt64 {
        var hash = hash
        hash ^= hash &>> 33
        hash &*= prime2
        hash ^= hash &>> 29
        hash &*= prime3
        hash ^= hash &>> 32
        return hash
    }
}
