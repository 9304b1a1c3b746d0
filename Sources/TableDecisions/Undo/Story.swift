public import TableModel

/// A revision in a sentence for people.
public struct Story {
    let change: PastChange
    let table: Table
    let about: RowID?
    let before: Before
    let unnamed: UnnamedRows

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
    public var text: String { told.text }

    /// The sentence, and what it says as data, without who did it and what it undid, which the cause says.
    public var told: (text: String, sayings: [Saying]) {
        let cause = change.diff.cause
        let who = cause.verb == "expire" ? "the daemon" : cause.shownActor ?? "somebody"
        var phrases: [Phrase] = []
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
            guard let phrase = phrase(op, at: index),
                !phrases.contains(where: { $0.text == phrase.text })
            else { continue }
            phrases.append(phrase)
        }
        if phrases.isEmpty, cause.undoes != nil, let id = restored {
            phrases = [Phrase("set back what was performed on \(name(id))", "restored", row(id))]
        }
        if more > 0 {
            phrases.append(
                Phrase(
                    "did \(more) more thing\(more == 1 ? "" : "s")", "more", [("count", "\(more)")])
            )
        }
        let sayings = Array(phrases.flatMap(\.sayings).prefix(Self.mostSayings))
        if let undone = cause.undoes {
            let word = cause.verb == "redo" ? "took the undo in revision" : "undid revision"
            let end = cause.verb == "redo" ? " back" : ""
            // The rest tells the undo's own steps, and not those that it took back.
            return (
                "\(who) \(word) \(undone)\(end), and so \(Self.list(phrases.map(\.text)))", sayings
            )
        }
        let did = phrases.isEmpty ? cause.verb : Self.list(phrases.map(\.text))
        return ("\(who) \(did)", sayings)
    }

    static let mostPhrases = 4
    static let mostAlike = 64
    static let mostSayings = 16
    static let mostCharacters = 60

    func isAbout(_ op: Op) -> Bool {
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
    func invocation(of op: Op) -> Invocation? {
        guard case .invocation(let id, let back) = op else { return nil }
        return back ?? before.invocations[id]
    }

    // MARK: Phrases

    func phrase(_ op: Op, at index: Int) -> Phrase? {
        switch op {
        case .insert(let row, let place, _): return came(row.id, place)
        case .remove(let id, _): return Phrase("removed \(name(id))", "remove", row(id))
        case .move(let ids, let place): return move(ids, place)
        case .swap(let a, let b):
            return Phrase(
                "exchanged \(name(a)) and \(name(b))", "swap", row(a) + [("other", title(b))])
        case .set(let id, let changes): return set(id, changes, before.changes[index])
        case .swipe(let id, let edge):
            return edge.map {
                Phrase("swiped \(name(id)) open at its \($0.rawValue) edge", "swipe", row(id))
            } ?? Phrase("closed the swipe of \(name(id))", "swipeEnd", row(id))
        case .expand(let id, let state): return expand(id, state)
        case .expandAll(let isOpen):
            return isOpen
                ? Phrase("expanded all rows", "openAll") : Phrase("collapsed all rows", "closeAll")
        case .perform(let id, let performance):
            return deed("performed", "act", performance.deed, on: id)
        case .claim(let id, let claim): return self.claim(id, claim)
        case .sleep(let id, let sleep):
            return sleep == nil
                ? Phrase("woke \(name(id))", "wake", row(id))
                : Phrase("put off \(name(id))", "sleep", row(id))
        case .item(let id, let step): return item(step, in: id)
        case .scroll(let id, _): return Phrase("scrolled \(name(id))", "scroll", row(id))
        // A selection says so, and not that the selection before it ended.
        case .mark(let id, nil):
            let cause = change.diff.cause
            let isWished = ["mark", "batch"].contains(cause.verb) || cause.undoes != nil
            guard isWished && !before.marksSomething else { return nil }
            return Phrase("unmarked \(name(id))", "unmark", row(id))
        case .mark(let id, let what):
            if change.diff.cause.verb == "select" { return nil }
            return chosen("marked", "mark", what?.item, of: id)
        case .select(let id, let item): return chosen("selected", "select", item, of: id)
        case .insertSection(let id, let title, _):
            // A row can be put into a section that is not made yet.
            let isWished = ["section", "batch"].contains(change.diff.cause.verb)
            guard isWished else { return nil }
            let short = Self.short(title.isEmpty ? id.text : title)
            return Phrase("made section \(Self.quoted(title))", "section", [("section", short)])
        case .removeSection(let id):
            return Phrase("removed section \"\(id.text)\"", "sectionEnd", [("section", id.text)])
        case .setSection(let id, let title):
            return Phrase(
                "named section \"\(id.text)\" \(Self.quoted(title))", "sectionName",
                [("section", id.text), ("value", Self.short(title))])
        case .define(let definitions): return define(definitions)
        case .edit(let isOn):
            return isOn ? Phrase("began to edit", "edit") : Phrase("ended editing", "editEnd")
        case .take(let id, let holder):
            return Phrase(
                "gave invocation \(id.text) to \(holder.text)", "take", [("who", holder.text)])
        case .release(let id): return Phrase("let invocation \(id.text) wait again", "release")
        case .rest(let id, let failure): return rest(id, failure?.reason)
        case .finish(let id, let ending): return finish(id, ending)
        case .invocation(_, let back): return called(op, isBack: back != nil)
        // Other ops of the same revision say it.
        case .restore, .invoke, .came: return nil
        }
    }

    /// An attempt that failed; nil: it is tried again.
    func rest(_ id: InvocationID, _ failure: String?) -> Phrase {
        guard let why = failure.map(Self.short) else {
            return Phrase("let invocation \(id.text) be tried again", "again")
        }
        return Phrase("put invocation \(id.text) off: \(why)", "rest", [("why", why)])
    }

    func finish(_ id: InvocationID, _ ending: Invocation.Outcome) -> Phrase {
        guard case .failed(let reason) = ending else {
            return Phrase("finished invocation \(id.text)", "finish")
        }
        let why = Self.short(reason)
        return Phrase("ended invocation \(id.text): \(why)", "fail", [("why", why)])
    }

    /// An invocation that came back, or was taken back.
    func called(_ op: Op, isBack: Bool) -> Phrase? {
        invocation(of: op).map {
            deed(
                isBack ? "performed" : "called off", isBack ? "act" : "callOff", $0.deed, on: $0.row
            )
        }
    }

    func came(_ id: RowID, _ place: Place) -> Phrase {
        // A recall is the only command with a condition that brings rows.
        let isBack =
            ["recall", "each"].contains(change.diff.cause.verb) || change.diff.cause.undoes != nil
        return Phrase(
            "\(isBack ? "brought back" : "added") \(name(id)) \(at(place))",
            (isBack ? "back" : "add") + key(of: place), [("row", title(id)), standing(place)])
    }

    func deed(_ word: String, _ key: String, _ deed: Deed, on id: RowID) -> Phrase {
        let item = deed.item.map { "\"\($0.text)\" of " } ?? ""
        return Phrase(
            "\(word) \"\(deed.action.text)\" on \(item)\(name(id))", key,
            row(id) + [("action", deed.action.text)])
    }

    func chosen(_ word: String, _ key: String, _ item: ID?, of id: RowID) -> Phrase {
        guard let item else { return Phrase("\(word) \(name(id))", key, row(id)) }
        return Phrase("\(word) \"\(item.text)\" of \(name(id))", key, [("row", item.text)])
    }

    func claim(_ id: RowID, _ claim: Claim?) -> Phrase {
        guard let claim else { return Phrase("ended the claim of \(name(id))", "unclaim", row(id)) }
        if claim.note.isEmpty { return Phrase("claimed \(name(id))", "claim", row(id)) }
        let note = Self.short(claim.note)
        return Phrase("claimed \(name(id)): \(note)", "claimNote", row(id) + [("note", note)])
    }

    func move(_ ids: Few<RowID>, _ place: Place) -> Phrase {
        let word = change.diff.cause.verb == "drop" ? "dragged" : "moved"
        let start = origin(of: ids, to: place)
        var values = rows(ids.prefix(1).first, of: ids.count) + [standing(place)]
        if let start { values += [("from", heading(start.from)), ("to", heading(start.to))] }
        return Phrase(
            "\(word) \(Self.list(names(ids))) \(way(start, to: place))",
            (start == nil ? "move" : "across") + key(of: place), values)
    }

    func define(_ definitions: Command.Definitions) -> Phrase {
        let kinds = definitions.kinds.map { "\"\($0.id.text)\"" }
        if kinds.isEmpty, change.diff.cause.verb == "pause" { return pauses(definitions) }
        if kinds.isEmpty { return Phrase("changed the table's settings", "settings") }
        return Phrase("defined kind\(kinds.count == 1 ? "" : "s") \(Self.list(kinds))", "kinds")
    }

    func pauses(_ definitions: Command.Definitions) -> Phrase {
        let now = definitions.settings?.pauses ?? []
        var old: [Pause] = []
        for case .define(let before) in change.inverse ?? [] { old = before.settings?.pauses ?? [] }
        if let pause = now.first(where: { !old.contains($0) }) {
            let note = pause.note.isEmpty ? "" : ": \(Self.short(pause.note))"
            return Phrase("paused \(pause.subject)\(note)", "pause", [("what", pause.subject)])
        }
        let gone = old.filter { !now.contains($0) }.map(\.subject)
        return Phrase("resumed " + Self.list(gone), "resume", [("what", gone.first ?? "")])
    }

    func set(_ id: RowID, _ changes: Command.Changes, _ old: Command.Changes?) -> Phrase {
        var parts: [Phrase] = []
        if let title = changes.title, title == old?.title {
            parts.append(Phrase("kept the title of \(name(id))", "keep", row(id)))
        } else if let title = changes.title {
            let before = old?.title.map { "\(Self.quoted($0)) to " } ?? "it "
            parts.append(
                Phrase(
                    "renamed \(before)\(Self.quoted(title))", "rename",
                    [("row", Self.short(title)), ("was", Self.short(old?.title ?? id.text))]))
        }
        let subject = changes.title == nil ? name(id) : "it"
        let was = { (key: ID) in old?.fields.first { $0.key == key }.map { [$0.value] } ?? [] }
        parts += set(changes, subject, row(id), was)
        if let kind = changes.kind {
            let values = row(id) + [("kind", kind.text)]
            parts.append(Phrase("made \(subject) a \(kind.text)", "kind", values))
        }
        return Phrase(parts + looks(changes, subject, row(id)))
    }
}
