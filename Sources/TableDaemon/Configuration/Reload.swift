import Logging
import TableModel
import TableSync
import TableTransport

// SIGHUP: what can change while serving does. What cannot is said, key by key.

extension Daemon {
    /// Reads the configuration again, as somebody's signal asks. One that cannot be used changes nothing.
    func reload(_ signal: SignalDescriptor.Received) {
        let fresh: Configuration
        do {
            fresh = try readConfiguration()
            settings.isReloadRefused = false
        } catch {
            settings.isReloadRefused = true
            log.lines.error("the configuration stays as it was", metadata: ["error": "\(error)"])
            noteReload(signal, changed: nil, detail: "\(error)")
            return
        }
        let before = settings.inForce
        var refused: Set<String> = []
        if fresh.ipcMode != before.ipcMode {
            do {
                try sockets.setMode(fresh.ipcMode)
            } catch {
                log.lines.error("\(error)")
                refused.insert("ipc_mode")
                // As much as the system allows.
                try? sockets.setMode(before.ipcMode)
            }
        }
        // Those endpoints stay until a restart, and without a list every key could do everything.
        if fresh.guests == nil, before.endpoints.contains(where: \.usesCurve) {
            refused.insert("guests")
        }
        let report = settings.take(fresh, except: refused)
        putInForce(replacing: before)
        // So that the change of the level itself is seen.
        log.lines.logLevel = min(before.logLevel, settings.inForce.logLevel)
        tell(report)
        noteReload(signal, changed: report.applied.map(\.name))
        log.set(settings.inForce.logLevel, slowMs: settings.inForce.slowMs)
        inbox.routes.areLogged = log.tellsOfRequests
    }

    /// Tells the audit by whose signal. `changed` are names of settings; nil: the configuration was not taken.
    private func noteReload(
        _ signal: SignalDescriptor.Received, changed: [String]?, detail: String = ""
    ) {
        let said = changed.map { $0.isEmpty ? "nothing changed" : $0.joined(separator: " ") }
        log.note(
            AuditEntry(
                Machine.principal(signal.uid).0, from: "pid:\(signal.pid)", verb: "reload",
                refusedAs: changed == nil ? "badConfiguration" : nil, detail: said ?? detail))
    }

    /// Tells those who cannot ask each time.
    private func putInForce(replacing before: Configuration) {
        let now = settings.inForce
        server.change(limits: now.limits, retention: now.keptPast)
        changeGuests(to: now.guests)
        PeerGuard.change(connections: now.connections)
        connections.authenticator.newOfKey = Self.newOfKey(now)
        if now.heartbeatMs != before.heartbeatMs { turn.setHeartbeat(everyMs: now.heartbeatMs) }
        turn.checkpointer.afterBytes = UInt64(now.checkpointAfterBytes)
        disk.reserve = UInt64(now.diskReserveBytes)
    }

    /// Half of all connections, so that a site whose viewers share a key is there again at once.
    static func newOfKey(_ configuration: Configuration) -> Int {
        max(128, configuration.connections / 2)
    }

    /// Ends the viewers of each principal that may read less than before: they come again at once. Users
    /// and groups of the machine are looked up again too.
    private func changeGuests(to guests: GuestList?) {
        // By patterns, not by tables: somebody may have subscribed to a table that is not there yet.
        func readable(_ visitor: Visitor) -> Set<NamePattern> {
            guard let list = server.admission.guests else { return [.all] }
            let lines = list.lines.filter {
                $0.isAbout(visitor.principal) && $0.rights.contains(.read)
            }
            let tables = Set(lines.flatMap(\.tables))
            return tables.contains(.all) ? [.all] : tables
        }
        let before = connections.visitors.all.map { ($0, readable($0)) }
        connections.visitors.lookUpAgain()
        server.admission.guests = guests
        for (visitor, tables) in before {
            let now = readable(visitor)
            if now != [.all], !tables.isSubset(of: now) {
                PeerGuard.endViewers(of: visitor.principal)
                log.note(
                    AuditEntry(
                        visitor.principal, from: "file", verb: "subscribe", refusedAs: "revoked"))
            }
        }
    }

    private func tell(_ report: LiveSettings.Report) {
        for change in report.applied {
            log.lines.notice("\(change.name): \(change.before) → \(change.after)")
        }
        for change in report.waiting {
            let (before, after) = (change.before, change.after)
            log.lines.warning(
                "\(change.name) needs a restart: \(before) stays in force, not \(after)")
        }
        for change in report.failed {
            log.lines.error("\(change.name): \(change.before) stays in force, not \(change.after)")
        }
        let names = report.unchanged.joined(separator: " ")
        log.lines.info("unchanged: \(names.isEmpty ? "none" : names)")
        log.lines.notice(
            "configuration read again",
            metadata: [
                "changed": "\(report.applied.count)", "unchanged": "\(report.unchanged.count)",
                "need_restart": "\(report.waiting.count)", "failed": "\(report.failed.count)",
            ])
    }
}
