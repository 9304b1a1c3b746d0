/// The digest of a sequence: a polynomial over the field of integers modulo 2^61 − 1.
///
/// The digests of two neighbouring runs combine into the digest of both, whatever the shape of the
/// tree. So a viewer with another tree computes the same number. docs/PROTOCOL.md, "Digest",
/// specifies it for other languages.
public struct SequenceDigest: Equatable, Sendable {
    /// How many elements.
    public private(set) var count: Int
    /// Σ xᵢ · Bⁿ⁻¹⁻ⁱ modulo p.
    public private(set) var value: UInt64
    /// Bⁿ modulo p, kept so that combining costs one multiplication.
    fileprivate(set) var power: UInt64

    /// p = 2^61 − 1, a Mersenne prime: reduction is a shift and an addition.
    static let prime: UInt64 = (1 << 61) - 1
    /// B: fixed for all time (the first 61 bits of the fraction of the golden ratio).
    static let base: UInt64 = 0x13C6_EF37_2FE9_4F82
    /// B⁻¹ modulo p.
    static let inverseOfBase: UInt64 = 0x0859_7E3B_0061_64F5

    /// The digest of no elements.
    public static let empty = SequenceDigest(count: 0, value: 0, power: 1)

    fileprivate init(count: Int, value: UInt64, power: UInt64) {
        self.count = count
        self.value = value
        self.power = power
    }

    /// The digest of one element with this 64-bit hash.
    public init(hash: UInt64) { self.init(element: Self.element(hash)) }

    /// The digest of one element whose hash is in the field already.
    init(element: UInt64) { self.init(count: 1, value: element, power: Self.base) }

    /// Maps a hash into the field: below 2^61.
    static func element(_ hash: UInt64) -> UInt64 { hash % prime }

    /// Adds the run that follows.
    public mutating func append(_ next: SequenceDigest) {
        value = Self.sum(Self.product(value, next.power), next.value)
        power = Self.product(power, next.power)
        count += next.count
    }

    /// Exchanges a part of the run for one with as many elements. `behind` is how many elements stand behind
    /// the part: the difference counts times B to that number.
    @inline(__always)
    mutating func exchange(_ old: SequenceDigest, for new: SequenceDigest, before behind: Int) {
        let change = Self.difference(new.value, old.value)
        value = Self.sum(value, Self.product(change, Powers.ofBase(behind)))
    }

    /// Exchanges a part for one with one element more or less: all before it move by a place. `front` is the
    /// value of those.
    @inline(__always)
    mutating func exchange(
        _ old: SequenceDigest, for new: SequenceDigest, before behind: Int, front: UInt64
    ) {
        let step = Step(from: old.count, to: new.count)
        let moved = Self.product(Self.product(front, old.power), step.factorLessOne)
        let change = Self.sum(moved, Self.difference(new.value, old.value))
        value = Self.sum(value, Self.product(change, Powers.ofBase(behind)))
        take(step)
    }

    /// Exchanges one part. `rest` is the value of those behind it, which do not move.
    @inline(__always)
    mutating func exchange(
        _ old: SequenceDigest, for new: SequenceDigest, before behind: Int, rest: UInt64
    ) {
        let step = Step(from: old.count, to: new.count)
        let moved = Self.product(Self.difference(value, rest), step.factor)
        let change = Self.difference(new.value, Self.product(old.value, step.factor))
        value = Self.sum(Self.sum(moved, rest), Self.product(change, Powers.ofBase(behind)))
        take(step)
    }

    @inline(__always)
    private mutating func take(_ step: Step) {
        power = Self.product(power, step.factor)
        count += step.number
    }

    /// One element more or less: what that multiplies the elements before it by, which is B or B⁻¹.
    private struct Step {
        let number: Int
        var factor: UInt64 { number > 0 ? base : inverseOfBase }
        var factorLessOne: UInt64 { number > 0 ? base - 1 : inverseOfBase - 1 }

        @inline(__always)
        init(from old: Int, to new: Int) {
            number = new - old
            precondition(number == 1 || number == -1, "not one element more or less")
        }
    }

    static func difference(_ a: UInt64, _ b: UInt64) -> UInt64 {
        // Both are below 2^61.
        a >= b ? a &- b : a &+ prime &- b
    }

    static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
        // Both are below 2^61.
        let total = a &+ b
        return total >= prime ? total &- prime : total
    }

    static func product(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let full = a.multipliedFullWidth(by: b)
        // a, b < 2^61, so the product is below 2^122: its upper 61 bits fit beside the lower.
        let upper = full.high << 3 | full.low >> 61
        return sum(full.low & prime, upper)
    }
}

extension SequenceDigest {
    /// The value of at most 64 neighbouring elements. The products are independent of each other; with
    /// `append`, each waits for the one before.
    @inline(__always)
    static func value(of count: Int, _ element: (Int) -> UInt64) -> UInt64 {
        precondition(count <= 64, "a leaf has at most 64 elements")
        return Powers.tables.withUnsafeBufferPointer { powers in
            // Each product is below 2^122, so 64 of them fit.
            var sum: UInt128 = 0
            for place in 0..<count {
                sum &+= UInt128(element(place)) &* UInt128(powers[count &- 1 &- place])
            }
            let low = UInt64(truncatingIfNeeded: sum) & prime
            let middle = UInt64(truncatingIfNeeded: sum >> 61) & prime
            return (low &+ middle &+ UInt64(truncatingIfNeeded: sum >> 122)) % prime
        }
    }

    /// The digest of at most 64 neighbouring elements.
    static func total(of count: Int, _ element: (Int) -> UInt64) -> SequenceDigest {
        let value = value(of: count, element)
        return SequenceDigest(count: count, value: value, power: Powers.ofBase(count))
    }
}

/// Powers of B, from two tables.
enum Powers {
    /// B to the powers below 1,024 and, behind them, B¹⁰²⁴ to the powers below 1,024. One array, since the
    /// first look at a global value is looked for each time.
    static let tables: ContiguousArray<UInt64> = {
        var powers: ContiguousArray<UInt64> = []
        powers.reserveCapacity(2_048)
        var factor = SequenceDigest.base
        for _ in 0..<2 {
            var power: UInt64 = 1
            for _ in 0..<1_024 {
                powers.append(power)
                power = SequenceDigest.product(power, factor)
            }
            factor = power
        }
        return powers
    }()

    /// B to any power.
    @inline(__always)
    static func ofBase(_ exponent: Int) -> UInt64 {
        let low = tables[exponent & 1_023]
        if exponent < 1_024 { return low }
        if exponent < 1 << 20 { return SequenceDigest.product(low, tables[1_024 | exponent >> 10]) }
        return ofBase(beyondAMillion: exponent)
    }

    @inline(never)
    private static func ofBase(beyondAMillion exponent: Int) -> UInt64 {
        var high = exponent >> 10
        var power = tables[exponent & 1_023]
        while high > 1_023 {
            power = SequenceDigest.product(power, tables[2_047])
            high -= 1_023
        }
        return SequenceDigest.product(power, tables[1_024 + high])
    }
}
