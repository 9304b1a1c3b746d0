public import TableModel

/// Where every row of one table is, for one width and one profile, exactly (C5, C7): a question or
/// a change costs O(log n), at a million rows too. `docs/LAYOUT.md`, "Offsets", says it in words.
///
/// It mirrors the table's order in a tree whose nodes sum heights, in whole units of 1/1024 point:
/// its numbers are those of `TableFrames`, bit for bit. After each diff that the table has applied
/// it takes the same steps: `apply(diff.ops, table)`.
///
/// Only expanded rows depend on the width. They are measured when an answer needs their height and
/// not before: a new width costs little until somebody asks for a place below them. No answer is an
/// estimate. Not thread-safe: the thread that owns the table owns its indexes.
public final class LayoutIndex {
    /// Of the rows, in points.
    public private(set) var widthPoints: Double
    /// Of the table, as the index last saw it.
    public internal(set) var revision: UInt64 = 0
    /// What text is measured with.
    public let metrics: Metrics
    /// How many times a row's text was measured so far: for figures and tests.
    public private(set) var measurements = 0

    typealias Tree = OrderTree<LayoutEntry>
    var tree = LayoutIndex.emptyTree()
    var entries: [RowID: LayoutEntry] = [:]
    /// In order, with the entries that stand where they begin.
    var sections: [SectionID] = []
    var starts: [SectionID: LayoutEntry] = [:]
    var kinds: [KindID: Kind] = [:]
    private var geometries: [KindID: KindGeometry] = [:]
    private let cacheCapacity: Int
    private var cache: HeightCache

    /// All rows of a table; O(n), without measuring any.
    ///
    /// - Parameters:
    ///   - table: whose rows it measures, as it is now.
    ///   - widthPoints: of the rows.
    ///   - metrics: of text and of faces.
    ///   - cacheCapacity: measured heights to remember beyond those of the present rows and width.
    public init(
        _ table: Table, widthPoints: Double, metrics: Metrics = .point, cacheCapacity: Int = 65_536
    ) {
        self.widthPoints = widthPoints
        self.metrics = metrics
        self.cacheCapacity = cacheCapacity
        cache = HeightCache(capacity: cacheCapacity)
        rebuild(from: table)
    }

    private static func emptyTree() -> Tree {
        Tree { entry, leaf in entry.leaf = leaf }
    }

    /// Everything anew, as for a new table; O(n).
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

    /// Gives an entry its row, and a height: at once where it costs nothing. The tree is to be
    /// told.
    func show(_ row: Row, in entry: LayoutEntry) {
        let wasMeasured = entry.isExpanded && !entry.isPending && entry.row?.version == row.version
        entry.row = row
        let geometry = geometry(of: row.content.kind)
        entry.kindBit = geometry.bit
        switch row.expansion {
        case .collapsed:
            entry.units = geometry.collapsedUnits
            entry.isPending = false
        case .named, .height:
            entry.units = units(of: row, geometry)
            entry.isPending = false
        case .expanded:
            if wasMeasured { return }
            // What stands in for it decides how much is measured to find a row, not what is found.
            if entry.units == 0 { entry.units = geometry.collapsedUnits }
            entry.isPending = true
        }
    }

    private func units(of row: Row, _ geometry: KindGeometry) -> Int32 {
        Int32(
            RowHeights.units(
                of: row.content, kind: geometry.kind, expansion: row.expansion,
                widthPoints: widthPoints, metrics: metrics))
    }

    /// Measures a row that is pending. The tree is to be told.
    func measure(_ entry: LayoutEntry, remembering: Bool) {
        guard entry.isPending, let row = entry.row else { return }
        entry.isPending = false
        let key = HeightCache.Key(row: row.id, version: row.version, widthPoints: widthPoints)
        if remembering, let units = cache.height(of: key) {
            entry.units = units
            return
        }
        measurements += 1
        entry.units = units(of: row, geometry(of: row.content.kind))
        if remembering { cache.put(entry.units, for: key) }
    }

    /// Measures what is pending of the first `end` entries. O(1) when nothing is.
    @discardableResult
    func settle(before end: Int = .max, atMost limit: Int = .max) -> Int {
        let sum = tree.summary
        if sum.pending == 0 { return 0 }
        // More than fit would only push each other out.
        let remembering = Int(sum.expanded) <= cacheCapacity
        return tree.update(where: { $0.pending > 0 }, before: end, atMost: limit) { entry in
            measure(entry, remembering: remembering)
        }
    }

    /// Goes to another width. Expanded rows are measured when they are asked for: O(log n) for each
    /// until then, no text is looked at.
    public func setWidth(_ points: Double) {
        if points.bitPattern == widthPoints.bitPattern { return }
        widthPoints = points
        tree.update(where: { $0.expanded > 0 }) { $0.isPending = true }
    }

    /// Rows whose height nobody has asked for yet.
    public var unmeasuredCount: Int { Int(tree.summary.pending) }

    /// Measures so many rows that are not measured yet, from the top: for a viewer that does it in
    /// slices. Returns how many are left.
    @discardableResult
    public func measure(atMost limit: Int) -> Int {
        settle(atMost: max(0, limit))
        return unmeasuredCount
    }

    /// Takes kinds as they are defined now, and looks anew at rows whose heights may differ.
    /// O(log n) for each row of a kind whose geometry changed, and, where there are more than 64
    /// kinds, for each that shares the kind's bit.
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
            entry.isPending = entry.isExpanded
            show(row, in: entry)
        }
    }

    /// Looks for what cannot be: for tests. Nil when all is well.
    public func fault() -> String? { tree.fault() }
}
