import ArgumentParser
import TableModel
import TableSync

/// Where rows are to stand; at most one.
struct PlaceOptions: ParsableArguments {
    @Flag(help: "At the top of the section.") var top = false
    @Flag(help: "At the bottom of the section.") var bottom = false
    @Option(help: .value("row", "Before this row."), completion: Live.rows)
    var before: String?
    @Option(help: .value("row", "After this row."), completion: Live.rows)
    var after: String?

    func validate() throws { try check(isNeeded: false) }

    func check(isNeeded: Bool) throws {
        try Alternatives.check(
            ["--top": top, "--bottom": bottom, "--before": before != nil, "--after": after != nil],
            isNeeded: isNeeded)
    }

    var anchor: Anchor? {
        if top { return .top }
        if bottom { return .bottom }
        if let before { return .before(ID(before)) }
        return after.map { .after(ID($0)) }
    }
}

struct MoveVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move rows, and say where they landed.",
        usage: """
            trestle move <table> (<rows> ... | --where <predicate> [--limit <rows>] [--yes]) \
            (--top | --bottom | --before <row> | --after <row>) [--section <section>] [--strict] \
            \(RowConditionOptions.usage)
            """,
        discussion: """
            The rows keep the order given. --top and --bottom mean the --section, or else the \
            first row's own section. A section that does not exist is made, and standard error \
            says so. If the row of --before or --after has been removed, the rows land where it \
            last stood, and a note says so. With --strict the move is refused instead.

              trestle move board t41 t42 --before t40
              trestle move board t41 --top --section pass

            With --where it moves all rows that the condition fits, in the table's order, as \
            `trestle help set` says. --section is then, too, the section to which they go.

              trestle move board --where 'section == "grill"' --bottom --section pass
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The rows' ids.", completion: Live.rows) var rows: [String] = []
    @OptionGroup var each: EachOptions
    @OptionGroup var place: PlaceOptions
    @Option(help: "The section.", completion: Live.sections) var section: String?
    @Flag(help: "Refuse the move when the row of --before or --after is gone.") var strict = false
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    func validate() throws {
        try each.check(hasRows: !rows.isEmpty, "<rows> ...")
        try place.check(isNeeded: true)
    }

    func carryOut(_ connection: Connection) throws {
        let verb = Command.Verb.move(
            Few(rows.map { ID($0) }), section: section.map { ID($0) }, place.anchor ?? .bottom,
            strict ? .strict : .rebase)
        let isDone = try connection.carryOutEach(
            verb, each, of: table, deed: "moved", condition.command)
        if isDone { return }
        let reply = try connection.perform(verb, on: table, condition)
        try connection.show(reply, reply.sentences)
        if section != nil { connection.sayMadeSection(reply) }
    }
}

struct SwapVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "swap", abstract: "Exchange the places of two rows.")

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "One row's id.", completion: Live.rows) var a: String
    @Argument(help: "The other row's id.", completion: Live.rows) var b: String
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let reply = try connection.perform(.swap(ID(a), ID(b)), on: table, condition)
        try connection.show(reply, reply.sentences)
    }
}

extension Reply {
    /// A sentence about each row that the command was about.
    var sentences: [String] { landings.map { $0.sentence(self) } }
}

extension Landing {
    /// "t41 is now 1st in grill (after t40: t39 was removed)"
    func sentence(_ reply: Reply) -> String {
        guard let section, let index else { return "\(row.text) is gone" }
        let now = reply.isUnchanged ? "" : "now "
        let place = "\(row.text) is \(now)\((index + 1).ordinal) in \(section.text)"
        return place + (note.map { " (\($0))" } ?? "") + reply.suffix
    }
}
