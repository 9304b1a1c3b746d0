// Rows in the order tree: what is summed up of them.

extension Row: TreeElement {
    /// Eight bytes for each row: its hash as a field element, and whether the row is open.
    package struct Mark: Sendable {
        private let bits: UInt64

        private static let open: UInt64 = 1 << 63

        fileprivate init(_ hash: UInt64, isOpen: Bool) {
            bits = SequenceDigest.element(hash) | (isOpen ? Self.open : 0)
        }

        fileprivate var element: UInt64 { bits & ~Self.open }
        fileprivate var openCount: Int { bits >= Self.open ? 1 : 0 }
    }

    /// Computed from the whole row.
    package var mark: Mark { Mark(hash, isOpen: store.header.expansion != 0) }

    /// Its digest, and an open count of 1 unless it is collapsed.
    package var summary: RowSummary { Self.sum(of: mark) }

    /// The sum of one row.
    package static func sum(of mark: Mark) -> RowSummary {
        RowSummary(digest: SequenceDigest(element: mark.element), openCount: mark.openCount)
    }

    /// Adds up a leaf's marks in one go.
    package static func total(of marks: UnsafeBufferPointer<Mark>) -> RowSummary {
        let digest = SequenceDigest.total(of: marks.count) { marks[$0].element }
        return RowSummary(digest: digest, openCount: marks.reduce(0) { $0 + $1.openCount })
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
    /// How many rows are not collapsed: an accordion closes them.
    package private(set) var openCount: Int

    fileprivate init(digest: SequenceDigest, openCount: Int) {
        self.digest = digest
        self.openCount = openCount
    }

    /// The value of the parts' digest.
    package typealias Side = UInt64

    /// The sum of no rows.
    package static var empty: RowSummary { RowSummary(digest: .empty, openCount: 0) }

    /// Adds the run that follows.
    package mutating func append(_ next: RowSummary) {
        digest.append(next.digest)
        openCount += next.openCount
    }

    /// Yes, since the digest does.
    package static var tellsDifferences: Bool { true }

    /// The side that parts make beside one that changes: the value of their digest counts.
    package static func side(_ parts: UnsafeBufferPointer<RowSummary>) -> UInt64 {
        var value: UInt64 = 0
        for part in parts {
            let digest = part.digest
            value = SequenceDigest.sum(
                SequenceDigest.product(value, digest.power), digest.value)
        }
        return value
    }

    /// Exchanges a part of the run for one with as many rows.
    @inline(__always)
    package mutating func exchange(_ old: RowSummary, for new: RowSummary, before behind: Int) {
        digest.exchange(old.digest, for: new.digest, before: behind)
        openCount += new.openCount - old.openCount
    }

    /// Exchanges a part for one with a row more or less.
    @inline(__always)
    package mutating func exchange(
        _ old: RowSummary, for new: RowSummary, before behind: Int, front: UInt64
    ) {
        digest.exchange(old.digest, for: new.digest, before: behind, front: front)
        openCount += new.openCount - old.openCount
    }

    /// The default.
    @inline(__always)
    package mutating func exchange(
        _ old: RowSummary, for new: RowSummary, before behind: Int, rest: UInt64
    ) {
        digest.exchange(old.digest, for: new.digest, before: behind, rest: rest)
        openCount += new.openCount - old.openCount
    }
}
