internal import TableModel
internal import TableSync

extension Reply {
    func write<S: Sink>(to s: inout S) {
        let isRefused = if case .refused = answer { true } else { false }
        s.head(
            ok: !isRefused, client: client, number: number, table: table,
            history: history.map { FieldWriter.HexDigits($0) },
            epoch: FieldWriter.HexDigits(epoch), revision: revision)
        switch answer {
        case .done(let rows, let unchanged, let invocations):
            s.outcome(rows, unchanged, invocations)
        case .manyDone(let rows, let unchanged):
            s.flag(8, "unchanged", shown: unchanged)
            s.number(12, "rowCount", shown: UInt64(rows))
        case .refused(let rejection): s.message(9, "error") { rejection.write(to: &$0) }
        default: writeResult(to: &s)
        }
    }

    private func writeResult<S: Sink>(to s: inout S) {
        switch answer {
        case .done, .manyDone, .refused: preconditionFailure("these have no result")
        case .hello(let hello): s.message(20, "hello") { hello.write(epoch: epoch, to: &$0) }
        case .tables(let tables): s.message(21, "tables") { $0.summaries(1, tables) }
        case .kinds(let kinds, let settings):
            s.message(22, "kinds") { $0.definitions(kinds, settings) }
        case .snapshot(let chunk):
            s.message(23, "snapshot", about: chunk.slices.size) { chunk.write(to: &$0) }
        case .replay(let publication, let head):
            s.message(24, "replay") { s in
                s.message(1, "publication") { publication.write(to: &$0) }
                s.number(2, "head", shown: head)
            }
        case .standing(let standing):
            s.message(25, "standing") { s in
                s.text(1, "relation", standing.relation.rawValue)
                s.number(2, "head", shown: standing.head.revision)
                s.hex(3, "digest", standing.head.digest)
                s.number(4, "oldest", shown: standing.head.oldest)
            }
        case .health(let health): s.message(26, "health") { health.write(to: &$0) }
        case .stats(let stats):
            s.message(27, "stats") { s in
                s.map(1, "counters", stats.counters) { $1.number(2, "", $0) }
                s.map(2, "gauges", stats.gauges) { $1.number(2, "", $0) }
                s.map(3, "rejections", stats.rejections) { $1.number(2, "", $0) }
            }
        case .check(let check):
            s.message(28, "check") { s in
                s.number(1, "position", shown: check.position)
                s.number(2, "entries", shown: check.entries)
                s.number(3, "checkpointParts", shown: check.checkpointParts)
                s.summaries(4, check.tables)
            }
        case .lease(let lease): s.message(29, "lease") { lease.write(to: &$0) }
        case .who(let viewers, let leases):
            s.message(30, "who") { s in
                s.messages(1, "viewers", viewers) { $0.write(to: &$1) }
                s.messages(2, "leases", leases) { $0.write(to: &$1) }
            }
        case .history(let page):
            s.message(31, "changes") { s in
                s.messages(1, "changes", page.changes) { $0.write(to: &$1) }
                page.writeRest(to: &s)
            }
        case .rewind(let steps):
            s.message(32, "rewind") { $0.messages(1, "back", steps) { $0.write(to: &$1) } }
        case .backup(let chunk):
            s.message(33, "backup") { s in
                s.text(1, "id", unlessEmpty: chunk.id)
                s.count(2, "chunk", chunk.chunk)
                s.count(3, "chunks", chunk.chunks)
                s.summaries(4, chunk.tables)
                s.bytes(5, "parts", all: chunk.parts)
            }
        case .audit(let all):
            s.message(34, "audit") { $0.messages(1, "entries", all) { $0.write(to: &$1) } }
        case .connections(let all): s.message(37, "connections") { $0.connections(all) }
        case .replicated(let some):
            s.message(41, "replicated", about: some.contentBytes) { some.write(to: &$0) }
        case .found(let found): s.message(43, "found") { found.write(to: &$0) }
        case .promoted(let promotion): s.message(42, "promoted") { promotion.write(to: &$0) }
        case .explained(let answer):
            s.outcome(answer.rows, answer.isUnchanged, answer.invocations)
            s.message(60, "explanation") { s in
                s.messages(1, "ops", answer.ops) { $0.write(to: &$1, isInverse: false) }
            }
        }
    }

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
    static func take<S: Source>(
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
    func write<S: Sink>(to s: inout S) {
        s.text(1, "code", code.rawValue)
        s.text(2, "message", unlessEmpty: message)
        s.text(3, "field", field)
        s.count(4, "command", command)
        s.texts(5, "endpoints", endpoints)
        if let saying { s.message(6, "saying") { saying.write(to: &$0) } }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Rejection {
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
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Landing {
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

extension Sink {
    fileprivate mutating func connections(_ all: [ConnectionSummary]) {
        messages(1, "connections", all) { $0.write(to: &$1) }
    }

    /// The fields of each reply.
    @inline(__always)
    fileprivate mutating func head(
        ok: Bool, client: ID?, number: UInt64?, table: TableID?, history: FieldWriter.HexDigits?,
        epoch: FieldWriter.HexDigits, revision: UInt64?
    ) {
        flag(1, "ok", shown: ok)
        id(2, "client", client)
        self.number(3, "number", number)
        id(4, "table", table)
        if let history { hex(5, "history", history) }
        hex(6, "epoch", epoch)
        self.number(7, "revision", revision)
    }

    /// The effects of a command that was carried out or explained.
    fileprivate mutating func outcome(
        _ rows: [Landing], _ unchanged: Bool, _ invocations: [Invocation]
    ) {
        flag(8, "unchanged", shown: unchanged)
        messages(10, "rows", rows) { landing, s in
            s.landing(
                of: landing.row, section: landing.section, index: landing.index,
                after: landing.after, version: landing.version)
            s.text(6, "note", landing.note)
            if let saying = landing.saying { s.message(7, "saying") { saying.write(to: &$0) } }
        }
        messages(11, "invocations", invocations) { $0.write(to: &$1, isWhole: true) }
    }

    @inline(__always)
    fileprivate mutating func landing(
        of row: RowID, section: SectionID?, index: Int?, after: RowID?, version: UInt64?
    ) {
        id(1, "row", unlessEmpty: row)
        id(2, "section", section)
        count(3, "index", index)
        id(4, "after", after)
        number(5, "version", version)
    }

    fileprivate mutating func summaries(_ number: UInt64, _ tables: [TableSummary]) {
        messages(number, "tables", tables) { table, s in
            s.id(1, "table", unlessEmpty: table.table)
            s.hex(2, "history", table.history)
            s.number(3, "revision", shown: table.revision)
            s.count(4, "rows", shown: table.rows)
            s.count(5, "sections", shown: table.sections)
            s.hex(6, "digest", table.digest)
            s.number(7, "oldest", shown: table.oldest)
        }
    }

    /// All kinds, and the settings.
    mutating func definitions(_ kinds: [Kind], _ settings: Settings) {
        messages(1, "kinds", kinds) { $0.write(to: &$1) }
        message(2, "table") { settings.write(to: &$0) }
    }

    /// The reply to a command that was accepted, without a reply as a value: to this request, of these rows, as
    /// they are now. `history`: of the table, if the sender may know of it.
    @inline(__always)
    mutating func reply(
        to request: Request, history: FieldWriter.HexDigits?, epoch: FieldWriter.HexDigits,
        unchanged: Bool, landing rows: Few<RowID>, notes: [RowID: Note]?, in table: Table
    ) {
        head(
            ok: true, client: request.client, number: request.number, table: request.table,
            history: history, epoch: epoch, revision: history == nil ? nil : table.revision)
        flag(8, "unchanged", shown: unchanged)
        if rows.isEmpty { return }
        list("rows") { s in
            for row in rows {
                s.message(10, "") { s in
                    // As `Landing(of:in:note:)`.
                    let isThere = table.withPosition(of: row) { found, section, index, before in
                        s.landing(
                            of: row, section: section.id, index: index, after: before?.id,
                            version: found.version)
                    }
                    if !isThere {
                        s.id(1, "row", unlessEmpty: row)
                    } else if let note = notes?[row] {
                        s.text(6, "note", note.text)
                        s.message(7, "saying") { note.saying.write(to: &$0) }
                    }
                }
            }
        }
    }
}
