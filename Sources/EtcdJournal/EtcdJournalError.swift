/// Why a journal on etcd cannot be used: a sentence for whoever runs the daemon.
public enum EtcdJournalError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No endpoint answered, or none did what was asked.
    case unreachable(String)
    /// The keys in etcd contradict each other.
    case damaged(String)
    /// A fault with which a member may not go on.
    case fault(String)
    /// libcurl, or a file that it needs.
    case missing(String)

    /// A sentence without a full stop.
    public var description: String {
        switch self {
        case .unreachable(let why): "etcd does not answer: \(why)"
        case .damaged(let what): "the journal on etcd is damaged: \(what)"
        case .fault(let what): "the journal on etcd: \(what)"
        case .missing(let what): "a journal on etcd needs libcurl (package libcurl4): \(what)"
        }
    }
}
