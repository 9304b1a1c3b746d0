import TableModel

extension Op {
    /// The step in words: "move t41, t42 after t40".
    var sentence: String {
        switch self {
        case .insert(let row, let place, let hint):
            return "insert \(row.id) \"\(row.content.title)\" \(place.words)\(hint.words)"
        case .remove(let id, let hint): return "remove \(id)\(hint.words)"
        case .move(let ids, let place): return "move \(Self.list(ids)) \(place.words)"
        case .set(let id, let changes): return "set \(id): \(changes.words)"
        case .swipe(let id, let edge):
            return edge.map { "swipe \(id) open at its \($0.rawValue) side" } ?? "close \(id)"
        case .expand(let id, let state): return "expand \(id) to \(state.text)"
        case .swap(let a, let b): return "swap \(a) and \(b)"
        case .edit(let isOn): return "go \(isOn ? "into" : "out of") edit mode"
        case .expandAll(let isOpen): return "\(isOpen ? "expand" : "collapse") all rows"
        case .scroll(let id, let place):
            return place.map { "scroll \(id) to \($0.item)" } ?? "scroll \(id) to its beginning"
        case .select(let id, let item): return "select \(id)\(item.map { "/\($0)" } ?? "")"
        case .mark(let id, let what):
            guard let what else { return "\(id) is not selected any more" }
            return "\(id)\(what.item.map { "/\($0)" } ?? "") stays selected"
        case .define(let definitions): return definitions.words
        case .insertSection(let id, let title, let after):
            let place = after.map { "after section \($0)" } ?? "as the first"
            return "make section \(id) \"\(title)\" \(place)"
        case .removeSection(let id): return "remove section \(id)"
        case .setSection(let id, let title): return "call section \(id) \"\(title)\""
        case .perform(let id, let performance):
            return "\(performance.action) on \(id)\(performance.item.map { "/\($0)" } ?? "") is "
                + performance.state.name
        case .invoke(let invocation):
            return "\(invocation.action) on \(invocation.pressedName) waits for a handler"
        case .take(let id, let holder): return "\(holder) takes \(id.text)"
        case .release(let id): return "\(id.text) waits again"
        case .rest(let id, let failure?):
            let again = Moments.text(failure.dueMs)
            return "\(id.text) failed: \(failure.reason); again at \(again)"
        case .rest(let id, nil): return "\(id.text) waits again"
        case .finish(let id, .done): return "\(id.text) is done"
        case .finish(let id, .failed(let reason)): return "\(id.text) has failed: \(reason)"
        case .invocation(let id, let old):
            return "\(id.text) is \(old == nil ? "gone" : "as it was")"
        case .claim(let id, let claim):
            return claim.map { "claim \(id) for \($0.holder)" } ?? "end the claim of \(id)"
        case .came(let id, let from):
            return from.map { "\(id) came from \($0)" } ?? "\(id) came from nowhere"
        case .sleep(let id, let sleep): return sleep == nil ? "wake \(id)" : "put off \(id)"
        case .restore(let id, _): return "restore what earlier changes left on \(id)"
        case .item(let id, let step): return "\(step.words) in \(id)"
        }
    }

    fileprivate static func list(_ ids: some Sequence<ID>) -> String {
        ids.map(\.text).joined(separator: ", ")
    }
}

extension AnimationHint {
    /// Said only where it is not what a viewer does anyway.
    fileprivate var words: String { self == .automatic ? "" : ", hint \(rawValue)" }
}

extension Invocation {
    /// The row, or row/item.
    var pressedName: String { row.text + (item.map { "/\($0.text)" } ?? "") }
}

extension Place {
    fileprivate var words: String {
        switch self {
        case .after(let row): return "after \(row)"
        case .top(let section): return "to the top of \(section)"
        }
    }
}

extension Command.Changes {
    fileprivate var words: String {
        var parts: [String] = []
        if let title { parts.append("title \"\(title)\"") }
        if let kind { parts.append("kind \(kind)") }
        parts += unset.map { "without \($0)" }
        parts += fields.map { "\($0.key)=\($0.value)" }
        if let actions { parts.append(actions.isEmpty ? "its kind's actions" : "own actions") }
        if let states { parts.append(states.isEmpty ? "its kind's states" : "own states") }
        return parts.joined(separator: ", ")
    }
}

extension Command.Definitions {
    fileprivate var words: String {
        var parts: [String] = []
        if !kinds.isEmpty { parts.append("define kind \(Op.list(kinds.map(\.id)))") }
        if !dropped.isEmpty { parts.append("drop kind \(Op.list(dropped))") }
        if settings != nil { parts.append("set the table's settings") }
        return parts.joined(separator: ", ")
    }
}

extension Item.Step {
    fileprivate var words: String {
        switch self {
        case .insert(let item, let after):
            return "insert item \(item.id) " + (after.map { "after \($0)" } ?? "first")
        case .remove(let id): return "remove item \(id)"
        case .move(let ids, let after):
            return "move item \(Op.list(ids)) " + (after.map { "after \($0)" } ?? "first")
        case .set(let id, _): return "set item \(id)"
        }
    }
}
