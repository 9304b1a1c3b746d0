import ArgumentParser
import TableClient
import TableModel
import TablePredicate
import TableSync

struct WaitVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until a predicate is true; exit code 75 at the timeout.",
        discussion: """
            It follows the table, also across restarts of the daemon; it does not poll. With \
            --timeout it ends after that time, with 75. Without it, it waits for ever. If the \
            table is dropped, it ends with 66. If the predicate cannot be understood, it ends with \
            64 and shows the place.

            About the table: revision, sections, invocations, editing, exists row("ID"), exists \
            section("ID"), count(rows), count(rows where …), any(rows where …), all(rows where \
            …), row("ID").PROPERTY, now. About rows, after `where`: id, title, kind, section, index, \
            version, state, swipe, items, age, since, late, claimed, holder, createdMs, movedMs, asleep, wakes, \
            field.NAME, action.NAME. Compare with == != < <= > >= ~ (contains) !~. Join with and, \
            or, not, parentheses. A value that is not there is none. A text stands in quotes: title ~ \
            "fries". count(group where …), any and all are about the rows that belong together with a \
            row, as its kind says by `group`.

            age is in seconds, as viewers show it; since counts from the row's last move. They \
            compare with durations such as 45s, 10m, 1h30m and 2d. now, createdMs and movedMs \
            compare with clock times of today such as "14:00". The daemon's clock counts, and \
            wait ends at the moment itself, although the table does not change. In commands that change \
            the table the daemon compares, in the time zone of this machine.

            In a table of up to 10,000 rows it looks at every revision. In a larger table it looks \
            only at the newest of those that arrive together.

              trestle wait board --until 'count(rows where section == "pass") == 0' --timeout 60
              trestle wait board --until 'row("t41").action.page == "done"'
              trestle wait board --until 'any(rows where title ~ "Table" and field.qty >= 3)'
              trestle wait board --until 'any(rows where age > 10m) or now >= "14:00"'
            """)

    static var outlivesDaemon: Bool { true }

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Option(help: .value("predicate", "What must become true.")) var until: String
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let predicate = try RowChoiceOptions.parsed(until, "--until", Predicate.init)
        let end = Deadline(inMilliseconds: connection.timeoutMs)
        let client = try connection.client()
        _ = try client.hello(by: connection.deadline)
        let follower = try Follower(ID(table), client: client, by: connection.deadline)
        let revision = try Waiter(predicate, follower).revision(until: end, text: until)
        let reply = Reply(
            table: ID(table), history: follower.replica.table?.history,
            epoch: follower.replica.epoch ?? ID128(high: 0, low: 0), revision: revision,
            .done(rows: [], unchanged: true))
        try connection.show(
            reply, adding: [("until", .text(until))], names: [table],
            lines: { _ in [TextLine("true at revision \(revision)")] })
    }
}

/// Looks at each state of a table that it gets to see.
private final class Waiter {
    private let predicate: Predicate
    private let follower: Follower
    /// The first at which it was so.
    private var found: UInt64?
    /// To look at all rows of a larger table takes longer than a busy table leaves.
    private static let mostRowsEachTime = 10_000

    init(_ predicate: Predicate, _ follower: Follower) {
        self.predicate = predicate
        self.follower = follower
        follower.replica.onDiff = { [unowned self] _, isApplied in
            guard isApplied, let table = follower.replica.table else { return }
            if !predicate.goesOverRows || table.count <= Self.mostRowsEachTime { look() }
        }
    }

    func revision(until end: Deadline, text: String) throws -> UInt64 {
        var wasThere = false
        while true {
            for step in try follower.next(withinMilliseconds: follower.pauseMs(before: nextMs)) {
                switch step {
                case .installed, .applied:
                    wasThere = true
                    // The table is as it is after the last step: once is enough, unless it is new.
                    look()
                case .absent: throw WatchVerb.absent(follower.replica.name, wasThere: wasThere)
                case .compared, .mismatch, .subscribe, .ask: break
                }
            }
            if isDue { look() }
            if let found { return found }
            guard end.hasPassed else { continue }
            if !wasThere { throw WatchVerb.nothingCame }
            throw Failure(.timeout, "The predicate did not become true in time: \(text)")
        }
    }

