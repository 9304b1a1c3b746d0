internal import TableModel
internal import TableSync

// In these messages a daemon describes itself and its tables.

extension Hello {
    func write<S: Sink>(epoch: ID128, to s: inout S) {
        s.count(1, "protocol", Hello.protocolVersion)
        s.text(2, "program", unlessEmpty: program)
        s.text(3, "version", unlessEmpty: version)
        s.hex(4, "epoch", epoch)
        s.number(5, "opened", opened)
        s.texts(6, "publish", publish)
        s.message(7, "limits") { s in
            for (index, limit) in Limits.sent.enumerated() {
                s.count(UInt64(index + 1), limit.name, unlessZero: limits[keyPath: limit.path])
            }
        }
        s.texts(8, "features", features)
        s.count(9, "heartbeatMs", unlessZero: heartbeatMs)
        s.number(10, "term", unlessZero: term)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Hello {
        var (hello, version) = (Hello(), 0)
        (hello.program, hello.version, hello.heartbeatMs) = ("", "", 0)
        while try s.more() {
            try s.count(1, "protocol", &version)
            try s.text(2, "program", &hello.program)
            try s.text(3, "version", &hello.version)
            // The epoch is the reply's.
            var epoch: ID128?
            try s.hex(4, "epoch", &epoch)
            try s.number(5, "opened", &hello.opened)
            try s.texts(6, "publish", &hello.publish)
            try s.message(7, "limits") { (s) throws(Refusal) in
                for limit in Limits.sent { hello.limits[keyPath: limit.path] = 0 }
                while try s.more() {
                    for (index, limit) in Limits.sent.enumerated() {
                        try s.count(
                            UInt32(index + 1), limit.name, &hello.limits[keyPath: limit.path])
                    }
                }
            }
            try s.texts(8, "features", &hello.features)
            try s.count(9, "heartbeatMs", &hello.heartbeatMs)
            try s.number(10, "term", &hello.term)
        }
        guard version == Hello.protocolVersion else {
            throw Refusal(
                .badValue, "This program speaks version \(Hello.protocolVersion).", "protocol")
        }
        return hello
    }
}

extension Limits {
    /// The limits that clients are told of, in the order of the schema's numbers, which begin with 1. The others
    /// have their defaults.
    static var sent: [(name: StaticString, path: WritableKeyPath<Limits, Int>)] {
        [
            ("requestBytes", \.requestBytes), ("frames", \.frames),
            ("batchCommands", \.batchCommands), ("idBytes", \.idBytes),
            ("titleBytes", \.titleBytes), ("rowBytes", \.rowBytes), ("rows", \.rows),
            ("tables", \.tables), ("sections", \.sections), ("kinds", \.kinds),
            ("fields", \.fields), ("sessions", \.sessions),
            ("repliesPerSession", \.repliesPerSession), ("kindBytes", \.kindBytes),
            ("faceBytes", \.faceBytes), ("invocations", \.invocations),
            ("takenInvocations", \.takenInvocations), ("reasonBytes", \.reasonBytes),
            ("holderTimeoutMs", \.holderTimeoutMs), ("items", \.items),
            ("stripBytes", \.stripBytes), ("kindsBytes", \.kindsBytes),
        ]
    }
}

extension TableSummary {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> TableSummary {
        var (table, history, digest) = (ID?.none, ID128?.none, UInt64?.none)
        var (revision, rows, sections, oldest) = (UInt64(0), 0, 0, UInt64(0))
        while try s.more() {
            try s.id(1, "table", &table)
            try s.hex(2, "history", &history)
            try s.number(3, "revision", &revision)
            try s.count(4, "rows", &rows)
            try s.count(5, "sections", &sections)
            try s.hex(6, "digest", &digest)
            try s.number(7, "oldest", &oldest)
        }
        return TableSummary(
            table: try s.needed(table, "table"), history: try history.or(.notHex(32, "history")),
            revision: revision, rows: rows, sections: sections,
            digest: try digest.or(.notHex(16, "digest")), oldest: oldest)
    }
}

extension Standing {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Standing {
        var (relation, digest) = (Relation?.none, UInt64?.none)
        var head = Head(revision: 0, digest: 0, oldest: 0)
        while try s.more() {
            try s.word(1, "relation", &relation)
            try s.number(2, "head", &head.revision)
            try s.hex(3, "digest", &digest)
            try s.number(4, "oldest", &head.oldest)
        }
        let known = try relation.or(.word(Relation.allCases.map(\.rawValue), "relation"))
        head.digest = try digest.or(.notHex(16, "digest"))
        return Standing(known, head: head)
    }
}

extension Health {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "status", unlessEmpty: status)
        s.text(2, "version", unlessEmpty: version)
        s.number(3, "uptimeMs", shown: uptimeMs)
        s.number(4, "position", shown: position)
        s.count(5, "tables", shown: tables)
        s.count(6, "rows", shown: rows)
        guard let cluster else { return }
        s.text(7, "role", unlessEmpty: cluster.role)
        s.number(8, "term", shown: cluster.term)
        s.number(9, "lag", shown: cluster.lag)
        s.texts(10, "leader", cluster.leader)
        s.messages(11, "members", cluster.members) { member, s in
            s.text(1, "id", unlessEmpty: member.id)
            s.texts(2, "endpoints", member.endpoints)
            s.number(3, "position", shown: member.position)
            s.text(4, "version", unlessEmpty: member.version)
            s.number(5, "term", shown: member.term)
        }
        s.flag(12, "outOfTouch", shown: cluster.isOutOfTouch)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Health {
        var (health, cluster) = (Health(), Cluster())
        health.status = ""
        while try s.more() {
            try s.text(1, "status", &health.status)
            try s.text(2, "version", &health.version)
            try s.number(3, "uptimeMs", &health.uptimeMs)
            try s.number(4, "position", &health.position)
            try s.count(5, "tables", &health.tables)
            try s.count(6, "rows", &health.rows)
            try s.text(7, "role", &cluster.role)
            try s.number(8, "term", &cluster.term)
            try s.number(9, "lag", &cluster.lag)
            try s.texts(10, "leader", &cluster.leader)
            try s.all(11, "members", &cluster.members) { (s) throws(Refusal) in
                var member = Cluster.Member(id: "", endpoints: [], position: 0, version: "")
                while try s.more() {
                    try s.text(1, "id", &member.id)
                    try s.texts(2, "endpoints", &member.endpoints)
                    try s.number(3, "position", &member.position)
                    try s.text(4, "version", &member.version)
                    try s.number(5, "term", &member.term)
                }
                return member
            }
            try s.flag(12, "outOfTouch", &cluster.isOutOfTouch)
        }
        if !cluster.role.isEmpty { health.cluster = cluster }
        return health
    }
}
