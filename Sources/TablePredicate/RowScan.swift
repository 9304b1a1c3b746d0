package import TableModel

/// Looks at the rows of a table a few at a time, as they were when it began: the table goes on meanwhile. It holds the
/// leaves of the table's tree until it has looked at them. A leaf that changes before is copied once.
package struct RowScan {
    /// A sum of numbers. Texts of digits may come to more than a number can be.
    package struct Sum {
        private var sum = 0.0
        package var value: Double {
            sum.isNaN ? 0 : min(max(sum, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
        }
        fileprivate static func += (sum: inout Sum, number: Double) { sum.sum += number }
    }

    /// The rows with one value of a property.
    package struct Group {
        /// Missing, if the rows have no such property.
        package let value: PredicateValue
        package fileprivate(set) var rows = 0
        package fileprivate(set) var sum = Sum()
    }

    /// Rows of a section that stand behind each other.
    private struct Run {
        let section: SectionID
        let first: Int
        var rows: ContiguousArray<Row>
    }

    /// The rows that fit, so far.
    package private(set) var found = 0
    /// The sum of their numbers.
    package private(set) var sum = Sum()
    /// They by the value of a property.
    package private(set) var groups: [ID?: Group] = [:]
    /// The bytes of these values.
    package private(set) var groupBytes = 0
    /// An empty table with the kinds of the moment at which it began.
    package let frame: Table

    private let condition: ((PlacedRow) -> Bool)?
    private let (by, summed): (RowColumn?, RowColumn?)
    private let clock: PredicateClock
    /// All rows fit, and only the first are asked for.
    private let isCounted: Bool
    private var first: FirstRows
    private var runs: [Run] = []
    /// The run to look at next, and the row in it.
    private var (place, next) = (0, 0)

    private let rowsAtOnce: Int

    /// Begins to look at the rows that a query is about. The condition looks at once at what it says of the whole table.
    ///
    /// - Parameters:
    ///   - row: only this row; nil: all.
    ///   - most: so many of the first rows are kept.
    package init(
        _ query: RowQuery, row: RowID? = nil, by: RowColumn? = nil, sum: RowColumn? = nil,
        most: Int, of table: Table, at clock: PredicateClock
    ) {
        frame = Table(
            restoring: table.name, history: table.history, revision: table.revision,
            kinds: Array(table.kinds.values), settings: Settings(), removedPlaces: 0)
        condition = query.condition?.test(in: table, frame: frame, at: clock)
        rowsAtOnce = query.condition?.rowsAtOnce ?? 8
        (self.by, summed, self.clock) = (by, sum, clock)
        first = FirstRows(most: most, order: query.order)
        isCounted = condition == nil && by == nil && sum == nil && query.order.isEmpty
        if let row {
            guard let placed = PlacedRow(row, in: table),
                query.sections.isEmpty || query.sections.contains(placed.section)
            else { return }
            runs = [Run(section: placed.section, first: placed.index, rows: [placed.row])]
            found = isCounted ? 1 : 0
            return
        }
        for section in table.sections
        where query.sections.isEmpty || query.sections.contains(section.id) {
            if isCounted { found += section.count }
            if isCounted, found - section.count >= most { continue }
            var index = 0
            for rows in section.runs() {
                runs.append(Run(section: section.id, first: index, rows: rows))
                index += rows.count
            }
        }
    }

    /// The first rows, in order.
    package var rows: [PlacedRow] { first.sorted }

    /// Looks at some rows more. False: it has looked at all.
    package mutating func work() -> Bool {
        guard place < runs.count, !(isCounted && first.isFull) else { return false }
        let run = runs[place]
        let end = min(next + rowsAtOnce, run.rows.count)
        for index in next..<end {
            look(PlacedRow(run.rows[index], section: run.section, index: run.first + index))
        }
        next = end
        if end == run.rows.count {
            runs[place].rows = []
            (place, next) = (place + 1, 0)
        }
        return place < runs.count
    }

    private mutating func look(_ placed: PlacedRow) {
        if !isCounted {
            if let condition, !condition(placed) { return }
            found += 1
        }
        let number = summed?.value(of: placed, in: frame, at: clock).number ?? 0
        sum += number
        if let by { add(number, to: by.value(of: placed, in: frame, at: clock)) }
        first.add(placed, in: frame, at: clock)
    }

    private mutating func add(_ number: Double, to value: PredicateValue) {
        let key = value.key
        if groups[key] == nil {
            groupBytes += key?.byteCount ?? 0
            groups[key] = Group(value: value)
        }
        guard let place = groups.index(forKey: key) else { return }
        groups.values[place].rows += 1
        groups.values[place].sum += number
    }
}

extension PredicateValue {
    /// Values with the same key are in one group: texts with the same letters are the same.
    fileprivate var key: ID? {
        if case .flag(let flag) = self { return flag ? "true" : "false" }
        return text.map { ID($0) }
    }
}

/// The first of the rows that come, by some keys. Those that are alike by each key stay in the order in which they come.
struct FirstRows {
    private struct Entry {
        let ranks: [Rank]
        let number: Int
        let row: PlacedRow
    }

    private let most: Int
    private let order: [RowKey]
    private var number = 0
    /// With keys a heap once it is full: the last of them is on top.
    private var entries: [Entry] = []

    init(most: Int, order: [RowKey]) { (self.most, self.order) = (most, order) }

    var isFull: Bool { entries.count >= most }

    mutating func add(_ row: PlacedRow, in table: Table, at clock: PredicateClock) {
        if most == 0 || order.isEmpty && isFull { return }
        let entry = Entry(
            ranks: order.map { $0.column.rank(of: row, in: table, at: clock) }, number: number,
            row: row)
        number += 1
        if !isFull {
            entries.append(entry)
            if isFull, !order.isEmpty {
                for place in (0..<entries.count / 2).reversed() { sink(from: place) }
            }
        } else if isBefore(entry, entries[0]) {
            entries[0] = entry
            sink(from: 0)
        }
    }

    var sorted: [PlacedRow] {
        if order.isEmpty { return entries.map(\.row) }
        return entries.sorted { isBefore($0, $1) }.map(\.row)
    }

    private func isBefore(_ a: Entry, _ b: Entry) -> Bool {
        order.areInOrder(a.ranks, b.ranks) ?? (a.number < b.number)
    }

    private mutating func sink(from start: Int) {
        var place = start
        while true {
            var last = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < entries.count && isBefore(entries[last], entries[child]) {
                last = child
            }
            if last == place { return }
            entries.swapAt(place, last)
            place = last
        }
    }
}
