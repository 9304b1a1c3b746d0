public import TableModel

/// A revision in a sentence for people.
public struct Story {
    private let change: PastChange
    private let table: Table
    private let about: RowID?
    private let before: Before
    private let unnamed: UnnamedRows

    /// The story of a revision of this table, which may have changed since. `row`: only what is about this
    /// row.
    public init(_ change: PastChange, on table: Table, about row: RowID? = nil) {
        self.change = change
        self.table = table
        about = row
        before = Before(change)
        unnamed = UnnamedRows(change, only: row)
    }

    /// A sentence such as: ada moved "Table 7" after "Table 4".
    public var text: String {
        let cause = change.diff.cause
        let who = cause.verb == "expire" ? "the daemon" : cause.shownActor ?? "somebody"
        var phrases: [String] = []
        var (made, more, next) = (0, 0, 0)
        for (index, op) in change.diff.ops.enumerated() where index >= next && isAbout(op) {
            // An import has thousands of ops. Nobody reads them all, and nobody waits for that; nor where
            // they sound the same.
            guard phrases.count < Self.mostPhrases, made < Self.mostAlike else {
                more += 1
                continue
            }
            made += 1
            if about == nil, let (run, phrase) = alike(from: index) {
                next = run.upperBound
                phrases.append(phrase)
                continue
            }
            guard let phrase = phrase(op, at: index), !phrases.contains(phrase) else { continue }
            phrases.append(phrase)
        }
        if phrases.isEmpty, cause.undoes != nil, let id = restored {
            phrases = ["set back what was performed on \(name(id))"]
        }
        if more > 0 { phrases.append("did \(more) more thing\(more == 1 ? "" : "s")") }
        if let undone = cause.undoes {
            let word = cause.verb == "redo" ? "took the undo in revision" : "undid revision"
            let end = cause.verb == "redo" ? " back" : ""
            // What follows is what the undo did, and not what it took back.
            return "\(who) \(word) \(undone)\(end), and so \(Self.list(phrases))"
        }
        return "\(who) \(phrases.isEmpty ? cause.verb : Self.list(phrases))"
    }

    private static let mostPhrases = 4
    private static let mostAlike = 64
    private static let mostCharacters = 60

    private func isAbout(_ op: Op) -> Bool {
        guard let about else { return true }
        return op.rows.contains(about) || invocation(of: op)?.row == about
            || unnamed.of(op).contains(about)
    }

    /// The first row that has its traces back.
    private var restored: RowID? {
        for case .restore(let id, _) in change.diff.ops where (about ?? id) == id { return id }
        return nil
    }

    /// The invocation that an op brings back, or takes back.
    private func invocation(of op: Op) -> Invocation? {
        guard case .invocation(let id, let back) = op else { return nil }
        return back ?? before.invocations[id]
    }

    // MARK: Phrases

