public import TableModel

// What the daemon says.

extension Hub {
    /// An answer to the gateway's own `hello`.
    public mutating func heardHello(_ reply: [UInt8], nowMs: Int) -> [Effect] {
        apply(daemon.heard(reply, nowMs: nowMs))
    }

    /// Looks at the clock.
    public mutating func tick(nowMs: Int) -> [Effect] {
        // A bucket that is full again is as good as a new one.
        budgets = budgets.filter { !$0.value.isFull(nowMs: nowMs) }
        snapshotBudgets = snapshotBudgets.filter { !$0.value.isFull(nowMs: nowMs) }
        return apply(daemon.tick(nowMs: nowMs))
    }

    private mutating func apply(_ change: DaemonState.Change) -> [Effect] {
        var effects: [Effect] = []
        if change.contains(.epoch) { latest = [:] }
        if change.contains(.hello) { effects += tellDevices() }
        if change.contains(.isUp) { effects += send(pages.keys.sorted(), daemonMessage) }
        // The daemon looks at what is subscribed to when it is.
        if change.contains(.admission) {
            effects += followers.keys.sorted().flatMap(\.subscribedAnew)
        }
        return effects
    }

    /// A reply to a request of a page.
    public mutating func heardReply(_ reply: [UInt8], client: String) -> [Effect] {
        guard let page = clients[client], let device = pages[page]?.device,
            let told = Access.filtered(reply, for: device)
        else { return [] }
        return send([page], Message("reply", told))
    }

    /// A publication: to each page that follows the table and keeps up.
    public mutating func heardPublication(topic: String, _ body: [UInt8], nowMs: Int) -> [Effect] {
        guard let table = Self.table(of: topic), let following = followers[table] else { return [] }
        counters.publications += 1
        if topic.hasPrefix("j/"), Self.isSign(body) { latest[table] = (body, nowMs) }
        let message = Message("pub \(topic)", body)
        let count = message.count
        var taken: [PageID] = []
        for page in following {
            guard let state = pages[page] else { continue }
            // Once something is left out all of that table is, until the page was told.
            let isTooMuch = state.unsent > 0 && state.unsent + count > bounds.publications
            if isTooMuch || state.dropped.contains(table) {
                pages[page]?.dropped.insert(table)
                counters.droppedPublications += 1
            } else {
                pages[page]?.unsent += count
                taken.append(page)
            }
        }
        return taken.isEmpty ? [] : [.send(taken, message)]
    }

    /// The table in a topic such as `j/board/`. By bytes: to Swift a slash and a mark that follows it are one
    /// character.
    public static func table(of topic: String) -> TableID? {
        let bytes = Array(topic.utf8)
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")), bytes.last == 0x2F,
            slash + 1 < bytes.count
        else { return nil }
        return TableID(String(decoding: bytes[(slash + 1)..<(bytes.count - 1)], as: UTF8.self))
    }

    /// Whether a publication is a heartbeat or a welcome of a table that is there.
    static func isSign(_ body: [UInt8]) -> Bool {
        let before = ["diffs", "dropped", "presence"]
        return JSONMembers.find("heartbeat", in: body, before: before) != nil
            || JSONMembers.find("welcome", in: body, before: before) != nil
    }
}
