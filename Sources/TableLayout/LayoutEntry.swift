import TableModel

/// A row's place in a `LayoutIndex`, or the start of a section, which has no height.
final class LayoutEntry: TreeElement {
    /// The row as the index last saw it; nil: a section starts here. The index measures this copy
    /// and needs no table to answer.
    var row: Row?
    /// The tree's node that holds the entry.
    unowned(unsafe) var leaf: OrderTree<LayoutEntry>.Node?
    /// The height in units of 1/1024 point; while `isPending`, a stand-in.
    var units: Int32 = 0
    /// The height is not measured yet, as in each new row.
    var isPending: Bool
    /// The number of the kind's bit, 0 to 63. Kinds may share one.
    var kindBit: UInt8 = 0
    /// The height is that of its text, so it depends on the width.
    var isMeasured = false

    init(_ row: Row?) {
        self.row = row
        isPending = row != nil
    }

    var summary: LayoutSum {
        LayoutSum(
            units: Int(units), kinds: row == nil ? 0 : 1 << UInt64(kindBit),
            expanded: isMeasured ? 1 : 0, pending: isPending ? 1 : 0)
    }
}

/// The sums over a run of rows.
struct LayoutSum: Summary {
    /// Sum of the heights, with the stand-ins of pending rows.
    var units = 0
    /// The union of the bits of their kinds.
    var kinds: UInt64 = 0
    /// How many rows depend on the width.
    var expanded: Int32 = 0
    /// How many rows are not measured yet.
    var pending: Int32 = 0

    static var empty: LayoutSum { LayoutSum() }

    mutating func append(_ next: LayoutSum) {
        units += next.units
        kinds |= next.kinds
        expanded += next.expanded
        pending += next.pending
    }
}

/// Measured heights of rows, by row id, version, state and width (C6). An index has one profile, so it is no part of
/// the key.
///
/// Bounded: when the young half is full, the old half is dropped. A read moves a height to the
/// young half.
struct HeightCache {
    struct Key: Hashable {
        let row: RowID
        let version: UInt64
        let state: Expansion
        let widthPoints: Double
    }

    private let halfCapacity: Int
    private var young: [Key: Int32] = [:]
    private var old: [Key: Int32] = [:]

    init(capacity: Int) { halfCapacity = max(0, capacity / 2) }

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

    /// For a redefined kind: measured heights may be wrong then.
    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}

/// The properties of a kind on which the heights of its rows depend.
final class KindGeometry {
    let kind: Kind
    /// The number of the kind's bit in `LayoutSum.kinds`. Several kinds may share it.
    let bit: UInt8
    /// Height of a collapsed row, in units.
    let collapsedUnits: Int32

    init(_ kind: Kind, bit: UInt8) {
        self.kind = kind
        self.bit = bit
        collapsedUnits = Int32(
            RowHeights.units(
                of: Row.Content(kind: kind.id), kind: kind, expansion: .collapsed, widthPoints: 0,
                metrics: .point))
    }

    /// Whether both definitions give their rows the same heights. NaN equals nothing, so a kind
    /// with one is never the same.
    func isSame(as other: Kind) -> Bool {
        kind.heightPoints == other.heightPoints && kind.layout == other.layout
            && kind.margins == other.margins && kind.states == other.states
            && kind.show == other.show && kind.emphasis == other.emphasis
            && kind.isStrip == other.isStrip && (kind.ages == nil) == (other.ages == nil)
    }
}