    private func phrase(_ op: Op, at index: Int) -> String? {
        switch op {
        case .insert(let row, let place, _):
            // A recall is the only command with a condition that brings rows.
            let isBack =
                ["recall", "each"].contains(change.diff.cause.verb)
                || change.diff.cause.undoes != nil
            return "\(isBack ? "brought back" : "added") \(name(row.id)) \(at(place))"
        case .remove(let id, _): return "removed \(name(id))"
        case .move(let ids, let place):
            let word = change.diff.cause.verb == "drop" ? "dragged" : "moved"
            return "\(word) \(Self.list(names(ids))) \(way(of: ids, to: place))"
        case .swap(let a, let b): return "exchanged \(name(a)) and \(name(b))"
        case .set(let id, let changes): return set(id, changes, before.changes[index])
        case .swipe(let id, let edge):
            return edge.map { "swiped \(name(id)) open at its \($0.rawValue) edge" }
                ?? "closed the swipe of \(name(id))"
        case .expand(let id, let state): return expand(id, state)
        case .expandAll(let isOpen): return isOpen ? "expanded all rows" : "collapsed all rows"
        case .perform(let id, let performance): return "performed \(deed(performance.deed, on: id))"
        case .claim(let id, let claim):
            guard let claim else { return "ended the claim of \(name(id))" }
            let note = claim.note.isEmpty ? "" : ": \(Self.short(claim.note))"
            return "claimed \(name(id))\(note)"
        case .sleep(let id, let sleep): return "\(sleep == nil ? "woke" : "put off") \(name(id))"
        case .item(let id, let step): return item(step, in: id)
        case .scroll(let id, _): return "scrolled \(name(id))"
        // A selection says so, and not that the selection before it ended.
        case .mark(let id, nil):
            let cause = change.diff.cause
            let isWished = ["mark", "batch"].contains(cause.verb) || cause.undoes != nil
            return isWished && !before.marksSomething ? "unmarked \(name(id))" : nil
        case .mark(let id, let what):
            if change.diff.cause.verb == "select" { return nil }
            return "marked " + (what?.item.map { "\"\($0.text)\" of " } ?? "") + name(id)
        case .select(let id, let item):
            return "selected " + (item.map { "\"\($0.text)\" of " } ?? "") + name(id)
        case .insertSection(_, let title, _):
            // A row can be put into a section that is not made yet.
            let isWished = ["section", "batch"].contains(change.diff.cause.verb)
            return isWished ? "made section \(Self.quoted(title))" : nil
        case .removeSection(let id): return "removed section \"\(id.text)\""
        case .setSection(let id, let title):
            return "named section \"\(id.text)\" \(Self.quoted(title))"
        case .define(let definitions):
            return define(definitions)
        case .edit(let isOn): return isOn ? "began to edit" : "ended editing"
        case .take(let id, let holder): return "gave invocation \(id.text) to \(holder.text)"
        case .release(let id): return "let invocation \(id.text) wait again"
        case .rest(let id, let failure?):
            return "put invocation \(id.text) off: \(Self.short(failure.reason))"
        case .rest(let id, nil): return "let invocation \(id.text) be tried again"
        case .finish(let id, .done): return "finished invocation \(id.text)"
        case .finish(let id, .failed(let reason)):
            return "ended invocation \(id.text): \(Self.short(reason))"
        case .invocation(_, let back):
            guard let invocation = invocation(of: op) else { return nil }
            let what = deed(invocation.deed, on: invocation.row)
            return back == nil ? "called off \(what)" : "performed \(what)"
        // Other ops of the same revision say it.
        case .restore, .invoke, .came: return nil
        }
    }

    private func deed(_ deed: Deed, on id: RowID) -> String {
        let item = deed.item.map { "\"\($0.text)\" of " } ?? ""
        return "\"\(deed.action.text)\" on \(item)\(name(id))"
    }

    private func define(_ definitions: Command.Definitions) -> String {
        let kinds = definitions.kinds.map { "\"\($0.id.text)\"" }
        if kinds.isEmpty, change.diff.cause.verb == "pause" { return pauses(definitions) }
        if kinds.isEmpty { return "changed the table's settings" }
        return "defined kind\(kinds.count == 1 ? "" : "s") \(Self.list(kinds))"
    }

    private func pauses(_ definitions: Command.Definitions) -> String {
        let now = definitions.settings?.pauses ?? []
        var old: [Pause] = []
        for case .define(let before) in change.inverse ?? [] { old = before.settings?.pauses ?? [] }
        if let pause = now.first(where: { !old.contains($0) }) {
            let note = pause.note.isEmpty ? "" : ": \(Self.short(pause.note))"
            return "paused \(pause.subject)\(note)"
        }
        return "resumed " + Self.list(old.filter { !now.contains($0) }.map(\.subject))
    }

