public import EtcdJournal

/// The setting `journal.follow`: this daemon is a standby of another one.
public struct FollowSettings: Equatable, Sendable {
    /// Where the daemon that is followed takes requests.
    public var endpoint = ""
    /// Its public key; nil: the endpoint is on this machine, and has no CURVE.
    public var key: String?
    /// Where clients reach this daemon; none: its endpoints.
    public var advertise: [String] = []

    /// Nothing is set.
    public init() {}
}

/// Where the journal is.
public enum JournalSetting: Equatable, Sendable {
    /// In the state directory.
    case log
    /// On etcd, for several daemons.
    case etcd(EtcdSettings)
    /// In the state directory, as a copy of another daemon's.
    case follow(FollowSettings)
}

extension Configuration {
    /// The endpoints that clients and other daemons are told: those that can be reached from elsewhere, if there are
    /// any.
    var shownEndpoints: [String] {
        let reached = endpoints.filter { !$0.request.hasPrefix("ipc://") }
        return (reached.isEmpty ? endpoints : reached).map(\.request)
    }
}
