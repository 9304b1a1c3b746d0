import TableClient
import TableModel
import TableSync

/// A program at one end of the network.
protocol End: AnyObject {
    /// Time passed. While it is stormy new things are begun.
    func tick(nowMs: UInt64, isStormy: Bool) -> ToSend
    func received(_ news: News, nowMs: UInt64) -> ToSend
    func answered(_ reply: Reply, tag: UInt64, nowMs: UInt64) -> ToSend
    /// The process ended, and another is started in its place.
    func restart(nowMs: UInt64) -> ToSend
}

/// A viewer: a `Replica`, and what the laws want to know about it.
final class SimulatedViewer: End {
    private(set) var replica: Replica
    private(set) var people = People()
    let name: String
    let table: TableID
    /// The requests for replays, by tag.
    private var asked: [UInt64: Request.Verb] = [:]
    /// Questions of its own, beside the replica's: from where it stood.
    private var questions: [UInt64: Point] = [:]
    private var nextQuestion: UInt64 = 1 << 40
    /// The point of the newest revision that was installed or applied.
    private var at: Point?
    /// The newest that it was told of.
    private var told: Point?
    private var heardMs: UInt64 = 0
    private var attendsAtMs: UInt64 = 0
    private let laws: Laws
    private let dice: Dice
    private let bug: PlantedBug?
    /// How far it believes to be beyond its table (a planted bug).
    private var pretended: UInt64 = 0

    init(_ name: String, table: TableID, laws: Laws, dice: Dice, bug: PlantedBug?) {
        self.name = name
        self.table = table
        self.laws = laws
        self.dice = dice
        self.bug = bug
        replica = Replica(table) { dice.fraction() }
    }

    func start(nowMs: UInt64) -> ToSend { took(replica.start(nowMs: nowMs), nowMs) }

    /// Whether the table is remembered is up to the viewer: what it held is compared all the same.
    func restart(nowMs: UInt64) -> ToSend {
        let old = replica.table
        replica = Replica(table) { [dice] in dice.fraction() }
        people = People()
        (asked, questions, at, told, pretended) = ([:], [:], nil, nil, 0)
        var toSend = start(nowMs: nowMs)
        if let old {
            let verb = Request.Verb.offer(
                history: old.history, revision: old.revision, digest: old.digest)
            toSend.add(ask(verb, from: Point(history: old.history, revision: old.revision)))
        }
        laws.note("\(name) starts anew")
        return toSend
    }

    // MARK: Inputs

    func received(_ news: News, nowMs: UInt64) -> ToSend {
        switch news {
        case .presence(let presence):
            if presence.table == table { people.update(presence) }
            return ToSend()
        case .publication(let publication): return received(publication, nowMs)
        }
    }

    private func received(_ original: Publication, _ nowMs: UInt64) -> ToSend {
        guard original.table == table else { return ToSend() }
        heardMs = nowMs
        note(original)
        let publication = misled(original)
        let steps = replica.received(publication, nowMs: nowMs)
        if publication.heartbeat != nil {
            let hasMoved = steps.contains {
                switch $0 {
                case .applied, .installed: true
                default: false
                }
            }
            laws.demand(!hasMoved, .heartbeatMovesNothing, "\(name) was moved by a heartbeat")
        }
        return took(steps, nowMs)
    }

    private func note(_ publication: Publication) {
        guard let history = publication.history else { return }
        let head = publication.welcome ?? publication.heartbeat
        guard let revision = head?.revision ?? publication.diffs.last?.revision else { return }
        let known = told.map { $0.history == history ? $0.revision : 0 } ?? 0
        told = Point(history: history, revision: max(known, revision))
    }

    func answered(_ reply: Reply, tag: UInt64, nowMs: UInt64) -> ToSend {
        if let point = questions.removeValue(forKey: tag) {
            learnt(reply, from: point)
            return ToSend()
        }
        if case .replay(let publication, _) = reply.answer, let first = publication.diffs.first,
            case .replay(_, let since) = asked[tag]
        {
            laws.demand(
                first.base == since, .replayLeadsOn,
                "\(name): a replay since \(since) begins at \(first.base)")
        }
        return took(replica.answered(reply, tag: tag, nowMs: nowMs), nowMs)
    }

    func tick(nowMs: UInt64, isStormy: Bool) -> ToSend {
        let steps = bug == .neverAsksAgain ? [] : replica.tick(nowMs: nowMs)
        var toSend = took(steps, nowMs)
        if nowMs >= attendsAtMs {
            attendsAtMs = nowMs + 2_000
            let verb = Request.Verb.attend(
                revision: replica.table?.revision ?? 0, isLeaving: false)
            toSend.requests.append(Sent(request: Request(client: ID(name), table: table, verb)))
        }
        if isStormy, dice.chance(10), let live = replica.table, live.revision > 0 {
            let point = Point(history: live.history, revision: live.revision)
            let to = point.revision - min(point.revision, UInt64(1 + dice.below(8)))
            toSend.add(
                ask(.rewind(history: live.history, since: live.revision, to: to), from: point))
            toSend.add(ask(.query(Self.query), from: point))
        }
        return toSend
    }

    // MARK: Questions of its own

    private func ask(_ verb: Request.Verb, from point: Point) -> ToSend {
        nextQuestion += 1
        questions[nextQuestion] = point
        return ToSend(requests: [Sent(request: Request(table: table, verb), tag: nextQuestion)])
    }

