import TableModel
import TablePredicate

/// The order of a table's rows, or of those that a station and a filter let through. A row's neighbours are found in O(log n).
struct RowOrder {
    let table: Table
    /// The shown rows by section, and each row's index there; nil: all rows of the sections, in the table's order.
    private let filtered: (rows: [SectionID: [RowID]], places: [RowID: Int])?
    /// The station's sections in order; with a person's filter only those with rows.
    let sections: [Table.Section]
    let count: Int

    /// The place of a row, or with index −1 of a section's heading.
    struct Place: Equatable {
        /// Index in `sections`.
        var section: Int
        var index: Int
        var isHeading: Bool { index < 0 }
    }

    /// The order of all rows of the station's sections.
    init(_ table: Table, of station: Station) {
        self.table = table
        filtered = nil
        sections = table.sections.filter { station.shows($0.id) }
        count = sections.reduce(0) { $0 + $1.count }
    }

    /// The station's order of these rows, or of all (nil); O(n log n) if it is sorted, else O(n).
    init(
        _ table: Table, of station: Station, only matches: Set<RowID>?, hidesEmpty: Bool,
        at clock: PredicateClock
    ) {
        self.table = table
        var rows: [SectionID: [RowID]] = [:]
        var places: [RowID: Int] = [:]
        for placed in station.rows(of: table, at: clock)
        where matches?.contains(placed.row.id) ?? true {
            places[placed.row.id] = rows[placed.section, default: []].count
            rows[placed.section, default: []].append(placed.row.id)
        }
        filtered = (rows, places)
        sections = table.sections.filter {
            station.shows($0.id) && (!hidesEmpty || rows[$0.id] != nil)
        }
        count = places.count
    }

    func count(in section: Int) -> Int {
        guard sections.indices.contains(section) else { return 0 }
        guard let filtered else { return sections[section].count }
        return filtered.rows[sections[section].id]?.count ?? 0
    }

    func row(at place: Place) -> Row? {
        guard sections.indices.contains(place.section), place.index >= 0 else { return nil }
        let section = sections[place.section]
        guard let filtered else { return table.row(at: place.index, in: section.id) }
        guard let rows = filtered.rows[section.id], place.index < rows.count else { return nil }
        return table.row(rows[place.index])
    }

    func place(of id: RowID) -> Place? {
        guard let position = table.position(of: id),
            let section = sections.firstIndex(where: { $0.id == position.section })
        else { return nil }
        guard let filtered else { return Place(section: section, index: position.index) }
        return filtered.places[id].map { Place(section: section, index: $0) }
    }

    /// The index of a row among the shown ones of its section; of a hidden one that of the nearest above it, or −1.
    func index(upTo id: RowID) -> Int {
        if let place = place(of: id) { return place.index }
        guard let position = table.position(of: id), let rows = filtered?.rows[position.section]
        else { return -1 }
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            let row = table.position(of: rows[middle])
            let isAbove = row.map { $0.index < position.index } ?? false
            (low, high) = isAbove ? (middle + 1, high) : (low, middle)
        }
        return low - 1
    }

    func index(of section: SectionID) -> Int? { sections.firstIndex { $0.id == section } }

    /// The next place: a section's heading comes before its rows.
    func next(_ place: Place) -> Place? {
        if place.index + 1 < count(in: place.section) {
            return Place(section: place.section, index: place.index + 1)
        }
        guard place.section + 1 < sections.count else { return nil }
        return Place(section: place.section + 1, index: -1)
    }

    func previous(_ place: Place) -> Place? {
        if place.index >= 0 { return Place(section: place.section, index: place.index - 1) }
        guard place.section > 0 else { return nil }
        return Place(section: place.section - 1, index: count(in: place.section - 1) - 1)
    }

    /// The row above or below, across sections.
    func row(beside id: RowID, isAbove: Bool) -> RowID? {
        place(of: id).flatMap { row(beside: $0, isAbove: isAbove) }
    }

    /// The nearest row above a section, or from its beginning on.
    func row(besideSection id: SectionID, isAbove: Bool) -> RowID? {
        index(of: id).flatMap { row(beside: Place(section: $0, index: -1), isAbove: isAbove) }
    }

    private func row(beside start: Place, isAbove: Bool) -> RowID? {
        var place = start
        while let beside = isAbove ? previous(place) : next(place) {
            if let row = row(at: beside) { return row.id }
            place = beside
        }
        return nil
    }

    var first: RowID? { row(beside: Place(section: 0, index: -1), isAbove: false) }

    var last: RowID? { row(beside: Place(section: sections.count, index: -1), isAbove: true) }

    /// Index of a row among all shown rows, from 0.
    func rank(of id: RowID) -> Int? {
        guard let place = place(of: id) else { return nil }
        return (0..<place.section).reduce(place.index) { $0 + count(in: $1) }
    }
}
