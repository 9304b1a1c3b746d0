internal import TableModel
public import TableSync

extension Encode {
    /// A reply in full.
    public static func reply(_ reply: Reply, form: Form) -> [UInt8] {
        if form == .binary, let bytes = hot(reply) ?? hotChunk(reply) { return bytes }
        if form == .json, let bytes = hotJSONChunk(reply) ?? hotJSONTables(reply) { return bytes }
        return WireReply(reply, form).bytes(form)
    }

    /// A binary reply in this form; nil: the bytes are no reply.
    public static func reply(encoded bytes: ArraySlice<UInt8>, form: Form) -> [UInt8]? {
        switch form {
        case .binary: return Array(bytes)
        case .json:
            return hotJSON(reply: bytes)
                ?? WireCodec().decodeReply(bytes).map { Encode.reply($0, form: .json) }
        }
    }

    /// A binary reply to `replay` around encoded diffs. The diffs in `reply` itself are ignored.
    public static func reply(_ reply: Reply, encodedDiffs: EncodedDiffs) -> [UInt8] {
        guard case .replay(let publication, let head) = reply.answer else {
            preconditionFailure("only a replay is made of encoded diffs")
        }
        var outer = reply
        outer.answer = .done(rows: [], unchanged: false)
        let published = Encode.publication(publication, encodedDiffs: encodedDiffs)
        var replay = FieldWriter(capacity: published.count + 16)
        replay.write(1, published)
        if head != 0 { replay.write(2, head) }
        var writer = FieldWriter(Encode.reply(outer, form: .binary), adding: replay.bytes.count)
        writer.write(24, replay.bytes)
        return writer.bytes
    }
}

extension Decode {
    /// Reads a reply.
    public static func reply(
        _ bytes: UnsafeRawBufferPointer, form: Form
    ) throws(WireError) -> Reply {
        try received { () throws(Rejection) in try WireReply.parse(bytes, form).read() }
    }
}

extension WireReply {
    init(_ reply: Reply, _ form: Form) {
        if let id = reply.client { client = id.text }
        if let value = reply.number { number = value }
        if let id = reply.table { table = id.text }
        if let id = reply.history { history = id.description }
        epoch = reply.epoch.description
        if let value = reply.revision { revision = value }
        if case .refused(let rejection) = reply.answer {
            error = WireRefusal(rejection)
            if form == .json { ok = false }
        } else {
            ok = true
            write(reply, form)
        }
    }

    private mutating func write(_ reply: Reply, _ form: Form) {
        switch reply.answer {
        case .refused: break
        case .done(let landings, let unchanged, let begun):
            rows = landings.map { WireLanding($0) }
            invocations = begun.map { WireInvocation($0, form, isWhole: true) }
            if form == .json || unchanged { self.unchanged = unchanged }
        case .hello(let answer): hello = WireHelloReply(answer, epoch: reply.epoch)
        case .tables(let summaries):
            tables = WireTablesReply()
            tables.tables = summaries.map { WireTableSummary($0, form) }
        case .kinds(let definitions, let settings):
            kinds.kinds = definitions.map { WireKind($0) }
            kinds.table = WireSettings(settings)
        case .snapshot(let chunk): snapshot = WireSnapshotChunk(chunk, form)
        case .replay(let publication, let head):
            replay.publication = WirePublication(publication, form)
            if form == .json || head != 0 { replay.head = head }
        case .standing(let answer): standing = WireStanding(answer, form)
        case .health(let answer): health = WireHealthReply(answer, form)
        case .stats(let answer): stats = WireStatsReply(answer)
        case .check(let answer): check = WireCheckReply(answer, form)
        case .lease(let answer): lease = WireLease(answer)
        case .who(let viewers, let leases):
            who = WireWhoReply()
            who.viewers = viewers.map { WireViewer($0, form) }
            who.leases = leases.map { WireLease($0) }
        case .history(let page): changes = WireHistoryReply(page)
        case .rewind(let steps): rewind = WireRewindReply(steps, form)
        case .backup(let chunk): backup = WireBackupChunk(chunk, form)
        case .audit(let entries): audit = WireAuditReply(entries)
        case .explained(let answer):
            rows = answer.rows.map { WireLanding($0) }
            invocations = answer.invocations.map { WireInvocation($0, form, isWhole: true) }
            if form == .json || answer.isUnchanged { unchanged = answer.isUnchanged }
            explanation.ops = answer.ops.map { WireOp($0, form) }
        }
    }

    func read() throws(Rejection) -> Reply {
        Reply(
            client: hasClient ? try ID(read: client, "client") : nil,
            number: hasNumber ? number : nil,
            table: hasTable ? try ID(read: table, "table") : nil,
            history: hasHistory ? try ID128(read: history, "history") : nil,
            epoch: try ID128(read: epoch, "epoch"), revision: hasRevision ? revision : nil,
            try readAnswer())
    }

