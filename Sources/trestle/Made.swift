import TableClient
import TableModel
import TableSync

extension Connection {
    /// The steps of the revision that a command came to; none where they are not to be had.
    func steps(of reply: Reply) -> [Op] {
        guard !reply.isUnchanged, let table = reply.table, let history = reply.history,
            let revision = reply.revision, revision > 0,
            let answer = try? client().ask(
                .replay(history: history, since: revision - 1), about: table, by: deadline),
            case .replay(let publication, _) = answer.answer
        else { return [] }
        return publication.diffs.first { $0.revision == revision }?.ops ?? []
    }

    /// Says on standard error that a row went to a new section, whose name may be misspelt.
    func sayMadeSection(_ reply: Reply) {
        // What was not there holds nothing but what came with this command.
        guard form == .table || form == .wide, reply.landings.first?.index == 0 else { return }
        for case .insertSection(let made, _, _) in steps(of: reply) {
            let known = (try? smallTable())??.sections.map(\.id.text) ?? []
            let hint =
                made.text.misspelling(among: known)
                .map { " (did you mean \"\($0)\"?)" } ?? ""
            Output.complain("trestle: made section \"\(made.text)\"\(hint)")
        }
    }
}
