import TableClient
import TableModel
import TableSync

// The client looks for the name that was most likely meant: wrong names must not keep the daemon busy.

extension Connection {
    /// A failure because of a name that names nothing, with the nearest that does; for people.
    func withHint(_ failure: Failure) -> Failure {
        guard form == .table || form == .wide, let given = failure.message.lastQuoted,
            let known = try? names(like: failure.code), let meant = given.misspelling(among: known)
        else { return failure }
        var failure = failure
        failure.message += " Did you mean \"\(meant)\"?"
        return failure
    }

    /// The names that could have stood there, by the code of the refusal.
    private func names(like code: String) throws -> [String] {
        switch Rejection.Code(rawValue: code) {
        case .noSuchTable: return try knownTables().map(\.table.text)
        case .noSuchRow: return try smallTable()?.rows.map(\.id.text) ?? []
        case .noSuchSection: return try smallTable()?.sections.map(\.id.text) ?? []
        case .noSuchKind:
            return try kinds().flatMap { [$0.id.text] + $0.itemKinds.keys.map(\.text) }
        case .noSuchAction:
            let kinds = try kinds()
            return kinds.actionIDs(in: kinds.flatMap { [$0.leading, $0.trailing] })
        default: return []
        }
    }

    private func knownTables() throws -> [TableSummary] { try client().tables(by: hintDeadline) }

    private func kinds() throws -> [Kind] {
        let reply = try client().ask(.kinds, about: tableAskedFor, by: hintDeadline)
        guard case .kinds(let kinds, _) = reply.answer else { return [] }
        return kinds
    }

    /// The pauses of a table; none where to ask takes longer than a hint is worth.
    func pauses(of table: String) throws -> [Pause] {
        let reply = try client().ask(.kinds, about: ID(table), by: hintDeadline)
        guard case .kinds(_, let settings) = reply.answer else { return [] }
        return settings.pauses
    }

    /// Says on standard error that no kind has an action of this name: it may be misspelt. A row may have one of its own.
    func sayUnknownAction(_ action: String?, of table: String) {
        tableAskedFor = ID(table)
        guard let action, action != "tap", form == .table || form == .wide,
            let known = try? names(like: Rejection.Code.noSuchAction.rawValue),
            !known.contains(action)
        else { return }
        let hint = action.misspelling(among: known).map { " (did you mean \"\($0)\"?)" } ?? ""
        Output.complain("trestle: no kind has an action \"\(action)\"\(hint)")
    }

    /// The whole table; nil where to fetch it takes longer than a hint is worth.
    func smallTable() throws -> Table? {
        guard let name = tableAskedFor,
            let size = try knownTables().first(where: { $0.table == name }), size.rows <= 10_000
        else { return nil }
        return try client().snapshot(of: name, by: hintDeadline).table
    }

    private var hintDeadline: Deadline { Deadline(inMilliseconds: 500) }
}

extension String {
    /// The text in the last pair of quotation marks, in which refusals name a missing thing.
    fileprivate var lastQuoted: String? {
        guard let end = lastIndex(of: "\""), let start = self[..<end].lastIndex(of: "\"")
        else { return nil }
        return String(self[index(after: start)..<end])
    }

    /// The name that this is most likely a misspelling of. Names such as t41 and t42, or a and b, are no misspellings.
    func misspelling(among known: [String]) -> String? {
        guard count > 2 else { return nil }
        let digits = sortedDigits
        return nearest(to: self, among: known.filter { $0 != self && $0.sortedDigits == digits })
    }

    private var sortedDigits: [UInt8] { utf8.filter { 48...57 ~= $0 }.sorted() }
}