    private static let query: Query = {
        var query = Query()
        (query.condition, query.sort) = ("index > 0", "-version,id")
        (query.by, query.sum, query.most) = ("state", "version", 5)
        return query
    }()

    private func compare(_ found: Found, in reply: Reply) {
        guard let live = replica.table, live.history == reply.history,
            live.revision == reply.revision,
            var scan = try? QueryScan(Self.query, of: live, nowMs: 0)
        else { return }
        while (try? scan.work()) == true {}
        let own = scan.found
        laws.demand(
            own.count == found.count && own.sum == found.sum && own.rows == found.rows,
            .queryIsOfOneRevision, "\(name): a query of \(live.revision) finds other rows")
    }

    private func learnt(_ reply: Reply, from point: Point) {
        switch reply.answer {
        case .standing(let standing): laws.told(standing, of: point, in: reply)
        case .found(let found): compare(found, in: reply)
        case .rewind(let steps):
            guard let live = replica.table, live.history == point.history,
                live.revision == point.revision
            else { return }
            let past = live.copy()
            for step in steps {
                do throws(Mismatch) {
                    try past.rewind(step.ops, to: step.digest)
                } catch { laws.demand(false, .rewindLeadsBack, "\(name): \(error)") }
                let then = laws.digests[Point(history: point.history, revision: step.revision)]
                laws.demand(
                    past.digest == then, .rewindLeadsBack,
                    "\(name): the inverse to \(step.revision) leads elsewhere")
            }
        default: break
        }
    }

    // MARK: Laws

    /// Holds what the replica did against the laws; returns what is to be sent.
    private func took(_ steps: [Replica.Step], _ nowMs: UInt64) -> ToSend {
        var toSend = ToSend()
        var isInstalled = false
        for step in steps {
            switch step {
            case .ask(let verb, let tag):
                asked[tag] = verb
                toSend.requests.append(Sent(request: Request(table: table, verb), tag: tag))
                continue
            case .subscribe: toSend.subscribes = true
            case .installed: (isInstalled, at, pretended) = (true, nil, 0)
            case .applied(let diff): applied(diff)
            case .mismatch(let what): laws.demand(false, .digestsAgree, "\(name): \(what)")
            case .absent: at = nil
            case .compared(let relation):
                laws.demand(
                    relation != .rolledBack, .standingIsRight, "\(name): what it saw is lost")
            }
            laws.note("\(name) \(Self.word(for: step))")
        }
        look(isInstalled: isInstalled, nowMs)
        return toSend
    }

    private func look(isInstalled: Bool, _ nowMs: UInt64) {
        guard let live = replica.table else { return }
        let here = Point(history: live.history, revision: live.revision)
        if isInstalled, at == nil { at = here }
        laws.demand(
            at == here, .cursorMovesByDiffs, "\(name) is at \(here.revision), and was not led there"
        )
        let point = Point(history: live.history, revision: live.revision + pretended)
        laws.demand(
            laws.digests[point] == live.digest, .digestsAgree,
            "\(name): its digest at \(point.revision) is not the daemon's")
        guard freshness(nowMs) == .live else { return }
        let known = told?.history == here.history ? told?.revision ?? 0 : 0
        laws.demand(
            here.revision + pretended >= known, .liveIsJustified,
            "\(name) is live at \(here.revision), and was told of \(known)")
        laws.demand(
            nowMs - heardMs <= 3_000, .liveIsJustified, "\(name) is live, and has heard nothing")
    }

    private func applied(_ diff: Diff) {
        guard let live = replica.table else { return }
        let revision = at.map(\.revision) ?? diff.base
        laws.demand(
            revision == diff.base, .cursorMovesByDiffs,
            "\(name) went from \(revision) by a diff of \(diff.base)")
        at = Point(history: live.history, revision: diff.revision)
    }

    private static func word(for step: Replica.Step) -> String {
        if case .applied(let diff) = step { return "applied \(diff.revision)" }
        return "\(step)"
    }

    func freshness(_ nowMs: UInt64) -> Replica.Freshness {
        if bug == .alwaysLive, replica.table != nil { return .live }
        return replica.freshness(nowMs: nowMs)
    }

    /// The publication as a faulty viewer misreads it.
    private func misled(_ original: Publication) -> Publication {
        guard let live = replica.table, live.history == original.history else { return original }
        var publication = original
        let next = live.revision
        for index in publication.diffs.indices {
            let base = publication.diffs[index].base
            let isMisled =
                bug == .gapsUnnoticed && base > next || bug == .oldDiffReapplied && base < next
            if isMisled { publication.diffs[index].base = next + UInt64(index) }
        }
        guard bug == .heartbeatAdvances else { return publication }
        if let head = publication.heartbeat, head.revision > next + pretended {
            pretended = head.revision - next
        }
        if pretended > 0 {
            publication.heartbeat?.revision = next
            publication.heartbeat?.digest = live.digest
            for index in publication.diffs.indices { publication.diffs[index].base &-= pretended }
        }
        return publication
    }

    // MARK: At rest

    func isInStep(with tables: [TableID: Server.LiveTable], nowMs: UInt64) -> Bool {
        let freshness = freshness(nowMs)
        guard let live = tables[table]?.table else {
            return freshness == .absent && replica.table == nil
        }
        return freshness == .live && replica.table?.history == live.history
            && replica.table?.revision == live.revision && replica.table?.digest == live.digest
            && people.leases.isEmpty
    }
}
