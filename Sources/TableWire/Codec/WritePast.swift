import TableModel
import TableSync

// The past, and sentences as data.

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
}

extension RewindStep {
    func write<S: Sink>(to s: inout S) {
        s.number(1, "revision", revision)
        s.hex(2, "digest", digest)
        s.messages(3, "ops", ops) { $0.write(to: &$1, isInverse: true) }
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
}

extension Saying {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "key", unlessEmpty: key)
        s.map(2, "values", values)
    }
}
