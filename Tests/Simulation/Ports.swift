import TableHash
import TableModel
import TableSync
import TableTurn
import TableWire

// The turn's ports in the simulation. The journal is in `Journal.swift`.

/// The time: monotonic for the daemon and its clients, and the date, which people set.
final class SimulatedClock: Clock {
    var nowMs: UInt64 = 1_000
    var setByMs: Int64 = 0

    var wallMs: UInt64 { UInt64(clamping: 1_763_715_600_000 + Int64(nowMs) + setByMs) }
    var monotonicMs: UInt64 { nowMs }
    var elapsedMs: UInt64 { nowMs }
    /// Stands still in a turn: how long it takes is nobody's business here.
    var monotonicNs: UInt64 { nowMs * 1_000_000 }
    var processorNs: UInt64 { monotonicNs }
}

/// The network as a daemon sees it.
struct Street {
    /// The requests that have arrived and are taken in now.
    var arrivals: () -> [(route: Route, request: Request)]
    /// Tables whose subscribers are new.
    var newcomers: () -> [TableID]
    var publish: (News) -> Void
    var reply: (Route, Reply) -> Void
    var forget: (Route) -> Void
}

final class SimulatedInbox: Inbox {
    /// The process ends when it takes in the first request.
    var isKilled = false
    private let daemon: SimulatedDaemon
    private let turn: Turn
    private let street: Street
    private var arrived: ArraySlice<(route: Route, request: Request)> = []

    init(_ daemon: SimulatedDaemon, _ turn: Turn, _ street: Street) {
        self.daemon = daemon
        self.turn = turn
        self.street = street
    }

    func begin(monotonicNs: UInt64, processorNs: UInt64) {
        arrived = street.arrivals()[...]
        let server = turn.server
        if daemon.bug == .expiryBeforeIntake { server.watchEphemeral() }
        if daemon.bug == .leaseNotReleased { renewLeases(by: server) }
        if daemon.bug == .editModeKept { renewEditMode(by: server) }
    }

    /// As if each holder had just spoken.
    private func renewLeases(by server: Server) {
        for table in server.tables.keys {
            for lease in server.presence(of: table)?.leases ?? [] {
                var request = Request(
                    table: table, name: lease.holder, .drag(.renew(lease: lease.id)))
                request.sender = Laws.owner
                server.receive(request, requestHash: 0, from: Self.nobody)
            }
        }
    }

    /// As if each holder of edit mode had just turned it on again.
    private func renewEditMode(by server: Server) {
        for (table, live) in server.tables where live.table.isEditing {
            var request = Request(
                table: table, name: live.owners.editor?.actor, .command(Command(.edit(true))))
            request.sender = Laws.owner
            server.receive(request, requestHash: 0, from: Self.nobody)
        }
    }

    private static let nobody: Route = -1

    func receive(into server: Server) throws -> Received? {
        if isKilled { throw Killed() }
        guard let (route, request) = arrived.popFirst() else { return nil }
        if case .drag(let drag) = request.verb {
            daemon.laws.holderIsHeard(drag, by: request.actor, nowMs: turn.liveness.nowMs)
        }
        let (read, hash) = (misread(request, by: server), Self.hash(request))
        // A request waits behind those that its sender sent before.
        let mustWait = daemon.postponed.contains {
            $0.request.client == request.client && $0.request.sender == request.sender
        }
        if mustWait || !server.isPrepared(read, requestHash: hash) {
            daemon.postponed.append((route, read, hash))
            return .postponed
        }
        daemon.laws.editorIsHeard(request, nowMs: turn.liveness.nowMs)
        server.receive(read, requestHash: hash, from: route)
        return .decided(bytes: 100, isSlow: false)
    }

    func receivePostponed(into server: Server) -> Int? {
        guard let (route, request, hash) = daemon.postponed.first else { return nil }
        guard server.isPrepared(request, requestHash: hash) else { return nil }
        daemon.postponed.removeFirst()
        daemon.laws.editorIsHeard(request, nowMs: turn.liveness.nowMs)
        server.receive(request, requestHash: hash, from: route)
        return 100
    }

    var hasPostponed: Bool { !daemon.postponed.isEmpty }
    func isThere(_ route: Route) -> Bool { true }