    private func set(
        _ id: RowID, _ changes: Command.Changes, _ old: Command.Changes?
    ) -> String {
        var parts: [String] = []
        if let title = changes.title, title == old?.title {
            parts.append("kept the title of \(name(id))")
        } else if let title = changes.title {
            let before = old?.title.map { "\(Self.quoted($0)) to " } ?? "it "
            parts.append("renamed \(before)\(Self.quoted(title))")
        }
        let row = changes.title == nil ? name(id) : "it"
        for field in changes.fields {
            let before = old?.fields.first { $0.key == field.key }
            let was = before.map { ", which was \(Self.quoted($0.value))" } ?? ""
            parts.append("set \(field.key.text) of \(row) to \(Self.quoted(field.value))\(was)")
        }
        for key in changes.unset { parts.append("cleared \(key.text) of \(row)") }
        if let kind = changes.kind { parts.append("made \(row) a \(kind.text)") }
        if changes.actions != nil { parts.append("gave \(row) other actions") }
        if changes.states != nil { parts.append("gave \(row) other states") }
        return Self.list(parts)
    }

    // MARK: Several rows

    /// A change that is told of several rows together.
    private enum Shared: Equatable {
        case set(Command.Changes)
        case remove, claim, unclaim, sleep, wake

        /// Nil: such a change is told of one row at a time.
        init?(_ op: Op) {
            switch op {
            case .set(_, let changes): self = .set(changes)
            case .remove: self = .remove
            case .claim(_, nil): self = .unclaim
            case .sleep(_, let sleep): self = sleep == nil ? .wake : .sleep
            case .claim(_, let claim?):
                guard claim.note.isEmpty else { return nil }
                self = .claim
            case .insert, .move, .swap, .item, .perform, .restore, .swipe, .expand, .scroll, .mark,
                .came, .select, .expandAll, .insertSection, .removeSection, .setSection, .define,
                .edit,
                .invoke, .invocation, .take, .release, .rest, .finish:
                return nil
            }
        }
    }

    /// The ops from one on that do the same with other rows, and the phrase for them all; nil: it is the only one.
    private func alike(from start: Int) -> (run: Range<Int>, phrase: String)? {
        let ops = change.diff.ops
        guard let shared = Shared(ops[start]) else { return nil }
        let end = ops[start...].firstIndex { Shared($0) != shared && !Self.isSilent($0) }
        let run = start..<(end ?? ops.count)
        let told = run.filter { !Self.isSilent(ops[$0]) }
        var ids: [RowID] = []
        var seen: Set<RowID> = []
        for id in told.flatMap({ ops[$0].rows }) where seen.insert(id).inserted { ids.append(id) }
        guard told.count > 1, ids.count == told.count else { return nil }
        let rows =
            ids.count > 3 ? "\(ids.count) rows" : Self.list(ids.map { name($0) })
        switch shared {
        case .set(let changes): return (run, set(rows, changes, told.map { before.changes[$0] }))
        case .remove: return (run, "removed \(rows)")
        case .claim: return (run, "claimed \(rows)")
        case .unclaim: return (run, "ended the claims of \(rows)")
        case .sleep: return (run, "put off \(rows)")
        case .wake: return (run, "woke \(rows)")
        }
    }

    /// An undo brings back what was performed on each row, which other ops of the revision say.
    private static func isSilent(_ op: Op) -> Bool {
        if case .restore = op { true } else { false }
    }

    private func set(
        _ rows: String, _ changes: Command.Changes, _ old: [Command.Changes?]
    ) -> String {
        /// The values that it replaced, if each row had one and they are few.
        func was(_ value: (Command.Changes) -> String?) -> String {
            let values = old.map { $0.flatMap(value) }
            let known = Set(values.compactMap { $0 }).sorted()
            guard 1...3 ~= known.count, !values.contains(nil) else { return "" }
            return ", which was \(known.map(Self.quoted).joined(separator: " or "))"
        }
        var parts: [String] = []
        if let title = changes.title {
            parts.append("renamed \(rows) to \(Self.quoted(title))\(was(\.title))")
        }
        for field in changes.fields {
            let old = was { old in old.fields.first { $0.key == field.key }?.value }
            parts.append("set \(field.key.text) of \(rows) to \(Self.quoted(field.value))\(old)")
        }
        for key in changes.unset { parts.append("cleared \(key.text) of \(rows)") }
        if let kind = changes.kind { parts.append("made \(rows) \(kind.text)") }
        if changes.actions != nil { parts.append("gave \(rows) other actions") }
        if changes.states != nil { parts.append("gave \(rows) other states") }
        return Self.list(parts)
    }

