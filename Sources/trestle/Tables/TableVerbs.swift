import ArgumentParser
import StrictYAML
import TableFiles
import TableModel
import TableSync

struct TablesVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "tables", abstract: "List the tables.")

    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let (reply, tables) = try connection.tables()
        try connection.show(
            reply, adding: [("tables", .list(tables.map(Documents.table)))],
            ndjson: { tables.map { Documents.table($0).json } }, names: tables.map(\.table.text),
            lines: { lines(tables, isWide: $0) })
    }

    private func lines(_ tables: [TableSummary], isWide: Bool) -> [TextLine] {
        let more = isWide ? ["OLDEST", "DIGEST", "HISTORY"] : []
        var columns = Columns(
            ["TABLE", "ROWS", "SECTIONS", "REVISION"] + more, numbers: [1, 2, 3])
        for table in tables {
            columns.append(
                [table.table.text, "\(table.rows)", "\(table.sections)", "\(table.revision)"]
                    + (isWide
                        ? ["\(table.oldest)", table.digest.lowerHex, "\(table.history)"] : []))
        }
        return columns.lines
    }
}

struct CreateVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a table.")

    @Argument(help: "The new table's name.") var table: String
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let reply = try connection.perform(.create, on: table)
        try connection.show(reply, names: [table], ["created \(table)"])
    }
}

struct DropVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Remove a table with all its rows and its history.",
        discussion: """
            Only a backup brings it back. On a terminal the command says what would be lost, and \
            asks. If it stands at a terminal but cannot ask, since standard input is something \
            else, it is refused. With --yes, and in a script without a terminal, it does not ask.
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Flag(help: "Remove it without asking.") var yes = false
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        if !yes, !connection.isExplaining {
            try Output.needConsent("\(table) was not dropped") { try question(connection) }
        }
        let reply = try connection.perform(.drop, on: table)
        try connection.show(reply, names: [table], ["dropped \(table)"])
    }

    /// A table that is not there is left to the daemon to refuse.
    private func question(_ connection: Connection) throws -> String? {
        guard let held = try connection.tables().tables.first(where: { $0.table == ID(table) })
        else { return nil }
        let what = "\(held.rows.of("row")) in \(held.sections.of("section"))"
        return "Drop \(table), with \(what) and its history?"
    }
}

struct KindsVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "kinds", abstract: "Show the row kinds and settings of a table.",
        discussion: """
            Prints them as `trestle define` reads them: YAML, or with -o json JSON. With --icons \
            it lists the icons that actions and faces may name, each with its other names; with \
            --keys every key that a kinds file may have, with its values. Both need no daemon.

              trestle kinds board > kinds.yaml
              trestle define board kinds.yaml --replace
              trestle kinds --icons
              trestle kinds --keys
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String?
    @Flag(help: "List the names of icons.") var icons = false
    @Flag(help: "List the keys of a kinds file.") var keys = false
    @OptionGroup var options: Options

    func validate() throws {
        if icons, table != nil { throw ValidationError("--icons takes no table.") }
        if keys, table != nil { throw ValidationError("--keys takes no table.") }
        if icons, keys { throw ValidationError("Either --icons or --keys.") }
        if !icons, !keys, table == nil {
            throw ValidationError("Missing expected argument '<table>'")
        }
    }

    func carryOut(_ connection: Connection) throws {
        guard let table else { return try connection.show(keys ? KeyList.report : IconList.report) }
        let reply = try connection.ask(.kinds, about: table)
        guard case .kinds(let kinds, let settings) = reply.answer else { throw connection.surprise }
        let report = Report(
            json: { KindsFile.json(kinds: kinds, settings: settings) },
            ndjson: { kinds.map { KindsFile.json(kinds: [$0], settings: nil) } },
            names: { kinds.map(\.id.text) },
            lines: { _ in
                let text = KindsFile.write(kinds: kinds, settings: settings)
                return text.split(separator: "\n").map { TextLine(String($0)) }
            })
        try connection.show(report)
    }
}

struct DefineVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "define",
        abstract: "Register row kinds and set a table's settings, from YAML or JSON.",
        discussion: """
            Only what the file names is changed. Other kinds stay, and so do the keys of a kind \
            that the file does not name. Lists (states, actions, effects) are replaced as a whole. \
            A key without a value (`ages:`) goes back to its default. With --replace every key \
            that the file does not name goes back to its default, in the file's kinds and in \
            `table`. Use it with what `trestle kinds` printed.

            Unknown keys are refused by name and line. The whole file is one revision.

              kinds:
                ticket:
                  height: 60
                  trailing: {actions: [{id: bump, title: Bump, effect: {remove: true}}]}
              table: {swipePolicy: exclusive}
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
    @Flag(help: "Keys that the file does not name go back to their defaults.")
    var replace = false
    @OptionGroup var condition: ConditionOptions
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let bytes = try Files.bytes(
            at: file, for: "define", on: table, atMost: Bounds.documentBytes)
        let name = Files.name(of: file)
        let text = String(decoding: try FileText.checked(bytes, name: name), as: UTF8.self)
        var definitions = try KindsFile.parse(text, name: name)
        if replace { definitions = definitions.whole }
        let reply = try connection.naming("define") {
            try connection.perform(.define(definitions), on: table, condition)
        }
        try connection.show(
            reply, names: definitions.kinds.map(\.id.text),
            ["defined \(definitions.kinds.count.of("kind"))\(reply.suffix)"])
    }
}

struct SectionVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "section",
        abstract: "Make a section, set its title, or remove it when it is empty.",
        usage: """
            trestle section <table> <section> [--title <title> | --remove] \
            \(ConditionOptions.usage)
            """,
        discussion: """
            A section is also made when a row is put there.

              trestle section board grill --title "The grill"
              trestle section board grill --remove
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The section.", completion: Live.sections) var section: String
    @Option(help: "What viewers call it.") var title: String?
    @Flag(help: "Remove it.") var remove = false
    @OptionGroup var condition: ConditionOptions
    @OptionGroup var options: Options

    func validate() throws {
        try Alternatives.check(["--title": title != nil, "--remove": remove])
    }

    func carryOut(_ connection: Connection) throws {
        let verb: Command.Verb =
            remove ? .removeSection(ID(section)) : .section(ID(section), title: title)
        let reply = try connection.perform(verb, on: table, condition)
        let named = title.map { " \"\($0)\"" } ?? ""
        try connection.show(
            reply, names: [section],
            [remove ? "removed section \(section)" : "section \(section)\(named)\(reply.suffix)"])
    }
}
