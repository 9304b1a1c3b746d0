import JournalPort
import TableModel
import TableSync

/// `check`, in slices between turns: one at a time, shared by all who ask.
///
/// Who asks while one is under way waits for the next, which begins after the request: what it says
/// is true of a time after it was asked for. So there are at most two: one that runs, and one that
/// all others wait for.
package struct Checks {
    /// The senders that wait for the next check.
    private(set) var waiting: [Asker] = []
    /// The senders that wait for the check under way, or are still to be told.
    private var asking: ArraySlice<Asker> = []
    private var round: Round?
    private var answer: Reply.Answer?
    /// The fault that the latest check found, until it is taken for the log.
    private var fault: String?
    private var notBeforeMs: UInt64 = 0

    /// Each is a few hundred bytes that stay for as long as a check takes.
    package static let mostWaiting = 1_024
    /// For who comes when so many wait.
    static let tooMany = Reply.Answer.refused(
        .tooLarge, "waiting for a check: \(mostWaiting + 1), at most \(mostWaiting).",
        field: "check")
    /// How long a slice may take.
    private static let sliceNs: UInt64 = 3_000_000
    /// Between two slices, so that commands are not held up.
    private static let pauseMs: UInt64 = 5

    /// Whether the loop should come back soon, though nothing arrives.
    var isBusy: Bool { round != nil || !asking.isEmpty || !waiting.isEmpty }

    /// How many wait for an answer.
    package var count: Int { waiting.count + asking.count }

    /// Takes the fault that a check has found, once.
    package mutating func takeFault() -> String? {
        defer { fault = nil }
        return fault
    }

    /// False: too many wait already.
    mutating func ask(_ asker: Asker) -> Bool {
        // Twice as many are left where a check begins again.
        guard waiting.count < Self.mostWaiting, count < 2 * Self.mostWaiting else { return false }
        waiting.append(asker)
        return true
    }

    /// The tables are other ones from now on: the check that is under way begins again.
    mutating func startAnew() {
        waiting = asking + waiting
        (asking, round, answer) = ([], nil, nil)
    }

    /// The daemon ends: nobody is left without an answer.
    mutating func interrupt(tell: (Asker, Reply.Answer) throws -> Void) throws {
        let done = answer
        for asker in asking { try tell(asker, done ?? Self.interrupted) }
        for asker in waiting { try tell(asker, Self.interrupted) }
        (asking, waiting, round, answer) = ([], [], nil, nil)
    }

    private static let interrupted = Reply.Answer.refused(
        .interrupted, "The daemon is stopping: the check was not finished.")

    /// Does a little, if there is something to do. Answers are handed to `tell`.
    mutating func work(
        server: Server, journal: any Journal, clock: any Clock, nowMs: UInt64,
        tell: (Asker, Reply.Answer) throws -> Void
    ) throws {
        guard isBusy, nowMs >= notBeforeMs else { return }
        notBeforeMs = nowMs + Self.pauseMs
        let end = clock.monotonicNs + Self.sliceNs
        while clock.monotonicNs < end {
            if let answer {
                guard let asker = asking.popFirst() else { return self.answer = nil }
                try tell(asker, answer)
            } else if let round {
                answer = round.work(server: server, until: end)
                guard let answer else { return }
                if case .refused(let rejection) = answer, rejection.code == .damaged {
                    fault = rejection.message
                }
                self.round = nil
            } else {
                guard !waiting.isEmpty else { return }
                (asking, waiting) = (waiting[...], [])
                round = Round(server, journal, clock)
            }
        }
    }
}

extension Checks {
    /// One check: the journal, then each table that is there when its turn comes.
    private final class Round {
        private let journal: any Journal
        private let clock: any Clock
        private var verification: (any Verification)?
        private var isJournalWhole = false
        private var names: [TableID]
        private var table: (check: TableCheck, summary: TableSummary)?
        private var result = CheckResult()

        init(_ server: Server, _ journal: any Journal, _ clock: any Clock) {
            self.journal = journal
            self.clock = clock
            names = server.tables.keys.sorted(by: >)
        }

        /// Nil: it goes on.
        func work(server: Server, until end: UInt64) -> Reply.Answer? {
            if isJournalWhole { return lookAtTables(of: server, until: end) }
            do {
                try lookAtJournal(until: end)
                return nil
            } catch let error as JournalUnavailable {
                // It was not read, so nothing is known of it.
                return .refused(.interrupted, "The journal could not be read: \(error).")
            } catch {
                return .refused(.damaged, "The journal is damaged: \(error).")
            }
        }

        private func lookAtJournal(until end: UInt64) throws {
            let verification = try self.verification ?? journal.verification()
            self.verification = verification
            guard let summary = try verification.work(while: { clock.monotonicNs < end }) else {
                return
            }
            self.verification = nil
            isJournalWhole = true
            result.position = summary.position
            result.entries = summary.entries
            result.checkpointParts = summary.parts
        }

        private func lookAtTables(of server: Server, until end: UInt64) -> Reply.Answer? {
            while clock.monotonicNs < end {
                guard let (check, summary) = table ?? next(of: server) else {
                    return .check(result)
                }
                switch check.work() {
                case .more: continue
                case .whole:
                    result.tables.append(summary)
                    table = nil
                case .fault(let fault):
                    return .refused(.damaged, "Table \"\(summary.table.text)\": \(fault).")
                }
            }
            return nil
        }

        private func next(of server: Server) -> (check: TableCheck, summary: TableSummary)? {
            while let name = names.popLast() {
                guard let live = server.tables[name] else { continue }
                table = (TableCheck(live.table), live.summary)
                return table
            }
            return nil
        }
    }
}
