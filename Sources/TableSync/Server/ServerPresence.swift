public import TableModel

// When it is published who is there.
//
// A presence has all leases of a table, however little has changed, and goes to every viewer. A table
// with a thousand leases has half a megabyte of them. So large presences share the time that is meant for
// them all: after each one all wait, for as long as its bytes say.

/// The pause between large presences, of whatever tables.
struct PresencePause {
    /// A presence that has no more is never waited for: the least pause of its table says enough.
    static let smallBytes = 8 << 10
    /// Bytes in a millisecond: to write and to send them takes a few per cent of that time.
    private static let bytesPerMs = 4 << 10

    private var endsMs: UInt64 = 0

    /// Milliseconds until the next one may go out.
    func left(nowMs: UInt64) -> UInt64 { endsMs - min(nowMs, endsMs) }

    /// Goes on from now, if so many bytes go out.
    mutating func published(bytes: Int, nowMs: UInt64) {
        guard bytes > Self.smallBytes else { return }
        endsMs = max(endsMs, nowMs) + UInt64(bytes / Self.bytesPerMs)
    }
}

extension Server {
    /// Milliseconds until a presence is due; nil: there is no news.
    public var untilPresence: UInt64? {
        let left = tables.presencePause.left(nowMs: ready.monotonicMs)
        return tables.values.compactMap { live in
            live.ephemeral.untilPresence(nowMs: ready.monotonicMs)
                .map { live.isCrowded ? max($0, left) : $0 }
        }.min()
    }

    /// The presences that are due: small ones, and at most one large one, of the table whose last was the
    /// longest ago.
    public func presences() -> [Presence] {
        var due: [Presence] = []
        var first: LiveTable?
        for live in tables.values where live.ephemeral.untilPresence(nowMs: ready.monotonicMs) == 0
        {
            if live.isCrowded {
                if first.map({ live.waits(longerThan: $0) }) ?? true { first = live }
            } else {
                due += nextPresence(of: live)
            }
        }
        if let first, tables.presencePause.left(nowMs: ready.monotonicMs) == 0 {
            due += nextPresence(of: first)
        }
        return due
    }

    private func nextPresence(of live: LiveTable) -> [Presence] {
        guard
            let presence = live.ephemeral.presence(
                live.table, epoch: epoch, nowMs: ready.monotonicMs)
        else { return [] }
        tables.presencePause.published(
            bytes: live.ephemeral.presenceBytes, nowMs: ready.monotonicMs)
        return [presence]
    }

    /// The full presence of a table.
    public func presence(of name: TableID) -> Presence? {
        guard let live = tables[name] else { return nil }
        return Presence(
            table: name, epoch: epoch, leases: live.ephemeral.sortedLeases,
            viewers: live.ephemeral.attendants(head: live.table.revision))
    }

    /// `presence(of:)` for a new subscriber; nil: it is large, and comes when its turn is.
    public func presence(toNewcomerOf name: TableID) -> Presence? {
        guard let live = tables[name] else { return nil }
        if live.isCrowded {
            live.ephemeral.tellAll()
            return nil
        }
        return presence(of: name)
    }

    /// The full presence of every table, with each heartbeat; large ones come when their turn is. Tables
    /// without viewers are included, because the presence that said so may have been lost.
    public func fullPresences() -> [Presence] {
        tables.keys.compactMap { presence(toNewcomerOf: $0) }
    }
}

extension Server.LiveTable {
    /// Whether its presence was large: then the next one is most likely large too.
    fileprivate var isCrowded: Bool { ephemeral.presenceBytes > PresencePause.smallBytes }

    fileprivate func waits(longerThan other: Server.LiveTable) -> Bool {
        (ephemeral.lastPresenceMs, table.name) < (other.ephemeral.lastPresenceMs, other.table.name)
    }
}

extension Lease {
    /// About its bytes in a presence.
    var publishedBytes: Int { rows.reduce(192 + holder.byteCount) { $0 + 4 + $1.byteCount } }
}

extension Attendant {
    /// About its bytes in a presence.
    var publishedBytes: Int { 128 + client.byteCount + (name?.byteCount ?? 0) }
}
