internal import TableModel
internal import TableSync

// Rows, and what stands in them.

/// A row, and its place where a message tells that.
struct PlacedRow {
    var row: Row
    var section: SectionID?
    var index: Int?
}

extension Row {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Row {
        try PlacedRow.read(from: &s).row
    }
}

extension PlacedRow {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> PlacedRow {
        var (id, kind, title) = (ID?.none, Letters?.none, Letters?.none)
        var (section, index): (ID?, Int?) = (nil, nil)
        var fields: [LetterField] = []
        var (version, createdMs, changedMs, movedMs) = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        var (expansion, swipe): (Expansion?, OpenEdge?) = (nil, nil)
        var (actions, performed, items): (RowActions?, [Performance], [Item]) = (nil, [], [])
        var (scroll, claim, states): (Scroll?, Claim?, [Kind.State]) = (nil, nil, [])
        var (selection, cameFrom, sleep): (Row.Selection?, ID?, Row.Sleep?) = (nil, nil, nil)
        let mostItems = s.bounds.items
        while try s.more() {
            try s.id(1, "id", &id)
            try s.letters(2, "kind", &kind)
            try s.id(3, "section", &section)
            try s.count(4, "index", &index)
            try s.letters(5, "title", &title)
            try s.map(6, "fields", &fields)
            try s.number(7, "version", &version)
            try s.number(8, "createdMs", &createdMs)
            try s.state(9, "expand", &expansion)
            try s.word(10, "swipe", &swipe)
            try s.one(11, "actions", &actions, RowActions.read(from:))
            try s.all(12, "performed", &performed, Performance.read(from:))
            try s.messages(13, "items", &items, most: mostItems, Item.read(from:))
            try s.one(14, "scroll", &scroll, Scroll.read(from:))
            try s.number(15, "changedMs", &changedMs)
            try s.number(16, "movedMs", &movedMs)
            try s.one(17, "claim", &claim, Claim.read(from:))
            try s.states(40, &states, most: .max)
            try s.one(42, "selected", &selection, Row.Selection.read(from:))
            try s.id(48, "cameFrom", &cameFrom)
            try s.one(45, "sleep", &sleep, Row.Sleep.read(from:))
        }
        guard let id else { throw .missing("id") }
        guard let kind, kind.count > 0 else { throw .missing("kind") }
        let plain = Row(
            id: id, kind: kind, title: title ?? .nothing,
            fields: { visit in for field in fields { visit(field.key, field.value) } },
            version: version, createdMs: createdMs, expansion: expansion ?? .collapsed,
            swipe: swipe?.edge, changedMs: changedMs, movedMs: movedMs)
        guard let plain else { throw .broken("has text that is not UTF-8") }
        let hasRareParts =
            actions != nil || !performed.isEmpty || !items.isEmpty || scroll != nil || claim != nil
            || !states.isEmpty || selection != nil || cameFrom != nil || sleep != nil
        guard hasRareParts else { return PlacedRow(row: plain, section: section, index: index) }
        let content = Row.Content(
            kind: plain.content.kind, title: plain.content.title, fields: plain.content.fields,
            actions: actions, items: items, states: states)
        let row = Row(
            id: id, content: content, version: version, createdMs: createdMs,
            expansion: plain.expansion, swipe: plain.swipe, performed: performed, scroll: scroll,
            changedMs: changedMs, movedMs: movedMs, claim: claim, selection: selection,
            cameFrom: cameFrom, sleep: sleep)
        return PlacedRow(row: row, section: section, index: index)
    }
}

/// An edge, or none.
enum OpenEdge: String, CaseIterable {
    case leading, trailing, closed

    var edge: Edge? { Edge(rawValue: rawValue) }

    /// The word for the open edge.
    static func word(_ edge: Edge?) -> String { edge?.rawValue ?? "closed" }
}

extension Scroll {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Scroll {
        var (item, fraction) = (ID?.none, 0.0)
        while try s.more() {
            try s.id(1, "item", &item)
            try s.double(2, "fraction", &fraction)
        }
        return Scroll(try s.needed(item, "item"), fraction: fraction)
    }
}

extension Row.Sleep {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (untilMs, isToTop): (UInt64?, Bool) = (nil, false)
        while try s.more() {
            try s.number(1, "untilMs", &untilMs)
            try s.flag(2, "top", &isToTop)
        }
        return Self(untilMs: untilMs ?? 0, isToTop: isToTop)
    }
}

extension Row.Selection {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var item: ID?
        while try s.more() { try s.id(1, "item", &item) }
        return Self(item: item)
    }
}

extension Item {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Item {
        var (id, kind, title) = (ID?.none, ID?.none, "")
        var (fields, tap): ([Row.Field], Tap?) = ([], nil)
        while try s.more() {
            try s.id(1, "id", &id)
            try s.text(2, "title", &title)
            try s.map(3, "fields", &fields)
            try s.one(4, "tap", &tap, Tap.read(from:))
            try s.id(70, "kind", &kind)
        }
        let item = Item(
            try s.needed(id, "id"), title: title, kind: kind, fields: fields,
            tap: tap?.effects ?? [])
        if let digest = tap?.digest {
            do throws(Refusal) { try s.check(digest, is: item.tapDigest) } catch {
                throw error.within("tap")
            }
        }
        return item
    }
}

/// The effects of a tap on an item. They are measured, like a kind.
struct Tap {
    var effects: [Effect] = []
    var digest: UInt64?

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Tap {
        var tap = Tap()
        while try s.more() {
            try s.effects(1, "effects", &tap.effects)
            try s.hex(2, "digest", &tap.digest)
        }
        try s.bounds.check("bytes", nil) { $0.effects(1, "effects", tap.effects) }
        return tap
    }
}

