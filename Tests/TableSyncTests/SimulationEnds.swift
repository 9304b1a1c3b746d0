import TableModel
import TableSync

/// A viewer: a `Replica`, and what the laws want to know about it.
final class SimulatedViewer {
    let replica: Replica
    let name: String
    /// What a replay or snapshot was asked for, by tag.
    private var asked: [UInt64: Request.Verb] = [:]
    /// Of the newest revision that was installed or applied.
    private var at: Point?
    private let laws: Laws
    private let bug: PlantedBug?
    /// How far the viewer believes to be beyond its table (a planted bug).
    private var pretended: UInt64 = 0
    private(set) var installs = 0

    init(_ name: String, table: TableID, laws: Laws, dice: Dice, bug: PlantedBug?) {
        self.name = name
        self.laws = laws
        self.bug = bug
        replica = Replica(table) { dice.fraction() }
    }

    /// Takes in a publication; returns what is to be sent.
    func received(_ publication: Publication, nowMs: UInt64) -> [Replica.Step] {
        let publication = misled(publication)
        let steps = replica.received(publication, nowMs: nowMs)
        if publication.heartbeat != nil {
            let hasMoved = steps.contains {
                switch $0 {
                case .applied, .installed: true
                default: false
                }
            }
            laws.demand(!hasMoved, "\(name): a heartbeat moved it")
        }
        took(steps)
        return steps
    }

    func answered(_ reply: Reply, tag: UInt64, nowMs: UInt64) -> [Replica.Step] {
        if case .replay(let publication, _) = reply.answer, let first = publication.diffs.first,
            case .replay(_, let since) = asked[tag]
        {
            laws.demand(first.base == since, "\(name): a replay since \(since) begins elsewhere")
        }
        let steps = replica.answered(reply, tag: tag, nowMs: nowMs)
        took(steps)
        return steps
    }

    func ticked(nowMs: UInt64) -> [Replica.Step] {
        let steps = replica.tick(nowMs: nowMs)
        took(steps)
        return steps
    }

    func started(nowMs: UInt64) -> [Replica.Step] { replica.start(nowMs: nowMs) }

    /// Holds what the replica did against the laws.
    private func took(_ steps: [Replica.Step]) {
        var isInstalled = false
        for step in steps {
            switch step {
            case .ask(let verb, let tag): asked[tag] = verb
            case .installed:
                isInstalled = true
                at = nil
                pretended = 0
                installs += 1
            case .applied(let diff): applied(diff)
            case .mismatch(let what): laws.demand(false, "\(name): \(what)")
            case .absent: at = nil
            case .subscribe, .compared: break
            }
            if case .ask = step { continue }
            laws.note("\(name): \(Self.word(for: step))")
        }
        guard let table = replica.table else { return }
        if isInstalled, at == nil {
            at = Point(history: table.history, revision: table.revision)
        }
        laws.demand(
            at == Point(history: table.history, revision: table.revision),
            "\(name): it is at \(table.revision) without having been led there")
        let point = Point(history: table.history, revision: table.revision + pretended)
        laws.demand(
            laws.digest(at: point) == table.digest,
            "\(name): its digest at \(point.revision) is not the daemon's")
    }

    private func applied(_ diff: Diff) {
        guard let table = replica.table else { return }
        let revision = at.map(\.revision) ?? diff.base
        laws.demand(
            revision == diff.base, "\(name): applied \(diff.base) to \(diff.revision) out of order")
        at = Point(history: table.history, revision: diff.revision)
    }

    private static func word(for step: Replica.Step) -> String {
        if case .applied(let diff) = step { return "applied \(diff.revision)" }
        return "\(step)"
    }

    /// What a faulty viewer makes of a publication.
    private func misled(_ publication: Publication) -> Publication {
        guard let table = replica.table, table.history == publication.history else {
            return publication
        }
        var publication = publication
        if bug == .gapsUnnoticed {
            var next = table.revision
            for index in publication.diffs.indices where publication.diffs[index].base > next {
                publication.diffs[index].base = next
                next += 1
            }
        }
        guard bug == .heartbeatAdvances else { return publication }
        if let head = publication.heartbeat, head.revision > table.revision + pretended {
            pretended = head.revision - table.revision
        }
        if pretended > 0 {
            publication.heartbeat?.revision = table.revision
            publication.heartbeat?.digest = table.digest
            for index in publication.diffs.indices { publication.diffs[index].base &-= pretended }
        }
        return publication
    }

    func isInStep(with server: Server, nowMs: UInt64) -> Bool {
        let freshness = replica.freshness(nowMs: nowMs)
        guard let table = server.tables[replica.name]?.table else {
            return freshness == .absent && replica.table == nil
        }
        return freshness == .live && replica.table?.history == table.history
            && replica.table?.revision == table.revision && replica.table?.digest == table.digest
    }
}

/// A writer: a `Writer` with wishes.
final class SimulatedWriter {
    let writer: Writer
    private let laws: Laws
    private let dice: Dice
    private var isOpen = false
    private var helloDueMs: UInt64 = 0
    private let table: TableID
    private(set) var sent = 0

    init(_ client: ID, table: TableID, laws: Laws, dice: Dice) {
        writer = Writer(client: client, retryMs: 400)
        self.table = table
        self.laws = laws
        self.dice = dice
    }

    /// What to send now: perhaps something new, and what got no answer.
    func requests(nowMs: UInt64, mayBegin: Bool, limits: Limits) -> [Request] {
        guard isOpen else {
            if nowMs < helloDueMs { return [] }
            helloDueMs = nowMs + 400
            return [Request(.hello)]
        }
        var requests = writer.due(nowMs: nowMs)
        if mayBegin, writer.hasRoom(limits: limits), dice.chance(250) {
            let verb = Wishes(dice: dice).verb(isFirst: sent == 0)
            requests.append(writer.request(verb, table: table, nowMs: nowMs))
            sent += 1
        }
        for request in requests { laws.issues(request) }
        return requests
    }

    func answered(_ reply: Reply) {
        if case .hello(let hello) = reply.answer {
            writer.opened(at: hello.opened)
            isOpen = true
            return
        }
        let isAwaited = writer.answered(reply)
        laws.heard(reply, isAwaited: isAwaited)
    }
}
