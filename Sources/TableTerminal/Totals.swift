import TableModel

/// How many there are of each title, or of each value of a field, among rows. A row counts as many as its field `qty` says,
/// or the number before `×` in its title, or else as one.
struct Totals {
    private(set) var entries: [(name: String, count: Int)] = []

    /// The most of them first.
    init(_ order: RowOrder?, by field: ID?) {
        var counts: [String: Int] = [:]
        for section in order?.sections.indices ?? 0..<0 {
            for index in 0..<(order?.count(in: section) ?? 0) {
                guard let row = order?.row(at: .init(section: section, index: index)) else { break }
                let (amount, rest) = Self.amount(of: row.content)
                let value = field.map { Self.value($0, row.content) ?? "" } ?? rest
                if !value.isEmpty { counts[value, default: 0] += amount }
            }
        }
        entries = counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    private static func value(_ key: ID, _ content: Row.Content) -> String? {
        content.fields.first { $0.key == key }?.value
    }

    /// How many a row stands for, and its title without the number.
    private static func amount(of content: Row.Content) -> (Int, title: String) {
        let parts = content.title.split(separator: "×", maxSplits: 1)
        let before = parts.first.map { String($0).filter { $0 != " " } } ?? ""
        let named = parts.count == 2 ? Int(before).flatMap { amount($0) } : nil
        let title = named == nil ? content.title : String(parts[1].drop { $0 == " " })
        let said = value("qty", content).flatMap { Int($0) }.flatMap { amount($0) }
        return (said ?? named ?? 1, title)
    }

    private static func amount(_ number: Int) -> Int? { 0...9_999 ~= number ? number : nil }
}

extension Board {
    func takeInTotals(_ key: Key, _ field: ID?, _ at: Int) {
        let last = max(0, Totals(order, by: field).entries.count - 1)
        switch keys[key] {
        case .down: mode = .totals(by: field, at: min(at + 1, last))
        case .up: mode = .totals(by: field, at: max(0, at - 1))
        case .first: mode = .totals(by: field, at: 0)
        case .last: mode = .totals(by: field, at: last)
        case .enter, .cancel, .quit, .totals: mode = .rows
        default: break
        }
    }
}
