@testable import TableDecisions
@testable import TableModel
@testable import TableValues

// The expectations of scenarios, as text.

extension Op {
    /// One line, without the indentation.
    var scenarioText: String {
        switch self {
        case .insert(let row, let place, let hint):
            let state = row.expansion == .collapsed ? "" : " \(row.expansion.text)"
            return "insert \(row.id) \(place.scenarioText)\(state)\(hint.scenarioText)"
        case .remove(let id, let hint): return "remove \(id)\(hint.scenarioText)"
        case .move(let ids, let place):
            return "move \(ids.map(\.text).joined(separator: " ")) \(place.scenarioText)"
        case .set(let id, let changes): return "set \(id)\(changes.scenarioText)"
        case .swipe(let id, let edge): return "swipe \(id) \(edge?.rawValue ?? "closed")"
        case .expand(let id, let state): return "expand \(id) \(state.text)"
        case .swap(let a, let b): return "swap \(a) \(b)"
        case .insertSection(let id, let title, let after):
            return "insertSection \(id) \"\(title)\"" + (after.map { " after \($0)" } ?? " first")
        case .removeSection(let id): return "removeSection \(id)"
        case .setSection(let id, let title): return "setSection \(id) \"\(title)\""
        case .define(let definitions): return "define\(definitions.scenarioText)"
        case .perform(let id, let performance):
            let item = performance.item.map { "/\($0)" } ?? ""
            return "perform \(id)\(item) \(performance.action) \(performance.state.scenarioText)"
        case .invoke(let one):
            let item = one.item.map { "/\($0)" } ?? ""
            return "invoke \(one.id.text) \(one.action) on \(one.row)\(item)"
                + (one.client.map { " by \($0)" } ?? "")
        case .take(let id, let holder): return "take \(id.text) by \(holder)"
        case .release(let id): return "release \(id.text)"
        case .rest(let id, let failure?): return "rest \(id.text) \(failure.reason)"
        case .rest(let id, nil): return "due \(id.text)"
        case .finish(let id, let outcome):
            return "finish \(id.text) \(Performance.State(outcome).scenarioText)"
        case .expandAll(let isOpen): return "expandAll \(isOpen ? "open" : "closed")"
        case .item(let id, let step): return "item \(id) \(step.scenarioText)"
        case .scroll(let id, let place):
            return "scroll \(id) \(place.map { "\($0.item) \($0.fraction)" } ?? "nowhere")"
        case .select(let id, let item): return "select \(id)\(item.map { "/\($0)" } ?? "")"
        case .mark(let id, let what):
            return "mark \(id)\(what?.item.map { "/\($0)" } ?? "")\(what == nil ? " off" : "")"
        case .edit(let isOn): return "edit \(isOn ? "on" : "off")"
        case .claim(let id, let claim): return "claim \(id) \(claim?.holder.text ?? "free")"
        case .came(let id, let from): return "came \(id) from \(from?.text ?? "nowhere")"
        case .sleep(let id, let sleep):
            guard let sleep else { return "wake \(id)" }
            return "sleep \(id) until \(sleep.untilMs)\(sleep.isToTop ? " top" : "")"
        case .restore(let id, _): return "restore \(id)"
        case .invocation(let id, let one):
            return "invocation \(id.text) \(one == nil ? "none" : "as it was")"
        }
    }
}

extension AnimationHint {
    fileprivate var scenarioText: String { self == .automatic ? "" : " hint=\(rawValue)" }
}

extension Item.Step {
    fileprivate var scenarioText: String {
        func place(_ after: ID?) -> String { after.map { "after \($0)" } ?? "first" }
        switch self {
        case .insert(let item, let after):
            let kind = item.kind.map { " (\($0))" } ?? ""
            return "insert \(item.id)\(kind) \(place(after))"
        case .remove(let id): return "remove \(id)"
        case .move(let ids, let after):
            return "move \(ids.map(\.text).joined(separator: " ")) \(place(after))"
        case .set(let id, let changes):
            return "set \(id)" + (changes.title.map { " title=\"\($0)\"" } ?? "")
                + (changes.kind.map { " kind=\($0?.text ?? "none")" } ?? "")
                + changes.fields.map { " \($0.key):\($0.value)" }.joined()
        }
    }
}

