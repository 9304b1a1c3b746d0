import TableModel

/// Clients in the order of their latest command: who was quiet the longest is the first to go.
struct UseOrder: Sendable {
    /// A command of a client. It is stale unless its position is that of the client's latest.
    struct Use: Sendable {
        let client: ID
        /// The journal's position.
        let usedAt: UInt64
    }

    private var uses: [Use] = []
    /// The index of the first that has not gone.
    private var first = 0
    /// The clients before it have no answers any more.
    private var firstFull = 0
    /// Before it, clients of one position are in the order of their names.
    private var settledTo = 0

    init() {}

    /// The order of these sessions, as a checkpoint has them.
    init(_ list: SessionList) {
        uses = list.elements.map { Use(client: $0.client, usedAt: $0.session.usedAt) }
            .sorted { $0.usedAt == $1.usedAt ? $0.client < $1.client : $0.usedAt < $1.usedAt }
        settledTo = uses.count
    }

    /// The position of the latest command.
    var latest: UInt64 { uses.last?.usedAt ?? 0 }

    mutating func append(_ client: ID, at position: UInt64) {
        uses.append(Use(client: client, usedAt: position))
    }

    /// The oldest that has not gone.
    mutating func oldest() -> Use? { settled(at: first) }

    mutating func removeOldest() { first += 1 }

    /// The oldest whose client may have answers.
    mutating func oldestFull() -> Use? {
        // A session that has gone has none.
        firstFull = max(firstFull, first)
        return settled(at: firstFull)
    }

    /// It has none.
    mutating func passFull() { firstFull += 1 }

    /// Those of one position go in the order of their names, since a checkpoint knows no other. In the turn
    /// itself they go as they come, and so they do in a replay.
    private mutating func settled(at place: Int) -> Use? {
        guard place < uses.count else { return nil }
        let usedAt = uses[place].usedAt
        guard place >= settledTo, usedAt != latest else { return uses[place] }
        // In the turn itself some of them may have been emptied.
        var begin = place
        while begin > first, uses[begin - 1].usedAt == usedAt { begin -= 1 }
        settledTo = uses[place...].firstIndex { $0.usedAt != usedAt } ?? uses.count
        uses[begin..<settledTo].sort { $0.client < $1.client }
        // One that has answers may be before it now.
        if begin < firstFull, firstFull < settledTo { firstFull = begin }
        return uses[begin]
    }

    /// Whether much of it is of no use.
    func isToCompact(clients: Int) -> Bool {
        first > 1_024 && first > uses.count / 2 || uses.count - first > 4 * max(1_024, clients)
    }

    /// Keeps those that are not stale.
    mutating func compact(_ isLatest: (Use) -> Bool) {
        let full = uses[max(firstFull, first)...]
        let empty = uses[first..<full.startIndex].filter(isLatest)
        uses = empty + full.filter(isLatest)
        (first, firstFull, settledTo) = (0, empty.count, 0)
    }
}
