import TableModel

// What pages say.

extension Hub {
    /// A message of a page. Its bytes are text frames that were put together.
    public mutating func said(_ page: PageID, _ bytes: [UInt8], nowMs: Int) -> [Effect] {
        guard let device = pages[page]?.device else { return [] }
        guard spend(device, bytes.count, nowMs: nowMs) else { return end(page, .tooMuch) }
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        guard end <= 200, let head = String(validating: bytes[..<end], as: UTF8.self) else {
            return self.end(page, .malformed)
        }
        let body = Array(bytes[min(end + 1, bytes.count)...])
        if head == "request" { return request(page, device, body) }
        if head == "ping" {
            guard body.count <= 64, let text = String(validating: body, as: UTF8.self) else {
                return self.end(page, .malformed)
            }
            return send([page], Message("pong", text: text))
        }
        if let table = Self.rest(of: head, behind: "follow ") {
            return follow(page, device, table, nowMs: nowMs)
        }
        if let table = Self.rest(of: head, behind: "leave ") {
            guard pages[page]?.follows.contains(table) == true else { return [] }
            return unfollow(page, table)
        }
        return self.end(page, .malformed)
    }

    /// By bytes, as names of tables are.
    private static func rest(of head: String, behind word: String) -> TableID? {
        guard head.utf8.starts(with: word.utf8) else { return nil }
        return TableID(String(decoding: head.utf8.dropFirst(word.utf8.count), as: UTF8.self))
    }

    /// Bytes that came, whatever they are. False: more than the device may send.
    public mutating func spend(_ device: Device, _ count: Int, nowMs: Int) -> Bool {
        let full = Bucket(
            most: bounds.bytesAtOnce, perSecond: bounds.bytesPerSecond, nowMs: nowMs)
        return budgets[device.name, default: full]
            .take(Double(max(count, bounds.leastBytes)), nowMs: nowMs)
    }

    /// It asks for a snapshot. False: more often than the device may.
    public mutating func joins(_ device: Device, nowMs: Int) -> Bool {
        spend(device, bounds.joinBytes, nowMs: nowMs)
    }

    /// It is given a snapshot of so many bytes. False: it was given too many just now. Of what is left it may be given
    /// one, however large.
    public mutating func gives(_ device: Device, bytes: Int, nowMs: Int) -> Bool {
        let full = Bucket(
            most: bounds.snapshotBytesAtOnce, perSecond: bounds.snapshotBytesPerSecond,
            nowMs: nowMs)
        return snapshotBudgets[device.name, default: full].overdraw(Double(bytes), nowMs: nowMs)
    }

    mutating func end(_ page: PageID, _ code: EndCode) -> [Effect] {
        counters.ended += 1
        return [.end(page, code)]
    }

    private mutating func request(_ page: PageID, _ device: Device, _ body: [UInt8]) -> [Effect] {
        counters.requests += 1
        switch Access.check(body, of: device, limits: daemon.limits, epoch: daemon.epoch) {
        case .failure(let refusal):
            counters.refused += 1
            return send([page], Message("reply", refusal.reply))
        case .success(let client):
            // The register has no device without one.
            guard let behalf = pages[page]?.behalf else { return end(page, .revoked) }
            remember(client, page)
            return [.request(body, behalf: behalf)]
        }
    }

    /// So that the reply finds the page. The client that was used least lately is forgotten.
    private mutating func remember(_ client: String, _ page: PageID) {
        clients[client] = page
        var known = pages[page]?.clients ?? []
        if known.last == client { return }
        known.removeAll { $0 == client }
        known.append(client)
        if known.count > bounds.clients {
            let forgotten = known.removeFirst()
            if clients[forgotten] == page { clients[forgotten] = nil }
        }
        pages[page]?.clients = known
    }

    /// A device is told only that it may not follow a table, whether or not there is one.
    private mutating func follow(
        _ page: PageID, _ device: Device, _ table: TableID, nowMs: Int
    ) -> [Effect] {
        guard Self.isTableName(table.text) else { return end(page, .malformed) }
        guard device.mayKnow(table.text) else {
            counters.refused += 1
            return send([page], Message("forbidden \(table)"))
        }
        let follows = pages[page]?.follows ?? []
        let isKnown = followers[table] != nil
        let own = tables(of: device).union([table])
        guard follows.contains(table) || follows.count < bounds.follows,
            isKnown || followers.count < bounds.tables,
            isKnown || Self.topicBytes(followers.keys) + table.topicBytes <= bounds.topicBytes,
            own.count <= bounds.tablesOfDevice, Self.topicBytes(own) <= bounds.topicBytesOfDevice
        else { return end(page, .tooMuch) }
        pages[page]?.follows.insert(table)
        followers[table, default: []].insert(page)
        if !isKnown { return table.topics.map { .subscribe($0) } }
        // The daemon welcomes the first follower only. What was heard a moment ago is as good; what
        // is older could make a page live for longer than the truth.
        if let last = latest[table], nowMs - last.atMs <= 100 {
            return send([page], Message("pub j/\(table)/", last.body))
        }
        guard nowMs - (probedAtMs[table] ?? -1_000) >= 100 else { return [] }
        probedAtMs[table] = nowMs
        // Where nothing comes, the daemon may have ended this subscription and not have admitted it since.
        guard let last = latest[table], nowMs - last.atMs <= daemon.silenceMs else {
            return table.subscribedAnew
        }
        return [.probe("j/\(table)/")]
    }

    private static func topicBytes(_ tables: some Sequence<TableID>) -> Int {
        tables.reduce(0) { $0 + $1.topicBytes }
    }

    private func tables(of device: Device) -> Set<TableID> {
        pages.values.lazy.filter { $0.device.name == device.name }
            .reduce(into: []) { $0.formUnion($1.follows) }
    }

    mutating func unfollow(_ page: PageID, _ table: TableID) -> [Effect] {
        pages[page]?.follows.remove(table)
        pages[page]?.dropped.remove(table)
        followers[table]?.remove(page)
        guard followers[table]?.isEmpty == true else { return [] }
        followers[table] = nil
        latest[table] = nil
        probedAtMs[table] = nil
        return table.topics.map { .unsubscribe($0) }
    }

    static func isTableName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && !text.utf8.contains(UInt8(ascii: "/"))
            && Text.isPlain(text)
    }
}

extension TableID {
    /// The topics to which a follower of the table subscribes.
    fileprivate var topics: [String] { ["j/\(self)/", "pj/\(self)/"] }
    /// Subscribes to them once more: the daemon looks at rights when somebody subscribes.
    var subscribedAnew: [Effect] { topics.flatMap { [.unsubscribe($0), .subscribe($0)] } }
    /// The bytes of both.
    fileprivate var topicBytes: Int { 2 * text.utf8.count + 7 }
}
