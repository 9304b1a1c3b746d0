public import TableSync

/// Whether changes can be made now: by the daemon's `health`, which is asked twice a second.
public struct Readiness: Sendable {
    private var heardAtMs: Int?
    /// Why the daemon that was heard takes no changes; nil: it does.
    private var why: String?

    /// An answer that is older says nothing about the present.
    static let patienceMs = 1_500

    /// Nothing was heard.
    public init() {}

    /// The daemon's health.
    public mutating func heard(_ health: Health, nowMs: Int) {
        heardAtMs = nowMs
        why = Self.why(health)
    }

    /// The daemon refuses to say how it is.
    public mutating func refused(_ word: String, nowMs: Int) { (heardAtMs, why) = (nowMs, word) }

    /// There is no connection to the daemon, or another one is spoken to now.
    public mutating func lost() { heardAtMs = nil }

    /// Why no changes can be made: a word for `/readyz`; nil: they can.
    public func fault(_ daemon: DaemonState, nowMs: Int) -> String? {
        guard daemon.isUp else { return daemon.why }
        guard let heardAtMs, nowMs - heardAtMs <= Self.patienceMs else { return DaemonState.silent }
        return why
    }

    private static func why(_ health: Health) -> String? {
        if let cluster = health.cluster {
            if cluster.isOutOfTouch { return "outOfTouch" }
            if cluster.role != "leader" { return cluster.leader.isEmpty ? "noLeader" : "notLeader" }
        }
        return health.status == "ok" ? nil : health.status
    }
}
