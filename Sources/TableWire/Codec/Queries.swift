internal import TableModel
internal import TableSync

// Queries, and what they found.

extension Query {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "where", condition)
        s.ids(2, "sections", sections)
        s.id(3, "row", row)
        s.text(4, "sort", sort)
        s.count(5, "most", unlessZero: most)
        s.text(6, "by", by)
        s.text(7, "sum", sum)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Query {
        var query = Query()
        while try s.more() {
            try s.text(1, "where", &query.condition)
            try s.ids(2, "sections", &query.sections, most: mostSections)
            try s.id(3, "row", &query.row)
            try s.text(4, "sort", &query.sort)
            try s.count(5, "most", &query.most)
            try s.text(6, "by", &query.by)
            try s.text(7, "sum", &query.sum)
        }
        let texts: [(String?, StaticString)] = [
            (query.condition, "where"), (query.sort, "sort"), (query.by, "by"), (query.sum, "sum"),
        ]
        for (text, name) in texts where text?.utf8.count ?? 0 > Limits.conditionBytes {
            throw Refusal(.tooLarge, "At most \(Limits.conditionBytes) bytes.", name)
        }
        guard (0...mostRows).contains(query.most) else {
            throw Refusal(.badNumber, "most: 0 to \(mostRows).", "most")
        }
        return query
    }
}

extension Found {
    func write<S: Sink>(to s: inout S) {
        s.count(1, "count", shown: count)
        s.double(2, "sum", sum)
        s.messages(3, "groups", groups) { $0.write(to: &$1) }
        s.messages(4, "rows", rows) {
            $0.row.write(to: &$1, hasVersion: true, section: $0.section, index: $0.index)
        }
        s.messages(5, "kinds", kinds) { $0.write(to: &$1) }
        s.messages(6, "invocations", invocations) { $0.write(to: &$1, isWhole: false) }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Found {
        var found = Found()
        while try s.more() {
            try s.count(1, "count", &found.count)
            try s.double(2, "sum", &found.sum)
            try s.all(3, "groups", &found.groups, Group.read(from:))
            try s.all(4, "rows", &found.rows, TableModel.PlacedRow.read(from:))
            try s.all(5, "kinds", &found.kinds, Kind.read(from:))
            try s.all(6, "invocations", &found.invocations, Invocation.read(from:))
        }
        return found
    }
}

extension TableModel.PlacedRow {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        let placed = try PlacedRow.read(from: &s)
        let section = try s.needed(placed.section, "section")
        guard let index = placed.index else { throw .missing("index") }
        return Self(placed.row, section: section, index: index)
    }
}

extension Found.Group {
    fileprivate func write<S: Sink>(to s: inout S) {
        switch value {
        case .text(let text): s.text(1, "text", text)
        case .number(let number): s.double(2, "number", number)
        case .flag(let flag): s.flag(3, "flag", flag)
        case nil: break
        }
        s.count(4, "rows", shown: rows)
        s.double(5, "sum", sum)
    }

    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var group = Self(nil, rows: 0, sum: nil)
        var (text, number, flag): (String?, Double?, Bool?) = (nil, nil, nil)
        while try s.more() {
            try s.text(1, "text", &text)
            try s.double(2, "number", &number)
            try s.flag(3, "flag", &flag)
            try s.count(4, "rows", &group.rows)
            try s.double(5, "sum", &group.sum)
        }
        group.value = text.map { .text($0) } ?? number.map { .number($0) } ?? flag.map { .flag($0) }
        return group
    }
}
