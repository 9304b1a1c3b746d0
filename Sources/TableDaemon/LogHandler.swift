public import Logging
import TableSync
import TableTransport

/// Writes log lines to standard error as the journal of systemd wants them: the priority in front,
/// no time of their own. On a terminal the priority is a word.
public struct StandardErrorLog: LogHandler {
    /// The least level that is written.
    public var logLevel: Logger.Level
    /// Goes with every line; what a line itself brings overrides it.
    public var metadata: Logger.Metadata = [:]
    private let isJournal: Bool

    /// `isJournal`: standard error leads to systemd's journal (`JOURNAL_STREAM` is set).
    public init(level: Logger.Level, isJournal: Bool) {
        logLevel = level
        self.isJournal = isJournal
    }

    /// One entry of `metadata`; nil: none under this key.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line; its metadata follows as `key=value`, in order of the keys.
    public func log(event: LogEvent) {
        var line = start(event.level) + "\(event.message)"
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
        LogLines.standardError.write(Printable.text(line)) { start(.warning) + $0 }
    }

    private func start(_ level: Logger.Level) -> String {
        isJournal ? "<\(Self.priority(level))>" : "\(level): "
    }

    /// The numbers of syslog(3).
    static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: return 7
        case .info: return 6
        case .notice: return 5
        case .warning: return 4
        case .error: return 3
        case .critical: return 2
        }
    }
}
