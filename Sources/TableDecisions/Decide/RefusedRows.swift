import TableModel

/// The rows that refuse a command about all that a condition fits, and why.
struct RefusedRows {
    /// The refusal by the first of them.
    private(set) var first: Rejection?
    private var count = 0
    private var reasons: [Reason] = []

    fileprivate struct Reason {
        /// The sentence of the first row with it, without its name.
        let words: String
        let sentence: String
        var rows: [RowID]
        var count = 1
    }

    /// Rows that are named of each reason, and reasons that are told.
    private static let mostNamed = 3
    /// So many rows are asked why: a text is compared for each.
    private static let mostExplained = 256

    mutating func add(_ id: RowID, _ rejection: Rejection) {
        first = first ?? rejection
        count += 1
        guard count <= Self.mostExplained else { return }
        let words = rejection.message.replacing("\"\(id.text)\"", with: "")
        guard let index = reasons.firstIndex(where: { $0.words == words }) else {
            guard reasons.count <= Self.mostNamed else { return }
            reasons.append(Reason(words: words, sentence: rejection.message, rows: [id]))
            return
        }
        reasons[index].count += 1
        if reasons[index].rows.count < Self.mostNamed { reasons[index].rows.append(id) }
    }

    /// The refusal of all: with the one reason, or with each and its rows.
    func rejection(of all: Int) -> Rejection? {
        guard var rejection = first else { return nil }
        guard all > 1 else {
            // Nobody has named the row, and the sentence may be about the action alone.
            if let row = reasons.first?.rows.first?.text, !rejection.message.contains("\"\(row)\"")
            {
                rejection.message = "\(row): \(rejection.message)"
            }
            return rejection
        }
        let many = "\(count) of \(all) rows \(count == 1 ? "refuses" : "refuse") it"
        if reasons.count == 1 {
            let rest = count > Self.mostNamed ? ", …" : "."
            rejection.message += " \(many): \(reasons[0].names)\(rest)"
            return rejection
        }
        let told = reasons.prefix(Self.mostNamed).map { reason in
            "\(reason.names)\(reason.count > Self.mostNamed ? ", …" : ""): \(reason.sentence)"
        }
        let rest = reasons.count > Self.mostNamed ? " …" : ""
        rejection.message = "\(many). " + told.joined(separator: " ") + rest
        return rejection
    }
}

extension RefusedRows.Reason {
    fileprivate var names: String { rows.map(\.text).joined(separator: ", ") }
}
