/// One key of `trestled.yaml`: its whole name, and when a change of it takes effect.
public struct Setting: Sendable {
    /// As the log says it: `retain.diffs`.
    public let name: String
    /// When a changed value comes into force.
    public let takesEffect: Moment
    /// Its value, as the file could say it.
    let text: @Sendable (Configuration) -> String
    let isSame: @Sendable (Configuration, Configuration) -> Bool
    /// Takes the key's value over from another configuration.
    let copy: @Sendable (Configuration, inout Configuration) -> Void

    /// When a change comes into force.
    public enum Moment: Sendable {
        case atSIGHUP, atRestart
    }

    /// Every key that holds a value. A change of the code has to come here too: a test holds this
    /// table against the keys that are read, and against what `config/trestled.yaml` says of each.
    public static let all: [Setting] =
        [
            // Clients and viewers know where they are connected to.
            Setting("endpoints", .atRestart, \.endpoints) { pairs in
                pairs.map { "\($0.request) \($0.shownPublish)" }.joined(separator: ", ")
            },
            // The journal stays where it was opened.
            Setting("state_directory", .atRestart, \.stateDirectory) { $0 ?? "" },
            // So does this one.
            Setting("journal", .atRestart, \.journal) { Configuration.text(of: $0) },
            Setting("ipc_mode", .atSIGHUP, \.ipcMode) { "0" + String($0, radix: 8) },
            Setting("log.level", .atSIGHUP, \.logLevel),
            Setting("log.slow_ms", .atSIGHUP, \.slowMs),
            Setting("heartbeat_ms", .atSIGHUP, \.heartbeatMs),
            // libzmq gives it to a connection when the socket that accepts it is bound.
            Setting("high_water_mark", .atRestart, \.highWaterMark),
            Setting("connections", .atSIGHUP, \.connections),
            Setting("retain.diffs", .atSIGHUP, \.retention.diffs),
            Setting("retain.bytes", .atSIGHUP, \.retention.bytes),
            Setting("retain.days", .atSIGHUP, \.retainDays),
            Setting("retain.seconds", .atSIGHUP, \.retention.seconds),
            Setting("retain.total_bytes", .atSIGHUP, \.retention.totalBytes),
            Setting("checkpoint.after_bytes", .atSIGHUP, \.checkpointAfterBytes),
            Setting("disk.reserve_bytes", .atSIGHUP, \.diskReserveBytes),
            // A principal that may read less loses its subscriptions.
            Setting("guests", .atSIGHUP, \.guests) { $0?.summary ?? "whoever may connect" },
            // Each decision looks at them.
            Setting("limits.rows", .atSIGHUP, \.limits.rows),
            Setting("limits.tables", .atSIGHUP, \.limits.tables),
            Setting("limits.sessions", .atSIGHUP, \.limits.sessions),
            Setting("limits.replies", .atSIGHUP, \.limits.replies),
        ]

    private init<Value: Equatable & SendableMetatype>(
        _ name: String, _ takesEffect: Moment,
        _ field: WritableKeyPath<Configuration, Value> & Sendable,
        text: @escaping @Sendable (Value) -> String = { "\($0)" }
    ) {
        self.name = name
        self.takesEffect = takesEffect
        self.text = { text($0[keyPath: field]) }
        isSame = { $0[keyPath: field] == $1[keyPath: field] }
        copy = { $1[keyPath: field] = $0[keyPath: field] }
    }
}
