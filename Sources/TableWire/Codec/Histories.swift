internal import TableModel
internal import TableSync

// The past, and sentences as data.

extension HistoryFilter {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> HistoryFilter {
        var filter = HistoryFilter()
        while try s.more() {
            try s.number(1, "before", &filter.before)
            try s.count(2, "most", &filter.most)
            try s.id(3, "row", &filter.row)
            try s.id(4, "actor", &filter.actor)
            try s.text(5, "verb", &filter.verb)
            try s.number(6, "fromMs", &filter.fromMs)
            try s.number(7, "toMs", &filter.toMs)
        }
        return filter
    }
}

extension HistoryPage {
    /// All but the changes.
    func writeRest<S: Sink>(to s: inout S) {
        s.number(2, "oldest", oldest)
        s.count(3, "keepsDiffs", keeps.diffs)
        s.count(4, "keepsBytes", keeps.bytes)
        s.number(5, "keepsSeconds", keeps.seconds)
        s.number(6, "leaving", leaving)
        s.number(7, "next", next)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> HistoryPage {
        var page = HistoryPage(changes: [], oldest: 0, keeps: Retention(diffs: 0, bytes: 0))
        while try s.more() {
            try s.all(1, "changes", &page.changes, Change.read(from:))
            try s.number(2, "oldest", &page.oldest)
            try s.count(3, "keepsDiffs", &page.keeps.diffs)
            try s.count(4, "keepsBytes", &page.keeps.bytes)
            try s.number(5, "keepsSeconds", &page.keeps.seconds)
            try s.number(6, "leaving", &page.leaving)
            try s.number(7, "next", &page.next)
        }
        return page
    }
}

extension HistoryPage.Change {
    func write<S: Sink>(to s: inout S) {
        s.number(1, "revision", revision)
        s.message(2, "cause") { cause.write(to: &$0) }
        s.number(3, "undoneBy", undoneBy)
        s.ids(4, "rows", rows)
        s.text(5, "text", unlessEmpty: text)
        s.messages(6, "sayings", sayings) { $0.write(to: &$1) }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var change = Self(revision: 0, cause: Cause(verb: ""))
        while try s.more() {
            try s.number(1, "revision", &change.revision)
            var cause: Cause?
            try s.one(2, "cause", &cause, Cause.read(from:))
            if let cause { change.cause = cause }
            try s.number(3, "undoneBy", &change.undoneBy)
            try s.ids(4, "rows", &change.rows, most: .max)
            try s.text(5, "text", &change.text)
            try s.all(6, "sayings", &change.sayings, Saying.read(from:))
        }
        return change
    }
}

extension RewindStep {
    func write<S: Sink>(to s: inout S) {
        s.number(1, "revision", revision)
        s.hex(2, "digest", digest)
        s.messages(3, "ops", ops) { $0.write(to: &$1, isInverse: true) }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> RewindStep {
        var (revision, digest, ops) = (UInt64(0), UInt64?.none, [Op]())
        while try s.more() {
            try s.number(1, "revision", &revision)
            try s.hex(2, "digest", &digest)
            try s.all(3, "ops", &ops, Op.read(from:))
        }
        guard let digest else { throw .notHex(16, "digest") }
        return RewindStep(revision: revision, digest: digest, ops: ops)
    }
}

extension AuditEntry {
    func write<S: Sink>(to s: inout S) {
        s.number(1, "number", number)
        s.number(2, "timeMs", timeMs)
        s.text(3, "user", unlessEmpty: user)
        s.number(4, "uid", uid.map { UInt64($0) })
        s.text(5, "from", unlessEmpty: from)
        s.text(6, "verb", unlessEmpty: verb)
        s.text(7, "table", unlessEmpty: table)
        s.text(8, "outcome", outcome.rawValue)
        s.text(9, "code", unlessEmpty: code)
        s.text(10, "detail", unlessEmpty: detail)
        s.number(11, "suppressed", unlessZero: suppressed)
        s.text(14, "name", unlessEmpty: name)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> AuditEntry {
        var entry = AuditEntry(user: "", from: "", verb: "", .allowed)
        var (uid, outcome) = (UInt64?.none, Outcome?.none)
        while try s.more() {
            try s.number(1, "number", &entry.number)
            try s.number(2, "timeMs", &entry.timeMs)
            try s.text(3, "user", &entry.user)
            try s.number(4, "uid", &uid)
            try s.text(5, "from", &entry.from)
            try s.text(6, "verb", &entry.verb)
            try s.text(7, "table", &entry.table)
            try s.word(8, "outcome", &outcome)
            try s.text(9, "code", &entry.code)
            try s.text(10, "detail", &entry.detail)
            try s.number(11, "suppressed", &entry.suppressed)
            try s.text(14, "name", &entry.name)
        }
        entry.outcome = try outcome.or(.word(Outcome.allCases.map(\.rawValue), "outcome"))
        entry.uid = uid.map { UInt32(truncatingIfNeeded: $0) }
        return entry
    }
}

extension Saying {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "key", unlessEmpty: key)
        s.map(2, "values", values)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Saying {
        var (key, values) = ("", [Row.Field]())
        while try s.more() {
            try s.text(1, "key", &key)
            try s.map(2, "values", &values)
        }
        return Saying(key, values: values)
    }
}