extension Item.Changes {
    /// In the op its number is one more, since the row stands in front.
    static func take<S: Source>(
        from number: UInt32, of s: inout S, item: inout ID?, into changes: inout Self
    ) throws(Refusal) {
        let most = s.bounds.fields
        try s.id(number, "item", &item)
        try s.text(number + 1, "title", &changes.title)
        try s.map(number + 2, "fields", &changes.fields)
        try s.ids(number + 3, "unset", &changes.unset, most: most)
        try s.one(number + 4, "tap", &changes.tap) { (s) throws(Refusal) in
            try Tap.read(from: &s).effects
        }
        // An empty name takes the kind away.
        if s.takes(70, .length, "kind") {
            let name = try s.text("kind")
            changes.kind = .some(name.isEmpty ? nil : ID(name))
            try s.next()
        }
    }
}

extension Claim {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Claim {
        var (holder, note) = (ID?.none, "")
        var (ttl, sinceMs): (Double?, UInt64) = (nil, 0)
        while try s.more() {
            try s.id(1, "holder", &holder)
            try s.text(2, "note", &note)
            try s.double(3, "ttl", &ttl)
            try s.number(4, "sinceMs", &sinceMs)
        }
        return Claim(
            holder: try s.needed(holder, "holder"), note: note, ttlSeconds: ttl, sinceMs: sinceMs)
    }
}

extension Carried {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Carried {
        var (createdMs, changedMs, movedMs) = (UInt64?.none, UInt64(0), UInt64(0))
        var (performed, claim, cameFrom): ([Performance], Claim?, ID?) = ([], nil, nil)
        var sleep: Row.Sleep?
        while try s.more() {
            try s.number(1, "createdMs", &createdMs)
            try s.number(2, "changedMs", &changedMs)
            try s.number(3, "movedMs", &movedMs)
            try s.all(4, "performed", &performed, Performance.read(from:))
            try s.one(5, "claim", &claim, Claim.read(from:))
            try s.one(8, "sleep", &sleep, Row.Sleep.read(from:))
            try s.id(11, "cameFrom", &cameFrom)
        }
        return Carried(
            createdMs: createdMs, changedMs: changedMs, movedMs: movedMs,
            performed: performed, claim: claim, cameFrom: cameFrom, sleep: sleep)
    }
}

extension Performance {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Performance {
        var (action, item): (ID?, ID?) = (nil, nil)
        var (word, reason): (Word?, String) = (nil, "")
        var invocation: InvocationID?
        while try s.more() {
            try s.id(1, "action", &action)
            try s.word(2, "state", &word)
            try s.text(3, "reason", &reason)
            try s.invocationID(4, "invocation", &invocation)
            try s.id(70, "item", &item)
        }
        let state: State
        switch word {
        case .pending: state = .pending(try invocation.or(.notInvocation("invocation")))
        case .done: state = .done
        case .failed: state = .failed(reason)
        case nil: throw .word(Word.allCases.map(\.rawValue), "state")
        }
        return Performance(try s.needed(action, "action"), on: item, state)
    }

    private enum Word: String, CaseIterable { case pending, done, failed }
}

extension Invocation {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Invocation {
        var (id, row, action, item) = (InvocationID?.none, ID?.none, ID?.none, ID?.none)
        var (client, holder, pressed): (ID?, ID?, PlacedRow?) = (nil, nil, nil)
        var (pressedMs, deadline, attempts) = (UInt64(0), 0.0, 0)
        var (then, digest): ([Effect], UInt64?) = ([], nil)
        var (retries, failure): (Retries?, Failure?) = (nil, nil)
        while try s.more() {
            try s.invocationID(1, "id", &id)
            try s.id(2, "row", &row)
            try s.id(3, "action", &action)
            try s.id(4, "client", &client)
            try s.number(5, "pressedMs", &pressedMs)
            try s.double(6, "deadline", &deadline)
            try s.effects(7, "then", &then)
            try s.id(8, "holder", &holder)
            try s.count(9, "attempts", &attempts)
            try s.one(10, "pressed", &pressed, PlacedRow.read(from:))
            try s.hex(11, "digest", &digest)
            try s.id(70, "item", &item)
            try s.one(71, "retries", &retries, Retries.read(from:))
            try s.one(72, "failure", &failure, Invocation.Failure.read(from:))
        }
        let invocation = Invocation(
            id: try id.or(.notInvocation("id")), row: try s.needed(row, "row"),
            action: try s.needed(action, "action"),
            item: item, client: client, pressedMs: pressedMs, deadlineSeconds: deadline, then: then,
            retries: retries ?? Retries(), holder: holder, attempts: attempts, failure: failure,
            pressed: pressed?.row, section: pressed?.section, index: pressed?.index)
        if let digest { try s.check(digest, is: invocation.digest) }
        return invocation
    }
}

extension Invocation.Failure {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var failure = Self("", dueMs: 0)
        while try s.more() {
            try s.text(1, "reason", &failure.reason)
            try s.number(2, "dueMs", &failure.dueMs)
            try s.flag(3, "over", &failure.isOver)
        }
        return failure
    }
}

extension SnapshotChunk.Slice {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (section, title, rows): (ID?, String, [Row]) = (nil, "", [])
        while try s.more() {
            try s.id(1, "section", &section)
            try s.text(2, "title", &title)
            try s.all(3, "rows", &rows, Row.read(from:))
        }
        return Self(section: try s.needed(section, "section"), title: title, rows: rows)
    }
}
