internal import TableModel
internal import TableSync

// Rows, and what stands in them.

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
}

extension Row.Sleep {
    func write<S: Sink>(to s: inout S) {
        s.number(1, "untilMs", shown: untilMs)
        s.flag(2, "top", ifSet: isToTop)
    }
}

extension Row.Selection {
    func write<S: Sink>(to s: inout S) { s.id(1, "item", item) }
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
}

extension Claim {
    func write<S: Sink>(to s: inout S, showsNote: Bool) {
        s.id(1, "holder", unlessEmpty: holder)
        if showsNote || !note.isEmpty { s.text(2, "note", note) }
        s.double(3, "ttl", ttlSeconds)
        s.number(4, "sinceMs", unlessZero: sinceMs)
    }
}

extension Performance {
    func write<S: Sink>(to s: inout S) {
        s.id(1, "action", unlessEmpty: action)
        s.text(2, "state", state.name)
        switch state {
        case .pending(let id): s.text(4, "invocation", id.text)
        case .done: break
        case .failed(let reason): s.text(3, "reason", reason)
        }
        s.id(70, "item", item)
    }
}

extension Invocation {
    /// `isWhole`: includes the row at the press.
    func write<S: Sink>(to s: inout S, isWhole: Bool) {
        s.text(1, "id", id.text)
        s.id(2, "row", unlessEmpty: row)
        s.id(3, "action", unlessEmpty: action)
        s.id(4, "client", client)
        s.number(5, "pressedMs", pressedMs)
        s.double(6, "deadline", deadlineSeconds)
        s.effects(7, "then", then)
        s.id(8, "holder", holder)
        s.count(9, "attempts", shown: attempts)
        if isWhole, let pressed {
            s.message(10, "pressed") {
                pressed.write(to: &$0, hasVersion: true, section: section, index: index)
            }
        }
        s.hex(11, "digest", digest)
        s.id(70, "item", item)
        s.retries(71, retries)
        if let failure { s.message(72, "failure") { failure.write(to: &$0) } }
    }
}

extension Invocation.Failure {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "reason", unlessEmpty: reason)
        s.number(2, "dueMs", dueMs)
        s.flag(3, "over", ifSet: isOver)
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

extension [SnapshotChunk.Slice] {
    /// About so many bytes in binary.
    var size: Int { SnapshotChunk.Slice.rowBytes * reduce(16) { $0 + $1.rows.count } }
}
