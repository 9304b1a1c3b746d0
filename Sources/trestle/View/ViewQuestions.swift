import TableClient
import TableModel
import TableSync
import TableTerminal

/// A viewer's questions about the past. It does not wait for the answers, and does without those that do not come.
final class ViewQuestions {
    private enum Question {
        /// The rows that were removed before this viewer came.
        case removed
        /// The person who swiped a row open before this viewer came.
        case opener(RowID)
        case story(of: UInt64, Telling)
        /// All that happened to a row.
        case past(RowID)
        /// The person who turned edit mode on before this viewer came.
        case editor
        /// Whether it has ended by itself since this person turned it on, at this revision.
        case ended(since: UInt64, by: String)
    }

    /// An answer that is held back until it is known what was undone or done again.
    private struct Telling {
        let intent: Int
        /// `Undone`, or `Done again`.
        let word: String
        /// A remark that a row landed elsewhere, and why.
        let note: String?
        /// The undo's or the redo's own revision: what it brought back is named by rows that the table has from then on.
        var by: UInt64 = 0
        /// The time at which it is told, with what is known; the last moment there is: it was.
        var untilMs: UInt64
        /// An undo may take back a redo of an undo …
        var depth = 0
    }

    private let connection: ViewConnection
    private let words: Wording
    private var underWay: [UInt64: Question] = [:]
    /// Questions that could not be asked yet, since the daemon has not greeted.
    private var unsent: [(Request.Verb, Question)] = []
    /// Sentences about a revision that the follower, which has a socket of its own, has yet to hear of.
    private var ahead: [(Telling, Event)] = []
    /// How long a person waits for a sentence.
    private static let patienceMs: UInt64 = 1_000
    private static let mostDepth = 8

    init(_ connection: ViewConnection, _ words: Wording) {
        self.connection = connection
        self.words = words
    }

    /// Asks what happened to the rows of a new table before.
    func begin(with table: Table) throws {
        unsent = []
        try ask(.history(HistoryFilter(most: 500)), .removed)
        if table.isEditing { try ask(.history(HistoryFilter(most: 1, verb: "edit")), .editor) }
        // Where many may be open at once, asking for each would be too much.
        for row in table.openRows.sorted().prefix(16) {
            try ask(.history(HistoryFilter(most: 1, row: row, verb: "swipe")), .opener(row))
        }
    }

    /// Asks what happened to a row.
    func story(of row: RowID) throws {
        try ask(.history(HistoryFilter(most: 100, row: row)), .past(row))
    }

    private func told(_ change: HistoryPage.Change, of row: RowID) -> Told? {
        let table = connection.follower.replica.table
        let text = words.told(change) { action in
            guard let table, let held = table.row(row) else { return action }
            return table.title(of: Deed(ID(action)), on: held)
        }
        return text.map {
            Told(
                text: $0, who: change.cause.shownActor ?? "",
                atMs: change.cause.timeMs, isUndone: change.undoneBy != nil)
        }
    }

    /// Looks up what an undo or a redo took back, and tells it.
    func tell(_ word: String, _ reply: Reply, to intent: Intent) throws -> [Event] {
        let note = words.note(reply.landings)
        let telling = Telling(
            intent: intent.number, word: word, note: note,
            by: reply.revision ?? 0, untilMs: monotonicMs() + Self.patienceMs)
        guard let revision = reply.revision, !reply.isUnchanged else { return [told(telling)] }
        try askStory(of: revision, telling)
        return []
    }

