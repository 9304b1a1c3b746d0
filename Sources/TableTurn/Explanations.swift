import TableModel
import TableSync

/// Explanations of large changes, between turns: one at a time, and so seldom that others
/// hardly notice.
///
/// Such a one cannot be done in slices: it is tried out on the tables themselves, which are as they
/// were before anybody else has a turn. So it is bounded (`BatchWork`), and followed by a pause.
package struct Explanations {
    struct Asker {
        let route: Route
        let request: Request
    }

    private var waiting: [Asker] = []
    private var notBeforeNs: UInt64 = 0
    /// Whose turn it was last: others come first.
    private var last: Principal.Proof?

    /// Each may hold a megabyte.
    static let mostWaiting = 16
    /// One principal and its children leave room for others.
    static let mostOfOne = 4
    /// A pause is so many times as long as the explanation before it: less than one request of two hundred
    /// comes during one.
    private static let pauseFactor: UInt64 = 256
    /// However long one took.
    private static let longestPauseNs: UInt64 = 5_000_000_000

    /// Whether somebody waits.
    package var isBusy: Bool { !waiting.isEmpty }

    /// For who comes when too many wait.
    static let tooMany = Reply.Answer.refused(
        Rejection(
            .tooLarge,
            "waiting for large explanations: at most \(mostOfOne) of a user, \(mostWaiting) of all.",
            field: "explain"))
    private static let interrupted = Reply.Answer.refused(
        Rejection(.interrupted, "The daemon is stopping: nothing was explained."))

    /// Milliseconds until the next one.
    func untilNext(_ nowNs: UInt64) -> Int {
        notBeforeNs <= nowNs ? 0 : Int((notBeforeNs - nowNs) / 1_000_000) + 1
    }

    /// The place of a new explanation.
    enum Place {
        case taken
        case full
        /// It takes the place of an equal question of the same client, which is not answered.
        case instead(of: Route)
    }

    mutating func ask(_ asker: Asker) -> Place {
        let request = asker.request
        // A principal that invents children has no more places than another.
        let own = waiting.indices.filter {
            waiting[$0].request.sender.proof == request.sender.proof
        }
        let same = own.first {
            let other = waiting[$0].request
            return other.sender == request.sender && other.client == request.client
                && other.table == request.table
                && other.verb == request.verb
        }
        if request.client != nil, let same {
            let old = waiting[same].route
            waiting[same] = asker
            return .instead(of: old)
        }
        guard waiting.count < Self.mostWaiting, own.count < Self.mostOfOne else { return .full }
        waiting.append(asker)
        return .taken
    }

    /// Explains one, if it is time.
    mutating func work(clock: any Clock, explain: (Asker) throws -> Void) throws {
        let begin = clock.monotonicNs
        guard !waiting.isEmpty, begin >= notBeforeNs else { return }
        let next = waiting.firstIndex { $0.request.sender.proof != last } ?? 0
        let asker = waiting.remove(at: next)
        last = asker.request.sender.proof
        // The thread's own processor time counts: on a busy machine it may have stood still meanwhile.
        let processor = clock.processorNs
        try explain(asker)
        let spent = clock.processorNs - processor
        notBeforeNs = clock.monotonicNs + min(spent * Self.pauseFactor, Self.longestPauseNs)
    }

    /// The daemon ends: nobody is left without an answer.
    mutating func interrupt(tell: (Asker, Reply.Answer) throws -> Void) throws {
        for asker in waiting { try tell(asker, Self.interrupted) }
        waiting = []
    }
}
