import TableModel

extension Story {
    typealias Values = [(String, String)]

    /// A part of the sentence, and what it says as data.
    struct Phrase {
        var text: String
        var sayings: [Saying]

        init(_ text: String, _ key: String, _ values: Values = []) {
            self.text = text
            sayings = [Saying(key, values: values.map { Row.Field(ID($0.0), $0.1) })]
        }

        init(_ parts: [Phrase]) {
            text = Story.list(parts.map(\.text))
            sayings = parts.flatMap(\.sayings)
        }
    }

    // MARK: Places and names

    func at(_ place: Place) -> String {
        switch place {
        case .after(let id): return "after \(name(id))"
        case .top(let section): return "at the top of \(heading(section))"
        }
    }

    func key(of place: Place) -> String {
        if case .after = place { ".after" } else { ".top" }
    }

    func standing(_ place: Place) -> (String, String) {
        switch place {
        case .after(let id): return ("other", title(id))
        case .top(let section): return ("section", heading(section))
        }
    }

    /// The sections from which and to which rows were moved, if they are two.
    func origin(of ids: Few<RowID>, to place: Place) -> (from: SectionID, to: SectionID)? {
        let old = ids.lazy.compactMap { before.places[$0] }.min { $0.index < $1.index }
        guard let old, let origin = section(of: old.place), let target = section(of: place),
            origin != target
        else { return nil }
        return (origin, target)
    }

    func way(_ start: (from: SectionID, to: SectionID)?, to place: Place) -> String {
        let from = start.map { "from \(heading($0.from)) to \(heading($0.to)), " }
        switch place {
        case .after(let id): return "\(from ?? "")after \(name(id))"
        case .top(let section):
            return from.map { "\($0)at the top" } ?? "to the top of \(heading(section))"
        }
    }

    /// The section of a place, if the place is the same as then.
    func section(of place: Place) -> SectionID? {
        switch place {
        case .top(let section): return section
        case .after(let id):
            guard let row = table.row(id), row.movedMs <= change.diff.cause.timeMs else {
                return nil
            }
            return table.position(of: id)?.section
        }
    }

    func heading(_ section: SectionID) -> String {
        let title = table.section(section)?.title ?? ""
        return title.isEmpty ? section.text : title
    }

    func names(_ ids: Few<RowID>) -> [String] {
        let names = ids.prefix(3).map { name($0) }
        return ids.count > 3 ? names + ["\(ids.count - 3) more rows"] : names
    }

    /// The row's title, as it is now or was then; else its id.
    func title(_ id: RowID) -> String {
        let title = (before.rows[id] ?? table.row(id))?.content.title
        guard let title, !title.isEmpty else { return id.text }
        return Self.short(title)
    }

    func name(_ id: RowID) -> String { "\"\(title(id))\"" }

    func row(_ id: RowID) -> Values { [("row", title(id))] }

    /// The first of several rows, and how many more there are.
    func rows(_ first: RowID?, of count: Int) -> Values {
        let values = first.map(row) ?? []
        return count > 1 ? values + [("more", "\(count - 1)")] : values
    }

    static func quoted(_ text: String) -> String { "\"\(short(text))\"" }

    static func short(_ text: String) -> String {
        // A text may be long: no more of it is looked at than is told.
        guard text.utf8.count > mostCharacters,
            let end = text.index(
                text.startIndex, offsetBy: mostCharacters, limitedBy: text.endIndex),
            end < text.endIndex
        else { return text }
        return text[..<text.index(before: end)] + "…"
    }

    static func list(_ parts: [String]) -> String {
        guard parts.count > 1 else { return parts.first ?? "nothing that is left" }
        return parts.dropLast().joined(separator: ", ") + " and " + parts[parts.count - 1]
    }
}

/// The sentences of a change's ops about its rows. Each op is read once: a change has thousands of them,
/// and a sentence asks about many rows.
struct Before {
    /// Rows that were inserted, then or by the inverse. Their texts are only read of those that are named.
    var rows: [RowID: Row] = [:]
    /// The changes that set a row back, by the op that set it.
    var changes: [Int: Command.Changes] = [:]
    /// Where moved rows were, and which op of the inverse says so.
    var places: [RowID: (index: Int, place: Place)] = [:]
    /// Invocations that the inverse brings back.
    var invocations: [InvocationID: Invocation] = [:]
    /// Whether something is selected now that was not before.
    var marksSomething = false

    init(_ change: PastChange) {
        var settingBack: [RowID: [Command.Changes]] = [:]
        for case .set(let id, let old) in change.inverse ?? [] {
            settingBack[id, default: []].append(old)
        }
        // An inverse goes backwards.
        for case (let index, .set(let id, _)) in change.diff.ops.enumerated() {
            changes[index] = settingBack[id]?.popLast()
        }
        for op in change.diff.ops {
            if case .inserts(let row, _) = op.effect { rows[row.id] = row }
            if case .mark(_, .some) = op { marksSomething = true }
        }
        for case .invocation(let id, let old) in change.inverse ?? [] { invocations[id] = old }
        for (index, op) in (change.inverse ?? []).enumerated() {
            if case .inserts(let row, _) = op.effect { rows[row.id] = row }
            guard case .moves(let ids, let place) = op.effect else { continue }
            for id in ids where places[id] == nil { places[id] = (index, place) }
        }
    }
}
