import TableModel
import TableSync
import TableWire

/// On whose behalf a visitor sends, by the frames that say so. One child may be here more than once: with
/// another role, or said in the other form.
struct Children {
    struct Key: Hashable {
        let frame: [UInt8]
        let form: Form
    }

    /// Of one visitor, and of all together. Those that were quiet the longest are forgotten.
    static let most = 1_024
    static let mostTogether = 4_096
    /// After so long a child is forgotten in any case.
    static let quietMs: UInt64 = 3_600_000
    /// Children whose figures `stats` tells.
    static let mostTold = 256

    private var byFrame: [Key: Visitor] = [:]

    var count: Int { byFrame.count }
    var all: some Collection<Visitor> { byFrame.values }

    subscript(_ key: Key) -> Visitor? {
        get { byFrame[key] }
        set { byFrame[key] = newValue }
    }

    /// Forgets those of which this is so, and returns them.
    fileprivate mutating func forget(_ isOver: (Visitor) -> Bool) -> [Visitor] {
        let gone = byFrame.filter { isOver($0.value) }
        for key in gone.keys { byFrame[key] = nil }
        return Array(gone.values)
    }

    fileprivate mutating func forgetQuietest() -> Visitor? {
        let quietest = byFrame.min { $0.value.heardMs < $1.value.heardMs }
        return quietest.flatMap { byFrame.removeValue(forKey: $0.key) }
    }
}

extension Visitor {
    /// What its parent calls it, if it is a child.
    var name: ID { principal.behalf?.name ?? ID("") }

    /// What forgotten children have cost was their parent's doing. Returns how many there were.
    func forget(_ isOver: (Visitor) -> Bool) -> Int {
        let gone = children.forget(isOver)
        for child in gone { add(child) }
        return gone.count
    }

    func forgetQuietest() -> Int {
        guard let child = children.forgetQuietest() else { return 0 }
        add(child)
        return 1
    }

    private func add(_ child: Visitor) {
        requests += child.requests
        refusals += child.refusals
        requestBytes += child.requestBytes
        replyBytes += child.replyBytes
    }
}

// MARK: Figures

extension Visitors {
    /// Those of everybody who is known, in the counters of `stats`; of children those of the busiest.
    func tell(in stats: inout Stats) {
        for visitor in all { tell(visitor, in: &stats) }
        let children = all.flatMap(\.children.all).sorted { $0.requests > $1.requests }
        for child in children.prefix(Children.mostTold) { tell(child, in: &stats) }
    }

    /// Those of one principal.
    func tell(of principal: Principal, in stats: inout Stats) {
        guard let visitor = known[principal.proof] else { return }
        guard principal.behalf != nil else { return tell(visitor, in: &stats) }
        for child in visitor.children.all where child.principal == principal {
            tell(child, in: &stats)
        }
    }

    private func tell(_ visitor: Visitor, in stats: inout Stats) {
        let name = visitor.principal.name?.text ?? "local"
        stats.counters["user_requests_\(name)", default: 0] += visitor.requests
        stats.counters["user_refusals_\(name)", default: 0] += visitor.refusals
        stats.counters["user_request_bytes_\(name)", default: 0] += visitor.requestBytes
        stats.counters["user_reply_bytes_\(name)", default: 0] += visitor.replyBytes
        // A child has none of its own.
        guard visitor.principal.parent == nil else { return }
        stats.gauges["user_connections_\(name)"] =
            UInt64(PeerGuard.connections(of: visitor.principal))
    }
}
