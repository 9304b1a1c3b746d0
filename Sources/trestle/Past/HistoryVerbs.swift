import ArgumentParser
import Glibc
import TableModel
import TableSync
import TableWire

/// Times as people read and write them: local, to the second.
enum Moments {
    static func text(_ milliseconds: UInt64) -> String {
        if milliseconds == 0 { return "-" }
        var seconds = time_t(clamping: milliseconds / 1_000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return String(milliseconds) }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress,
                strftime(start, buffer.count, "%Y-%m-%d %H:%M:%S", &parts) > 0
            else { return String(milliseconds) }
            return String(cString: start)
        }
    }

    /// Milliseconds since 1970, from a text of these, a date, a time of today, or seconds since 1970; else nil.
    static func milliseconds(_ text: String) -> UInt64? {
        if let seconds = UInt64(text) {
            let (value, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
            return overflow ? nil : value
        }
        let halves = text.split(whereSeparator: { $0 == " " || $0 == "T" })
        var now = time(nil)
        var parts = tm()
        guard (1...2).contains(halves.count), localtime_r(&now, &parts) != nil else { return nil }
        (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
        for half in halves {
            guard parse(half, into: &parts) else { return nil }
        }
        let seconds = mktime(&parts)
        return seconds >= 0 ? UInt64(seconds) * 1_000 : nil
    }

    /// A date such as 2026-11-21, or a time such as 18:30 or 18:30:05.
    private static func parse(_ text: Substring, into parts: inout tm) -> Bool {
        let date = text.split(separator: "-").map { Int32($0) }
        if date.count == 3, let year = date[0], let month = date[1], let day = date[2],
            (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        {
            (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
            return true
        }
        let time = text.split(separator: ":").map { Int32($0) }
        guard (2...3).contains(time.count), let hour = time[0], let minute = time[1],
            let second = time.count == 3 ? time[2] : 0, (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return false }
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        return true
    }
}

struct UndoVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Take your latest change back, or a given one.",
        usage: """
            trestle undo <table> [--revision <revision> | --anyone] \(ConditionOptions.usage)
            """,
        discussion: """
            Takes back the latest of your own changes that still stands, but for opening, scrolling \
            and selecting rows; a second undo takes back the one before. Your name comes from --as, \
            TRESTLE_NAME, USER or the system. With --anyone it is the latest change of all. An undo \
            is a new revision, which redo takes back. What was changed since stays. If one of these changes is about the same thing, the undo \
            is refused and names it.

              trestle undo board --revision 412
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Option(help: "Take back this revision, not the latest.") var revision: UInt64?
    @Flag(help: "Take back the latest change, whoever made it.") var anyone = false
    @OptionGroup var condition: ConditionOptions
    @OptionGroup var options: Options

    func validate() throws {
        try Alternatives.check(["--revision": revision != nil, "--anyone": anyone])
    }

    func carryOut(_ connection: Connection) throws {
        let isMine = revision == nil && !anyone
        if isMine { try connection.needName() }
        let reply = try connection.perform(
            .undo(revision: revision, mine: isMine), on: table, condition)
        try connection.showChange(reply, of: table)
    }
}

struct RedoVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "redo", abstract: "Take your latest undo back.",
        discussion: """
            Takes back the latest of your own undos that still stands, with --anyone the latest of \
            all. What was changed since stays. If one of \
            these changes is about the same thing, the redo is refused and names it.
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Flag(help: "Take back the latest undo, whoever made it.") var anyone = false
    @OptionGroup var condition: ConditionOptions
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        if !anyone { try connection.needName() }
        let reply = try connection.perform(.redo(mine: !anyone), on: table, condition)
        try connection.showChange(reply, of: table)
    }
}

struct RecallVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "recall", abstract: "Bring removed rows back.",
        usage: """
            trestle recall <table> \(EachSectionOptions.usage) \(ConditionOptions.usage)
            """,
        discussion: """
            Each row comes back with its content, state and age, to its old place: after its old \
            neighbour. If that is gone, it comes after the nearest one that remains, and a note \
            says so.

              trestle recall board t41
              trestle recall board --where 'field.table == "12"' --section grill --yes

            With --where it brings back all removed rows for which the condition was true when they were removed, in \
            one revision: up to 256, and with --limit those that were removed last. --section is the one in which \
            they stood. The condition is about the row alone: title, kind, state, items and field.NAME.
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The rows' ids.", completion: Live.removedRows) var rows: [String] = []
    @OptionGroup var many: EachSectionOptions
    @OptionGroup var condition: ConditionOptions
    @OptionGroup var options: Options

    func validate() throws { try many.each.check(hasRows: !rows.isEmpty, "<rows> ...") }

    func carryOut(_ connection: Connection) throws {
        let verb = Command.Verb.recall(Few(rows.map { ID($0) }))
        let isDone = try connection.carryOutEach(
            verb, many.each, in: many.section, of: table, deed: "brought back", condition.command)
        if isDone { return }
        let reply = try connection.perform(verb, on: table, condition)
        try connection.show(reply, reply.sentences)
    }
}

struct HistoryVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Say who changed what, and when.",
        usage: """
            trestle history <table> [--row <row>] [--actor <name>] [--verb <verb>] [--from <time>] \
            [--to <time>] [--before <revision>] [--count <n>] [--ops] [<options>]
            """,
        discussion: """
            Newest first. With -o json: {"changes":[{"revision","cause":{"client","name","user","number",\
            "verb","timeMs","undoes"},"undoneBy","rows","text"}],"oldest","keepsDiffs",\
            "keepsBytes","keepsSeconds","leaving"}. The revisions after oldest are kept; those up \
            to leaving go next. With -o ndjson one change per line. --ops adds "ops", what the change did as \
            in watch, and "back", what takes it back, with the values of before. --from and --to take \
            "2026-11-21 18:30", "18:30" of today, or seconds since 1970.

              trestle history board --row t41
              trestle -o json history board --ops --count 5
              trestle history board --actor ada --verb move --from 18:00
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Option(help: "Changes of this row.", completion: Live.rows) var row: String?
    @Option(help: .value("name", "Changes by this person or client.")) var actor: String?
    @Option(help: .value("verb", "Changes by this verb.")) var verb: String?
    @Option(help: .value("time", "Changes of this time or later.")) var from: String?
    @Option(help: .value("time", "Changes of this time or earlier.")) var to: String?
    @Option(help: .value("revision", "Changes before this revision.")) var before: UInt64?
    @Option(help: .value("n", "At most this many changes.")) var count = 50
    @Flag(help: "What each change did, and what takes it back, as data.") var ops = false
    @OptionGroup var options: Options

    func validate() throws {
        if count < 1 { throw ValidationError("--count takes a number from 1.") }
        for (text, name) in [(from, "--from"), (to, "--to")] {
            guard let text, Moments.milliseconds(text) == nil else { continue }
            throw ValidationError("\(name) takes a time such as \"2026-11-21 18:30\" or 18:30.")
        }
    }

    func carryOut(_ connection: Connection) throws {
        if ops, connection.form != .json, connection.form != .ndjson {
            throw Failure(.usage, "--ops needs -o json or -o ndjson")
        }
        var filter = HistoryFilter(
            before: before, row: row.map { ID($0) }, actor: actor.map { ID($0) }, verb: verb,
            fromMs: from.flatMap { Moments.milliseconds($0) },
            toMs: to.flatMap { Moments.milliseconds($0) })
        var whole: HistoryPage?
        repeat {
            filter.most = min(1_000, count - (whole?.changes.count ?? 0))
            let reply = try connection.ask(.history(filter), about: table)
            guard case .history(let page) = reply.answer else { throw connection.surprise }
            let changes = (whole?.changes ?? []) + page.changes
            whole = page
            whole?.changes = changes
            filter.before = page.next
        } while filter.before != nil && (whole?.changes.count ?? 0) < count
        guard let page = whole else { throw connection.surprise }
        if let row, page.changes.isEmpty { try checkRow(ID(row), page.oldest, connection) }
        let past = ops ? try connection.pastOps(of: page.changes.map(\.revision), in: table) : [:]
        try connection.show(
            Report(
                json: { Encode.document(page, past) },
                ndjson: { page.changes.map { Encode.document($0, past[$0.revision]) } },
                names: { page.changes.map { String($0.revision) } }, lines: { lines(page, $0) }))
    }

    /// Throws if no row has this id, and no change that is kept is about one that had it.
    private func checkRow(_ row: RowID, _ oldest: UInt64, _ connection: Connection) throws {
        var filter = HistoryFilter(most: 1, row: row)
        repeat {
            let reply = try connection.ask(.history(filter), about: table)
            guard case .history(let page) = reply.answer else { throw connection.surprise }
            if !page.changes.isEmpty { return }
            filter.before = page.next
        } while filter.before != nil
        do {
            // Of all that can be asked about one row this takes least.
            let select = Command(.select(row, item: nil))
            _ = try connection.pass(.explain(.command(select)), on: table)
            return
        } catch let failure as Failure {
            guard failure.code == Rejection.Code.noSuchRow.rawValue else { return }
        }
        let past =
            oldest == 0
            ? "and there never was one" : "and no change after revision \(oldest) is about one"
        var failure = Failure(Rejection(.noSuchRow, "There is no row \"\(row.text)\", \(past)."))
        failure.field = "history.row"
        throw failure
    }

    private func lines(_ page: HistoryPage, _ isWide: Bool) -> [TextLine] {
        var columns = Columns([], numbers: [0])
        for change in page.changes {
            let undone = change.undoneBy.map { " (undone by \($0))" } ?? ""
            columns.append(
                [String(change.revision), Moments.text(change.cause.timeMs)]
                    + (isWide
                        ? [
                            change.cause.user?.text ?? "-", change.cause.client?.text ?? "-",
                            change.cause.verb,
                        ] : [])
                    + [change.text + undone])
        }
        if page.changes.isEmpty { columns.append(line: "(nothing)", .faint) }
        let leaving = page.leaving.map { ", those up to \($0) go next" } ?? ""
        columns.append(line: "revisions after \(page.oldest) are kept\(leaving)", .faint)
        return columns.lines
    }
}

