import TableModel
import TableSync

/// Explanations of large changes, between turns: one at a time, and so seldom that others
/// hardly notice.
///
/// Such a one cannot be done in slices: it is tried out on the tables themselves, which are as they
/// were before anybody else has a turn. So it is bounded (`BatchWork`), and followed by a pause.
package struct Explanations {
    private var waiting = WaitingQuestions(most: Self.mostWaiting, mostOfOne: Self.mostOfOne)
    private var notBeforeNs: UInt64 = 0

    /// Each may hold a megabyte.
    private static let mostWaiting = 16
    private static let mostOfOne = 4
    /// A pause is so many times as long as the explanation before it: less than one request of two hundred
    /// comes during one.
    private static let pauseFactor: UInt64 = 256
    /// However long one took.
    private static let longestPauseNs: UInt64 = 5_000_000_000

    /// Whether somebody waits.
    package var isBusy: Bool { !waiting.askers.isEmpty }

    /// For who comes when too many wait.
    static let tooMany = Reply.Answer.refused(
        .tooLarge,
        "waiting for large explanations: at most \(mostOfOne) of a user, \(mostWaiting) of all.",
        field: "explain")
    private static let interrupted = Reply.Answer.refused(
        .interrupted, "The daemon is stopping: nothing was explained.")

    /// Milliseconds until the next one.
    func untilNext(_ nowNs: UInt64) -> Int {
        notBeforeNs <= nowNs ? 0 : Int((notBeforeNs - nowNs) / 1_000_000) + 1
    }

    mutating func ask(_ asker: Asker) -> WaitingQuestions.Place { waiting.ask(asker) }

    /// Explains one, if it is time.
    mutating func work(clock: any Clock, explain: (Asker) throws -> Void) throws {
        let begin = clock.monotonicNs
        guard begin >= notBeforeNs, let asker = waiting.takeNext() else { return }
        // The thread's own processor time counts: on a busy machine it may have stood still meanwhile.
        let processor = clock.processorNs
        try explain(asker)
        let spent = clock.processorNs - processor
        notBeforeNs = clock.monotonicNs + min(spent * Self.pauseFactor, Self.longestPauseNs)
    }

    /// The daemon ends: nobody is left without an answer.
    mutating func interrupt(tell: (Asker, Reply.Answer) throws -> Void) throws {
        for asker in waiting.askers { try tell(asker, Self.interrupted) }
        waiting.askers = []
    }
}
