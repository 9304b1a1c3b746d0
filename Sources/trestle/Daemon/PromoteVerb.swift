import ArgumentParser
import StrictYAML
import TableModel
import TableSync

struct PromoteVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "promote", abstract: "Make a standby the daemon that writes.",
        discussion: """
            It is asked of the standby itself, when the daemon that it follows is gone for good or is \
            stopped: a standby that still hears of that daemon refuses, and so does one whose copy is \
            not complete, or that was promoted already (notStandby). It says which entry of the journal is the last, \
            and how many later ones the other daemon is known to have had. They are lost, and so may be what that \
            daemon did since it was heard of last. All tables begin new histories, so clients of the other daemon see that \
            they have to begin anew. On a terminal the command asks; in a script it needs --yes.

              trestle -e tcp://10.0.0.2:7571 promote --yes
            """)

    @Flag(help: "Ask nothing.") var yes = false
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        if !yes { try confirm() }
        let reply = try connection.ask(.promote)
        guard case .promoted(let promotion) = reply.answer else { throw connection.surprise }
        let missing =
            promotion.missing == 0
            ? "no later one is known" : "\(promotion.missing) later ones are known to be missing"
        let heard =
            promotion.silentMs == 0
            ? "Nothing was heard of the other daemon since this one was started."
            : "The other daemon was heard of last \(promotion.silentMs) ms before."
        try connection.show(
            reply,
            adding: [
                ("term", .integer(promotion.term)), ("position", .integer(promotion.position)),
                ("missing", .integer(promotion.missing)),
                ("silentMs", .integer(promotion.silentMs)),
            ], names: ["\(promotion.term)"],
            lines: { _ in
                [
                    "It writes from now on, in term \(promotion.term).",
                    "The last entry of the other daemon is \(promotion.position): \(missing).",
                    heard,
                ].map { TextLine($0) }
            })
    }

    private func confirm() throws {
        guard Output.canAsk else {
            throw Failure(
                .usage, "Nobody can be asked whether the standby is to be promoted: say --yes.")
        }
        try Output.agree(
            "Let this standby write, and no longer the daemon that it follows?",
            orElse: "nothing was promoted")
    }
}
