import Logging
import TableJournal
import TableModel
import TableSync

/// The side of the daemon that is followed: it hands on the entries of its log when they are durable, and its newest
/// checkpoint to a standby that has to begin anew. Nothing waits for a standby.
final class StandbyFeed {
    /// The log that is read; nil: this daemon does not write now.
    private let source: () -> LogJournal?
    /// The term in which this daemon writes.
    private let reign: () -> Server.Term
    /// A standby knows of a newer term.
    private let fence: Fence
    /// From where a request came.
    var origin: (Route) -> String = { _ in "" }
    private let log: DaemonLog
    private var standbys: [String: Standby] = [:]
    private var waiting: [Waiting] = []
    private var fault = ""

    /// One that has asked.
    struct Standby {
        var asked: Replicate
        /// The newest entry that it has on its disk.
        var position: UInt64 = 0
        fileprivate var cursor: LogCursor?
        /// The checkpoint that it copies.
        fileprivate var copy: (place: LogPlace, number: UInt64, size: Int)?
        fileprivate var heardMs: UInt64
        /// When it had all entries.
        fileprivate var caughtUpMs: UInt64
    }

    private struct Waiting {
        var route: Route
        var request: Request
        var asked: Replicate
        var untilMs: UInt64
    }

    /// Requests that wait for an entry; more are answered at once.
    static let mostWaiting = 8
    private static let mostStandbys = 32
    private static let waitMs: UInt64 = 500
    /// Bytes of one answer, unless one entry is larger.
    private static let mostBytes = 512 << 10
    /// One that was not heard of for so long is none any more, and nothing is kept for it.
    private static let keptMs: UInt64 = 60_000
    /// Segments that are kept for standbys: one that is farther behind begins anew.
    private static let mostKeptBytes = 256 << 20
    /// One that was heard of so lately takes part.
    private static let memberMs: UInt64 = 2_000

    /// Stops this daemon from writing, for a sender and from where it sends; a refusal if that was not asked by a copy of
    /// this daemon's log.
    typealias Fence = (Replicate, Principal, _ origin: String) throws -> Rejection?

    static let refusedFence = Rejection(
        .conflict,
        "A daemon stops writing only for one that has copied its log and says where it is.",
        field: "term")

    static let refusal = Rejection(
        .notStandby, "The journal of this daemon is on etcd: a standby follows a log.")

    init(
        _ log: DaemonLog, reign: @escaping () -> Server.Term,
        fence: @escaping Fence, source: @escaping () -> LogJournal?
    ) { (self.log, self.reign, self.fence, self.source) = (log, reign, fence, source) }

    // MARK: Answers

    /// The answer now; nil: there is nothing new, and it comes later.
    func answer(_ asked: Replicate, _ request: Request, _ route: Route) -> Reply.Answer? {
        do {
            let nowMs = Clock.elapsedMs
            if asked.term > reign().number {
                if let refused = try fence(asked, request.sender, origin(route)) {
                    return .refused(refused)
                }
                return .refused(.notLeader(asked.endpoints))
            }
            guard let journal = source() else { return .refused(.notLeader([])) }
            guard note(asked, nowMs) else {
                return .refused(.tooLarge, "standbys: more than \(Self.mostStandbys).")
            }
            let answer = try replicated(asked, journal, nowMs)
            if answer.copy != nil || !answer.entries.isEmpty || waiting.count >= Self.mostWaiting {
                return .replicated(answer)
            }
            waiting.append(
                Waiting(route: route, request: request, asked: asked, untilMs: nowMs + Self.waitMs))
            return nil
        } catch {
            return .refused(refusal(of: error))
        }
    }

    /// Answers those for whom there is something now, or who have waited long enough.
    func serve(_ server: Server, _ outbox: DaemonOutbox) throws {
        guard !waiting.isEmpty else { return }
        let nowMs = Clock.elapsedMs
        let newest = source()?.durable ?? .max
        let due = waiting.filter { nowMs >= $0.untilMs || newest > $0.asked.place?.position ?? 0 }
        guard !due.isEmpty else { return }
        waiting.removeAll { one in due.contains { $0.route == one.route } }
        for one in due {
            let answer: Reply.Answer
            do {
                if let refused = server.refusedByNow(one.request) {
                    answer = refused
                } else if let journal = source() {
                    answer = .replicated(try replicated(one.asked, journal, nowMs))
                } else {
                    answer = .refused(.notLeader([]))
                }
            } catch { answer = .refused(refusal(of: error)) }
            try outbox.reply(
                Ready.Answer(
                    route: one.route, body: .reply(server.makeReply(one.request, answer))), in: [])
        }
    }

    /// This daemon ends: its standbys ask again.
    func end(_ outbox: DaemonOutbox) {
        for one in waiting { outbox.forget(one.route) }
        waiting = []
    }

    /// Whether a request waits here.
    var isAwaited: Bool { !waiting.isEmpty }

    /// Milliseconds until someone has waited long enough; nil: nobody waits.
    func untilNext(_ nowMs: UInt64) -> UInt64? {
        waiting.map(\.untilMs).min().map { $0 > nowMs ? $0 - nowMs : 0 }
    }

