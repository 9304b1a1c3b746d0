internal import TableModel

// Commands of those who work off a table's rows.

extension Command.Verb {
    static func next<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (next, condition, ttl) = (Command.Next(), String?.none, Double?.none)
        while try s.more() {
            try s.id(1, "action", &next.action)
            try s.id(2, "section", &next.section)
            try s.text(3, "where", &condition)
            try s.count(4, "most", &next.most)
            try s.double(5, "ttl", &ttl)
            try s.text(6, "note", &next.note)
            try s.double(7, "wait", &next.waitSeconds)
        }
        next.condition = condition.map { RowCondition($0) }
        if let ttl { next.ttlSeconds = ttl }
        return .next(next)
    }

    static func retry<S: Source>(from s: inout S, isOfEach: Bool = false) throws(Refusal) -> Self {
        var (row, action, item) = (ID?.none, ID?.none, ID?.none)
        while try s.more() {
            try s.id(1, "row", &row)
            try s.id(2, "action", &action)
            try s.id(3, "item", &item)
        }
        return .retry(try s.row(row, isOfEach: isOfEach), action: action, item: item)
    }
}