    private var lookedAt: (history: ID128, revision: UInt64)?
    /// The time by the daemon's clock at which it may become true although the table does not change; nil: never.
    private var nextMs: UInt64?
    private var lookedZone = 0

    private var isDue: Bool {
        guard predicate.isTimed else { return false }
        if let nextMs, follower.daemonMs >= nextMs { return true }
        return lookedAt == nil || lookedZone != zoneSeconds()
    }

    private func look() {
        guard found == nil, let table = follower.replica.table else { return }
        // Several steps of one turn end in one state.
        let isNew = lookedAt.map { $0 != (table.history, table.revision) } ?? true
        guard isNew || isDue else { return }
        // Without the daemon's time nothing that names times is known.
        if predicate.isTimed, !follower.knowsDaemonTime { return }
        lookedAt = (table.history, table.revision)
        let clock = follower.clock
        lookedZone = clock.zoneSeconds
        guard predicate.isTimed else {
            if predicate.holds(for: table, at: clock) { found = table.revision }
            return
        }
        let outlook = predicate.outlook(for: table, at: clock)
        nextMs = outlook.untilMs
        if outlook.holds { found = table.revision }
    }
}

extension Follower {
    /// The pause until a time by the daemon's clock, at most so long as others wait.
    func pauseMs(before timeMs: UInt64?) -> Int {
        guard let timeMs else { return 100 }
        let now = daemonMs
        return timeMs > now ? Int(min(timeMs - now, 100)) : 1
    }
}

extension Failure {
    /// A predicate that cannot be understood, with a caret under the place.
    init(_ fault: PredicateFault, in text: String, of option: String) {
        let hint = fault.bareWord(in: text) ?? ""
        self.init(.usage, code: "badPredicate", "\(option): \(fault.message)\(hint)")
        column = fault.offset + 1
        let before = String(String.UnicodeScalarView(text.unicodeScalars.prefix(fault.offset)))
            .shown
        picture = "  \(text.shown)\n  " + String(repeating: " ", count: before.columns) + "^"
    }
}

extension PredicateFault {
    /// How the word at the place, or before a single `=` there, is written if it is the bare name of a field or, behind a
    /// comparison, a text without quotes.
    fileprivate func bareWord(in text: String) -> String? {
        let scalars = Array(text.unicodeScalars)
        guard offset < scalars.count else { return nil }
        func isOfName(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isAlphabetic || scalar == "_" || ("0"..."9").contains(scalar)
        }
        var name = scalars[offset...].prefix(while: isOfName)
        if name.isEmpty, scalars[offset] == "=" {
            let before = scalars[..<offset].reversed().drop { $0 == " " }
            let word = Array(before.prefix(while: isOfName).reversed())
            // A name after a dot is a field already.
            if before.dropFirst(word.count).first == "." { return nil }
            name = word[...]
        }
        let word = String(String.UnicodeScalarView(name))
        let isKnown = Self.words.contains(word) || RowProperty.plain[word] != nil
        let isAboutIt = message.hasPrefix("`\(word)`") || message.hasPrefix("`=`")
        guard isAboutIt, name.first?.properties.isAlphabetic == true, !isKnown else { return nil }
        let isCompared = scalars[..<offset].last { $0 != " " }.map {
            "=~<>".unicodeScalars.contains($0)
        }
        let isText = isCompared == true && scalars[offset] != "="
        return isText ? "; a text is written \"\(word)\"" : "; a field is written field.\(word)"
    }

    /// The words of the language that name no property of a row.
    private static let words: Set<String> = [
        "all", "and", "any", "count", "editing", "exists", "false", "field", "action", "group",
        "invocations",
        "none", "not", "now", "or", "revision", "row", "rows", "section", "sections", "true",
        "where",
    ]
}
