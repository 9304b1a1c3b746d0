public import TableModel

/// Where the strips are scrolled to on one viewer's screen, in a table where each viewer scrolls by
/// itself (`scrollScope: viewer`). By item, so that inserts and removals leave it in place (D4).
public struct ViewerScrolls: Equatable, Sendable {
    private struct Place: Equatable {
        var scroll: Scroll
        /// The items as they were: what follows one that goes can be told.
        var items: [ID]
    }

    private var places: [RowID: Place] = [:]

    /// Every strip stands at its beginning.
    public init() {}

    /// Where a strip is scrolled to; nil: to its beginning.
    public subscript(row: RowID) -> Scroll? { places[row]?.scroll }

    /// Scrolls a strip. Refused as the daemon would refuse it where scrolling is shared.
    public mutating func scroll(
        _ row: RowID, to scroll: Scroll, in table: Table
    ) throws(Rejection) {
        guard let content = table.row(row)?.content else {
            throw Rejection(.noSuchRow, "There is no row \"\(row.text)\".", field: "row")
        }
        guard content.index(of: scroll.item) != nil else {
            throw Rejection(
                .noSuchItem, "Row \"\(row.text)\" has no item \"\(scroll.item.text)\".",
                field: "item")
        }
        guard scroll.fraction >= 0, scroll.fraction <= 1 else {
            throw Rejection(.badNumber, "A fraction is from 0 to 1.", field: "fraction")
        }
        places[row] = Place(scroll: scroll, items: content.items.map(\.id))
    }

    /// To be called after each change of the table: a strip whose first visible item has gone
    /// stands at the next that stays, else at the one before.
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