    func newcomers() -> [Newcomer] {
        street.newcomers().flatMap { table in
            [false, true].map { Newcomer(table: table, form: .binary, isPresence: $0) }
        }
    }

    /// A writer sends the same bytes under the same number: the laws hold it to that. An intruder
    /// sends others.
    private static func hash(_ request: Request) -> UInt64 {
        let forged = request.sender == Laws.intruder ? "!" : ""
        return XXH64.hash(
            Array("\(request.client?.text ?? "")#\(request.number ?? 0)\(forged)".utf8))
    }

    /// The request as a faulty daemon misreads it.
    private func misread(_ request: Request, by server: Server) -> Request {
        var request = request
        if daemon.bug == .forgottenRunsAgain { request.opened = server.position }
        if daemon.bug == .answersByClientAlone { request.sender = .local }
        if daemon.bug == .undoOffByOne, case .command(var command) = request.verb,
            case .undo(let revision, let mine) = command.verb,
            let head = request.table.flatMap({ server.tables[$0]?.table.revision })
        {
            command.verb = .undo(revision: (revision ?? head).subtracting(1), mine: mine)
            request.verb = .command(command)
        }
        if case .command(var command) = request.verb {
            misread(&command)
            request.verb = .command(command)
        }
        if daemon.bug == .pauseCutShort, case .command(let command) = request.verb,
            [.take, .act].contains(command.verb.name),
            let table = request.table.flatMap({ server.tables[$0]?.table })
        {
            let resting = table.invocations.all.filter(\.isResting).prefix(1)
            let retries = resting.map { Command(.retry($0.row, action: $0.action, item: $0.item)) }
            request.verb = .batch(retries + [command], ifRevision: nil)
        }
        if case .command(let command) = request.verb,
            let table = request.table.flatMap({ server.tables[$0]?.table }),
            let verb = misread(command, on: table)
        {
            request.verb = verb
        }
        return request
    }

    /// A faulty daemon takes a command on work that is to be left for this one; nil: for what it is.
    private func misread(_ command: Command, on table: Table) -> Request.Verb? {
        if daemon.bug == .sleeperGivenOut, case .next(let next) = command.verb,
            next.action == nil, let sleeper = table.asleepRows.min()
        {
            return .command(
                Command(.claim([sleeper], note: next.note, ttlSeconds: next.ttlSeconds)))
        }
        if daemon.bug == .pauseUnheeded, case .act = command.verb, !table.settings.pauses.isEmpty {
            return .batch([Command(.pause(.init(), note: nil)), command], ifRevision: nil)
        }
        return nil
    }

    /// The kinds that a faulty daemon reads.
    private func misread(_ command: inout Command) {
        guard case .define(var definitions) = command.verb else { return }
        for kind in definitions.kinds.indices {
            guard var actions = definitions.kinds[kind].trailing?.actions else { continue }
            for action in actions.indices {
                actions[action].effects = actions[action].effects.map(misread)
            }
            definitions.kinds[kind].trailing?.actions = actions
        }
        command.verb = .define(definitions)
    }

    private func misread(_ effect: Effect) -> Effect {
        guard case .invoke(let deadline, var then, var retries) = effect else { return effect }
        if daemon.bug == .oneAttemptMore { retries.attempts = retries.attempts.map { $0 + 1 } }
        if daemon.bug == .elseFollowsSuccess { then += retries.otherwise }
        return .invoke(deadlineSeconds: deadline, then: then, retries: retries)
    }
}

final class SimulatedOutbox: Outbox {
    /// The process ends after so many; nil: it does not.
    var publicationsLeft: Int?
    var repliesLeft: Int?
    private let daemon: SimulatedDaemon
    private let street: Street
    private var laws: Laws { daemon.laws }
    private var bug: PlantedBug? { daemon.bug }

    init(_ daemon: SimulatedDaemon, _ street: Street) {
        self.daemon = daemon
        self.street = street
    }

    func sendingNs() -> UInt64 { 0 }

    private static func count(_ left: inout Int?) throws {
        if left == 0 { throw Killed() }
        left = left.map { $0 - 1 }
    }

