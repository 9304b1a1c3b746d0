import Glibc
import Logging
import TableDaemon
import TableJournal

/// `trestled` with a journal that answers late, for measurements and tests:
/// `late-trestled --state-directory DIRECTORY --endpoint ENDPOINT`. TRESTLE_LATE_MS says how late.
@main struct LateDaemon {
    static func main() {
        LoggingSystem.bootstrap { _ in StandardErrorLog(level: .info, isJournal: false) }
        let log = Logger(label: "late-trestled")
        let words = Array(CommandLine.arguments.dropFirst())
        let options = Dictionary(
            zip(
                stride(from: 0, to: words.count - 1, by: 2).map { words[$0] },
                stride(from: 1, to: words.count, by: 2).map { words[$0] })
        ) { $1 }
        let delayMs = getenv("TRESTLE_LATE_MS").flatMap { UInt64(String(cString: $0)) } ?? 5
        do {
            try Daemon(
                log: log, hasVirtualClock: false,
                openJournal: { try LateJournal($0, delayMs: delayMs) },
                readConfiguration: {
                    try Configuration.read(
                        file: options["--config"], stateDirectory: options["--state-directory"],
                        endpoints: options["--endpoint"].map { [$0] } ?? [])
                }
            ).run()
        } catch {
            log.critical("\(error)")
            exit(DaemonError.exitCode(of: error))
        }
    }
}