    func answered(_ number: UInt64, _ reply: Reply) throws -> [Event] {
        guard let question = underWay.removeValue(forKey: number) else { return [] }
        var page: HistoryPage?
        if case .history(let found) = reply.answer { page = found }
        switch question {
        case .removed:
            guard let page else { return [] }
            return [.removedBefore(removed(page))]
        case .opener(let row):
            guard let actor = page?.changes.first?.cause.actor else { return [] }
            return [.swipedBefore([row: actor])]
        case .past(let row):
            return page.map { [.story(row, $0.changes.compactMap { told($0, of: row) })] } ?? []
        case .editor:
            // Where an undo has turned it on again, the latest command about it is the one that turned it off; and where a
            // redo has, one that is undone.
            guard let change = page?.changes.first, change.undoneBy == nil,
                change.sayings.contains(where: { $0.key == "edit" })
            else { return [] }
            // Then it was turned on again by a batch, an undo or a redo.
            try ask(
                .history(HistoryFilter(most: 100, verb: "expire")),
                .ended(since: change.revision, by: change.cause.shownActor ?? ""))
            return []
        case .ended(let revision, let who):
            guard let page, !page.changes.contains(where: { $0.endsEditMode(after: revision) })
            else { return [] }
            return [.editedBefore(who)]
        case .story(let revision, let telling):
            return try story(page?.changes.first { $0.revision == revision }, telling)
        }
    }

    /// Asks what could not be asked before. Returns the sentences whose rows are there by now, and the answers that were held
    /// back for too long: the story replaces those when it comes.
    func due() throws -> [Event] {
        if try !unsent.isEmpty && connection.sender.isReady() {
            for (verb, question) in unsent { try ask(verb, question) }
            unsent = []
        }
        let isDue = { (telling: Telling) in
            self.isThere(telling) || monotonicMs() >= telling.untilMs
        }
        var events = ahead.filter { isDue($0.0) }.map(\.1)
        ahead.removeAll { isDue($0.0) }
        for (number, question) in underWay {
            guard case .story(let revision, var telling) = question,
                monotonicMs() >= telling.untilMs
            else { continue }
            telling.untilMs = .max
            underWay[number] = .story(of: revision, telling)
            events.append(told(telling))
        }
        return events
    }

    private func ask(_ verb: Request.Verb, _ question: Question) throws {
        guard try connection.sender.isReady() else { return unsent.append((verb, question)) }
        underWay[try connection.sender.ask(verb, about: connection.table)] = question
    }

    private func askStory(of revision: UInt64, _ telling: Telling) throws {
        let (before, isBeyond) = revision.addingReportingOverflow(1)
        guard !isBeyond else { return }
        try ask(.history(HistoryFilter(before: before, most: 1)), .story(of: revision, telling))
    }

    /// Follows a redo to its undo, and an undo to the change that it took back, as far as they are kept.
    private func story(_ change: HistoryPage.Change?, _ telling: Telling) throws -> [Event] {
        guard let change else { return telling.untilMs == .max ? [] : [told(telling)] }
        guard let undone = change.cause.undoes, telling.depth < Self.mostDepth else {
            ahead.append(
                (
                    telling,
                    .answered(
                        telling.intent,
                        .told(
                            word: telling.word, revision: change.revision,
                            text: words.story(change), note: telling.note.map { " (\($0))" } ?? ""))
                ))
            return []
        }
        var telling = telling
        telling.depth += 1
        try askStory(of: undone, telling)
        return []
    }

    private func isThere(_ telling: Telling) -> Bool {
        (connection.follower.replica.table?.revision ?? 0) >= telling.by
    }

    /// The answer where the history does not say what it was.
    private func told(_ telling: Telling) -> Event {
        let note = telling.note.map { " (\($0))" } ?? ""
        return .answered(telling.intent, .done("\(telling.word).\(note)"))
    }

    private func removed(_ page: HistoryPage) -> [Removed] {
        guard let held = connection.follower.replica.table else { return [] }
        return page.changes.flatMap { change in
            change.rows.filter { held.row($0) == nil }.map {
                Removed(row: $0, what: words.story(change), atMs: change.cause.timeMs)
            }
        }
    }
}

extension HistoryPage.Change {
    fileprivate func endsEditMode(after other: UInt64) -> Bool {
        revision > other && sayings.contains { $0.key == "editEnd" }
    }
}
