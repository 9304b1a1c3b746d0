internal import TableModel
internal import TableSync

extension Reply {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Reply {
        var (isOK, client, number, table) = (false, ID?.none, UInt64?.none, ID?.none)
        var (history, epoch, revision) = (ID128?.none, ID128?.none, UInt64?.none)
        var (unchanged, error) = (false, Rejection?.none)
        var (rows, invocations): ([Landing], [Invocation]) = ([], [])
        var (result, ops, rowCount): (Answer?, [Op]?, UInt64?) = (nil, nil, nil)
        while try s.more() {
            try s.flag(1, "ok", &isOK)
            try s.id(2, "client", &client)
            try s.number(3, "number", &number)
            try s.id(4, "table", &table)
            try s.hex(5, "history", &history)
            try s.hex(6, "epoch", &epoch)
            try s.number(7, "revision", &revision)
            try s.flag(8, "unchanged", &unchanged)
            try s.one(9, "error", &error, Rejection.read(from:))
            try s.all(10, "rows", &rows, Landing.read(from:))
            try s.all(11, "invocations", &invocations, Invocation.read(from:))
            try s.number(12, "rowCount", &rowCount)
            try Answer.take(from: &s, into: &result)
            try s.one(60, "explanation", &ops) { (s) throws(Refusal) in
                try s.only(1, "ops", Op.read(from:))
            }
        }
        guard let epoch else { throw .notHex(32, "epoch") }
        let answer: Answer
        if let error {
            if isOK { throw Refusal(.badValue, "A refusal cannot be ok.", "ok") }
            answer = .refused(error)
        } else if !isOK {
            throw .missing("error")
        } else if let ops {
            answer = .explained(
                Explanation(rows: rows, invocations: invocations, ops: ops, isUnchanged: unchanged))
        } else if let rowCount {
            answer = .manyDone(rows: Int(clamping: rowCount), unchanged: unchanged)
        } else {
            answer = result ?? .done(rows: rows, unchanged: unchanged, invocations: invocations)
        }
        return Reply(
            client: client, number: number, table: table, history: history, epoch: epoch,
            revision: revision, answer)
    }
}

extension Reply.Answer {
    fileprivate static func take<S: Source>(
        from s: inout S, into answer: inout Self?
    ) throws(Refusal) {
        try s.choice(20, "hello", &answer, Hello.read(from:)) { .hello($0) }
        try s.choice(21, "tables", &answer) { (s) throws(Refusal) in
            .tables(try s.only(1, "tables", TableSummary.read(from:)))
        }
        try s.choice(22, "kinds", &answer, S.definitions(from:)) { .kinds($0, $1) }
        try s.choice(23, "snapshot", &answer, SnapshotChunk.read(from:)) { .snapshot($0) }
        try s.choice(24, "replay", &answer) { (s) throws(Refusal) in
            var (publication, head) = (Publication?.none, UInt64(0))
            while try s.more() {
                try s.one(1, "publication", &publication, Publication.read(from:))
                try s.number(2, "head", &head)
            }
            guard let publication else { throw Refusal.missing("table").within("publication") }
            return .replay(publication, head: head)
        }
        try s.choice(25, "standing", &answer, Standing.read(from:)) { .standing($0) }
        try s.choice(26, "health", &answer, Health.read(from:)) { .health($0) }
        try s.choice(27, "stats", &answer) { (s) throws(Refusal) in
            var stats = Stats()
            while try s.more() {
                try s.counters(1, "counters", &stats.counters)
                try s.counters(2, "gauges", &stats.gauges)
                try s.counters(3, "rejections", &stats.rejections)
            }
            return .stats(stats)
        }
        try takeMore(from: &s, into: &answer)
    }

    private static func takeMore<S: Source>(
        from s: inout S, into answer: inout Self?
    ) throws(Refusal) {
        try s.choice(28, "check", &answer) { (s) throws(Refusal) in
            var check = CheckResult()
            while try s.more() {
                try s.number(1, "position", &check.position)
                try s.number(2, "entries", &check.entries)
                try s.number(3, "checkpointParts", &check.checkpointParts)
                try s.all(4, "tables", &check.tables, TableSummary.read(from:))
            }
            return .check(check)
        }
        try s.choice(29, "lease", &answer, Lease.read(from:)) { .lease($0) }
        try s.choice(30, "who", &answer) { (s) throws(Refusal) in
            var (viewers, leases): ([Attendant], [Lease]) = ([], [])
            while try s.more() {
                try s.all(1, "viewers", &viewers, Attendant.read(from:))
                try s.all(2, "leases", &leases, Lease.read(from:))
            }
            return .who(viewers, leases)
        }
        try s.choice(31, "changes", &answer, HistoryPage.read(from:)) { .history($0) }
        try s.choice(32, "rewind", &answer) { (s) throws(Refusal) in
            .rewind(try s.only(1, "back", RewindStep.read(from:)))
        }
        try s.choice(33, "backup", &answer) { (s) throws(Refusal) in
            var chunk = BackupChunk(id: "", chunk: 0, chunks: 0, parts: [])
            while try s.more() {
                try s.text(1, "id", &chunk.id)
                try s.count(2, "chunk", &chunk.chunk)
                try s.count(3, "chunks", &chunk.chunks)
                try s.all(4, "tables", &chunk.tables, TableSummary.read(from:))
                try s.bytes(5, "parts", all: &chunk.parts)
            }
            return .backup(chunk)
        }
        try s.choice(34, "audit", &answer) { (s) throws(Refusal) in
            .audit(try s.only(1, "entries", AuditEntry.read(from:)))
        }
        try s.choice(37, "connections", &answer) { (s) throws(Refusal) in
            .connections(try s.only(1, "connections", ConnectionSummary.read(from:)))
        }
        try s.choice(41, "replicated", &answer, Replicated.read(from:)) { .replicated($0) }
        try s.choice(43, "found", &answer, Found.read(from:)) { .found($0) }
        try s.choice(42, "promoted", &answer, Promotion.read(from:)) { .promoted($0) }
    }
}

