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

/// The sender of a request, its number, and its sort: enough to turn it away.
public struct Outline: Equatable, Sendable {
    /// The sender's id, if it is readable.
    public var client: ID?
    /// The sender's number, if it is readable.
    public var number: UInt64?
    /// The verb; nil: none that is known.
    public var name: Request.Name?

    /// An outline with these values.
    public init(client: ID? = nil, number: UInt64? = nil, name: Request.Name? = nil) {
        (self.client, self.number, self.name) = (client, number, name)
    }
}

/// Reads messages. Nothing here traps, whatever the bytes.
public enum Decode {
    /// Reads a request in place, and checks all that can be checked without a table. Returns its refusal; then
    /// what stands in `request` means nothing.
    ///
    /// It is written where it stays, since it is large: an optional one would be moved from caller to caller.
    public static func request(
        _ bytes: UnsafeRawBufferPointer, form: Form, limits: SharedLimits,
        into request: inout Request
    ) -> Rejection? {
        guard bytes.count <= limits.limits.requestBytes else {
            let most = limits.limits.requestBytes
            return Refusal.tooMuch("bytes", bytes.count, limit: most, nil).rejection
        }
        do throws(Refusal) {
            _ = try read(bytes, form, .request(limits), into: &request)
            return nil
        } catch {
            if error.isOfUnknownField { return refusal(error, bytes, form, limits) }
            let isBefore = [.tooLarge, .malformed, .unknownVerb].contains(error.rejection.code)
            let table = isBefore ? nil : refusalOfTable(bytes, form, limits)
            return (table ?? error).rejection
        }
    }

    /// A verb that this version does not know is refused as that, and where a field is unknown the one that was
    /// most likely meant is named.
    private static func refusal(
        _ unknown: Refusal, _ bytes: UnsafeRawBufferPointer, _ form: Form, _ limits: SharedLimits
    ) -> Rejection {
        var request = Request(.hello)
        do throws(Refusal) {
            _ = try read(bytes, form, .request(limits, isStrict: false), into: &request)
        } catch {
            if error.rejection.code == .unknownVerb { return error.rejection }
        }
        var rejection = unknown.rejection
        if form == .json {
            rejection.message += NotingSource.hint(at: rejection, in: bytes, limits)
        }
        return rejection
    }

    /// Why the request's table is refused: that comes before what is wrong with its verb.
    private static func refusalOfTable(
        _ bytes: UnsafeRawBufferPointer, _ form: Form, _ limits: SharedLimits
    ) -> Refusal? {
        do throws(Refusal) {
            try value(
                bytes, form, .request(limits, isStrict: false), BinarySource.checkTable(from:),
                JSONSource.checkTable(from:))
            return nil
        } catch { return error.rejection.code == .badName ? error : nil }
    }

    /// Returns how many messages and entries of maps the request holds.
    @inline(__always)
    private static func read(
        _ bytes: UnsafeRawBufferPointer, _ form: Form, _ bounds: Bounds, into request: inout Request
    ) throws(Refusal) -> Int {
        switch form {
        case .binary:
            var source = BinarySource(bytes, bounds)
            try source.next()
            try request.read(from: &source)
            return source.elements
        case .json:
            var source = JSONSource(bytes, bounds)
            let outer: Void = try source.begin()
            try request.read(from: &source)
            source.end(outer)
            try source.finish()
            return source.elements
        }
    }

    /// A request, or its refusal and whom to tell.
    public static func request(
        _ bytes: UnsafeRawBufferPointer, form: Form, limits: Limits = Limits()
    ) -> DecodedRequest {
        var request = Request(.hello)
        let rejection = Decode.request(
            bytes, form: form, limits: SharedLimits(limits), into: &request)
        guard let rejection else {
            return DecodedRequest(
                client: request.client, number: request.number, result: .success(request))
        }
        let outline =
            bytes.count > limits.requestBytes
            ? Outline() : outline(bytes, form: form, limits: limits)
        return DecodedRequest(
            client: outline.client, number: outline.number, result: .failure(rejection))
    }

    /// How many messages and entries of maps a request holds: what `Limits.elements` bounds.
    public static func elements(
        in bytes: UnsafeRawBufferPointer, form: Form, limits: Limits = Limits()
    ) throws(Rejection) -> Int {
        var request = Request(.hello)
        do throws(Refusal) {
            return try read(
                bytes, form, .request(SharedLimits(limits), isStrict: false), into: &request)
        } catch { throw error.rejection }
    }

