/// The one owner of what is in force. Everybody else asks it, or is told by `Daemon.putInForce`.
public struct LiveSettings {
    /// The configuration that holds now.
    public private(set) var inForce: Configuration
    /// Whether the configuration of the latest reload could not be used.
    var isReloadRefused = false

    /// Begins with the configuration of the start.
    public init(_ configuration: Configuration) { inForce = configuration }

    /// A key whose value in the file is another than the one that was in force.
    public struct Change: Equatable, Sendable {
        /// The key.
        public let name: String
        /// The value that was in force.
        public let before: String
        /// The value that the file has now.
        public let after: String
    }

    /// The outcome for a configuration that was read again; each key stands in one of the lists.
    public struct Report: Equatable, Sendable {
        /// In force from now on.
        public var applied: [Change] = []
        /// Keys whose old value stays in force until a restart.
        public var waiting: [Change] = []
        /// Keys whose old value stays in force, since the system did not allow the change.
        public var failed: [Change] = []
        /// As before.
        public var unchanged: [String] = []
    }

    /// Takes over what takes effect at SIGHUP, but for the keys that the system refused.
    public mutating func take(_ fresh: Configuration, except refused: Set<String> = []) -> Report {
        var report = Report()
        for setting in Setting.all {
            if setting.isSame(inForce, fresh) {
                report.unchanged.append(setting.name)
                continue
            }
            let change = Change(
                name: setting.name, before: setting.text(inForce), after: setting.text(fresh))
            if setting.takesEffect == .atRestart {
                report.waiting.append(change)
            } else if refused.contains(setting.name) {
                report.failed.append(change)
            } else {
                setting.copy(fresh, &inForce)
                report.applied.append(change)
            }
        }
        return report
    }
}
