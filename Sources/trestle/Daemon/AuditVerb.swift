import ArgumentParser
import TableSync
import TableWire

struct AuditVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Say who did what to tables as a whole and to the daemon, and who was refused.",
        discussion: """
            Newest first. There is an entry for each table that was made, dropped, defined, backed up or \
            restored, for each configuration that was read again, and for each key that was added or \
            revoked. There is also one for whatever was refused for want of a right or of a known key. \
            The daemon keeps the latest 1024 entries since its start. Its log has all. Only an admin of \
            all tables may ask. -o wide shows details too. With -o json: {"entries":[{"number",\
            "timeMs","user","name","uid","from","verb","table","outcome","code","detail","suppressed"}]}. What \
            is empty is absent. With -o ndjson one entry per line.

            If somebody causes too many entries, some of them are left out. An entry with suppressed \
            says how many.

              trestle audit --limit 20
            """)

    @Option(help: .value("n", "At most this many entries.")) var limit = 50
    @OptionGroup var options: Options

    func validate() throws {
        guard (1...AuditTrail.mostEntries).contains(limit) else {
            throw ValidationError("--limit takes a number from 1 to \(AuditTrail.mostEntries).")
        }
    }

    func carryOut(_ connection: Connection) throws {
        let reply = try connection.ask(.audit(most: limit))
        guard case .audit(let entries) = reply.answer else { throw connection.surprise }
        try connection.show(
            reply, lists: ["entries": entries.map { Encode.document($0) }],
            names: entries.map { String($0.number) }, lines: { lines(entries, $0) })
    }

    private func lines(_ entries: [AuditEntry], _ isWide: Bool) -> [TextLine] {
        var columns = Columns(
            ["TIME", "USER", "FROM", "VERB", "TABLE", "OUTCOME"] + (isWide ? ["DETAIL"] : []))
        for entry in entries {
            let code = entry.code.isEmpty ? "" : ": \(entry.code)"
            let outcome =
                entry.suppressed == 0
                ? entry.outcome.rawValue + code
                : "\(entry.suppressed) more \(entry.outcome.rawValue)"
            columns.append(
                [
                    Moments.text(entry.timeMs), entry.shownUser.orDash, entry.from.orDash,
                    entry.verb.orDash, entry.table.orDash, outcome,
                ] + (isWide ? [entry.detail] : []))
        }
        if entries.isEmpty { columns.append(line: "(nothing)", .faint) }
        return columns.lines
    }
}

extension String {
    fileprivate var orDash: String { isEmpty ? "-" : self }
}