    private func readAnswer() throws(Rejection) -> Reply.Answer {
        if hasError {
            guard !ok else { throw Rejection(.badValue, "A refusal cannot be ok.", field: "ok") }
            return .refused(try within("error") { () throws(Rejection) in try error.read() })
        }
        guard ok else { throw .missing("error") }
        switch result {
        case .hello(let wire):
            return .hello(try within("hello") { () throws(Rejection) in try wire.read() })
        case .tables(let wire):
            return .tables(
                try wire.tables.readAll("tables.tables") { table throws(Rejection) in
                    try table.read()
                })
        case .kinds(let wire):
            return try within("kinds") { () throws(Rejection) in try wire.read() }
        case .snapshot(let wire):
            return .snapshot(try within("snapshot") { () throws(Rejection) in try wire.read() })
        case .replay(let wire):
            let publication = try within("replay.publication") { () throws(Rejection) in
                try wire.publication.read()
            }
            return .replay(publication, head: wire.head)
        case .standing(let wire):
            return .standing(try within("standing") { () throws(Rejection) in try wire.read() })
        case .health(let wire):
            return .health(try within("health") { () throws(Rejection) in try wire.read() })
        case .stats(let wire): return .stats(wire.read())
        case .check(let wire):
            return .check(try within("check") { () throws(Rejection) in try wire.read() })
        case .backup(let wire):
            return .backup(try within("backup") { () throws(Rejection) in try wire.read() })
        case .audit(let wire):
            return .audit(try within("audit") { () throws(Rejection) in try wire.read() })
        case .lease, .who, .changes, .rewind: return try readEphemeral()
        case .explanation(let wire):
            let (landings, begun) = try readOutcome()
            let ops = try wire.ops.readAll("explanation.ops") { op throws(Rejection) in
                try op.read()
            }
            return .explained(
                Explanation(
                    rows: landings, invocations: begun, ops: ops, isUnchanged: unchanged))
        case nil:
            let (landings, begun) = try readOutcome()
            return .done(rows: landings, unchanged: unchanged, invocations: begun)
        }
    }

    private func readOutcome() throws(Rejection) -> ([Landing], [Invocation]) {
        (
            try rows.readAll("rows") { row throws(Rejection) in try row.read() },
            try invocations.readAll("invocations") { one throws(Rejection) in try one.read() }
        )
    }
}

extension WireReply {
    /// An answer about ephemeral state or about the past.
    private func readEphemeral() throws(Rejection) -> Reply.Answer {
        switch result {
        case .lease(let wire):
            return .lease(try within("lease") { () throws(Rejection) in try wire.read() })
        case .who(let wire):
            return .who(
                try wire.viewers.readAll("who.viewers") { one throws(Rejection) in
                    try one.read()
                },
                try wire.leases.readAll("who.leases") { one throws(Rejection) in
                    try one.read()
                })
        case .changes(let wire):
            return .history(try within("changes") { () throws(Rejection) in try wire.read() })
        case .rewind(let wire):
            return .rewind(try within("rewind") { () throws(Rejection) in try wire.read() })
        default: throw Rejection(.malformed, "The answer is missing or unknown.")
        }
    }
}

extension WireRefusal {
    init(_ rejection: Rejection) {
        code = rejection.code.rawValue
        message = rejection.message
        if let name = rejection.field { field = name }
        if let index = rejection.command { command = UInt32(clamping: index) }
        endpoints = rejection.endpoints
    }

    func read() throws(Rejection) -> Rejection {
        // A newer daemon may have codes of its own. Such a refusal is still a refusal.
        let known = Rejection.Code(rawValue: code)
        var rejection = Rejection(
            known ?? .unrecognized, known == nil ? "\(code): \(message)" : message,
            field: hasField ? field : nil)
        if hasCommand { rejection.command = Int(command) }
        rejection.endpoints = endpoints
        return rejection
    }
}

extension WireLanding {
    init(_ landing: Landing) {
        row = landing.row.text
        if let id = landing.section { section = id.text }
        if let value = landing.index { index = UInt64(clamping: value) }
        if let id = landing.after { after = id.text }
        if let value = landing.version { version = value }
        if let text = landing.note { note = text }
    }

    func read() throws(Rejection) -> Landing {
        Landing(
            row: try ID(read: row, "row"),
            section: hasSection ? try ID(read: section, "section") : nil,
            index: hasIndex ? try Int(read: index, "index") : nil,
            after: hasAfter ? try ID(read: after, "after") : nil,
            version: hasVersion ? version : nil, note: hasNote ? note : nil)
    }
}