extension Performance.State {
    fileprivate var scenarioText: String {
        if case .failed(let reason) = self { return "failed \"\(reason)\"" }
        return name
    }
}

extension Place {
    fileprivate var scenarioText: String {
        switch self {
        case .after(let id): return "after \(id)"
        case .top(let id): return "top of \(id)"
        }
    }
}

extension Command.Changes {
    fileprivate var scenarioText: String {
        var text = ""
        if let title { text += " title=\"\(title)\"" }
        if let kind { text += " kind=\(kind)" }
        for field in fields { text += " \(field.key):\(field.value)" }
        if let states {
            let list = states.map(\.expansion.text).joined(separator: ",")
            text += " states=\(list.isEmpty ? "none" : list)"
        }
        if !unset.isEmpty { text += " unset=\(unset.map(\.text).joined(separator: ","))" }
        return text
    }
}

extension Command.Definitions {
    fileprivate var scenarioText: String {
        var text = ""
        for kind in kinds {
            text += " kind=\(kind.id)"
            for (name, group) in [("leading", kind.leading), ("trailing", kind.trailing)] {
                if let gap = group?.gapPoints { text += " \(name)-gap=\(gap)" }
                if let color = group?.background { text += " \(name)-background=\(color)" }
            }
        }
        for id in dropped { text += " drop=\(id)" }
        if let settings {
            text += " swipe=\(settings.swipePolicy) scope=\(settings.swipeScope)"
            text += " expand=\(settings.expandPolicy)"
            if settings.scrollScope != .viewer { text += " scroll=\(settings.scrollScope)" }
            if settings.selection != .none { text += " selection=\(settings.selection)" }
        }
        return text
    }
}

extension Rejection {
    var scenarioText: String {
        let place = (command.map { " command \($0)" } ?? "") + (field.map { " at \($0)" } ?? "")
        return "\(code)\(place): \(message)"
    }
}

extension Row {
    /// `id`, then `<` or `>` for an open side, then the state unless it is collapsed.
    fileprivate var scenarioText: String {
        let side = swipe.map { $0 == .leading ? "<" : ">" } ?? ""
        let state = expansion == .collapsed ? "" : "{\(expansion.text)}"
        let marks = performed.map { one in
            let what = (one.item.map { "\($0)/" } ?? "") + "\(one.action)"
            switch one.state {
            case .pending: return "?\(what)"
            case .done: return "+\(what)"
            case .failed: return "!\(what)"
            }
        }
        let items = content.items.map { item in
            (scroll?.item == item.id ? "‹" : "") + "\(item.id)"
                + (selection?.item == item.id ? "✓" : "")
        }
        let strip = items.isEmpty ? "" : "(\(items.joined(separator: ",")))"
        let mark = selection == .row ? "✓" : ""
        return "\(id)\(side)\(state)\(marks.joined())\(mark)\(strip)"
    }
}

extension Table {
    /// Revision and order, as the last line of each step.
    var scenarioText: String {
        let parts = sections.map { section in
            let rows = section.runs().flatMap { $0.map(\.scenarioText) }
            return "\(section.id): \(rows.isEmpty ? "-" : rows.joined(separator: " "))"
        }
        let waiting = invocations.all.map { one in
            "\(one.id.text)" + (one.holder.map { ":\($0)x\(one.attempts)" } ?? "")
                + (one.isResting ? ":rests" : "")
        }
        return "= \(revision) | \(parts.isEmpty ? "no sections" : parts.joined(separator: " | "))"
            + (isEditing ? " | editing" : "")
            + (waiting.isEmpty ? "" : " | invocations: \(waiting.joined(separator: " "))")
    }
}