    /// The outline of a request, in a fraction of the time that it takes to read all. What stands behind the
    /// first `most` bytes is not there.
    public static func outline(
        _ bytes: UnsafeRawBufferPointer, form: Form, limits: Limits = Limits(),
        within most: Int = .max
    ) -> Outline {
        let first = UnsafeRawBufferPointer(rebasing: bytes.prefix(most))
        var outline = Outline()
        // The fields that were read before a fault count.
        switch form {
        case .binary:
            var source = BinarySource(first, .none)
            if (try? source.next()) != nil { try? outline.read(from: &source) }
        case .json:
            var source = JSONSource(first, .none)
            if (try? source.begin()) != nil { try? outline.read(from: &source) }
        }
        if (try? outline.client?.check(limits: limits, field: "client")) == nil {
            outline.client = nil
        }
        return outline
    }

    /// Reads the frame before a request. The name may be said of a sender that leaves out its own, so it is
    /// bounded as that is.
    public static func behalf(
        _ bytes: UnsafeRawBufferPointer, form: Form, limits: Limits = Limits()
    ) throws(Rejection) -> Behalf {
        guard bytes.count <= Behalf.mostBytes else {
            let most = Behalf.mostBytes
            throw Refusal.tooMuch("behalf bytes", bytes.count, limit: most, "behalf").rejection
        }
        let behalf: Behalf
        do throws(Refusal) {
            behalf = try value(bytes, form, .none, Behalf.read(from:), Behalf.readJSON(from:))
        } catch {
            let isNamed = error.rejection.field?.hasPrefix("behalf") == true
            throw (isNamed ? error : error.within("behalf")).rejection
        }
        let size = behalf.name.byteCount
        guard size <= limits.idBytes else {
            throw Refusal.tooMuch("name bytes", size, limit: limits.idBytes, "behalf.name")
                .rejection
        }
        return behalf
    }

    // MARK: What a daemon has written

    /// Reads a reply.
    public static func reply(
        _ bytes: UnsafeRawBufferPointer, form: Form
    ) throws(WireError) -> Reply { try received(bytes, form, Reply.read(from:), Reply.read(from:)) }

    /// Reads a publication.
    public static func publication(
        _ bytes: UnsafeRawBufferPointer, form: Form
    ) throws(WireError) -> Publication {
        try received(bytes, form, Publication.read(from:), Publication.read(from:))
    }

    /// Reads the presence of viewers and leases.
    public static func presence(
        _ bytes: UnsafeRawBufferPointer, form: Form
    ) throws(WireError) -> Presence {
        try received(bytes, form, Presence.read(from:), Presence.read(from:))
    }

    /// Reads a diff.
    public static func diff(_ bytes: UnsafeRawBufferPointer, form: Form) throws(WireError) -> Diff {
        try received(bytes, form, Diff.read(from:), Diff.read(from:))
    }

