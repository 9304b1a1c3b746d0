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
}

extension Sink {
    fileprivate mutating func connections(_ all: [ConnectionSummary]) {
        messages(1, "connections", all) { $0.write(to: &$1) }
    }
}

extension Sink {
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
}

extension Sink {
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

extension Rejection {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.text(1, "code", code.rawValue)
        s.text(2, "message", unlessEmpty: message)
        s.text(3, "field", field)
        s.count(4, "command", command)
        s.texts(5, "endpoints", endpoints)
        if let saying { s.message(6, "saying") { saying.write(to: &$0) } }
    }
}

extension Hello {
    fileprivate func write<S: Sink>(epoch: ID128, to s: inout S) {
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

extension SnapshotChunk {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.text(1, "id", unlessEmpty: id)
        s.number(2, "revision", shown: revision)
        s.hex(3, "digest", digest)
        s.count(4, "chunk", shown: chunk)
        s.count(5, "chunks", shown: chunks)
        s.count(6, "rows", shown: rows)
        s.messages(7, "kinds", kinds) { $0.write(to: &$1) }
        if let settings { s.message(8, "settings") { settings.write(to: &$0) } }
        s.slices(9, slices)
        s.flag(10, "editing", ifSet: isEditing)
        s.messages(11, "invocations", invocations) { $0.write(to: &$1, isWhole: false) }
    }
}

extension Health {
    fileprivate func write<S: Sink>(to s: inout S) {
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
}

extension AuditEntry {
    func write<S: Sink>(to s: inout S) {
        s.number(1, "number", number)
        s.number(2, "timeMs", timeMs)
        s.text(3, "user", unlessEmpty: user)
        s.number(4, "uid", uid.map { UInt64($0) })
        s.text(5, "from", unlessEmpty: from)
        s.text(6, "verb", unlessEmpty: verb)
        s.text(7, "table", unlessEmpty: table)
        s.text(8, "outcome", outcome.rawValue)
        s.text(9, "code", unlessEmpty: code)
        s.text(10, "detail", unlessEmpty: detail)
        s.number(11, "suppressed", unlessZero: suppressed)
        s.text(14, "name", unlessEmpty: name)
    }
}

extension Publication {
    func write<S: Sink>(to s: inout S) {
        s.head(of: self)
        s.messages(5, "diffs", diffs) { $0.write(to: &$1) }
        s.tail(of: self)
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

extension Head {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.number(1, "revision", shown: revision)
        s.hex(2, "digest", digest)
        s.number(3, "oldest", shown: oldest)
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
}
