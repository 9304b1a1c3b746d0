import TableDecisions
public import TableModel

/// Staged tables, assembled from the parts of a backup before anybody sees them: in the daemon
/// during a restore, in recovery, and when a backup is checked.
public final class StagedTables {
    /// The finished tables, in the order of their parts.
    public private(set) var tables: [Table] = []
    /// How many tables have begun.
    public private(set) var begun = 0
    /// How many parts have come.
    public private(set) var parts = 0
    private var building: StagedTable?
    /// Bytes of the parts, and `rowWeight` for each row.
    private(set) var weight = 0
    private let codec: any Codec

    /// Bytes of a row in memory besides its text.
    private static let rowWeight = 256

    /// Nothing yet.
    public init(codec: any Codec) { self.codec = codec }

    /// Takes the next part, encoded. What was refused is of no further use.
    ///
    /// - Parameters:
    ///   - bytes: of the part.
    ///   - limits: that the part is held against.
    ///   - wasChecked: it was, before it came into the journal or the file that it is read from. Parts that
    ///     come live may follow such parts: after a start, a restore goes on.
    public func add(
        _ bytes: [UInt8], within limits: Limits, wasChecked: Bool = false
    ) throws(Rejection) {
        let bounds = wasChecked ? nil : limits
        let part = try codec.decodePart(bytes, limits: bounds)
        building?.hold(against: bounds)
        switch part {
        case .table(let start): try begin(start, within: limits, wasChecked: wasChecked)
        case .kinds(let kinds): try current.add(kinds)
        case .invocations(let all): try current.add(all)
        case .rows(let slices):
            let current = try current
            for slice in slices {
                try current.add(slice.rows, to: slice.section, title: slice.title)
                weight += slice.rows.count * Self.rowWeight
            }
        case .sessions, .removed, .log, .owners, .term:
            throw Rejection(.malformed, "A backup has no parts of this kind.")
        }
        parts += 1
        weight += bytes.count
        if !wasChecked { try bound("bytes of a restore", weight, by: limits.restoreBytes) }
    }

    /// Checks and finishes the last table. Where it was checked before, only its digest is.
    public func finish(within limits: Limits, wasChecked: Bool = false) throws(Rejection) {
        guard let building else { return }
        building.hold(against: wasChecked ? nil : limits)
        try building.finish()
        tables.append(building.table)
        self.building = nil
    }

    private var current: StagedTable {
        get throws(Rejection) {
            guard let building else {
                throw Rejection(.badBackup, "The backup has rows without a table.")
            }
            return building
        }
    }

    private func begin(
        _ start: CheckpointPart.Start, within limits: Limits, wasChecked: Bool
    ) throws(Rejection) {
        try finish(within: limits, wasChecked: wasChecked)
        if tables.contains(where: { $0.name == start.table }) {
            throw Rejection(.duplicate, "Table \"\(start.table.text)\" stands twice.")
        }
        if !wasChecked { try bound("tables", tables.count + 1, by: limits.tables) }
        let fresh = try StagedTable(
            start.table, history: start.history, revision: start.revision, digest: start.digest,
            settings: start.settings, isEditing: start.isEditing,
            limits: wasChecked ? nil : limits, removedPlaces: limits.removedPlaces)
        try fresh.add(start.kinds)
        building = fresh
        begun += 1
    }
}
