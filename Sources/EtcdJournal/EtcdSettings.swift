/// The endpoints of etcd, and the user and certificates with which to speak to it.
public struct EtcdSettings: Equatable, Sendable {
    /// `http://host:port` or `https://host:port`, one for each member of etcd.
    public var endpoints: [String] = []
    /// The service's own: keys are below `/trestle/NAME/`.
    public var name = ""
    /// Files in PEM; nil: what the system trusts, and no certificate of our own.
    public var authority: String?
    /// The file of our own certificate.
    public var certificate: String?
    /// The file of its key.
    public var key: String?
    /// The user in etcd; nil: none.
    public var user: String?
    /// A file that holds the user's password.
    public var passwordFile: String?
    /// For so long a leader that is not heard of stays the leader.
    public var leaseSeconds = 4
    /// The size to which etcd bounds its store.
    public var quotaBytes = 2 << 30
    /// Bytes of a checkpoint at most.
    public var mostStateBytes = 64 << 20
    /// The endpoints of this member that other members tell clients; empty: those that it serves.
    public var advertise: [String] = []

    /// The bytes that a checkpoint's pieces may have: framing takes eight bytes a part.
    var mostReadBytes: Int { mostStateBytes + mostStateBytes / 8 + (1 << 20) }

    /// Nothing is said yet.
    public init() {}
}