extension Rejection {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Rejection {
        var (code, message, field) = ("", "", String?.none)
        var (command, endpoints, saying): (Int?, [String], Saying?) = (nil, [], nil)
        while try s.more() {
            try s.text(1, "code", &code)
            try s.text(2, "message", &message)
            try s.text(3, "field", &field)
            try s.count(4, "command", &command)
            try s.texts(5, "endpoints", &endpoints)
            try s.one(6, "saying", &saying, Saying.read(from:))
        }
        // A newer daemon may have codes of its own. Such a refusal is still a refusal.
        let known = Code(rawValue: code)
        var rejection = Rejection(
            known ?? .unrecognized, known == nil ? "\(code): \(message)" : message, field: field,
            saying: saying)
        (rejection.command, rejection.endpoints) = (command, endpoints)
        return rejection
    }
}

extension Landing {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Landing {
        var (row, landing) = (ID?.none, Landing(row: ""))
        while try s.more() {
            try s.id(1, "row", &row)
            try s.id(2, "section", &landing.section)
            try s.count(3, "index", &landing.index)
            try s.id(4, "after", &landing.after)
            try s.number(5, "version", &landing.version)
            try s.text(6, "note", &landing.note)
            try s.one(7, "saying", &landing.saying, Saying.read(from:))
        }
        landing.row = try s.needed(row, "row")
        return landing
    }
}

extension Hello {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Hello {
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

extension TableSummary {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> TableSummary {
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

extension SnapshotChunk {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> SnapshotChunk {
        var part = SnapshotChunk(id: "", revision: 0, digest: 0, chunk: 0, chunks: 0, rows: 0)
        var digest: UInt64?
        while try s.more() {
            try s.text(1, "id", &part.id)
            try s.number(2, "revision", &part.revision)
            try s.hex(3, "digest", &digest)
            try s.count(4, "chunk", &part.chunk)
            try s.count(5, "chunks", &part.chunks)
            try s.count(6, "rows", &part.rows)
            try s.all(7, "kinds", &part.kinds, Kind.read(from:))
            try s.one(8, "settings", &part.settings, Settings.read(from:))
            try s.all(9, "slices", &part.slices, Slice.read(from:))
            try s.flag(10, "editing", &part.isEditing)
            try s.all(11, "invocations", &part.invocations, Invocation.read(from:))
        }
        part.digest = try digest.or(.notHex(16, "digest"))
        return part
    }
}

extension Standing {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Standing {
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
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Health {
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

extension HistoryPage {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> HistoryPage {
        var page = HistoryPage(changes: [], oldest: 0, keeps: Retention(diffs: 0, bytes: 0))
        while try s.more() {
            try s.all(1, "changes", &page.changes, Change.read(from:))
            try s.number(2, "oldest", &page.oldest)
            try s.count(3, "keepsDiffs", &page.keeps.diffs)
            try s.count(4, "keepsBytes", &page.keeps.bytes)
            try s.number(5, "keepsSeconds", &page.keeps.seconds)
            try s.number(6, "leaving", &page.leaving)
            try s.number(7, "next", &page.next)
        }
        return page
    }
}

extension HistoryPage.Change {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var change = Self(revision: 0, cause: Cause(verb: ""))
        while try s.more() {
            try s.number(1, "revision", &change.revision)
            var cause: Cause?
            try s.one(2, "cause", &cause, Cause.read(from:))
            if let cause { change.cause = cause }
            try s.number(3, "undoneBy", &change.undoneBy)
            try s.ids(4, "rows", &change.rows, most: .max)
            try s.text(5, "text", &change.text)
            try s.all(6, "sayings", &change.sayings, Saying.read(from:))
        }
        return change
    }
}

extension RewindStep {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> RewindStep {
        var (revision, digest, ops) = (UInt64(0), UInt64?.none, [Op]())
        while try s.more() {
            try s.number(1, "revision", &revision)
            try s.hex(2, "digest", &digest)
            try s.all(3, "ops", &ops, Op.read(from:))
        }
        guard let digest else { throw .notHex(16, "digest") }
        return RewindStep(revision: revision, digest: digest, ops: ops)
    }
}

extension AuditEntry {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> AuditEntry {
        var entry = AuditEntry(user: "", from: "", verb: "", .allowed)
        var (uid, outcome) = (UInt64?.none, Outcome?.none)
        while try s.more() {
            try s.number(1, "number", &entry.number)
            try s.number(2, "timeMs", &entry.timeMs)
            try s.text(3, "user", &entry.user)
            try s.number(4, "uid", &uid)
            try s.text(5, "from", &entry.from)
            try s.text(6, "verb", &entry.verb)
            try s.text(7, "table", &entry.table)
            try s.word(8, "outcome", &outcome)
            try s.text(9, "code", &entry.code)
            try s.text(10, "detail", &entry.detail)
            try s.number(11, "suppressed", &entry.suppressed)
            try s.text(14, "name", &entry.name)
        }
        entry.outcome = try outcome.or(.word(Outcome.allCases.map(\.rawValue), "outcome"))
        entry.uid = uid.map { UInt32(truncatingIfNeeded: $0) }
        return entry
    }
}
