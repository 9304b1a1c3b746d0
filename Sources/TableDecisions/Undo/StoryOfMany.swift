import TableModel

// A revision of several rows, and the phrases that one row and several have in common.

extension Story {
    /// The fields of one row or of several.
    func set(
        _ changes: Command.Changes, _ subject: String, _ rows: Values, _ was: (ID) -> [String]
    ) -> [Phrase] {
        changes.fields.map { field in
            let old = was(field.key)
            let text =
                "set \(field.key.text) of \(subject) to \(Self.quoted(field.value))"
                + (old.isEmpty
                    ? "" : ", which was \(old.map(Self.quoted).joined(separator: " or "))")
            let values = rows + [("field", field.key.text), ("value", Self.short(field.value))]
            return old.count == 1
                ? Phrase(text, "set.was", values + [("was", Self.short(old[0]))])
                : Phrase(text, "set", values)
        }
            + changes.unset.map { key in
                Phrase("cleared \(key.text) of \(subject)", "clear", rows + [("field", key.text)])
            }
    }

    func looks(_ changes: Command.Changes, _ subject: String, _ rows: Values) -> [Phrase] {
        var parts: [Phrase] = []
        if changes.actions != nil {
            parts.append(Phrase("gave \(subject) other actions", "actions", rows))
        }
        if changes.states != nil {
            parts.append(Phrase("gave \(subject) other states", "states", rows))
        }
        return parts
    }

    // MARK: Several rows

    /// A change that is told of several rows together.
    enum Shared: Equatable {
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
    func alike(from start: Int) -> (run: Range<Int>, phrase: Phrase)? {
        let ops = change.diff.ops
        guard let shared = Shared(ops[start]) else { return nil }
        let end = ops[start...].firstIndex { Shared($0) != shared && !Self.isSilent($0) }
        let run = start..<(end ?? ops.count)
        let told = run.filter { !Self.isSilent(ops[$0]) }
        var ids: [RowID] = []
        var seen: Set<RowID> = []
        for id in told.flatMap({ ops[$0].rows }) where seen.insert(id).inserted { ids.append(id) }
        guard told.count > 1, ids.count == told.count else { return nil }
        let subject = ids.count > 3 ? "\(ids.count) rows" : Self.list(ids.map { name($0) })
        let rows = rows(ids.first, of: ids.count)
        switch shared {
        case .set(let changes):
            return (run, set(subject, rows, changes, told.map { before.changes[$0] }))
        case .remove: return (run, Phrase("removed \(subject)", "remove", rows))
        case .claim: return (run, Phrase("claimed \(subject)", "claim", rows))
        case .unclaim: return (run, Phrase("ended the claims of \(subject)", "unclaim", rows))
        case .sleep: return (run, Phrase("put off \(subject)", "sleep", rows))
        case .wake: return (run, Phrase("woke \(subject)", "wake", rows))
        }
    }

    /// An undo brings back what was performed on each row, which other ops of the revision say.
    static func isSilent(_ op: Op) -> Bool {
        if case .restore = op { true } else { false }
    }

    func set(
        _ subject: String, _ rows: Values, _ changes: Command.Changes, _ old: [Command.Changes?]
    ) -> Phrase {
        /// The values that it replaced, if each row had one and they are few.
        func was(_ value: (Command.Changes) -> String?) -> [String] {
            let values = old.map { $0.flatMap(value) }
            let known = Set(values.compactMap { $0 }).sorted()
            return 1...3 ~= known.count && !values.contains(nil) ? known : []
        }
        var parts: [Phrase] = []
        if let title = changes.title {
            let known = was(\.title).map(Self.quoted).joined(separator: " or ")
            parts.append(
                Phrase(
                    "renamed \(subject) to \(Self.quoted(title))"
                        + (known.isEmpty ? "" : ", which was \(known)"), "renameAll",
                    rows + [("value", Self.short(title))]))
        }
        parts += set(changes, subject, rows) { key in
            was { old in old.fields.first { $0.key == key }?.value }
        }
        if let kind = changes.kind {
            parts.append(
                Phrase("made \(subject) \(kind.text)", "kind", rows + [("kind", kind.text)]))
        }
        return Phrase(parts + looks(changes, subject, rows))
    }

    func expand(_ id: RowID, _ state: Expansion) -> Phrase {
        switch state {
        case .expanded: return Phrase("expanded \(name(id))", "open", row(id))
        case .collapsed: return Phrase("collapsed \(name(id))", "close", row(id))
        default: return Phrase("opened \(name(id)) to \(state.text)", "open", row(id))
        }
    }

    func item(_ step: Item.Step, in id: RowID) -> Phrase {
        switch step {
        case .insert(let item, _):
            let values = row(id) + [("item", Self.short(item.title))]
            return Phrase("put \(Self.quoted(item.title)) into \(name(id))", "itemIn", values)
        case .remove(let item):
            let values = row(id) + [("item", item.text)]
            return Phrase("took \"\(item.text)\" out of \(name(id))", "itemOut", values)
        case .move(let items, _):
            let list = Self.list(items.map { "\"\($0.text)\"" })
            return Phrase("moved \(list) within \(name(id))", "itemMove", row(id))
        case .set(let item, _):
            let values = row(id) + [("item", item.text)]
            return Phrase("changed \"\(item.text)\" of \(name(id))", "itemSet", values)
        }
    }
}
