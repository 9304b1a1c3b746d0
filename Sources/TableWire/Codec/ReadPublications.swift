internal import TableModel
internal import TableSync

// The messages that a daemon publishes.

extension Publication {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Publication {
        var (table, history, epoch) = (ID?.none, ID128?.none, ID128?.none)
        var (timeMs, diffs, isDropped) = (UInt64?.none, [Diff](), false)
        var (welcome, heartbeat): (Head??, Head??) = (nil, nil)
        while try s.more() {
            try s.id(1, "table", &table)
            try s.hex(2, "history", &history)
            try s.hex(3, "epoch", &epoch)
            try s.number(4, "timeMs", &timeMs)
            try s.all(5, "diffs", &diffs, Diff.read(from:))
            try s.one(6, "welcome", &welcome, Head.read(from:))
            try s.one(7, "heartbeat", &heartbeat, Head.read(from:))
            try s.message(8, "dropped") { (s) throws(Refusal) in
                isDropped = true
                try S.nothing(from: &s)
            }
        }
        let id = try s.needed(table, "table")
        guard let epoch else { throw .notHex(32, "epoch") }
        let isOfTable = !diffs.isEmpty || heartbeat != nil || welcome.flatMap { $0 } != nil
        if history == nil, isOfTable { throw .missing("history") }
        if case .some(nil) = heartbeat { throw Refusal.notHex(16, "digest").within("heartbeat") }
        return Publication(
            table: id, history: history, epoch: epoch, timeMs: timeMs, diffs: diffs,
            welcome: welcome.flatMap { $0 }, heartbeat: heartbeat.flatMap { $0 },
            isDropped: isDropped, isWelcome: welcome != nil)
    }
}

extension Head {
    /// Nil: it says nothing, as in the welcome to a table that does not exist.
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Head? {
        var (revision, digest, oldest) = (UInt64?.none, UInt64?.none, UInt64?.none)
        while try s.more() {
            try s.number(1, "revision", &revision)
            try s.hex(2, "digest", &digest)
            try s.number(3, "oldest", &oldest)
        }
        guard let digest else {
            if revision == nil, oldest == nil { return nil }
            throw .notHex(16, "digest")
        }
        return Head(revision: revision ?? 0, digest: digest, oldest: oldest ?? 0)
    }
}

extension Presence {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Presence {
        var (table, epoch) = (ID?.none, ID128?.none)
        var (leases, viewers, ended): ([Lease]?, [Attendant]?, [Ended]) = (nil, nil, [])
        while try s.more() {
            try s.id(1, "table", &table)
            try s.hex(2, "epoch", &epoch)
            try s.one(3, "leases", &leases) { (s) throws(Refusal) in
                try s.only(1, "leases", Lease.read(from:))
            }
            try s.one(4, "viewers", &viewers) { (s) throws(Refusal) in
                try s.only(1, "viewers", Attendant.read(from:))
            }
            try s.all(5, "ended", &ended) { (s) throws(Refusal) in
                var (lease, reason, saying, isDropped) = (ID?.none, "", Saying?.none, false)
                while try s.more() {
                    try s.id(1, "lease", &lease)
                    try s.text(2, "reason", &reason)
                    try s.flag(3, "dropped", &isDropped)
                    try s.one(4, "saying", &saying, Saying.read(from:))
                }
                return Ended(try s.needed(lease, "lease"), reason, saying, isDropped: isDropped)
            }
        }
        return Presence(
            table: try s.needed(table, "table"), epoch: try epoch.or(.notHex(32, "epoch")),
            leases: leases, viewers: viewers, ended: ended)
    }
}

extension Lease {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Lease {
        var (lease, holder, user): (ID?, ID?, ID?) = (nil, nil, nil)
        var (rows, ttl): ([ID], Double) = ([], 0)
        var (section, anchor): (ID?, Anchor?) = (nil, nil)
        while try s.more() {
            try s.id(1, "lease", &lease)
            try s.id(2, "holder", &holder)
            try s.ids(3, "rows", &rows, most: .max)
            try s.double(4, "ttl", &ttl)
            try s.id(5, "section", &section)
            try s.anchor(from: 6, &anchor)
            try s.id(10, "user", &user)
        }
        return Lease(
            id: try s.needed(lease, "lease"), holder: try s.needed(holder, "holder"), rows: rows,
            ttlSeconds: ttl, hover: anchor.map { Hover(section: section, $0) }, user: user)
    }
}

extension Attendant {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Attendant {
        var (client, viewer) = (ID?.none, Attendant(client: ""))
        while try s.more() {
            try s.id(1, "client", &client)
            try s.id(2, "name", &viewer.name)
            try s.number(3, "sinceMs", &viewer.sinceMs)
            try s.number(4, "revision", &viewer.revision)
            try s.number(5, "lag", &viewer.lag)
            try s.id(6, "user", &viewer.user)
        }
        viewer.client = try s.needed(client, "client")
        return viewer
    }
}
