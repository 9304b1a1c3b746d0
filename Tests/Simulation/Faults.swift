import TableModel
import TableSync

// What goes wrong, one function for each fault; `Weather` says how often.

extension Simulation {
    /// Everything that may begin or end by itself in one step.
    func befall() {
        partitionsEnd()
        for index in ends.indices {
            if dice.chance(weather.partitions) { cutOff(index) }
            if dice.chance(weather.stalls) {
                wires[index].stalledUntilMs = clock.nowMs + UInt64(dice.below(4_000))
            }
            let restarts =
                index < viewers.count ? weather.viewerRestarts : weather.writerRestarts
            if dice.chance(restarts) { restart(index) }
        }
        if !echoes.isEmpty, dice.chance(60) {
            let (index, sent) = echoes.remove(at: dice.below(echoes.count))
            wires[index].requests.send(sent, nowMs: clock.nowMs, delayMs: 0)
        }
        if dice.chance(weather.daemonStalls) {
            let end = clock.nowMs + UInt64(dice.below(3_000))
            daemonStalledUntilMs = max(daemonStalledUntilMs, end)
        }
        if dice.chance(weather.daemonPauses) { pauseDaemon() }
        if dice.chance(weather.clockJumps) { jump() }
        if dice.chance(weather.diskErrors) { daemon.disk.breaksAfter = dice.below(30) }
        if dice.chance(weather.fullDisks) { fullUntilMs = clock.nowMs + UInt64(dice.below(3_000)) }
        daemon.disk.isFull = clock.nowMs < fullUntilMs
        if dice.chance(weather.backups), daemon.isUp { daemon.backUp() }
        if dice.chance(weather.restores), !daemon.backups.isEmpty { restore() }
    }

    /// SIGSTOP, or a paused machine: the thread that reads the sockets stands still as well, and
    /// begins again no sooner than the loop does.
    private func pauseDaemon() {
        // One at a time, and some time to work in between.
        guard clock.nowMs >= deafUntilMs + 1_000 else { return }
        daemonStalledUntilMs = clock.nowMs + 1_200 + UInt64(dice.below(3_000))
        deafUntilMs = daemonStalledUntilMs + UInt64(dice.below(500))
        laws.note("the daemon stands still until \(daemonStalledUntilMs)")
    }

    /// How this turn's process ends; nil: it does not.
    func crash(hasRequests: Bool) -> SimulatedDaemon.Crash? {
        let rate = hasRequests ? weather.crashes : weather.crashes / 10
        guard dice.chance(rate) else { return nil }
        return dice.chance(weather.powerCuts) ? .powerCut : .killed
    }

    /// A short one delays; a long one breaks the connection, as libzmq's heartbeats do.
    private func cutOff(_ index: Int) {
        let ms = dice.pick([500, 2_000, 6_000])
        wires[index].cutOffUntilMs = clock.nowMs + UInt64(dice.below(ms))
        if ms > 2_000 { wires[index].disconnect(dice) }
        laws.note("end \(index) is cut off for up to \(ms) ms")
    }

    private func partitionsEnd() {
        for index in ends.indices where wires[index].cutOffUntilMs > 0 && mayPass(index) {
            wires[index].cutOffUntilMs = 0
            if daemon.isUp, !wires[index].isSubscribed {
                wires[index].reconnect(nowMs: clock.nowMs, delayMs: dice.below(500))
            }
        }
    }

    private func restart(_ index: Int) {
        lives[index] += 1
        wires[index].isSubscribed = false
        wires[index].wantsSubscription = false
        wires[index].news = Link()
        send(ends[index].restart(nowMs: clock.nowMs), from: index)
    }

    /// Somebody sets the date, by seconds or by years.
    private func jump() {
        let ms = Int64(dice.pick([2_000, 3_600_000, 40_000_000_000]))
        clock.setByMs = dice.chance(500) ? ms : -ms
        laws.isDateSet = true
        laws.note("the date is set by \(clock.setByMs) ms")
    }

    private func restore() {
        daemon.restoreBackup()
        // It takes a while: nothing of before is under way any more.
        for index in ends.indices {
            wires[index].disconnect(dice)
            (wires[index].requests, wires[index].replies) = (Link(), Link())
            wires[index].news = Link()
        }
        echoes = []
        forgetRoutes()
        restartMs = clock.nowMs + 200
    }

    /// The weather clears.
    func clear() {
        laws.note("the weather clears at \(clock.nowMs)")
        weather = .calm
        echoes = []
        clock.nowMs += 10_000
        (daemonStalledUntilMs, deafUntilMs, fullUntilMs) = (0, 0, 0)
        daemon.disk.breaksAfter = nil
        daemon.disk.isFull = false
        daemon.calm()
        partitionsEnd()
        for index in ends.indices { wires[index].stalledUntilMs = 0 }
    }
}
