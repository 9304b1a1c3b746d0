/// A row and its place.
public struct PlacedRow: Equatable, Sendable {
    /// The row itself.
    public var row: Row
    /// Its section.
    public var section: SectionID
    /// Its index in the section, from 0.
    public var index: Int

    /// A row at a place.
    @inlinable
    public init(_ row: Row, section: SectionID, index: Int) {
        (self.row, self.section, self.index) = (row, section, index)
    }

    /// Nil: the table has no such row.
    public init?(_ id: RowID, in table: Table) {
        guard let spot = table.position(of: id) else { return nil }
        self.init(spot.row, section: spot.section, index: spot.index)
    }
}
