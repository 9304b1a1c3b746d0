import TableHash

/// The digest of a sequence: a polynomial over the field of integers modulo 2^61 − 1.
///
/// Two digests of neighbouring runs combine into the digest of both, whatever the shape of the
/// tree that holds them, so that a viewer with another tree computes the same number. The
/// specification, for other languages, is in docs/PROTOCOL.md, "Digest".
public struct SequenceDigest: Equatable, Sendable {
    /// How many elements.
    public private(set) var count: Int
    /// Σ xᵢ · Bⁿ⁻¹⁻ⁱ modulo p.
    public private(set) var value: UInt64
    /// Bⁿ modulo p, kept so that combining costs one multiplication.
    private var power: UInt64

    /// p = 2^61 − 1, a Mersenne prime: reducing is a shift and an addition.
    static let prime: UInt64 = (1 << 61) - 1
    /// B: fixed for all time (the first 61 bits of the fraction of the golden ratio).
    static let base: UInt64 = 0x13C6_EF37_2FE9_4F82

    /// Of nothing.
    public static let empty = SequenceDigest(count: 0, value: 0, power: 1)

    fileprivate init(count: Int, value: UInt64, power: UInt64) {
        self.count = count
        self.value = value
        self.power = power
    }

    /// Of one element with this 64-bit hash.
    public init(hash: UInt64) {
        self.init(element: Self.element(hash))
    }

    /// Of one element whose hash is in the field already.
    init(element: UInt64) {
        self.init(count: 1, value: element, power: Self.base)
    }

    /// A hash in the field: below 2^61.
    static func element(_ hash: UInt64) -> UInt64 { hash % prime }

    /// Adds the run that follows.
    public mutating func append(_ next: SequenceDigest) {
        value = Self.sum(Self.product(value, next.power), next.value)
        power = Self.product(power, next.power)
        count += next.count
    }

    static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let total = a + b
        return total >= prime ? total - prime : total
    }

    static func product(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let full = a.multipliedFullWidth(by: b)
        // a, b < 2^61, so the product is below 2^122: its upper 61 bits fit beside the lower.
        let upper = full.high << 3 | full.low >> 61
        return sum(full.low & prime, upper)
    }
}

/// Adds up the digests of single elements that follow each other, at most 64: the products do not
/// wait for each other, as they do where digests are appended.
struct ElementDigests {
    private let count: Int
    private var place: Int
    /// 128 bits. Each product is below 2^122: 64 of them fit.
    private var high: UInt64 = 0
    private var low: UInt64 = 0
    private let powers = Self.powers

    /// So many will come.
    init(count: Int) {
        precondition(count < Self.powers.count, "a leaf has at most 64 elements")
        self.count = count
        place = count
    }

    /// Adds the next element.
    @inline(__always)
    mutating func append(_ element: UInt64) {
        place -= 1
        let full = element.multipliedFullWidth(by: powers[place])
        let (sum, carry) = low.addingReportingOverflow(full.low)
        low = sum
        high = high &+ full.high &+ (carry ? 1 : 0)
    }

    /// Of all, when all have come.
    var all: SequenceDigest {
        let prime = SequenceDigest.prime
        let folded = (low & prime) + ((high << 3 | low >> 61) & prime) + (high >> 58)
        return SequenceDigest(count: count, value: folded % prime, power: powers[count])
    }

    /// B to the power of 0…64.
    private static let powers: ContiguousArray<UInt64> = {
        var powers: ContiguousArray<UInt64> = [1]
        for index in 0..<64 {
            powers.append(SequenceDigest.product(powers[index], SequenceDigest.base))
        }
        return powers
    }()
}

/// Writes the canonical form of a value, from which its hash is made.
///
/// Numbers are 8 bytes, little-endian; text is its length in bytes as such a number, then its
/// UTF-8. Nothing else: any language can do it (docs/PROTOCOL.md, "Digest").
struct CanonicalWriter: ~Copyable {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private var count = 0
    /// Nil while what is written stands in memory that was lent.
    private var own: UnsafeMutableRawPointer?

    init(capacity: Int = 120) {
        self.capacity = max(capacity, 16)
        start = .allocate(byteCount: self.capacity, alignment: 8)
        own = start
    }

    /// Writes into memory that is lent for as long as the writer lives, while it suffices.
    private init(in scratch: UnsafeMutableRawBufferPointer) {
        guard let start = scratch.baseAddress else { preconditionFailure("nothing was lent") }
        self.start = start
        capacity = scratch.count
    }

    deinit {
        own?.deallocate()
    }

    /// The hash of what `body` writes: on the stack, as a rule, since it is asked for at every change.
    static func hash(_ body: (inout CanonicalWriter) -> Void) -> UInt64 {
        withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 8) { scratch in
            var writer = CanonicalWriter(in: scratch)
            body(&writer)
            return writer.hash
        }
    }

    /// What has been written.
    var bytes: [UInt8] { Array(UnsafeRawBufferPointer(start: start, count: count)) }

    private mutating func reserve(_ more: Int) {
        if count + more <= capacity { return }
        capacity = max(2 * capacity, count + more)
        let room = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        room.copyMemory(from: start, byteCount: count)
        own?.deallocate()
        start = room
        own = room
    }

    mutating func write(_ number: UInt64) {
        reserve(8)
        (start + count).storeBytes(of: number.littleEndian, as: UInt64.self)
        count += 8
    }

    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// Text that is not a string.
    mutating func write(_ letters: UnsafeRawBufferPointer) {
        write(UInt64(letters.count))
        reserve(letters.count)
        if let first = letters.baseAddress {
            (start + count).copyMemory(from: first, byteCount: letters.count)
        }
        count += letters.count
    }

    mutating func write(_ id: ID) {
        write(id.text)
    }

    mutating func write(_ flag: Bool) {
        write(flag ? 1 as UInt64 : 0)
    }

    mutating func write(_ number: Double?) {
        guard let number else { return write(0 as UInt64) }
        write(1 as UInt64)
        // Zero has two bit patterns.
        write(number == 0 ? 0 : number.bitPattern)
    }

    mutating func write(optional number: UInt64?) {
        guard let number else { return write(0 as UInt64) }
        write(1 as UInt64)
        write(number)
    }

    mutating func write(optional text: String?) {
        guard let text else { return write(0 as UInt64) }
        write(1 as UInt64)
        write(text)
    }

    var hash: UInt64 { XXH64.hash(UnsafeRawBufferPointer(start: start, count: count)) }
}
