internal import TableModel
internal import TableSync

// The messages that a daemon publishes.

extension Publication {
    func write<S: Sink>(to s: inout S) {
        s.head(of: self)
        s.messages(5, "diffs", diffs) { $0.write(to: &$1) }
        s.tail(of: self)
    }

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
    func write<S: Sink>(to s: inout S) {
        s.number(1, "revision", shown: revision)
        s.hex(2, "digest", digest)
        s.number(3, "oldest", shown: oldest)
    }

    /// Nil: it says nothing, as in the welcome to a table that does not exist.
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Head? {
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
    func write<S: Sink>(to s: inout S) {
        s.id(1, "table", unlessEmpty: table)
        s.hex(2, "epoch", epoch)
        if let leases {
            s.message(3, "leases") { $0.messages(1, "leases", leases) { $0.write(to: &$1) } }
        }
        if let viewers {
            s.message(4, "viewers") { $0.messages(1, "viewers", viewers) { $0.write(to: &$1) } }
        }
        s.messages(5, "ended", ended) { end, s in
            s.id(1, "lease", unlessEmpty: end.lease)
            s.text(2, "reason", unlessEmpty: end.reason)
            if let saying = end.saying { s.message(4, "saying") { saying.write(to: &$0) } }
            s.flag(3, "dropped", ifSet: end.isDropped)
        }
    }

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
    func write<S: Sink>(to s: inout S) {
        s.id(1, "lease", unlessEmpty: id)
        s.id(2, "holder", unlessEmpty: holder)
        s.ids(3, "rows", rows)
        s.double(4, "ttl", ttlSeconds)
        if let hover {
            s.id(5, "section", hover.section)
            s.anchor(from: 6, hover.anchor)
        }
        s.id(10, "user", user)
    }

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
    func write<S: Sink>(to s: inout S) {
        s.id(1, "client", unlessEmpty: client)
        s.id(2, "name", name)
        s.number(3, "sinceMs", sinceMs)
        s.number(4, "revision", revision)
        s.number(5, "lag", shown: lag)
        s.id(6, "user", user)
    }

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

extension Sink {
    /// The fields of a publication before its diffs.
    mutating func head(of publication: Publication) {
        id(1, "table", unlessEmpty: publication.table)
        hex(2, "history", publication.history)
        hex(3, "epoch", publication.epoch)
        number(4, "timeMs", publication.timeMs)
    }

    /// The fields behind its diffs.
    mutating func tail(of publication: Publication) {
        // A welcome without a digest says that there is no such table.
        if publication.isWelcome || publication.welcome != nil {
            message(6, "welcome") { publication.welcome?.write(to: &$0) }
        }
        if let head = publication.heartbeat { message(7, "heartbeat") { head.write(to: &$0) } }
        if publication.isDropped { message(8, "dropped") { _ in } }
    }
}
