public import TableModel

/// The exact place of every row of one table, for one width and one profile (C5, C7). A question or
/// a change costs O(log n), at a million rows too. `docs/LAYOUT.md`, "Offsets", describes it.
///
/// The index mirrors the table's order in a tree whose nodes sum heights in whole units of 1/1024
/// point. Its numbers are those of `TableFrames`, bit for bit. After each diff that the table has
/// applied, the index takes the same ops: `apply(diff.ops, table)`.
///
/// Only expanded rows depend on the width. They are measured when an answer needs their height, so
/// a new width costs little until somebody asks for a place below them. No answer is an estimate.
/// Not thread-safe: the thread that owns the table owns its indexes.
public final class LayoutIndex {
    /// Width of the rows, in points.
    public private(set) var widthPoints: Double
    /// Revision of the table as the index last saw it.
    public internal(set) var revision: UInt64 = 0
    /// The widths with which text is measured.
    public let metrics: Metrics
    /// How many times a row was measured so far: for figures and tests.
    public private(set) var measurements = 0

    typealias Tree = OrderTree<LayoutEntry>
    var tree = LayoutIndex.emptyTree()
    var entries: [RowID: LayoutEntry] = [:]
    /// The sections in order; `starts` has the entry at which each begins.
    var sections: [SectionID] = []
    var starts: [SectionID: LayoutEntry] = [:]
    var kinds: [KindID: Kind] = [:]
    private var geometries: [KindID: KindGeometry] = [:]
    private let cacheCapacity: Int
    private var cache: HeightCache
    private let shown: (Row) -> Row

    /// An index of all rows of a table; O(n), without measuring expanded rows.
    ///
    /// - Parameters:
    ///   - table: whose rows it measures, as it is now.
    ///   - widthPoints: width of the rows.
    ///   - metrics: of text and of faces.
    ///   - cacheCapacity: how many measured heights to remember for other widths and versions.
    ///   - shown: a row as the viewer shows it, if it opens rows for itself. Where that changes, `apply` an `expand`.
    public init(
        _ table: Table, widthPoints: Double, metrics: Metrics = .point, cacheCapacity: Int = 65_536,
        shown: @escaping (Row) -> Row = { $0 }
    ) {
        self.shown = shown
        self.widthPoints = widthPoints
        self.metrics = metrics
        self.cacheCapacity = cacheCapacity
        cache = HeightCache(capacity: cacheCapacity)
        rebuild(from: table)
    }

    private static func emptyTree() -> Tree { Tree { entry, leaf in entry.leaf = leaf } }

    /// Starts afresh from a table; O(n).
    func rebuild(from table: Table) {
        tree = Self.emptyTree()
        entries = [:]
        entries.reserveCapacity(table.count)
        sections = table.sections.map(\.id)
        starts = [:]
        kinds = table.kinds
        geometries = [:]
        cache.removeAll()
        revision = table.revision
        for section in table.sections {
            let start = LayoutEntry(nil)
            starts[section.id] = start
            tree.append(start)
            for run in section.runs() {
                for row in run {
                    let entry = LayoutEntry(row)
                    show(row, in: entry)
                    entries[row.id] = entry
                    tree.append(entry)
                }
            }
        }
    }

    // MARK: Heights

    func geometry(of id: KindID) -> KindGeometry {
        if let known = geometries[id] { return known }
        let bit = UInt8(truncatingIfNeeded: geometries.count % 64)
        let geometry = KindGeometry(kinds[id] ?? Kind(id), bit: bit)
        geometries[id] = geometry
        return geometry
    }

    /// Gives an entry its row, and its height if that costs nothing. The caller updates the tree.
    func show(_ row: Row, in entry: LayoutEntry) {
        let row = shown(row)
        let wasMeasured =
            entry.isMeasured && !entry.isPending && entry.row?.version == row.version
            && entry.row?.expansion == row.expansion
        entry.row = row
        let geometry = geometry(of: row.content.kind)
        entry.kindBit = geometry.bit
        entry.isMeasured = row.expansion == .expanded || geometry.kind.hasTextHeights
        if entry.isMeasured {
            if wasMeasured { return }
            // The stand-in decides how much is measured to find a row, not which row is found.
            if entry.units == 0 { entry.units = geometry.collapsedUnits }
            entry.isPending = true
            return
        }
        entry.units =
            row.expansion == .collapsed ? geometry.collapsedUnits : units(of: row, geometry)
        entry.isPending = false
    }

    private func units(of row: Row, _ geometry: KindGeometry) -> Int32 {
        Int32(
            RowHeights.units(
                of: row.content, kind: geometry.kind, expansion: row.expansion,
                widthPoints: widthPoints, metrics: metrics))
    }

    /// Measures a pending row. The caller updates the tree.
    func measure(_ entry: LayoutEntry, remembering: Bool) {
        guard entry.isPending, let row = entry.row else { return }
        entry.isPending = false
        let key = HeightCache.Key(
            row: row.id, version: row.version, state: row.expansion, widthPoints: widthPoints)
        if remembering, let units = cache.height(of: key) {
            entry.units = units
            return
        }
        measurements += 1
        entry.units = units(of: row, geometry(of: row.content.kind))
        if remembering { cache.put(entry.units, for: key) }
    }

    /// Measures the pending rows of the first `end` entries; O(1) if there are none.
    @discardableResult
    func settle(before end: Int = .max, atMost limit: Int = .max) -> Int {
        let sum = tree.summary
        if sum.pending == 0 { return 0 }
        // More heights than the cache holds would only push each other out.
        let remembering = Int(sum.expanded) <= cacheCapacity
        return tree.update(where: { $0.pending > 0 }, before: end, atMost: limit) { entry in
            measure(entry, remembering: remembering)
        }
    }

    /// Sets another width. This costs O(log n) for each expanded row and measures none: they are
    /// measured when an answer needs them.
    public func setWidth(_ points: Double) {
        if points.bitPattern == widthPoints.bitPattern { return }
        widthPoints = points
        tree.update(where: { $0.expanded > 0 }) { $0.isPending = true }
    }

    /// Rows whose height nobody has asked for yet.
    public var unmeasuredCount: Int { Int(tree.summary.pending) }

    /// Measures at most `limit` pending rows, from the top, for a viewer that measures in slices.
    /// Returns how many are left.
    @discardableResult
    public func measure(atMost limit: Int) -> Int {
        settle(atMost: max(0, limit))
        return unmeasuredCount
    }

    /// Takes new definitions of kinds, and updates the rows whose heights may differ. O(log n) for
    /// each row of a kind whose geometry changed; with more than 64 kinds, also for each row of a
    /// kind that shares its bit.
    func redefine(_ ids: [KindID], as kinds: [KindID: Kind]) {
        self.kinds = kinds
        var changed: Set<KindID> = []
        var bits: UInt64 = 0
        for id in ids {
            guard let known = geometries[id] else { continue }
            let kind = kinds[id] ?? Kind(id)
            if known.isSame(as: kind) { continue }
            geometries[id] = KindGeometry(kind, bit: known.bit)
            changed.insert(id)
            bits |= 1 << UInt64(known.bit)
        }
        if changed.isEmpty { return }
        cache.removeAll()
        tree.update(where: { $0.kinds & bits != 0 }) { entry in
            guard let row = entry.row, changed.contains(row.content.kind) else { return }
            entry.isPending = true
            show(row, in: entry)
        }
    }

    /// Checks the tree's invariants, for tests; nil: all hold.
    public func fault() -> String? { tree.fault() }
}
