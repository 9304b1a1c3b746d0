import TableHash

/// The hash chain that ties each entry to everything before it. It finds a flipped bit, and an entry
/// that is missing, swapped, or of another life of its file.
package enum Chain {
    /// The chain before entry 1.
    package static let start: UInt64 = 0

    /// The chain after record `number`, which holds `payload`.
    ///
    /// The previous chain becomes the seed, so that the payload is hashed in place.
    package static func link(
        after previous: UInt64, number: UInt64, payload: UnsafeRawBufferPointer
    ) -> UInt64 { XXH64.hash(payload, seed: seal(previous, number)) }

    /// A hash over numbers that are stored together.
    package static func seal(_ words: UInt64..., seed: UInt64 = 0) -> UInt64 {
        words.map { $0.littleEndian }.withUnsafeBytes { XXH64.hash($0, seed: seed) }
    }

    /// The seal of two words, without an array: it is computed for each entry.
    package static func seal(_ one: UInt64, _ other: UInt64) -> UInt64 {
        withUnsafeBytes(of: (one.littleEndian, other.littleEndian)) { XXH64.hash($0) }
    }
}

/// A place in the chain of entries: the position of an entry and the chain after it.
package struct ChainPoint: Equatable, Sendable {
    package var position: UInt64
    package var chain: UInt64

    package init(position: UInt64, chain: UInt64) {
        (self.position, self.chain) = (position, chain)
    }

    package static let start = ChainPoint(position: 0, chain: Chain.start)
}