    /// Says what an entry leads to, which is not durable yet.
    func sayTooEarly(_ entry: [UInt8]) {
        guard let epoch = laws.epoch,
            let records = try? entry.withUnsafeBytes({ try Decode.entry($0).records })
        else { return }
        let isNews = bug == .publishBeforeCommit || bug == .publishBeforeDurable
        for record in records {
            switch record {
            case .changed(let name, let diff, _) where isNews:
                let history = daemon.tables[name]?.table.history
                laws.published(
                    Publication(table: name, history: history, epoch: epoch),
                    encoded: EncodedDiffs([diff[...]]))
            case .answered(_, _, _, let answered) where !isNews:
                if let reply = laws.codec.decodeReply(answered.reply[...]) { laws.replied(reply) }
            default: break
            }
        }
    }

    func publish(_ publication: Publication, encoded: EncodedDiffs) throws {
        try Self.count(&publicationsLeft)
        laws.published(publication, encoded: encoded)
        var publication = publication
        // As those who read the bytes have it.
        publication.diffs = encoded.compactMap { laws.codec.decodeDiff($0) }
        street.publish(.publication(publication))
    }

    func publish(_ presence: Presence) throws {
        laws.published(presence)
        street.publish(.presence(presence))
    }

    func welcome(_ publication: Publication, form: Form) throws {
        try publish(publication, encoded: EncodedDiffs())
    }

    func note(_ audited: [AuditEntry]) {}

    /// Nobody's groups change.
    func sign(_ request: inout Request, _ route: Route) {}

    func origin(of route: Route) -> String { "" }

    func reply(_ answer: Ready.Answer, in entry: [UInt8]) throws {
        try Self.count(&repliesLeft)
        // The laws are about those whose clients they are.
        if laws.forgedRoutes.contains(answer.route) { return }
        guard let reply = read(answer, in: entry) else {
            return laws.demand(false, .sameBytesEverywhere, "a reply that is kept cannot be read")
        }
        street.reply(answer.route, reply)
    }

    private func read(_ answer: Ready.Answer, in entry: [UInt8]) -> Reply? {
        switch answer.body {
        case .reply(let reply):
            laws.replied(reply)
            return spoiled(reply)
        case .recorded(let place): return remembered(entry[place])
        case .remembered(let bytes): return remembered(bytes[...])
        case .text: preconditionFailure("no request of the simulation comes as JSON")
        case .replay(let reply, let encoded):
            laws.replied(reply, encoded: encoded)
            guard case .replay(var publication, let head) = reply.answer else { return nil }
            publication.diffs = encoded.compactMap { laws.codec.decodeDiff($0) }
            if publication.diffs.count != encoded.count { return nil }
            if bug == .replayTooLate, publication.diffs.count > 1 {
                publication.diffs.removeFirst()
            }
            var whole = reply
            whole.answer = .replay(publication, head: head)
            return whole
        case .forDaemon: return nil
        }
    }

    private func remembered(_ bytes: ArraySlice<UInt8>) -> Reply? {
        guard var reply = laws.codec.decodeReply(bytes) else { return nil }
        laws.replied(reply)
        if bug == .rememberedAnswerDiffers, let turn = daemon.turn {
            reply.epoch = turn.server.epoch
        }
        return reply
    }

    private func spoiled(_ reply: Reply) -> Reply {
        guard bug == .snapshotLacksRow, case .snapshot(var chunk) = reply.answer,
            let place = chunk.slices.firstIndex(where: { !$0.rows.isEmpty })
        else { return reply }
        chunk.slices[place].rows.removeLast()
        var reply = reply
        reply.answer = .snapshot(chunk)
        return reply
    }

    func answer(to request: Request, _ route: Route) -> Reply.Answer? {
        var hello = Hello()
        hello.opened = daemon.turn?.server.position ?? 0
        return .hello(hello)
    }

    func forget(_ route: Route) { street.forget(route) }

    func hasRecovered(_ server: Server) {
        if bug == .stateKeptAfterRefusal { return }
        laws.note("the state was thrown away")
        laws.started(server)
    }
}

extension UInt64 {
    fileprivate func subtracting(_ number: UInt64) -> UInt64 { self > number ? self - number : 0 }
}
