public import TableModel
public import TableSync

/// A received request, or its refusal and whom to tell.
public struct DecodedRequest: Equatable, Sendable {
    /// The sender's id, if it is readable: the answer to a refusal carries it too.
    public var client: ID?
    /// The sender's number, if it is readable.
    public var number: UInt64?
    /// The request, or its refusal.
    public var result: Result<Request, Rejection>
}

extension Decode {
    /// Reads a request, if it is a valid one of the kinds that nearly every writer sends. False: it is not, and
    /// what stands in `request` means nothing.
    ///
    /// It is written where it stays, since it is large: an optional one would be moved from caller to caller.
    public static func hot(
        _ bytes: UnsafeRawBufferPointer, form: Form, limits: SharedLimits,
        into request: inout Request
    ) -> Bool {
        let reader = RequestReader(shared: limits)
        let isRead =
            switch form {
            case .binary: reader.hot(bytes, into: &request)
            case .json: reader.hotJSON(bytes, into: &request)
            }
        return isRead && !holdsTooMuch(bytes, form, limits)
    }

    /// Reads a request in place, and checks all that can be checked without a table.
    public static func request(
        _ bytes: UnsafeRawBufferPointer, form: Form, limits: Limits = Limits()
    ) -> DecodedRequest {
        let shared = SharedLimits(limits)
        var request = Request(.hello)
        if hot(bytes, form: form, limits: shared, into: &request) {
            return DecodedRequest(
                client: request.client, number: request.number, result: .success(request))
        }
        var decoded = DecodedRequest(result: .failure(Rejection(.malformed, "")))
        do throws(Rejection) {
            guard bytes.count <= limits.requestBytes else {
                throw .tooMuch("bytes", bytes.count, limit: limits.requestBytes, nil)
            }
            do throws(Rejection) {
                try checkElements(of: bytes, form, limits)
            } catch {
                let outline = outline(bytes, form: form, limits: limits)
                (decoded.client, decoded.number) = (outline.client, outline.number)
                throw error
            }
            let wire = try WireRequest.parse(bytes, form)
            let reader = RequestReader(shared: shared)
            if wire.hasNumber { decoded.number = wire.number }
            if wire.hasClient { decoded.client = try? reader.id(wire.client, "client") }
            decoded.result = .success(try reader.request(wire))
        } catch {
            decoded.result = .failure(error)
        }
        return decoded
    }
}

extension WireRequest.OneOf_Verb {
    /// Its name.
    var name: Request.Name {
        switch self {
        case .hello: return .hello
        case .tables: return .tables
        case .kinds: return .kinds
        case .snapshot: return .snapshot
        case .replay: return .replay
        case .offer: return .offer
        case .health: return .health
        case .stats: return .stats
        case .check: return .check
        case .renew: return .renew
        case .drag: return .drag
        case .attend: return .attend
        case .who: return .who
        case .history: return .history
        case .rewind: return .rewind
        case .backup: return .backup
        case .restore: return .restore
        case .create: return .create
        case .drop: return .drop
        case .command: return .command
        case .batch: return .batch
        case .explain: return .explain
        case .audit: return .audit
        case .stepDown: return .stepDown
        }
    }
}

/// Reads requests of clients, who are told what is wrong. Refusals come in the order of
/// `Rejection.Code`: what is too large, then the verb, then the table, then the rest.
struct RequestReader {
    let shared: SharedLimits
    var limits: Limits { shared.limits }

    func request(_ wire: WireRequest) throws(Rejection) -> Request {
        guard let verb = wire.verb else {
            throw Rejection(.unknownVerb, "The verb is missing or unknown.")
        }
        try checkBatches(wire)
        let table = try table(wire, verb)
        return Request(
            client: wire.hasClient ? try id(wire.client, "client") : nil,
            number: wire.hasNumber ? wire.number : nil,
            opened: wire.hasOpened ? wire.opened : nil, table: table,
            name: wire.hasName ? try id(wire.name, "name") : nil,
            atMs: wire.hasAtMs ? wire.atMs : nil,
            try self.verb(verb))
    }

    /// Before anything of it is read. A request that is no batch has an empty one.
    private func checkBatches(_ wire: WireRequest) throws(Rejection) {
        let counts = [
            ("batch.commands", wire.batch.commands.count),
            ("explain.batch.commands", wire.explain.batch.commands.count),
        ]
        for (field, count) in counts where count > limits.batchCommands {
            throw .tooMuch("commands", count, limit: limits.batchCommands, field)
        }
    }

    private func table(
        _ wire: WireRequest, _ verb: WireRequest.OneOf_Verb
    ) throws(Rejection) -> TableID? {
        if wire.hasTable {
            let id = ID(wire.table)
            try id.checkTableName(limits: limits)
            return id
        }
        guard verb.name.description.needsTable else { return nil }
        throw Rejection(.badName, "This verb needs a table.", field: "table")
    }