    private func expand(_ id: RowID, _ state: Expansion) -> String {
        switch state {
        case .expanded: return "expanded \(name(id))"
        case .collapsed: return "collapsed \(name(id))"
        default: return "opened \(name(id)) to \(state.text)"
        }
    }

    private func item(_ step: Item.Step, in id: RowID) -> String {
        switch step {
        case .insert(let item, _): return "put \(Self.quoted(item.title)) into \(name(id))"
        case .remove(let item): return "took \"\(item.text)\" out of \(name(id))"
        case .move(let items, _):
            return "moved \(Self.list(items.map { "\"\($0.text)\"" })) within \(name(id))"
        case .set(let item, _): return "changed \"\(item.text)\" of \(name(id))"
        }
    }

    // MARK: Places and names

    private func at(_ place: Place) -> String {
        switch place {
        case .after(let id): return "after \(name(id))"
        case .top(let section): return "at the top of \(title(section))"
        }
    }

    /// Where rows were moved, and from which section if it was another.
    private func way(of ids: Few<RowID>, to place: Place) -> String {
        let target = section(of: place)
        var from: String?
        let old = ids.lazy.compactMap { before.places[$0] }.min { $0.index < $1.index }
        if let old, let origin = section(of: old.place), let target, origin != target {
            from = "from \(title(origin)) to \(title(target)), "
        }
        switch place {
        case .after(let id): return "\(from ?? "")after \(name(id))"
        case .top(let section):
            return from.map { "\($0)at the top" } ?? "to the top of \(title(section))"
        }
    }

    /// The section of a place, if the place is the same as then.
    private func section(of place: Place) -> SectionID? {
        switch place {
        case .top(let section): return section
        case .after(let id):
            guard let row = table.row(id), row.movedMs <= change.diff.cause.timeMs else {
                return nil
            }
            return table.position(of: id)?.section
        }
    }

    private func title(_ section: SectionID) -> String {
        let title = table.section(section)?.title ?? ""
        return title.isEmpty ? section.text : title
    }

    private func names(_ ids: Few<RowID>) -> [String] {
        let names = ids.prefix(3).map { name($0) }
        return ids.count > 3 ? names + ["\(ids.count - 3) more rows"] : names
    }

    /// The row's title, as it is now or was then; else its id.
    private func name(_ id: RowID) -> String {
        let title = (before.rows[id] ?? table.row(id))?.content.title
        guard let title, !title.isEmpty else { return "\"\(id.text)\"" }
        return Self.quoted(title)
    }

    private static func quoted(_ text: String) -> String { "\"\(short(text))\"" }

    private static func short(_ text: String) -> String {
        // A text may be long: no more of it is looked at than is told.
        guard text.utf8.count > mostCharacters,
            let end = text.index(
                text.startIndex, offsetBy: mostCharacters, limitedBy: text.endIndex),
            end < text.endIndex
        else { return text }
        return text[..<text.index(before: end)] + "…"
    }

    private static func list(_ parts: [String]) -> String {
        guard parts.count > 1 else { return parts.first ?? "nothing that is left" }
        return parts.dropLast().joined(separator: ", ") + " and " + parts[parts.count - 1]
    }
}

/// The sentences of a change's ops about its rows. Each op is read once: a change has thousands of them,
/// and a sentence asks about many rows.
private struct Before {
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
