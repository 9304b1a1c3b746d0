import Logging
import TableSync

// SIGHUP: what can change while serving does. What cannot is said, key by key.

extension Daemon {
    /// Reads the configuration again. One that cannot be used changes nothing.
    func reload() {
        let fresh: Configuration
        do {
            fresh = try readConfiguration()
        } catch {
            log.error("the configuration stays as it was", metadata: ["error": "\(error)"])
            return
        }
        let before = settings.inForce
        var refused: Set<String> = []
        if fresh.ipcMode != before.ipcMode {
            do {
                try sockets.setMode(fresh.ipcMode)
            } catch {
                log.error("\(error)")
                refused.insert("ipc_mode")
                // As much as the system allows.
                try? sockets.setMode(before.ipcMode)
            }
        }
        let report = settings.take(fresh, except: refused)
        putInForce(replacing: before)
        // So that the change of the level itself is seen.
        log.logLevel = min(before.logLevel, settings.inForce.logLevel)
        tell(report)
        log.logLevel = settings.inForce.logLevel
    }

    /// Tells those who cannot ask each time.
    private func putInForce(replacing before: Configuration) {
        let now = settings.inForce
        server.change(limits: now.limits, retention: now.retention)
        PeerGuard.change(connections: now.connections, limits: now.limits)
        if now.heartbeatMs != before.heartbeatMs {
            turn.setHeartbeat(everyMs: now.heartbeatMs)
        }
        turn.checkpointer.afterBytes = UInt64(now.checkpointAfterBytes)
        diskSpace.reserve = UInt64(now.diskReserveBytes)
    }

    private func tell(_ report: LiveSettings.Report) {
        for change in report.applied {
            log.notice("\(change.name): \(change.before) → \(change.after)")
        }
        for change in report.waiting {
            let (before, after) = (change.before, change.after)
            log.warning("\(change.name) needs a restart: \(before) stays in force, not \(after)")
        }
        for change in report.failed {
            log.error("\(change.name): \(change.before) stays in force, not \(change.after)")
        }
        let names = report.unchanged.joined(separator: " ")
        log.info("unchanged: \(names.isEmpty ? "none" : names)")
        log.notice(
            "configuration read again",
            metadata: [
                "changed": "\(report.applied.count)", "unchanged": "\(report.unchanged.count)",
                "need_restart": "\(report.waiting.count)", "failed": "\(report.failed.count)",
            ])
    }
}