    private func verb(_ verb: WireRequest.OneOf_Verb) throws(Rejection) -> Request.Verb {
        switch verb {
        case .hello: return .hello
        case .tables: return .tables
        case .kinds: return .kinds
        case .snapshot(let wire):
            let id = wire.hasID ? try madeID(wire.id, "snapshot.id").text : nil
            guard wire.chunk <= limits.rows else {
                throw Rejection(.badNumber, "No snapshot has that chunk.", field: "snapshot.chunk")
            }
            return .snapshot(id: id, chunk: Int(wire.chunk))
        case .replay(let wire):
            return .replay(
                history: try ID128(read: wire.history, "replay.history"), since: wire.since)
        case .offer(let wire):
            return .offer(
                history: try ID128(read: wire.history, "offer.history"), revision: wire.revision,
                digest: try UInt64(read: wire.digest, "offer.digest"))
        case .health: return .health
        case .stats: return .stats
        case .check: return .check
        case .renew: return .renew
        case .create: return .create
        case .drop: return .drop
        case .command(let wire):
            return .command(try within("command") { () throws(Rejection) in try command(wire) })
        case .batch(let wire):
            return .batch(try batch(wire), ifRevision: wire.hasIfRevision ? wire.ifRevision : nil)
        case .drag(let wire): return .drag(try drag(wire))
        case .attend(let wire):
            return .attend(revision: wire.revision, isLeaving: wire.leaving)
        case .who: return .who
        case .history(let wire): return .history(try history(wire))
        case .rewind(let wire):
            return .rewind(
                history: try ID128(read: wire.history, "rewind.history"), since: wire.since,
                to: wire.to)
        case .explain(let wire): return .explain(try explained(wire))
        case .backup(let wire):
            let id = wire.hasID ? try madeID(wire.id, "backup.id").text : nil
            return .backup(id: id, chunk: Int(wire.chunk))
        case .restore(let wire): return .restore(try restore(wire))
        case .audit(let wire): return try audit(wire)
        case .stepDown: return .stepDown
        }
    }

    private func explained(_ wire: WireRequest.Explain) throws(Rejection) -> Request.Change {
        try within("explain") { () throws(Rejection) in
            switch wire.what {
            case .create: return .create
            case .drop: return .drop
            case .command(let wire):
                return .command(try within("command") { () throws(Rejection) in try command(wire) })
            case .batch(let wire):
                let ifRevision = wire.hasIfRevision ? wire.ifRevision : nil
                return .batch(try batch(wire), ifRevision: ifRevision)
            case nil: throw Rejection(.unknownVerb, "One of: create, drop, command, batch.")
            }
        }
    }

    private func batch(_ wire: WireRequest.Batch) throws(Rejection) -> [Command] {
        var commands: [Command] = []
        commands.reserveCapacity(wire.commands.count)
        for (index, wire) in wire.commands.enumerated() {
            do throws(Rejection) {
                commands.append(
                    try within("batch.commands") { () throws(Rejection) in try command(wire) })
            } catch {
                var rejection = error
                rejection.command = index
                throw rejection
            }
        }
        return commands
    }

    func id(_ text: String, _ field: String) throws(Rejection) -> ID {
        let id = ID(text)
        try id.check(limits: limits, field: field)
        return id
    }

    /// An id that the daemon has made, and not a client.
    func madeID(_ text: String, _ field: String) throws(Rejection) -> ID {
        let id = ID(text)
        try id.check(atMost: Limits.madeIDBytes, field: field)
        return id
    }

    /// At least one id.
    func ids(_ texts: [String], _ field: String) throws(Rejection) -> [ID] {
        guard !texts.isEmpty else { throw .missing(field) }
        return try anyIDs(texts, field)
    }

    func anyIDs(_ texts: [String], _ field: String) throws(Rejection) -> [ID] {
        var ids: [ID] = []
        ids.reserveCapacity(texts.count)
        for text in texts { ids.append(try id(text, field)) }
        return ids
    }

    /// Counted before they are built into a row, since sorting them takes time.
    func fields(_ map: [String: String], _ field: String) throws(Rejection) -> [Row.Field] {
        guard map.count <= limits.fields else {
            throw .tooMuch("fields", map.count, limit: limits.fields, field)
        }
        let fields = Row.Field.read(map)
        for item in fields { try item.key.check(limits: limits, field: field) }
        return fields
    }
}

extension Rejection {
    static func tooMuch(_ what: String, _ size: Int, limit: Int, _ field: String?) -> Rejection {
        Rejection(.tooLarge, "\(what): \(size), at most \(limit).", field: field)
    }
}
