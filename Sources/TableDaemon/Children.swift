import TableModel
import TableSync
import TableWire

/// The principals on whose behalf a visitor sends, by the frames that say so. One child may be here more than once: with
/// another role, or said in the other form.
struct Children {
    struct Key: Hashable {
        let frame: [UInt8]
        let form: Form
    }

    /// Bytes that are kept of one visitor's children, and of all together. Those that were quiet the longest are
    /// forgotten. Whoever writes a frame chooses how large it is, and a small child counts as 4 KiB.
    static let mostBytes = 4 << 20
    static let mostBytesTogether = 8 << 20
    fileprivate static let leastBytes = 4 << 10
    /// After so long a child is forgotten in any case.
    static let quietMs: UInt64 = 3_600_000
    /// Children whose figures `stats` tells.
    static let mostTold = 256

    private var byFrame: [Key: Visitor] = [:]

    private(set) var bytes = 0
    var all: some Collection<Visitor> { byFrame.values }

    subscript(_ key: Key) -> Visitor? {
        get { byFrame[key] }
        set {
            bytes += (newValue?.weight ?? 0) - (byFrame[key]?.weight ?? 0)
            byFrame[key] = newValue
        }
    }

    /// Forgets those of which this is so, and returns them.
    fileprivate mutating func forget(_ isOver: (Visitor) -> Bool) -> [Visitor] {
        let gone = byFrame.filter { isOver($0.value) }
        for key in gone.keys { self[key] = nil }
        return Array(gone.values)
    }

    /// Forgets those that were quiet the longest until so many bytes are gone, and returns them.
    fileprivate mutating func forgetQuietest(_ excess: Int) -> [Visitor] {
        // Each weighs as much at least, so mostly it is one, which is found without sorting them.
        let order =
            excess > Self.leastBytes
            ? byFrame.sorted { $0.value.heardMs < $1.value.heardMs }
            : byFrame.min { $0.value.heardMs < $1.value.heardMs }.map { [$0] } ?? []
        var gone: [Visitor] = []
        let end = bytes - excess
        for (key, child) in order where bytes > end {
            self[key] = nil
            gone.append(child)
        }
        return gone
    }
}

extension Behalf {
    /// About how many bytes there are in memory of what was read, with the child that is made of it.
    var heldBytes: Int { tables.reduce(512 + 2 * name.byteCount) { $0 + $1.heldBytes } }
}

extension Visitor {
    /// Bytes that a child counts for.
    var weight: Int { max(keptBytes, Children.leastBytes) }

    /// Adds the figures of forgotten children to their parent's.
    func forget(_ isOver: (Visitor) -> Bool) {
        for child in children.forget(isOver) { add(child) }
    }

    func forgetQuietest(_ excess: Int) {
        for child in children.forgetQuietest(excess) { add(child) }
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
