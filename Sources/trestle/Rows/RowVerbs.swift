import ArgumentParser
import TableFiles
import TableModel
import TableSync

extension Row.Field {
    /// The field that is written as `key=value`.
    static func parse(_ argument: String) throws -> Row.Field {
        guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")), sign > argument.startIndex
        else { throw ValidationError("Write KEY=VALUE.") }
        let key = argument[..<sign]
        // Nobody would find a field of such a name again.
        guard key.first?.isWhitespace == false, key.last?.isWhitespace == false else {
            throw ValidationError(
                "The key \"\(key)\" begins or ends with a blank. Write KEY=VALUE without blanks "
                    + "around the sign.")
        }
        let value = argument[argument.utf8.index(after: sign)...]
        return Row.Field(ID(String(key)), String(value))
    }
}

struct AddVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a row, and print its id.",
        usage: """
            trestle add <table> <title> [--kind <kind>] [--section <section>] [--id <id>] \
            [--top | --bottom | --before <row> | --after <row>] [--field <key=value> ...] \
            [--state <name[=points]> ...] [--expand <state>] [--hint <hint>] \
            \(ConditionOptions.usage)
            """,
        discussion: """
            Without --id the table makes an id. Without a place the row goes to the bottom of its \
            section. A section that does not exist is made, and standard error says so.

              trestle add board "Ribeye, medium" --section grill --field qty=2 --top

            With --state the row has states of its own instead of its kind's, in the order of \
            toggling. Any state can be the first, which --expand names:

              trestle add board "Soup" --state collapsed --state half=90 --expand half

            --hint says how viewers that animate are to show that the row comes. The table does \
            not keep it.
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "What the row says.") var title: String
    @Option(help: "The row's kind (default: row).", completion: Live.kinds) var kind: String?
    @Option(help: "Its section (default: main).", completion: Live.sections) var section: String?
    @Option(help: "Its id. Refused if the table has a row with this id.") var id: String?
    @OptionGroup var place: PlaceOptions
    @Option(
        name: .customLong("field"),
        help: .value("key=value", "A field; may be given several times."),
        transform: Row.Field.parse)
    var fields: [Row.Field] = []
    @OptionGroup var own: OwnStatesOptions
    @Option(help: .value("state", "The state it starts in (default: its kind's initial one)."))
    var expand: String?
    @Option(help: .hint(that: "it comes")) var hint: AnimationHint?
    @OptionGroup var condition: ConditionOptions
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let content = Row.Content(
            kind: kind.map { ID($0) } ?? .plainKind, title: title, fields: fields,
            states: own.state)
        let add = Command.Add(
            id: id.map { ID($0) }, content, section: section.map { ID($0) },
            at: place.anchor ?? .bottom, startingIn: expand.map { Expansion($0) },
            hint: hint ?? .automatic)
        let reply = try connection.perform(.add(add), on: table, condition)
        try connection.show(reply, reply.landings.map(\.row.text))
        if section != nil { connection.sayMadeSection(reply) }
    }
}

struct SetVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change rows: title, kind or fields.",
        usage: """
            trestle set <table> \
            (<row> | --where <predicate> [--section <section>] [--limit <rows>] [--yes]) \
            [--title <title>] [--kind <kind>] [--field <key=value> ...] [--unset <key> ...] \
            [--actions <file> | --kind-actions] [--state <name[=points]> ... | --kind-states] \
            \(RowConditionOptions.usage)
            """,
        discussion: """
            Everything that is not named stays. With --if-version the change is refused if the row \
            has another version.

              trestle set board t41 --title "Ribeye, rare" --field qty=3 --unset note

            With --where it changes all rows that the condition fits when the daemon carries it \
            out, in one revision: all of them, or none. On a terminal it first says how many fit \
            now. `trestle help wait` explains predicates.

              trestle set board --where 'field.driver == "7"' --field driver=9
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The row's id.", completion: Live.rows) var row: String?
    @OptionGroup var many: EachSectionOptions
    @Option(help: "What it says.") var title: String?
    @Option(help: "Its kind.", completion: Live.kinds) var kind: String?
    @Option(
        name: .customLong("field"),
        help: .value("key=value", "A field; may be given several times."),
        transform: Row.Field.parse)
    var fields: [Row.Field] = []
    @Option(help: .value("key", "A field to remove; may be given several times."))
    var unset: [String] = []
    @Option(
        help: .value(
            "file", "Swipe actions of its own: `leading` and `trailing` as in the kinds file."))
    var actions: String?
    @Flag(help: "Go back to its kind's swipe actions.") var kindActions = false
    @OptionGroup var own: OwnStatesOptions
    @Flag(help: "Go back to its kind's states.") var kindStates = false
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    func validate() throws {
        try many.each.check(hasRows: row != nil, "<row>")
        if title == nil, kind == nil, fields.isEmpty, unset.isEmpty, actions == nil, !kindActions,
            own.state.isEmpty, !kindStates
        {
            throw ValidationError(
                "Nothing to set: name --title, --kind, --field, --unset, --actions or --state.")
        }
        try Alternatives.check(["--state": !own.state.isEmpty, "--kind-states": kindStates])
        try Alternatives.check(["--actions": actions != nil, "--kind-actions": kindActions])
    }

    func carryOut(_ connection: Connection) throws {
        let changes = Command.Changes(
            title: title, kind: kind.map { ID($0) }, fields: fields,
            unset: unset.map { ID($0) }, actions: try ownActions(),
            states: kindStates ? [] : own.state.isEmpty ? nil : own.state)
        let verb = Command.Verb.set(row.map { ID($0) } ?? Command.Each.noRow, changes)
        let isDone = try connection.carryOutEach(
            verb, many.each, in: many.section, of: table, deed: "set", condition.command)
        if isDone { return }
        let row = row ?? ""
        let reply = try connection.naming("set") {
            try connection.perform(verb, on: table, condition)
        }
        try connection.show(reply, ["set \(row)\(reply.suffix)"])
    }

    private func ownActions() throws -> RowActions? {
        if kindActions { return RowActions() }
        guard let actions else { return nil }
        let text = try Files.text(at: actions, atMost: 1 << 20)
        return try KindsFile.rowActions(text, name: Files.name(of: actions))
    }
}

