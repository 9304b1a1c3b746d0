import TableModel

/// A row's place in a `LayoutIndex`, or the place where a section begins, which has no height.
final class LayoutEntry: TreeElement {
    /// Nil: a section begins here. As the index last saw it: it measures this one, so that it needs
    /// no table to answer.
    var row: Row?
    /// Where it stands in the tree.
    unowned(unsafe) var leaf: OrderTree<LayoutEntry>.Node?
    /// Its height in units of 1/1024 point; while `isPending`, what stands in for it.
    var units: Int32 = 0
    /// The height is to be measured; so it is of a row that has just come.
    var isPending: Bool
    /// The bit of its kind, 0 to 63: kinds may share one.
    var kindBit: UInt8 = 0

    init(_ row: Row?) {
        self.row = row
        isPending = row != nil
    }

    /// The one state whose height depends on the width.
    var isExpanded: Bool { row?.expansion == .expanded }

    var summary: LayoutSum {
        LayoutSum(
            units: Int(units), kinds: row == nil ? 0 : 1 << UInt64(kindBit),
            expanded: isExpanded ? 1 : 0, pending: isPending ? 1 : 0)
    }
}

/// What a run of rows amounts to.
struct LayoutSum: Summary {
    /// Of heights, those of pending rows included as they stand.
    var units = 0
    /// The bits of their kinds.
    var kinds: UInt64 = 0
    /// How many depend on the width.
    var expanded: Int32 = 0
    /// How many are to be measured.
    var pending: Int32 = 0

    static var empty: LayoutSum { LayoutSum() }

    mutating func append(_ next: LayoutSum) {
        units += next.units
        kinds |= next.kinds
        expanded += next.expanded
        pending += next.pending
    }
}

/// Heights of expanded rows that were measured, by identity, version and width (C6). The other
/// states' heights cost nothing, and an index has one profile: neither is part of the key.
///
/// Bounded: when the young half is full the old half goes. What is asked for again stays.
struct HeightCache {
    struct Key: Hashable {
        let row: RowID
        let version: UInt64
        let widthPoints: Double
    }

    private let halfCapacity: Int
    private var young: [Key: Int32] = [:]
    private var old: [Key: Int32] = [:]

    init(capacity: Int) {
        halfCapacity = max(0, capacity / 2)
    }

    var count: Int { young.count + old.count }

    mutating func height(of key: Key) -> Int32? {
        if let units = young[key] { return units }
        guard let units = old[key] else { return nil }
        put(units, for: key)
        return units
    }

    mutating func put(_ units: Int32, for key: Key) {
        guard halfCapacity > 0 else { return }
        if young.count >= halfCapacity {
            old = young
            young = [:]
        }
        young[key] = units
    }

    /// After a kind was redefined: what was measured holds no more.
    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}

/// What the heights of a kind's rows depend on.
final class KindGeometry {
    let kind: Kind
    /// In sums of runs: the kinds whose bit it is may be more than one.
    let bit: UInt8
    /// Of a collapsed row.
    let collapsedUnits: Int32

    init(_ kind: Kind, bit: UInt8) {
        self.kind = kind
        self.bit = bit
        collapsedUnits = Int32(
            RowHeights.units(
                of: Row.Content(kind: kind.id), kind: kind, expansion: .collapsed, widthPoints: 0,
                metrics: .point))
    }

    /// Rows of that definition have the same heights. What is no number is equal to nothing.
    func isSame(as other: Kind) -> Bool {
        kind.heightPoints == other.heightPoints && kind.layout == other.layout
            && kind.margins == other.margins && kind.states == other.states
    }
}
