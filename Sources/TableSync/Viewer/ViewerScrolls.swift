public import TableModel

/// The scroll positions of strips on one viewer's screen, in a table where each viewer scrolls by
/// itself (`scrollScope: viewer`). They name items, so inserts and removals do not move them (D4).
public struct ViewerScrolls: Equatable, Sendable {
    private struct Place: Equatable {
        var scroll: Scroll
        /// The items at that time, to find the next one if an item is removed.
        var items: [ID]
    }

    private var places: [RowID: Place] = [:]

    /// Every strip is at its beginning.
    public init() {}

    /// A strip's scroll position; nil: its beginning.
    public subscript(row: RowID) -> Scroll? { places[row]?.scroll }

    /// Scrolls a strip. The refusals are the daemon's for shared scrolling.
    public mutating func scroll(
        _ row: RowID, to scroll: Scroll, in table: Table
    ) throws(Rejection) {
        guard let content = table.row(row)?.content else {
            throw Rejection(.noSuchRow, "There is no row \"\(row.text)\".", field: "row")
        }
        try require(
            content.index(of: scroll.item) != nil, or: .noSuchItem,
            "Row \"\(row.text)\" has no item \"\(scroll.item.text)\".", field: "item")
        guard scroll.fraction >= 0, scroll.fraction <= 1 else {
            throw Rejection(.badNumber, "A fraction is from 0 to 1.", field: "fraction")
        }
        places[row] = Place(scroll: scroll, items: content.items.map(\.id))
    }

    /// Call it after each change of the table. A strip whose first visible item was removed goes to
    /// the next item that is left, or else to the one before.
    public mutating func follow(_ table: Table) {
        for (row, place) in places {
            guard let content = table.row(row)?.content else {
                places[row] = nil
                continue
            }
            let items = content.items.map(\.id)
            if items == place.items { continue }
            let old = place.items.firstIndex(of: place.scroll.item) ?? 0
            let candidates = place.items[old...] + place.items[..<old].reversed()
            let present = Set(items)
            guard let item = candidates.first(where: { present.contains($0) }) else {
                places[row] = nil
                continue
            }
            let scroll = item == place.scroll.item ? place.scroll : Scroll(item)
            places[row] = Place(scroll: scroll, items: items)
        }
    }
}
