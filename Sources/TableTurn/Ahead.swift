import TableModel
import TableSync

/// The decided entries that are not known to be durable, in the order of its positions: the entries, and
/// all that may be said when they are. It is bounded, since a journal may never answer.
struct Ahead {
    /// One entry, and what waits for it: what it led to, and whatever was made at the same state.
    struct Item {
        /// The position of the entry.
        let position: UInt64
        /// As it was submitted: an unknown outcome is told by its bytes.
        let entry: [UInt8]
        let submittedNs: UInt64
        var publications: [Ready.Outgoing]
        var audited: [AuditEntry]
        var replies: [Ready.Answer]
        /// News of who is there.
        var presences: [Presence] = []
        /// The latest whole presence of each table.
        var wholes: [Presence] = []
        fileprivate var weight: Int
    }

    private(set) var items: [Item] = []
    private var bytes = 0
    private var replies = 0
    private let bounds: Turn.Bounds

    init(_ bounds: Turn.Bounds) { self.bounds = bounds }

    var isEmpty: Bool { items.isEmpty }

    /// Whether nothing more may be decided before something of this is durable.
    var isFull: Bool {
        items.count >= bounds.entries || bytes >= bounds.bytes || replies >= bounds.replies
    }

    /// Throws away all that waits.
    mutating func removeAll() { self = Ahead(bounds) }

    /// An entry was submitted: what it led to waits for it.
    mutating func add(_ ready: Ready, entry: [UInt8], ns: UInt64) {
        let weight = entry.count + ready.replies.reduce(0) { $0 + $1.weight }
        items.append(
            Item(
                position: ready.position, entry: entry, submittedNs: ns,
                publications: ready.publications, audited: ready.audited, replies: ready.replies,
                weight: weight))
        bytes += weight
        replies += ready.replies.count
    }

    /// An answer that was made at the newest state waits for it.
    mutating func add(_ answer: Ready.Answer) {
        weigh(answer.weight)
        items[items.count - 1].replies.append(answer)
        replies += 1
    }

    /// Entries of the audit about the newest state wait for it.
    mutating func add(_ audited: [AuditEntry]) { items[items.count - 1].audited += audited }

    /// News of who is there at the newest state waits for it.
    mutating func add(_ presence: Presence) {
        weigh(presence.weight)
        items[items.count - 1].presences.append(presence)
    }

    /// The whole of who is there at the newest state, in place of what was so before at that state.
    mutating func add(whole presence: Presence) {
        let last = items.count - 1
        if let place = items[last].wholes.firstIndex(where: { $0.table == presence.table }) {
            weigh(presence.weight - items[last].wholes[place].weight)
            items[last].wholes[place] = presence
        } else {
            weigh(presence.weight)
            items[last].wholes.append(presence)
        }
    }

    private mutating func weigh(_ weight: Int) {
        items[items.count - 1].weight += weight
        bytes += weight
    }

    /// The first item, if it is durable.
    mutating func popFirst(durable: UInt64) -> Item? {
        guard let first = items.first, first.position <= durable else { return nil }
        items.removeFirst()
        bytes -= first.weight
        replies -= first.replies.count
        return first
    }

    /// Whether this is what was submitted for a position.
    func isOurs(_ bytes: UnsafeRawBufferPointer, at position: UInt64) -> Bool {
        guard let item = items.first(where: { $0.position == position }) else { return false }
        return item.entry.withUnsafeBytes { $0.elementsEqual(bytes) }
    }
}

extension Presence {
    /// About as many bytes as it takes.
    fileprivate var weight: Int {
        64 + 128 * ((leases?.count ?? 0) + (viewers?.count ?? 0) + ended.count)
    }
}
