import ArgumentParser
import TableModel
import TablePredicate
import TableSync

/// The rows of a verb, chosen by a condition instead of named.
struct EachOptions: ParsableArguments {
    @Option(
        name: .customLong("where"),
        help: .value("predicate", "All rows for which this is true, in one revision."))
    var condition: String?
    @Option(help: .value("rows", "With --where: only the first so many."))
    var limit: Int?
    @Flag(help: "Ask nothing.") var yes = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1.") }
        if limit != nil, condition == nil { throw ValidationError("--limit goes with --where.") }
    }

    /// Refuses rows beside --where, and neither.
    func check(hasRows: Bool, _ argument: String) throws {
        if condition != nil, hasRows {
            throw ValidationError("Rows are named, or --where chooses them: not both.")
        }
        if condition == nil, !hasRows {
            throw ValidationError("Missing expected argument '\(argument)'")
        }
    }
}

/// The seconds of a claim or a lease.
enum TimeToLive {
    /// Refuses what is no number, such as `nan`. The daemon says which numbers it takes.
    static func check(_ seconds: Double?) throws {
        if seconds?.isFinite == false { throw ValidationError("--ttl takes a number of seconds.") }
    }
}

/// The section in which --where chooses rows.
struct EachSectionOptions: ParsableArguments {
    @Option(help: "With --where: only rows in this section.", completion: Live.sections)
    var section: String?
    @OptionGroup var each: EachOptions

    /// The rows in a usage line: named, or chosen by a condition.
    static let usage =
        "(<rows> ... | --where <predicate> [--section <section>] [--limit <rows>] [--yes])"

    func validate() throws {
        if section != nil, each.condition == nil {
            throw ValidationError("--section goes with --where.")
        }
    }
}

extension Connection {
    /// Carries a command out on each row that --where fits, and says so. False: there is no --where.
    func carryOutEach(
        _ verb: Command.Verb, _ options: EachOptions, in section: String? = nil, of table: String,
        deed: String, _ conditioned: (Command.Verb) throws -> Command
    ) throws -> Bool {
        var each = try EachCommand(verb, options, in: section, of: table, deed: deed, conditioned)
        try each?.carryOut(self)
        return each != nil
    }
}

/// A command on each row that a condition fits.
private struct EachCommand {
    private let table: String
    private let deed: String
    private var each: Command.Each
    private let isAgreed: Bool
    private var command: Command

    /// `conditioned` gives it the conditions of the command line. Nil: there is no --where.
    init?(
        _ verb: Command.Verb, _ options: EachOptions, in section: String?, of table: String,
        deed: String, _ conditioned: (Command.Verb) throws -> Command
    ) throws {
        guard let text = options.condition else { return nil }
        if case .recall = verb {
            // The table that a removed row stood in is no more.
            if let fault = RowCondition(text).fault {
                throw Failure(fault, in: text, of: "--where")
            }
        } else {
            _ = try RowChoiceOptions.parsed(text, "--where", RowPredicate.init)
        }
        self.table = table
        self.deed = deed
        isAgreed = options.yes
        each = Command.Each(
            verb, where: text, section: section.map { ID($0) }, limit: options.limit)
        command = try conditioned(.each(each))
    }

    /// Asks on a terminal, carries it out and says on which rows.
    mutating func carryOut(_ connection: Connection) throws {
        if !isAgreed, Output.canAsk, !connection.isExplaining { try ask(connection) }
        if command.ifClaimed { try connection.needName() }
        let reply = try connection.perform(.command(command), on: table)
        if case .manyDone(let rows, _) = reply.answer {
            let sentence = "\(deed) \(rows.of("row"))\(reply.suffix)"
            return try connection.show(reply, [sentence])
        }
        let rows = reply.landings.map(\.row.text)
        var deed = deed
        if case .act(let act) = each.verb, !reply.invocations.isEmpty {
            deed = "\(act.action.text) is pending on"
        }
        let sentence =
            rows.isEmpty
            ? "no row fits" : "\(deed) \(rows.count.of("row")): \(Self.list(rows))\(reply.suffix)"
        try connection.show(reply, [sentence])
    }

    /// The daemon counts the rows that fit now. When the command is carried out it looks again.
    private mutating func ask(_ connection: Connection) throws {
        if case .act(var act) = each.verb {
            act.isConfirmed = true
            each.verb = .act(act)
            command.verb = .each(each)
        }
        guard let reply = try explained(connection) else {
            // More than can be explained: of titles and fields so many can be set.
            return try Output.agree("Very many rows fit. \(question)?", orElse: Self.unchanged)
        }
        guard case .explained(let explanation) = reply.answer else { throw connection.surprise }
        let rows = explanation.rows.map(\.row.text)
        if rows.isEmpty { return }
        let fit = rows.count == 1 ? "1 row fits" : "\(rows.count) rows fit"
        try Output.agree("\(fit) now: \(Self.list(rows)). \(question)?", orElse: Self.unchanged)
    }

    /// The effect that it would have; nil: it would set texts of more rows than are explained.
    private func explained(_ connection: Connection) throws -> Reply? {
        do {
            return try connection.pass(.explain(.command(command)), on: table)
        } catch let failure as Failure where failure.code == Rejection.Code.tooLarge.rawValue {
            guard case .set = each.verb, each.limit == nil else { throw failure }
            return nil
        }
    }

    private static let unchanged = "nothing was changed"

    private var question: String {
        if case .act(let act) = each.verb {
            return "Perform \"\(act.action.text)\" on all that fit"
        }
        let name = each.verb.name.rawValue
        return name.prefix(1).uppercased() + name.dropFirst() + " all that fit"
    }

    private static func list(_ rows: [String]) -> String {
        let most = 8
        return rows.prefix(most).joined(separator: ", ") + (rows.count > most ? ", …" : "")
    }
}
