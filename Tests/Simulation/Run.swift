import TableModel
import TableSync
import TableTurn

/// Both ends of the protocol in one seeded run: a daemon, three viewers, three writers and two
/// hands, over a network, a disk and a clock that do what they must not. Then the faults stop, and
/// everything must come to rest.
package final class Simulation {
    private static let stormyMs: UInt64 = 10_000
    private static let restMs: UInt64 = 90_000

    let laws: Laws
    let dice: Dice
    let daemon: SimulatedDaemon
    let viewers: [SimulatedViewer]
    let writers: [SimulatedWriter]
    let hands: [SimulatedHand]
    /// First the viewers, then the writers, then the hands.
    let ends: [any End]
    /// One's of each end.
    var wires: [Wires]
    /// How often each end was started: what was sent to one before is for nobody.
    var lives: [UInt64]
    var weather: Weather
    let clock = SimulatedClock()
    /// The receivers of the answers, by route.
    private var asked: [Route: (Reply) -> Void] = [:]
    private var nextRoute = 0
    /// The messages that will come once more, with their wires.
    var echoes: [(index: Int, sent: Sent)] = []
    var restartMs: UInt64 = 0
    var daemonStalledUntilMs: UInt64 = 0
    /// Until then nothing that was sent reaches the daemon.
    var deafUntilMs: UInt64 = 0
    var fullUntilMs: UInt64 = 0
    private let seed: UInt64
    private let bug: PlantedBug?

    /// With `isLate` the journal answers late, in bursts, not at all, or refuses. `onLine` is told of
    /// everything that happens, as it happens.
    package init(
        seed: UInt64, isLate: Bool = false, bug: PlantedBug? = nil,
        onLine: ((String) -> Void)? = nil
    ) {
        self.seed = seed
        self.bug = bug
        let dice = Dice(seed)
        let trace = Trace()
        trace.onLine = onLine
        let laws = Laws(trace: trace)
        weather = Weather(dice)
        let daemon = SimulatedDaemon(
            laws: laws, dice: dice, bug: bug, clock: clock,
            lateness: isLate ? Lateness(dice) : nil)
        let tables: [TableID] = ["t", "u", "t"]
        let viewers = tables.enumerated().map { index, table in
            SimulatedViewer("viewer \(index)", table: table, laws: laws, dice: dice, bug: bug)
        }
        let names: [ID?] = ["ada", nil, "ada"]
        writers = viewers.enumerated().map { index, viewer in
            SimulatedWriter(
                "writer \(index)", name: names[index], table: tables[index],
                limits: daemon.limits, laws: laws, dice: dice, seen: { viewer.replica.table })
        }
        hands = [0, 2].map { index in
            SimulatedHand(
                "hand \(index)", name: index == 0 ? "ada" : "bob", table: tables[index],
                limits: daemon.limits, laws: laws, dice: dice,
                seen: { viewers[index].replica.table })
        }
        self.dice = dice
        self.laws = laws
        self.daemon = daemon
        self.viewers = viewers
        ends = viewers + writers + hands
        wires = Array(repeating: Wires(), count: ends.count)
        lives = Array(repeating: 0, count: ends.count)
    }

    // MARK: What came of it

    /// The law that did not hold, and how.
    package var violation: (law: Law, text: String)? { laws.violation }

    /// The hash of everything that happened: equal for one seed in every process.
    package var traceHash: UInt64 { laws.trace.hash }

    /// The seed and the end of the trace, for whoever has to find the reason.
    package var report: String {
        let what = violation.map { "\($0.law.rawValue): \($0.text)" } ?? "all laws hold"
        return "seed \(seed), at \(clock.nowMs) ms: \(what)\n"
            + laws.trace.latest.joined(separator: "\n")
    }

    // MARK: The run

    /// Runs to the end, or to the first law that does not hold; returns that.
    @discardableResult
    package func run() -> (law: Law, text: String)? {
        for (index, viewer) in viewers.enumerated() {
            send(viewer.start(nowMs: clock.nowMs), from: index)
        }
        let stormEnds = clock.nowMs + Self.stormyMs
        while clock.nowMs < stormEnds, laws.violation == nil {
            clock.nowMs += 1 + UInt64(dice.below(60))
            befall()
            step(isStormy: true)
        }
        clear()
        comeToRest()
        takeEverythingBack()
        comeToRest()
        laws.everyAcknowledgedIsOnDisk()
        daemon.compareWithDisk()
        return laws.violation
    }

    private func comeToRest() {
        let end = clock.nowMs + Self.restMs
        while !isAtRest, clock.nowMs < end, laws.violation == nil {
            clock.nowMs += 50
            step(isStormy: false)
        }
        let law = Law.comesToRest
        for viewer in viewers {
            laws.demand(
                viewer.isInStep(with: daemon.tables, nowMs: clock.nowMs), law,
                "\(viewer.name) is not in step: \(viewer.freshness(clock.nowMs))")
        }
        for writer in writers {
            let waiting = writer.writer.waitingCount
            laws.demand(waiting == 0, law, "\(writer.writer.client) waits for \(waiting) answers")
        }
        laws.demand(hands.allSatisfy(\.isIdle), law, "a hand holds on")
        laws.demand(
            daemon.isUp && hasNothingEphemeral, law, "leases, invocations or edit mode are left")
    }

    private var hasNothingEphemeral: Bool {
        daemon.turn?.entriesAhead == 0
            && daemon.tables.values.allSatisfy { live in
                live.table.invocations.count == 0 && !live.table.isEditing
                    && daemon.turn?.server.presence(of: live.table.name)?.leases?.isEmpty ?? true
            }
    }

    private var isAtRest: Bool {
        daemon.isUp && hasNothingEphemeral && hands.allSatisfy(\.isIdle)
            && writers.allSatisfy { $0.writer.waitingCount == 0 }
            && viewers.allSatisfy { $0.isInStep(with: daemon.tables, nowMs: clock.nowMs) }
    }

    /// Undoes what can be undone, revision by revision: the law of undo looks at each.
    private func takeEverythingBack() {
        guard laws.violation == nil else { return }
        let writer = Writer(client: "the last one")
        writer.opened(at: daemon.turn?.server.position ?? 0)
        for table in daemon.tables.keys.sorted() {
            var isDone = false
            for _ in 0..<24 where !isDone && laws.violation == nil {
                let verb = Request.Verb.command(Command(.undo(revision: nil, mine: false)))
                let request = writer.request(verb, table: table, nowMs: clock.nowMs)
                laws.issues(request)
                isDone = true
                send(request) { reply in
                    _ = writer.answered(reply)
                    self.laws.heard(reply, isAwaited: true)
                    if case .done = reply.answer { isDone = false }
                }
            }
        }
    }

    /// Hands a request over without a network, and waits until the journal has its entry.
    private func send(_ request: Request, _ answered: @escaping (Reply) -> Void) {
        var street = street
        street.arrivals = { [self] in [(route(answered), request)] }
        daemon.run(street, crash: nil)
        for _ in 0..<20 where daemon.turn?.entriesAhead != 0 {
            clock.nowMs += 10
            street.arrivals = { [] }
            daemon.run(street, crash: nil)
        }
    }

    // MARK: One step

    private func step(isStormy: Bool) {
        for (index, end) in ends.enumerated() {
            send(end.tick(nowMs: clock.nowMs, isStormy: isStormy), from: index)
        }
        if !daemon.isUp, clock.nowMs >= restartMs {
            if isStormy, dice.chance(200) { daemon.changeLimits() }
            daemon.restart()
            restartMs = clock.nowMs + 500
            if daemon.isUp { reconnect() }
        }
        if daemon.isUp, clock.nowMs >= daemonStalledUntilMs { turn() }
        for index in ends.indices where clock.nowMs >= wires[index].stalledUntilMs {
            deliver(to: index)
        }
    }

    private func turn() {
        noteWhoHasSpoken()
        let hasRequests = ends.indices.contains { hears($0) && hasArrived($0) }
        daemon.run(street, crash: crash(hasRequests: hasRequests))
        guard daemon.isUp, let turn = daemon.turn else { return disconnect() }
        for live in daemon.tables.values.sorted(by: { $0.table.name < $1.table.name }) {
            let presence = turn.server.presence(of: live.table.name)
            laws.look(at: presence?.leases ?? [], of: live.table, nowMs: turn.liveness.nowMs)
            laws.look(
                atEditModeOf: live.table, heldBy: live.owners.editor,
                seconds: daemon.limits.editSeconds, nowMs: turn.liveness.nowMs)
        }
        laws.nobodyThereIsLate()
    }

    /// The network, as it is now.
    private var street: Street {
        Street(
            arrivals: { [self] in arrivals() }, newcomers: { [self] in newcomers() },
            publish: { [self] in publish($0) },
            reply: { [self] route, reply in asked.removeValue(forKey: route)?(reply) },
            forget: { [self] route in asked[route] = nil })
    }

    private func hears(_ index: Int) -> Bool { mayPass(index) && clock.nowMs >= deafUntilMs }

    private func hasArrived(_ index: Int) -> Bool {
        !wires[index].requests.arrived(nowMs: clock.nowMs).isEmpty
    }

    private func arrivals() -> [(route: Route, request: Request)] {
        ends.indices.filter(hears).flatMap { index in
            wires[index].requests.receive(nowMs: clock.nowMs).flatMap { sent in
                var request = sent.request
                request.sender = Laws.owner
                let own = (route { self.reply($0, to: index, sent) }, request)
                // Somebody else knows client and number, and comes before or after.
                guard dice.chance(20), let forged = laws.forge(request) else { return [own] }
                let other = (route { _ in }, forged)
                laws.forgedRoutes.insert(other.0)
                return dice.chance(500) ? [other, own] : [own, other]
            }
        }
    }

    private func route(_ answered: @escaping (Reply) -> Void) -> Route {
        nextRoute += 1
        asked[nextRoute] = answered
        return nextRoute
    }

    /// Notes the clients whose requests have arrived at the daemon: they are there.
    private func noteWhoHasSpoken() {
        laws.spokenOf = []
        for index in ends.indices where mayPass(index) {
            for sent in wires[index].requests.arrived(nowMs: clock.nowMs) {
                guard case .drag(let drag) = sent.request.verb, let lease = drag.lease else {
                    continue
                }
                laws.spokenOf.insert(lease)
            }
        }
    }

    private func newcomers() -> [TableID] {
        viewers.enumerated().compactMap { index, viewer in
            guard mayPass(index),
                !wires[index].subscriptions.receive(nowMs: clock.nowMs).isEmpty
            else { return nil }
            wires[index].isSubscribed = true
            return viewer.table
        }
    }

    /// The process that knew them has ended.
    func forgetRoutes() { asked = [:] }

    func disconnect() {
        restartMs = clock.nowMs + UInt64(dice.below(3_000))
        forgetRoutes()
        for index in wires.indices { wires[index].disconnect(dice) }
    }

    private func reconnect() {
        for index in viewers.indices where mayPass(index) {
            wires[index].reconnect(nowMs: clock.nowMs, delayMs: dice.below(500))
        }
    }

    // MARK: Messages

    var delayMs: Int { dice.below(weather.mostDelayMs) }

    func mayPass(_ index: Int) -> Bool { clock.nowMs >= wires[index].cutOffUntilMs }

    func send(_ toSend: ToSend, from index: Int) {
        if toSend.subscribes {
            wires[index].wantsSubscription = true
            if daemon.isUp, mayPass(index) {
                wires[index].subscriptions.send(true, nowMs: clock.nowMs, delayMs: delayMs)
            }
        }
        for sent in toSend.requests { send(sent, from: index) }
    }

    private func send(_ sent: Sent, from index: Int) {
        if dice.chance(weather.lostRequests) || !daemon.isUp || !mayPass(index) { return }
        var sent = sent
        sent.life = lives[index]
        wires[index].requests.send(sent, nowMs: clock.nowMs, delayMs: delayMs)
        if sent.request.number != nil, dice.chance(weather.echoes) { echoes.append((index, sent)) }
        guard dice.chance(weather.duplicates) else { return }
        if bug == .duplicateUnderNewNumber, let number = sent.request.number {
            sent.request.number = number + 1_000
        }
        wires[index].requests.send(sent, nowMs: clock.nowMs, delayMs: delayMs)
    }

    private func reply(_ reply: Reply, to index: Int, _ sent: Sent) {
        let answered = Answered(reply: reply, tag: sent.tag, life: sent.life)
        for _ in 0..<copies(lost: weather.lostReplies) {
            wires[index].replies.send(answered, nowMs: clock.nowMs, delayMs: delayMs)
        }
    }

    private func publish(_ news: News) {
        for index in viewers.indices where wires[index].isSubscribed {
            for _ in 0..<copies(lost: weather.lostNews) {
                wires[index].news.send(
                    news, nowMs: clock.nowMs, delayMs: delayMs, capacity: weather.highWaterMark)
            }
        }
    }

    private func copies(lost: Int) -> Int {
        if dice.chance(lost) { return 0 }
        return dice.chance(weather.duplicates) ? 2 : 1
    }

    private func deliver(to index: Int) {
        guard mayPass(index) else { return }
        for news in wires[index].news.receive(nowMs: clock.nowMs) {
            send(ends[index].received(news, nowMs: clock.nowMs), from: index)
        }
        for answered in wires[index].replies.receive(nowMs: clock.nowMs)
        where answered.life == lives[index] {
            send(
                ends[index].answered(answered.reply, tag: answered.tag, nowMs: clock.nowMs),
                from: index)
        }
    }
}
