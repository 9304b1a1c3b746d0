import TableModel

/// How many there are of each dish in the titles, or of each value of a field, among rows: as the browser's page counts.
/// In a title each dish has its number, as in `2 × fries, 1 × soup`; a field `qty` multiplies them.
struct Totals {
    private(set) var entries: [(name: String, count: Int)] = []

    /// The most of them first.
    init(_ order: RowOrder?, by field: ID?) {
        var counts: [String: Int] = [:]
        for section in order?.sections.indices ?? 0..<0 {
            for index in 0..<(order?.count(in: section) ?? 0) {
                guard let row = order?.row(at: .init(section: section, index: index)) else { break }
                if let field {
                    counts[Self.value(field, row.content) ?? "–", default: 0] += 1
                } else if !row.content.title.isEmpty {
                    let times = Self.value("qty", row.content).flatMap { Int($0) } ?? 1
                    for (dish, count) in Self.dishes(of: row.content.title) {
                        let more = count * (1...Self.most ~= times ? times : 1)
                        counts[dish] = Self.sum(counts[dish] ?? 0, more)
                    }
                }
            }
        }
        entries = counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// Many rows of large numbers come to more than a number holds: then it is the largest.
    static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isBeyond) = one.addingReportingOverflow(other)
        return isBeyond ? .max : sum
    }

    private static func value(_ key: ID, _ content: Row.Content) -> String? {
        content.fields.first { $0.key == key }?.value
    }

    /// The dishes of a title, each with its number. What has no number belongs to the dish before.
    static func dishes(of title: String) -> [(name: String, count: Int)] {
        let parts = title.split { ",;+\n".contains($0) }.compactMap(dish)
        return parts.isEmpty ? [(String(trimmed(title[...])), 1)] : parts
    }

    /// `2 × fries`, `2x fries`, `2*fries`; nil: there is no number.
    private static func dish(_ part: Substring) -> (String, Int)? {
        let part = trimmed(part)
        let digits = part.prefix { $0.isASCII && $0.isNumber }
        let rest = part[digits.endIndex...].drop(while: \.isWhitespace)
        guard 1...6 ~= digits.count, let count = Int(digits), let sign = rest.first else {
            return nil
        }
        let name = rest.dropFirst()
        guard sign == "×" || sign == "*" || sign == "x" && name.first?.isWhitespace == true,
            !trimmed(name).isEmpty
        else { return nil }
        return (String(trimmed(name)), count)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static let most = 999_999
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