struct RemoveVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove rows: all of them, or none.",
        usage: """
            trestle remove <table> \(EachSectionOptions.usage) [--hint <hint>] \
            \(RowConditionOptions.usage)
            """,
        discussion: """
            With --where it removes all rows that the condition fits, as `trestle help set` says.

            --hint says how viewers that animate are to show that the rows go. The table does not \
            keep it.

              trestle remove board t41 t42 --hint left
              trestle remove board --where 'field.done == "yes"' --yes
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The rows' ids.", completion: Live.rows) var rows: [String] = []
    @OptionGroup var many: EachSectionOptions
    @Option(help: .hint(that: "they go")) var hint: AnimationHint?
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    func validate() throws { try many.each.check(hasRows: !rows.isEmpty, "<rows> ...") }

    func carryOut(_ connection: Connection) throws {
        let verb = Command.Verb.remove(Few(rows.map { ID($0) }), hint: hint ?? .automatic)
        let isDone = try connection.carryOutEach(
            verb, many.each, in: many.section, of: table, deed: "removed", condition.command)
        if isDone { return }
        let reply = try connection.perform(verb, on: table, condition)
        try connection.show(reply, rows.map { "removed \($0)" })
    }
}

struct EditVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Go into edit mode, or out of it.",
        usage: """
            trestle edit <table> (--on | --off) \(ConditionOptions.usage)
            """,
        discussion: """
            In edit mode no row is swiped open, and none can be. Whoever turns it on holds it: nobody else can turn it on \
            again until it ends. It ends by itself 15 minutes after the holder last turned it on.
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Flag(help: "Go into edit mode, or stay in it.") var on = false
    @Flag(help: "Go out of it.") var off = false
    @OptionGroup var condition: ConditionOptions
    @OptionGroup var options: Options

    func validate() throws { try Alternatives.check(["--on": on, "--off": off], isNeeded: true) }

    func carryOut(_ connection: Connection) throws {
        let reply = try connection.perform(.edit(on), on: table, condition)
        try connection.show(reply, ["\(table) is \(on ? "in" : "out of") edit mode\(reply.suffix)"])
    }
}

struct SwipeVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "swipe", abstract: "Swipe a row open, or close it.",
        usage: """
            trestle swipe <table> <row> (--leading | --trailing | --close) \
            \(RowConditionOptions.usage)
            """,
        discussion: "Where the table's swipe policy is exclusive, opening one closes the others.")

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The row's id.", completion: Live.rows) var row: String
    @Flag(help: "Open the leading side.") var leading = false
    @Flag(help: "Open the trailing side.") var trailing = false
    @Flag(help: "Close the row.") var close = false
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    func validate() throws {
        try Alternatives.check(
            ["--leading": leading, "--trailing": trailing, "--close": close], isNeeded: true)
    }

    func carryOut(_ connection: Connection) throws {
        let edge: Edge? = leading ? .leading : trailing ? .trailing : nil
        let reply = try connection.perform(.swipe(ID(row), edge), on: table, condition)
        let state = edge.map { "open at its \($0.rawValue) side" } ?? "closed"
        try connection.show(reply, ["\(row) is \(state)\(reply.suffix)"])
    }
}

struct ExpandVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "expand", abstract: "Open a row vertically, or close it again.",
        usage: """
            trestle expand <table> <row> (--toggle | --to <state>) \(RowConditionOptions.usage)
            trestle expand <table> (--all | --none) \(ConditionOptions.usage)
            """,
        discussion: """
            A state is collapsed, expanded, a state that the row's kind names, or a height in \
            points. --toggle goes to the next of the kind's states.

              trestle expand board t41 --to one-line
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The row's id.", completion: Live.rows) var row: String?
    @Flag(help: "Go to the next state.") var toggle = false
    @Option(help: .value("state", "Go to this state.")) var to: String?
    @Flag(help: "Expand all rows, as one revision.") var all = false
    @Flag(help: "Collapse all rows, as one revision.") var none = false
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    func validate() throws {
        try Alternatives.check(
            ["--toggle": toggle, "--to": to != nil, "--all": all, "--none": none], isNeeded: true)
        if row == nil, toggle || to != nil { throw ValidationError("Name the row.") }
        if row != nil, all || none {
            throw ValidationError("\(all ? "--all" : "--none") is for all rows: name none.")
        }
    }

    func carryOut(_ connection: Connection) throws {
        guard let row else {
            let reply = try connection.perform(.expandAll(all), on: table, condition)
            return try connection.show(
                reply, ["\(all ? "expanded" : "collapsed") all of \(table)\(reply.suffix)"])
        }
        let state = to.map { Expansion($0) }
        let reply = try connection.perform(.expand(ID(row), state), on: table, condition)
        let now = state.map { "now \($0.text)" }
        try connection.show(
            reply, ["\(row) is \(now ?? reached(row, reply, connection))\(reply.suffix)"])
    }

    /// The state that toggling came to.
    private func reached(_ row: String, _ reply: Reply, _ connection: Connection) -> String {
        for case .expand(ID(row), let state) in connection.steps(of: reply) { return state.text }
        return (try? connection.smallTable())??.row(ID(row))?.expansion.text ?? "toggled"
    }
}
