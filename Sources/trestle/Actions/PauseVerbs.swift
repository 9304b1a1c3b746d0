import ArgumentParser
import TableModel

/// The work that a pause is about.
struct PauseScopeOptions: ParsableArguments {
    @Option(help: "Only work in this section.", completion: Live.sections) var section: String?
    @Option(help: "Only this action.", completion: Live.actions) var action: String?

    var scope: Pause.Scope {
        Pause.Scope(section: section.map { ID($0) }, action: action.map { ID($0) })
    }

    /// In words, with the table's name.
    func subject(of table: String) -> String {
        let subject = Pause(scope, by: ID(""), sinceMs: 0).subject
        return scope == Pause.Scope() ? table : "\(subject) of \(table)"
    }
}

struct PauseVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Take no new work, and say why.",
        usage: """
            trestle pause <table> [--section <section>] [--action <action>] [--note <note>] \
            \(ConditionOptions.usage)
            """,
        discussion: """
            `next` and handlers pass over what is paused, claims are refused, and so are presses of actions that a \
            handler completes; with --action all presses of that action. What runs may finish, and edits and moves \
            go on. Every screen says who has paused what, and why. `trestle resume` ends it.

              trestle --as mary pause board --section grill --note "oven broken"
              trestle pause board --action page
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @OptionGroup var scope: PauseScopeOptions
    @Option(help: "Why, for everybody to read.") var note: String?
    @OptionGroup var condition: ConditionOptions
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        try connection.needName()
        let reply = try connection.perform(
            .pause(scope.scope, note: note ?? ""), on: table, condition)
        connection.sayUnknownAction(scope.action, of: table)
        try connection.show(reply, ["\(scope.subject(of: table)) is paused\(reply.suffix)"])
    }
}

struct ResumeVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Take work again that was paused.",
        usage: """
            trestle resume <table> [--section <section>] [--action <action>] \
            \(ConditionOptions.usage)
            """,
        discussion: """
            It ends the pause of the same section and action; without both, all of the table. Handlers, and those \
            who wait with `next --wait`, go on at once.

              trestle resume board --section grill
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @OptionGroup var scope: PauseScopeOptions
    @OptionGroup var condition: ConditionOptions
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let reply = try connection.perform(.pause(scope.scope, note: nil), on: table, condition)
        try connection.show(reply, ["\(scope.subject(of: table)) goes on\(reply.suffix)"])
    }
}
