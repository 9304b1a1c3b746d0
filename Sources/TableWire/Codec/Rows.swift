internal import TableModel
internal import TableSync

// Rows, and what stands in them.

/// A row, and its place where a message tells that.
struct PlacedRow {
    var row: Row
    var section: SectionID?
    var index: Int?
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

extension Row {
    /// `hasVersion`: in snapshots, checkpoints and inverses. In a diff, an inserted row has the version that the
    /// diff leads to.
    func write<S: Sink>(
        to s: inout S, hasVersion: Bool, section: SectionID? = nil, index: Int? = nil
    ) {
        s.id(1, "id", unlessEmpty: id)
        content.withTexts { texts in
            if !texts.kind.isEmpty { s.text(2, "kind", texts.kind) }
            s.id(3, "section", section)
            s.count(4, "index", index)
            if S.isJSON || !texts.title.isEmpty { s.text(5, "title", texts.title) }
            s.map(6, "fields", fieldsOf: texts)
        }
        if hasVersion { s.number(7, "version", shown: version) }
        s.number(8, "createdMs", shown: createdMs)
        if S.isJSON || expansion != .collapsed { s.text(9, "expand", expansion.text) }
        if S.isJSON || swipe != nil { s.text(10, "swipe", OpenEdge.word(swipe)) }
        if hasRareParts {
            if let actions = content.actions { s.message(11, "actions") { actions.write(to: &$0) } }
            s.messages(12, "performed", performed) { $0.write(to: &$1) }
            s.messages(13, "items", content.items) { $0.write(to: &$1, showsTitle: S.isJSON) }
            if let scroll {
                s.message(14, "scroll") { s in
                    s.id(1, "item", unlessEmpty: scroll.item)
                    if S.isJSON || scroll.fraction != 0 { s.double(2, "fraction", scroll.fraction) }
                }
            }
        }
        s.number(15, "changedMs", unlessZero: changedMs)
        s.number(16, "movedMs", unlessZero: movedMs)
        if hasRareParts {
            if let claim { s.message(17, "claim") { claim.write(to: &$0, showsNote: S.isJSON) } }
            s.states(40, content.states)
            if let selection { s.message(42, "selected") { selection.write(to: &$0) } }
            s.id(48, "cameFrom", cameFrom)
            if let sleep { s.message(45, "sleep") { sleep.write(to: &$0) } }
        }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Row {
        try PlacedRow.read(from: &s).row
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
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Scroll {
        var (item, fraction) = (ID?.none, 0.0)
        while try s.more() {
            try s.id(1, "item", &item)
            try s.double(2, "fraction", &fraction)
        }
        return Scroll(try s.needed(item, "item"), fraction: fraction)
    }
}

extension Row.Sleep {
    func write<S: Sink>(to s: inout S) {
        s.number(1, "untilMs", shown: untilMs)
        s.flag(2, "top", ifSet: isToTop)
    }

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
    func write<S: Sink>(to s: inout S) { s.id(1, "item", item) }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var item: ID?
        while try s.more() { try s.id(1, "item", &item) }
        return Self(item: item)
    }
}

extension Item {
    func write<S: Sink>(to s: inout S, showsTitle: Bool) {
        s.id(1, "id", unlessEmpty: id)
        if showsTitle || !title.isEmpty { s.text(2, "title", title) }
        s.map(3, "fields", fields)
        if !tap.isEmpty {
            s.message(4, "tap") { s in
                s.effects(1, "effects", tap)
                s.hex(2, "digest", tapDigest)
            }
        }
        s.id(70, "kind", kind)
    }

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
    /// The changes of the item. In the op its number is one more, since the row stands in front, and a tap has
    /// its digest.
    func write<S: Sink>(of item: ID, from number: UInt64, hasDigest: Bool, to s: inout S) {
        s.id(number, "item", unlessEmpty: item)
        s.text(number + 1, "title", title)
        s.map(number + 2, "fields", fields)
        s.ids(number + 3, "unset", unset)
        if let tap {
            s.message(number + 4, "tap") { s in
                s.effects(1, "effects", tap)
                if hasDigest, !tap.isEmpty { s.hex(2, "digest", Item(item, tap: tap).tapDigest) }
            }
        }
        // An empty name takes the kind away.
        if let kind { s.text(70, "kind", kind?.text ?? "") }
    }

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
    func write<S: Sink>(to s: inout S, showsNote: Bool) {
        s.id(1, "holder", unlessEmpty: holder)
        if showsNote || !note.isEmpty { s.text(2, "note", note) }
        s.double(3, "ttl", ttlSeconds)
        s.number(4, "sinceMs", unlessZero: sinceMs)
    }

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

extension SnapshotChunk.Slice {
    /// The guessed size of a row in a slice, in bytes. A wrong guess costs a little more.
    static let rowBytes = 256

    func write<S: Sink>(to s: inout S) {
        s.id(1, "section", unlessEmpty: section)
        s.text(2, "title", shown: title)
        // Rows of less than 128 bytes, or more than 16 KB, are moved afterwards.
        s.messages(3, "rows", about: 0x80, rows) { $0.write(to: &$1, hasVersion: true) }
    }

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

extension SnapshotChunk {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "id", unlessEmpty: id)
        s.number(2, "revision", shown: revision)
        s.hex(3, "digest", digest)
        s.count(4, "chunk", shown: chunk)
        s.count(5, "chunks", shown: chunks)
        s.count(6, "rows", shown: rows)
        s.messages(7, "kinds", kinds) { $0.write(to: &$1) }
        if let settings { s.message(8, "settings") { settings.write(to: &$0) } }
        s.slices(9, slices)
        s.flag(10, "editing", ifSet: isEditing)
        s.messages(11, "invocations", invocations) { $0.write(to: &$1, isWhole: false) }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> SnapshotChunk {
        var part = SnapshotChunk(id: "", revision: 0, digest: 0, chunk: 0, chunks: 0, rows: 0)
        var digest: UInt64?
        while try s.more() {
            try s.text(1, "id", &part.id)
            try s.number(2, "revision", &part.revision)
            try s.hex(3, "digest", &digest)
            try s.count(4, "chunk", &part.chunk)
            try s.count(5, "chunks", &part.chunks)
            try s.count(6, "rows", &part.rows)
            try s.all(7, "kinds", &part.kinds, Kind.read(from:))
            try s.one(8, "settings", &part.settings, Settings.read(from:))
            try s.all(9, "slices", &part.slices, Slice.read(from:))
            try s.flag(10, "editing", &part.isEditing)
            try s.all(11, "invocations", &part.invocations, Invocation.read(from:))
        }
        part.digest = try digest.or(.notHex(16, "digest"))
        return part
    }
}

extension [SnapshotChunk.Slice] {
    /// About so many bytes in binary.
    var size: Int { SnapshotChunk.Slice.rowBytes * reduce(16) { $0 + $1.rows.count } }
}

extension Sink {
    mutating func slices(_ number: UInt64, _ slices: [SnapshotChunk.Slice]) {
        if slices.isEmpty { return }
        list("slices") { list in
            for slice in slices {
                let size = SnapshotChunk.Slice.rowBytes * slice.rows.count
                list.message(number, "", about: size) { slice.write(to: &$0) }
            }
        }
    }
}
