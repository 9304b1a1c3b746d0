import TableModel
import TableSync

/// Both ends of the protocol in one seeded run: a daemon that crashes, three viewers and four
/// writers behind connections that lose, double and delay. Then the weather clears, and
/// everything must come to rest.
final class Simulation {
    /// A request on its way, and how its sender tells the answer.
    private struct Sent {
        var request: Request
        var tag: UInt64
    }

    private struct Answered {
        var reply: Reply
        var tag: UInt64
    }

    /// The connections of one client.
    private struct Wires {
        var requests = Link<Sent>()
        var replies = Link<Answered>()
        var publications = Link<Publication>()
        var subscriptions = Link<Bool>()
        var isSubscribed = false
        var wantsSubscription = false
    }

    private static let table: TableID = "t"
    private static let stormyMs: UInt64 = 12_000
    private static let restMs: UInt64 = 90_000

    let laws: Laws
    private let seed: UInt64
    private let dice: Dice
    private let bug: PlantedBug?
    private let daemon: SimulatedDaemon
    private let viewers: [SimulatedViewer]
    private let writers: [SimulatedWriter]
    /// First the viewers', then the writers'.
    private var wires: [Wires]
    private var weather: Weather
    private var nowMs: UInt64 = 1_000
    private var restartMs: UInt64 = 0
    private var heartbeatMs: UInt64 = 0

    init(seed: UInt64, bug: PlantedBug? = nil) {
        self.seed = seed
        self.bug = bug
        let dice = Dice(seed)
        let codec = RegistryCodec()
        let laws = Laws(codec: codec)
        self.dice = dice
        self.laws = laws
        weather = Weather(dice)
        daemon = SimulatedDaemon(laws: laws, codec: codec, dice: dice, bug: bug)
        viewers = (0..<3).map {
            SimulatedViewer("viewer \($0)", table: Self.table, laws: laws, dice: dice, bug: bug)
        }
        writers = (0..<4).map {
            SimulatedWriter(ID("writer \($0)"), table: Self.table, laws: laws, dice: dice)
        }
        wires = Array(repeating: Wires(), count: 7)
    }

    /// Runs to the end, or to the first law that does not hold; returns that.
    func run() -> String? {
        for (index, viewer) in viewers.enumerated() {
            carryOut(viewer.started(nowMs: nowMs), of: index)
        }
        let stormEnds = nowMs + Self.stormyMs
        while nowMs < stormEnds, laws.violation == nil {
            step(by: 1 + UInt64(dice.below(60)), mayBegin: true)
        }
        laws.note("the weather clears at \(nowMs)")
        weather = .calm
        let end = nowMs + Self.restMs
        while !isAtRest, nowMs < end, laws.violation == nil { step(by: 50, mayBegin: false) }
        for viewer in viewers {
            laws.demand(
                viewer.isInStep(with: daemon.server, nowMs: nowMs),
                "\(viewer.name) never comes to rest: \(viewer.replica.freshness(nowMs: nowMs))")
        }
        for writer in writers {
            let waiting = writer.writer.waitingCount
            laws.demand(waiting == 0, "\(writer.writer.client) waits for \(waiting) answers")
        }
        laws.everyAcknowledgedIsOnDisk()
        daemon.compareWithJournal()
        return laws.violation
    }

    /// The seed and the end of the trace, for whoever has to find the reason.
    var report: String {
        "seed \(seed), at \(nowMs) ms\n" + laws.trace.suffix(40).joined(separator: "\n")
    }

    private var isAtRest: Bool {
        daemon.isUp && writers.allSatisfy { $0.writer.waitingCount == 0 }
            && viewers.allSatisfy { $0.isInStep(with: daemon.server, nowMs: nowMs) }
    }

    // MARK: One step

    private func step(by ms: UInt64, mayBegin: Bool) {
        nowMs += ms
        for (index, writer) in writers.enumerated() {
            let limits = daemon.server.limits
            let requests = writer.requests(nowMs: nowMs, mayBegin: mayBegin, limits: limits)
            for request in requests { send(request, tag: 0, from: viewers.count + index) }
        }
        if daemon.isUp {
            turn()
        } else if nowMs >= restartMs {
            daemon.restart()
            reconnect()
        }
        for index in wires.indices { deliver(to: index) }
        for (index, viewer) in viewers.enumerated() {
            carryOut(viewer.ticked(nowMs: nowMs), of: index)
        }
    }