    private func refusal(of error: any Error) -> Rejection {
        let fresh = "\(error)"
        if fresh != fault { log.lines.error("a standby cannot be answered: \(fresh)") }
        fault = fresh
        return Rejection(.unknown, "The journal cannot be read for a standby.")
    }

    /// False: there are too many. A standby has a new id after each start. So one that does not take part any more makes
    /// room: else a daemon that starts again and again would keep all others out, and at last itself.
    private func note(_ asked: Replicate, _ nowMs: UInt64) -> Bool {
        if standbys[asked.id] == nil, standbys.count >= Self.mostStandbys {
            guard let silent = standbys.min(by: { $0.value.heardMs < $1.value.heardMs }),
                nowMs >= silent.value.heardMs + Self.memberMs
            else { return false }
            standbys[silent.key] = nil
        }
        var one = standbys[asked.id] ?? Standby(asked: asked, heardMs: nowMs, caughtUpMs: nowMs)
        (one.asked, one.heardMs) = (asked, nowMs)
        standbys[asked.id] = one
        return true
    }

    private func replicated(
        _ asked: Replicate, _ journal: LogJournal, _ nowMs: UInt64
    ) throws -> Replicated {
        var answer = Replicated()
        (answer.term, answer.position) = (reign(), journal.durable)
        if let piece = asked.piece, piece.checkpoint > 0,
            let copy = try copy(piece, asked.id, journal)
        {
            answer.copy = copy
            return answer
        }
        guard asked.piece == nil, let place = asked.place.map(LogPlace.init) else {
            answer.copy = try beginning(asked.id, journal)
            return answer
        }
        var cursor = standbys[asked.id]?.cursor
        if cursor?.position != place.position || cursor?.chain != place.chain
            || place.log != journal.logNumber
        {
            cursor = try journal.cursor(behind: place)
        }
        guard var cursor, let entries = try journal.entries(from: &cursor, atMost: Self.mostBytes)
        else {
            answer.copy = try beginning(asked.id, journal)
            return answer
        }
        standbys[asked.id]?.cursor = cursor
        standbys[asked.id]?.copy = nil
        standbys[asked.id]?.position = place.position
        if place.position == journal.durable { standbys[asked.id]?.caughtUpMs = nowMs }
        (answer.entries, answer.chain) = (entries, cursor.chain)
        return answer
    }

    /// The first piece of the newest checkpoint, which is kept from now on.
    private func beginning(_ id: String, _ journal: LogJournal) throws -> Replicated.Copy {
        guard let copied = journal.copied else {
            return Replicated.Copy(
                place: JournalPlace(log: journal.logNumber, position: 0, chain: 0),
                piece: .init(checkpoint: 0, offset: 0), size: 0, content: [])
        }
        standbys[id]?.copy = copied
        standbys[id]?.position = copied.place.position
        standbys[id]?.cursor = nil
        keep(Clock.elapsedMs)
        let first = Replicate.Piece(checkpoint: copied.number, offset: 0)
        let content = try journal.bytes(
            ofCheckpoint: copied.number, from: 0, atMost: Self.mostBytes)
        return Replicated.Copy(
            place: JournalPlace(copied.place), piece: first, size: UInt64(copied.size),
            content: content ?? [])
    }

    /// A later piece; nil: that checkpoint is gone.
    private func copy(
        _ piece: Replicate.Piece, _ id: String, _ journal: LogJournal
    ) throws -> Replicated.Copy? {
        guard let copied = standbys[id]?.copy, copied.number == piece.checkpoint,
            let offset = Int(exactly: piece.offset), offset < copied.size,
            let content = try journal.bytes(
                ofCheckpoint: copied.number, from: offset, atMost: Self.mostBytes)
        else { return nil }
        return Replicated.Copy(
            place: JournalPlace(copied.place), piece: piece, size: UInt64(copied.size),
            content: content)
    }

    // MARK: What is kept, and told

    /// Forgets standbys that are gone, and keeps what the others need. Called now and then.
    func keep(_ nowMs: UInt64) {
        guard let journal = source() else { return }
        standbys = standbys.filter { nowMs < $0.value.heardMs + Self.keptMs }
        let kept = standbys.values.filter {
            (try? journal.bytes(behind: $0.position)).map { $0 <= Self.mostKeptBytes } ?? false
        }
        journal.kept.after = kept.map(\.position).min()
        journal.kept.checkpoint = kept.compactMap(\.copy?.number).max()
    }

    /// The standbys that have asked of late: what they have, and how far they are behind.
    var members: [(asked: Replicate, position: UInt64, lagMs: UInt64)] {
        let (nowMs, newest) = (Clock.elapsedMs, source()?.durable ?? 0)
        return standbys.values.filter { nowMs < $0.heardMs + Self.memberMs }.map {
            ($0.asked, $0.position, $0.position >= newest ? 0 : nowMs - min(nowMs, $0.caughtUpMs))
        }.sorted { $0.asked.id < $1.asked.id }
    }
}
