package import TableModel

/// A choice of the rows of a table, and their order: `trestle show --where … --sort …`.
package struct RowQuery: Sendable {
    /// Nil: every row fits.
    package var condition: RowPredicate?
    /// The rows of these sections only; empty: of all.
    package var sections: Set<SectionID> = []
    /// By the first key, and where that says the same, by the next; empty: in the table's order.
    package var order: [RowKey] = []

    package init() {}

    /// The rows that fit, in order. Rows that are alike by each key stay in the table's order. Without an order it looks
    /// no further than the first `most` of them.
    package func rows(
        of table: Table, at clock: PredicateClock, atMost most: Int = .max
    ) -> [PlacedRow] {
        var found: [PlacedRow] = []
        let condition = condition?.test(in: table, at: clock)
        for section in table.sections where sections.isEmpty || sections.contains(section.id) {
            var index = 0
            for run in section.runs() {
                for row in run {
                    if order.isEmpty, found.count >= most { return found }
                    let placed = PlacedRow(row, section: section.id, index: index)
                    index += 1
                    if condition?(placed) ?? true { found.append(placed) }
                }
            }
        }
        if order.isEmpty { return found }
        let keys = found.map { placed in
            order.map { $0.column.rank(of: placed, in: table, at: clock) }
        }
        return found.indices.sorted { order.areInOrder(keys[$0], keys[$1]) ?? ($0 < $1) }
            .prefix(most).map { found[$0] }
    }
}

extension [RowKey] {
    /// Whether a row with these ranks stands before another; nil: both have the same place.
    func areInOrder(_ a: [Rank], _ b: [Rank]) -> Bool? {
        for (at, key) in enumerated() {
            if let isFirst = a[at].isBefore(b[at], key.isDescending) { return isFirst }
        }
        return nil
    }
}

/// A property by which rows are ordered.
package struct RowKey: Sendable {
    let column: RowColumn
    let isDescending: Bool

    /// The keys in a text such as `section,-field.qty`; a dash before a name turns its order round.
    package static func list(_ text: String) throws(PredicateFault) -> [RowKey] {
        try RowColumn.parts(of: text).map { part throws(PredicateFault) in
            let isDescending = part.text.hasPrefix("-")
            let name = isDescending ? String(part.text.dropFirst()) : part.text
            return RowKey(
                column: try RowColumn(name, at: part.offset + (isDescending ? 1 : 0)),
                isDescending: isDescending)
        }
    }
}

/// A property of rows by its name, as predicates have it.
package struct RowColumn: Sendable {
    /// As it was written.
    package let name: String
    private let property: RowProperty

    /// Whether it is a number of seconds up to now.
    package var isAge: Bool {
        switch property {
        case .age, .since: return true
        default: return false
        }
    }

    /// Throws where the text names no property.
    package init(_ text: String) throws(PredicateFault) { try self.init(text, at: 0) }

    init(_ text: String, at offset: Int) throws(PredicateFault) {
        name = text
        do throws(PredicateFault) {
            property = try PredicateParser.property(text, RowProperty.names)
        } catch {
            throw PredicateFault(offset + error.offset, error.message, saying: error.saying)
        }
    }

    /// The columns in a text such as `id,title,field.qty`.
    package static func list(_ text: String) throws(PredicateFault) -> [RowColumn] {
        try parts(of: text).map { part throws(PredicateFault) in
            try RowColumn(part.text, at: part.offset)
        }
    }

    /// The parts between commas, with their places. A comma in quotes belongs to a name.
    static func parts(of text: String) -> [(text: String, offset: Int)] {
        var parts: [(text: String, offset: Int)] = []
        var part = String.UnicodeScalarView()
        var start = 0
        var quote: Unicode.Scalar?
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            if scalar == ",", quote == nil {
                parts.append((String(part), start))
                part = String.UnicodeScalarView()
                start = offset + 1
                continue
            }
            if quote == scalar {
                quote = nil
            } else if quote == nil, scalar == "\"" || scalar == "'" {
                quote = scalar
            }
            part.append(scalar)
        }
        return parts + [(String(part), start)]
    }

    /// The value for a row.
    package func value(
        of placed: PlacedRow, in table: Table, at clock: PredicateClock
    ) -> PredicateValue { placed.value(property, in: table, at: clock) }

    /// The place of a row in the order by this column. That by age is finer than its seconds.
    func rank(of placed: PlacedRow, in table: Table, at clock: PredicateClock) -> Rank {
        if let beganMs = placed.beganMs(property, in: table) { return .number(-Double(beganMs)) }
        let value = placed.value(property, in: table, at: clock)
        if case .flag(let flag) = value { return .number(flag ? 1 : 0) }
        if let number = value.number { return .number(number) }
        return value.text.map { .text(ID($0)) } ?? .none
    }
}

/// Numbers come before texts. A missing value comes last, whichever way the order goes.
enum Rank {
    case number(Double)
    case text(ID)
    case none

    /// Nil: both have the same place.
    func isBefore(_ other: Rank, _ isDescending: Bool) -> Bool? {
        switch (self, other) {
        case (.none, .none): return nil
        case (_, .none): return true
        case (.none, _): return false
        case (.number(let a), .number(let b)): return a == b ? nil : (a < b) != isDescending
        case (.text(let a), .text(let b)): return a == b ? nil : (a < b) != isDescending
        case (.number, .text): return !isDescending
        case (.text, .number): return isDescending
        }
    }
}