    private func turn() {
        var requests: [(route: Route, request: Request)] = []
        var senders: [(client: Int, tag: UInt64)] = []
        for index in wires.indices {
            for sent in wires[index].requests.receive(nowMs: nowMs) {
                requests.append((senders.count, sent.request))
                senders.append((index, sent.tag))
            }
        }
        let outputs = SimulatedDaemon.Outputs(
            publish: { self.publish($0) },
            reply: { self.reply($1, to: senders[$0].client, tag: senders[$0].tag) })
        let crashes = dice.chance(requests.isEmpty ? weather.crashes / 10 : weather.crashes)
        daemon.turn(requests, nowMs: nowMs, crashes: crashes, outputs)
        guard daemon.isUp else { return disconnect() }
        welcomeSubscribers()
        if nowMs < heartbeatMs { return }
        heartbeatMs = nowMs + 1_000
        for heartbeat in daemon.heartbeats(nowMs: nowMs) { publish(heartbeat) }
    }

    private func welcomeSubscribers() {
        for index in viewers.indices
        where !wires[index].subscriptions.receive(nowMs: nowMs).isEmpty {
            wires[index].isSubscribed = true
            publish(daemon.welcome(to: Self.table))
        }
    }

    private func disconnect() {
        restartMs = nowMs + UInt64(dice.below(3_000))
        for index in wires.indices {
            wires[index].isSubscribed = false
            wires[index].requests.cut(dice)
            wires[index].replies.cut(dice)
            wires[index].publications.cut(dice)
        }
    }

    /// Connections come back by themselves, and subscriptions with them.
    private func reconnect() {
        for index in viewers.indices where wires[index].wantsSubscription {
            wires[index].subscriptions.send(true, nowMs: nowMs, delayMs: dice.below(500))
        }
    }

    // MARK: Connections

    private var delayMs: Int { dice.below(weather.mostDelayMs) }

    private func send(_ request: Request, tag: UInt64, from index: Int) {
        if dice.chance(weather.lostRequests) { return }
        wires[index].requests.send(Sent(request: request, tag: tag), nowMs: nowMs, delayMs: delayMs)
        guard dice.chance(weather.duplicates) else { return }
        var second = request
        if bug == .duplicateUnderNewNumber { second.number = second.number.map { $0 + 1_000 } }
        wires[index].requests.send(Sent(request: second, tag: tag), nowMs: nowMs, delayMs: delayMs)
    }

    private func reply(_ reply: Reply, to index: Int, tag: UInt64) {
        if dice.chance(weather.lostReplies) { return }
        let answered = Answered(reply: reply, tag: tag)
        wires[index].replies.send(answered, nowMs: nowMs, delayMs: delayMs)
    }

    private func publish(_ publication: Publication) {
        for index in viewers.indices where wires[index].isSubscribed {
            if dice.chance(weather.lostPublications) { continue }
            wires[index].publications.send(publication, nowMs: nowMs, delayMs: delayMs)
        }
    }

    private func deliver(to index: Int) {
        for publication in wires[index].publications.receive(nowMs: nowMs) {
            carryOut(viewers[index].received(publication, nowMs: nowMs), of: index)
        }
        for answered in wires[index].replies.receive(nowMs: nowMs) {
            if index < viewers.count {
                let steps = viewers[index].answered(
                    answered.reply, tag: answered.tag, nowMs: nowMs)
                carryOut(steps, of: index)
            } else {
                writers[index - viewers.count].answered(answered.reply)
            }
        }
    }

    private func carryOut(_ steps: [Replica.Step], of index: Int) {
        for step in steps {
            switch step {
            case .subscribe:
                wires[index].wantsSubscription = true
                if daemon.isUp {
                    wires[index].subscriptions.send(true, nowMs: nowMs, delayMs: delayMs)
                }
            case .ask(let verb, let tag):
                send(Request(table: Self.table, verb), tag: tag, from: index)
            default: break
            }
        }
    }
}
