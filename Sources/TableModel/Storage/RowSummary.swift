// Rows in the order tree: what is summed up of them.

extension Row: TreeElement {
    /// Eight bytes for each row: its hash as a field element, whether the row is open, and whether it is taken.
    package struct Mark: Sendable {
        private let bits: UInt64

        private static let open: UInt64 = 1 << 63
        private static let taken: UInt64 = 1 << 62

        fileprivate init(_ hash: UInt64, isOpen: Bool, isTaken: Bool) {
            bits =
                SequenceDigest.element(hash) | (isOpen ? Self.open : 0) | (isTaken ? Self.taken : 0)
        }

        fileprivate var element: UInt64 { bits & SequenceDigest.prime }
        fileprivate var counts: RowSummary.Counts {
            RowSummary.Counts(
                Int32(truncatingIfNeeded: bits >> 63), Int32(truncatingIfNeeded: bits >> 62 & 1))
        }
    }

    /// Computed from the whole row.
    package var mark: Mark { Mark(hash, isOpen: store.header.expansion != 0, isTaken: isTaken) }

    /// Whether it is claimed or sleeps, or an action of it waits for its end. `next` gives out other rows.
    package var isTaken: Bool {
        guard hasRareParts else { return false }
        return claim != nil || sleep != nil || performed.contains(where: \.state.isPending)
    }

    /// Its digest, an open count of 1 unless it is collapsed, and a taken count of 1 if it is taken.
    package var summary: RowSummary { Self.sum(of: mark) }

    /// The sum of one row.
    package static func sum(of mark: Mark) -> RowSummary {
        RowSummary(digest: SequenceDigest(element: mark.element), counts: mark.counts)
    }

    /// Adds up a leaf's marks in one go.
    package static func total(of marks: UnsafeBufferPointer<Mark>) -> RowSummary {
        let digest = SequenceDigest.total(of: marks.count) { marks[$0].element }
        return RowSummary(digest: digest, counts: marks.reduce(into: .zero) { $0 &+= $1.counts })
    }

    /// The value of their digest.
    package static func side(_ marks: UnsafeBufferPointer<Mark>) -> UInt64 {
        SequenceDigest.value(of: marks.count) { marks[$0].element }
    }

    /// Whether both are the same object.
    package func isSame(as other: Row) -> Bool { store === other.store }
}

/// The sum of a run of rows.
package struct RowSummary: Summary {
    /// Digest of the rows' hashes, in order.
    package private(set) var digest: SequenceDigest
    /// How many rows are not collapsed, and how many are taken. In one word: each change of a row adds to both.
    fileprivate typealias Counts = SIMD2<Int32>
    private var counts: Counts

    /// How many rows are not collapsed: an accordion closes them.
    package var openCount: Int { Int(counts[0]) }
    /// Whether a row of them is free: `next` looks no further into those that have none.
    package var hasFree: Bool { Int(counts[1]) < digest.count }

    fileprivate init(digest: SequenceDigest, counts: Counts) {
        self.digest = digest
        self.counts = counts
    }

    /// The value of the parts' digest.
    package typealias Side = UInt64

    /// The sum of no rows.
    package static var empty: RowSummary { RowSummary(digest: .empty, counts: .zero) }

    /// Adds the run that follows.
    package mutating func append(_ next: RowSummary) {
        digest.append(next.digest)
        counts &+= next.counts
    }

    /// Yes, since the digest does.
    package static var tellsDifferences: Bool { true }

    /// The side that parts make beside one that changes: the value of their digest counts.
    package static func side(_ parts: UnsafeBufferPointer<RowSummary>) -> UInt64 {
        var value: UInt64 = 0
        for part in parts {
            let digest = part.digest
            value = SequenceDigest.sum(SequenceDigest.product(value, digest.power), digest.value)
        }
        return value
    }

    /// Exchanges a part of the run for one with as many rows.
    @inline(__always)
    package mutating func exchange(_ old: RowSummary, for new: RowSummary, before behind: Int) {
        digest.exchange(old.digest, for: new.digest, before: behind)
        counts &+= new.counts &- old.counts
    }

    /// Exchanges a part for one with a row more or less.
    @inline(__always)
    package mutating func exchange(
        _ old: RowSummary, for new: RowSummary, before behind: Int, front: UInt64
    ) {
        digest.exchange(old.digest, for: new.digest, before: behind, front: front)
        counts &+= new.counts &- old.counts
    }

    /// The default.
    @inline(__always)
    package mutating func exchange(
        _ old: RowSummary, for new: RowSummary, before behind: Int, rest: UInt64
    ) {
        digest.exchange(old.digest, for: new.digest, before: behind, rest: rest)
        counts &+= new.counts &- old.counts
    }
}
