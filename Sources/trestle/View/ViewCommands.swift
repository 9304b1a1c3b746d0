import Glibc
import TableClient
import TableModel
import TableSync
import TableTerminal

/// Carries out the wishes of a board, and tells it the results.
final class ViewCommands {
    private let connection: ViewConnection
    /// The intents of the commands under way, by their numbers.
    private var underWay: [UInt64: Intent] = [:]
    private var leases = ViewLeases()
    private let questions: ViewQuestions
    private let words: Wording

    init(_ connection: ViewConnection, _ words: Wording) {
        self.connection = connection
        self.words = words
        questions = ViewQuestions(connection, words)
    }

    func begin(with table: Table) throws { try questions.begin(with: table) }

    /// Sends an intent; returns the events that follow at once. The others come from `answers`.
    func carryOut(_ intent: Intent) throws -> [Event] {
        if case .story(let row) = intent.wish { try questions.story(of: row) }
        guard let verb = leases.verb(for: intent.wish) else { return [] }
        guard try connection.sender.isReady() else {
            return [.answered(intent.number, .refused(words("notConnected.yet")))]
        }
        do {
            underWay[try connection.sender.send(verb, on: connection.table)] = intent
        } catch ClientError.refused(let rejection) {
            return [.answered(intent.number, .refused(words.refusal(rejection)))]
        }
        return []
    }

    func answers() throws -> [Event] {
        if let renewal = leases.renewal() {
            _ = try connection.sender.send(renewal, on: connection.table)
        }
        var events: [Event] = []
        for (number, reply) in try connection.sender.answers() {
            if let intent = underWay.removeValue(forKey: number) {
                events += try answer(reply, to: intent)
            } else {
                events += try questions.answered(number, reply)
            }
        }
        return try events + questions.due()
    }

    /// Puts lifted rows back, and waits until `end` for the answers to commands that may still be on their way.
    func leave(by end: Deadline) throws {
        var cancel: UInt64?
        while !end.hasPassed {
            if let verb = leases.letGo() {
                cancel = try connection.sender.send(verb, on: connection.table)
            }
            if underWay.isEmpty, cancel == nil { return }
            for (number, reply) in try connection.sender.answers() {
                if number == cancel { cancel = nil }
                guard let intent = underWay.removeValue(forKey: number) else { continue }
                // A lift that is granted only now is put back in the next round.
                _ = outcome(of: reply, to: intent.wish)
            }
            usleep(1_000)
        }
    }

    private func answer(_ reply: Reply, to intent: Intent) throws -> [Event] {
        if case .done = reply.answer {
            // What the table shows does not say whose change it was, nor what it was.
            if case .command(let verb, _) = intent.wish, verb.name == .undo || verb.name == .redo {
                let told = words(verb.name == .undo ? "undone" : "redone")
                return try questions.tell(told, reply, to: intent)
            }
        }
        return [.answered(intent.number, outcome(of: reply, to: intent.wish))]
    }

    /// Events about the others, if anything of them is new.
    func news(of people: People) -> [Event] {
        leases.ended(people.ended, words) + [.company(leases.company(people))]
    }

    private func outcome(of reply: Reply, to wish: Intent.Wish) -> Outcome {
        if case .refused(let rejection) = reply.answer {
            let why = words.refusal(rejection)
            if case .drop = wish { return .refused(words("back.place", ["why": why])) }
            return .refused(why)
        }
        if case .lease(let lease) = reply.answer { return leases.lifted(lease) }
        let note = words.note(reply.landings)
        switch (wish, reply.landings.first) {
        case (.drop, let landing?):
            // The daemon's own sentence is English.
            if words.language == "en" { return .done(landing.sentence(reply)) }
            return .done(words("did", ["done": words("did.moved"), "row": landing.row.text]))
        case (.command(.add, _), let landing?):
            return .done(words("added", ["row": landing.row.text]))
        case (.command(.recall(let rows), _), _):
            return .done(note ?? words("back", ["row": rows.map(\.text).joined(separator: ", ")]))
        case (.command(.remove(let rows, _), _), _):
            return .done(
                note ?? words("deleted", ["row": rows.map(\.text).joined(separator: ", ")]))
        default: return .done(note)
        }
    }
}