    /// Reads an inverse in its journaled form.
    public static func inverse(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> [Op] {
        try received(bytes) { (s) throws(Refusal) in
            var ops: [Op] = []
            while try s.more() { try s.all(1, "ops", &ops, Op.read(from:)) }
            return ops
        }
    }

    /// A diff's outline for the log; nil: the whole diff has to be read.
    static func outline(ofDiff bytes: UnsafeRawBufferPointer) -> DiffOutline? {
        try? BinarySource.read(bytes, .none, DiffOutline.read(from:))
    }

    /// Reads an entry.
    public static func entry(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> JournalEntry {
        try received(bytes, JournalEntry.read(from:))
    }

    /// Reads a checkpoint's part.
    public static func checkpoint(
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireError) -> CheckpointPart { try received(bytes, CheckpointPart.read(from:)) }

    /// A part of a backup. With limits it comes from outside.
    static func part(_ bytes: [UInt8], limits: Limits?) throws(Rejection) -> CheckpointPart {
        let bounds = limits.map { Bounds.part($0) } ?? .none
        let part = bytes.withUnsafeBytes { bytes in
            Result { () throws(Refusal) in
                try BinarySource.read(bytes, bounds, CheckpointPart.read(from:))
            }
        }
        switch part {
        case .success(let part): return part
        case .failure(let refusal): throw refusal.rejection
        }
    }

    // MARK: Documents

    /// Reads the JSON of a table.
    public static func state(_ json: String) throws(WireError) -> StateDocument {
        try document(json, StateDocument.read(from:))
    }

    /// Reads the JSON of a revision.
    public static func change(_ json: String) throws(WireError) -> ChangeDocument {
        try document(json, ChangeDocument.read(from:))
    }

    /// Reads a line of a recording.
    public static func sessionLine(_ json: String) throws(WireError) -> SessionLine {
        try document(json, SessionLine.read(from:))
    }

    // MARK: Forms

    private static func value<T>(
        _ bytes: UnsafeRawBufferPointer, _ form: Form, _ bounds: Bounds,
        _ binary: (inout BinarySource) throws(Refusal) -> T,
        _ json: (inout JSONSource) throws(Refusal) -> T
    ) throws(Refusal) -> T {
        switch form {
        case .binary: try BinarySource.read(bytes, bounds, binary)
        case .json: try JSONSource.read(bytes, bounds, json)
        }
    }

    /// A refusal of what was received is an error.
    private static func received<T>(
        _ bytes: UnsafeRawBufferPointer, _ form: Form = .binary,
        _ binary: (inout BinarySource) throws(Refusal) -> T,
        _ json: (inout JSONSource) throws(Refusal) -> T
    ) throws(WireError) -> T {
        do throws(Refusal) { return try value(bytes, form, .none, binary, json) } catch {
            throw WireError(error.rejection)
        }
    }

    private static func received<T>(
        _ bytes: UnsafeRawBufferPointer, _ binary: (inout BinarySource) throws(Refusal) -> T
    ) throws(WireError) -> T {
        do throws(Refusal) { return try BinarySource.read(bytes, .none, binary) } catch {
            throw WireError(error.rejection)
        }
    }

    private static func document<T>(
        _ json: String, _ read: (inout JSONSource) throws(Refusal) -> T
    ) throws(WireError) -> T {
        let bytes = Array(json.utf8)
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(Refusal) in try JSONSource.read(bytes, .none, read) }
        }
        switch result {
        case .success(let value): return value
        case .failure(let refusal): throw WireError(refusal.rejection)
        }
    }
}

extension Outline {
    /// The fields of a request that say who sends, and its verbs.
    fileprivate mutating func read<S: Source>(from s: inout S) throws(Refusal) {
        while try s.more() {
            try s.id(1, "client", &client)
            try s.number(2, "number", &number)
            for (number, verb) in Self.verbs where s.takes(number, .length, verb) {
                name = Request.Name(rawValue: "\(verb)")
                try s.skip(.length)
                try s.next()
            }
        }
    }

    private static let verbs: [(UInt32, StaticString)] = [
        (10, "hello"), (11, "tables"), (12, "kinds"), (13, "snapshot"), (14, "replay"),
        (15, "offer"), (16, "health"), (17, "stats"), (18, "check"), (19, "renew"),
        (20, "backup"), (21, "audit"), (22, "stepDown"), (25, "connections"),
        (26, "endConnection"), (30, "create"), (31, "drop"),
        (32, "command"), (33, "batch"), (34, "restore"), (36, "forget"), (40, "drag"),
        (41, "attend"),
        (50, "who"), (51, "history"), (52, "rewind"), (53, "query"),
        (60, "explain"),
        (68, "replicate"), (69, "promote"),
    ]
}

extension Behalf {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Behalf {
        var (name, role, tables) = ("", String?.none, [String]?.none)
        while try s.more() {
            try s.text(1, "name", &name)
            try s.text(2, "role", &role)
            var more: [String] = []
            let isThere = s.takes(3, .length, "tables")
            try s.texts(3, "tables", &more)
            if isThere { tables = (tables ?? []) + more }
        }
        if role == "" { throw .empty("role") }
        do throws(Rejection) {
            return try Behalf(name: name, role: role ?? "", tables: tables)
        } catch { throw Refusal(error) }
    }

    /// Null is not absent: absent means all tables, and all that the sender may do.
    fileprivate static func readJSON(from s: inout JSONSource) throws(Refusal) -> Behalf {
        let behalf: Behalf
        do throws(Refusal) { behalf = try read(from: &s) } catch {
            throw s.null == "role" ? .empty("role") : error
        }
        if s.null == "role" { throw .empty("role") }
        if s.null == "tables" { throw .empty("tables") }
        return behalf
    }
}

extension Refusal {
    fileprivate static func empty(_ field: StaticString) -> Refusal {
        Refusal(
            .badValue, "An empty value is none: leave it out for all that the sender may do.", field
        )
    }
}