extension Connection {
    /// An undo or a redo: what it took back, as the history tells it.
    func showChange(_ reply: Reply, of table: String) throws {
        var story: String?
        if form == .table || form == .wide, let revision = reply.revision, revision < .max,
            case .history(let page)? = try? ask(
                .history(HistoryFilter(before: revision + 1, most: 1)), about: table
            ).answer, let change = page.changes.first, change.revision == revision
        {
            story = change.text
        }
        let note = reply.landings.lazy.compactMap(\.note).first.map { "(\($0))" }
        try show(reply, [story, note].compactMap { $0 })
    }

    /// The ops of changes, by their revisions. One that was forgotten meanwhile has none.
    func pastOps(of revisions: [UInt64], in name: String) throws -> [UInt64: PastOps] {
        let history = try table(name).table.history
        var found: [UInt64: PastOps] = [:]
        for revision in revisions where revision > 0 {
            let before = revision - 1
            guard
                case .replay(let told, _)? = try? ask(
                    .replay(history: history, since: before), about: name
                ).answer, let diff = told.diffs.first, diff.revision == revision,
                case .rewind(let steps)? = try? ask(
                    .rewind(history: history, since: revision, to: before), about: name
                ).answer, let step = steps.first, step.revision == before
            else { continue }
            found[revision] = PastOps(ops: diff.ops, back: step.ops)
        }
        return found
    }

    /// The table as it was at an older revision: what has happened since is taken back here.
    func table(_ name: String, at revision: UInt64) throws -> (table: Table, epoch: ID128) {
        let (table, epoch) = try table(name)
        guard revision <= table.revision else {
            throw Failure(
                Rejection(
                    .badNumber, "The table is at revision \(table.revision).", field: "at"))
        }
        while table.revision > revision {
            let reply = try ask(
                .rewind(history: table.history, since: table.revision, to: revision), about: name)
            guard case .rewind(let steps) = reply.answer, !steps.isEmpty else { throw surprise }
            for step in steps {
                do throws(Mismatch) {
                    try table.rewind(step.ops, to: step.digest)
                } catch {
                    throw Failure(.protocolMismatch, "\(error)")
                }
            }
        }
        return (table, epoch)
    }
}
