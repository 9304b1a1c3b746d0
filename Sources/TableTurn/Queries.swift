import TableModel
import TableSync

/// The questions that are answered between turns, beside checks.
struct Questions {
    var explanations = Explanations()
    var queries = Queries()
}

/// Queries, in slices between turns: one at a time, so that the rows of one table are held at most.
package struct Queries {
    private var waiting = WaitingQuestions(most: Self.mostWaiting, mostOfOne: Self.mostOfOne)
    private var round: (asker: Asker, scan: QueryScan)?

    /// Each is some kilobytes.
    private static let mostWaiting = 256
    static let mostOfOne = 64
    /// Others wait for so long. What has arrived is decided on before the next slice.
    static let sliceNs: UInt64 = 8_000_000

    /// Whether the loop should come back at once, though nothing arrives.
    package var isBusy: Bool { round != nil || !waiting.askers.isEmpty }

    /// For who comes when too many wait.
    static let tooMany = Reply.Answer.refused(
        .tooLarge, "waiting queries: at most \(mostOfOne) of a user, \(mostWaiting) of all.",
        field: "query")
    private static let interrupted = Reply.Answer.refused(
        .interrupted, "The daemon is stopping: the query was not answered.")

    mutating func ask(_ asker: Asker) -> WaitingQuestions.Place {
        if let old = round?.asker, asker.repeats(old) {
            round?.asker.route = asker.route
            return .instead(of: old.route)
        }
        return waiting.ask(asker)
    }

    /// The tables are other ones from now on: the query that is under way begins again.
    mutating func startAnew() {
        if let asker = round?.asker { waiting.askers.insert(asker, at: 0) }
        round = nil
    }

    /// Does a slice, if there is something to do. An answer is handed to `tell`, with the scan that it comes of.
    mutating func work(
        server: Server, clock: any Clock, isThere: (Route) -> Bool, forget: (Route) -> Void,
        tell: (Asker, Reply.Answer, QueryScan?) throws -> Void
    ) throws {
        guard isBusy else { return }
        let end = clock.monotonicNs + Self.sliceNs
        while clock.monotonicNs < end, let asker = round?.asker ?? waiting.takeNext() {
            guard isThere(asker.route) else {
                round = nil
                forget(asker.route)
                continue
            }
            guard let answer = answer(to: asker, server, clock, until: end) else { return }
            let scan = round?.scan
            round = nil
            try tell(asker, answer, scan)
        }
    }

    /// Goes on with an answer; nil: the slice is over before.
    private mutating func answer(
        to asker: Asker, _ server: Server, _ clock: any Clock, until end: UInt64
    ) -> Reply.Answer? {
        do throws(Rejection) {
            try begin(asker, server, clock)
            while let goesOn = try round?.scan.work(), goesOn {
                if clock.monotonicNs >= end { return nil }
            }
            return round.map { .found($0.scan.found) }
        } catch { return .refused(error.below("query")) }
    }

    /// Begins to answer, unless it is under way. Another table may have taken the name since.
    private mutating func begin(
        _ asker: Asker, _ server: Server, _ clock: any Clock
    ) throws(Rejection) {
        let (request, name) = (asker.request, asker.request.table ?? "")
        guard let table = server.tables[name]?.table, case .query(let query) = request.verb else {
            round = nil
            throw .noTable(name)
        }
        if round?.scan.history == table.history { return }
        let scan = try QueryScan(
            query, of: table, nowMs: request.atMs ?? clock.wallMs, zoneSeconds: request.zoneSeconds)
        round = (asker, scan)
    }

    /// The daemon ends: nobody is left without an answer.
    mutating func interrupt(tell: (Asker, Reply.Answer) throws -> Void) throws {
        startAnew()
        for asker in waiting.askers { try tell(asker, Self.interrupted) }
        waiting.askers = []
    }
}
