public import TableModel
public import TableSync

extension Encode {
    /// A publication in full.
    public static func publication(_ publication: Publication, form: Form) -> [UInt8] {
        WirePublication(publication, form).bytes(form)
    }

    /// A publication whose diffs are encoded already, in binary. Those in `publication` itself are ignored.
    public static func publication(
        _ publication: Publication, encodedDiffs: EncodedDiffs, form: Form
    ) -> [UInt8] {
        switch form {
        case .binary: return Encode.publication(publication, encodedDiffs: encodedDiffs)
        case .json:
            if let bytes = hotJSON(publication, encodedDiffs) { return bytes }
            var whole = publication
            whole.diffs = encodedDiffs.map { bytes in
                guard let diff = WireCodec().decodeDiff(bytes) else {
                    preconditionFailure("a diff in the journal's form cannot be read")
                }
                return diff
            }
            return Encode.publication(whole, form: form)
        }
    }

    /// A binary publication around encoded diffs. The diffs in `publication` itself are ignored.
    public static func publication(
        _ publication: Publication, encodedDiffs: EncodedDiffs
    ) -> [UInt8] {
        withPublication(publication, encodedDiffs: encodedDiffs) { Array($0) }
    }

    /// Lends its bytes, as they are for whoever copies them anyway.
    public static func withPublication<Result>(
        _ publication: Publication, encodedDiffs: EncodedDiffs,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let size = encodedDiffs.byteCount + 6 * encodedDiffs.count
        let room = size + publication.table.byteCount + 96
        return try FieldWriter.lend(within: room) { writer in
            writeHead(of: publication, to: &writer)
            encodedDiffs.bytes.withUnsafeBytes { bytes in
                for place in encodedDiffs.places {
                    writer.write(5, UnsafeRawBufferPointer(rebasing: bytes[place]))
                }
            }
        } to: {
            try body($0)
        }
    }

    /// The fields before the diffs. A commit's publication is written by hand. A welcome, a
    /// heartbeat or an end has no diffs, and the schema's objects write it.
    private static func writeHead(of publication: Publication, to writer: inout FieldWriter) {
        if publication.isWelcome || publication.isDropped || publication.welcome != nil
            || publication.heartbeat != nil
        {
            var head = publication
            head.diffs = []
            return writer.write(encoded: Encode.publication(head, form: .binary))
        }
        writer.write(unlessEmpty: 1, publication.table)
        if let history = publication.history { writer.write(2, hex: history) }
        writer.write(3, hex: publication.epoch)
        if let time = publication.timeMs { writer.write(4, time) }
    }

    /// A single diff. Its binary form is journaled, published and replayed.
    public static func diff(_ diff: Diff, form: Form) -> [UInt8] {
        form == .binary ? hot(diff) : WireDiff(diff, form).bytes(form)
    }
}

extension Decode {
    /// Reads a publication.
    public static func publication(
        _ bytes: UnsafeRawBufferPointer, form: Form
    ) throws(WireError) -> Publication {
        try received { () throws(Rejection) in try WirePublication.parse(bytes, form).read() }
    }

    /// Reads a diff.
    public static func diff(
        _ bytes: UnsafeRawBufferPointer, form: Form
    ) throws(WireError) -> Diff {
        if form == .binary, let diff = hotDiff(bytes) { return diff }
        return try received { () throws(Rejection) in try WireDiff.parse(bytes, form).read() }
    }
}

extension Decode {
    /// Reads an inverse in its journaled form.
    public static func inverse(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> [Op] {
        if let ops = hotInverse(bytes) { return ops }
        return try received { () throws(Rejection) in
            try WireWayBack.parse(bytes, .binary).ops
                .readAll("ops") { op throws(Rejection) in try op.read() }
        }
    }
}

extension WirePublication {
    init(_ publication: Publication, _ form: Form) {
        table = publication.table.text
        if let id = publication.history { history = id.description }
        epoch = publication.epoch.description
        if let value = publication.timeMs { timeMs = value }
        diffs = publication.diffs.map { WireDiff($0, form) }
        // A welcome without a digest says that there is no such table.
        if publication.isWelcome { welcome = WireHead() }
        if let head = publication.welcome { welcome = WireHead(head, form) }
        if let head = publication.heartbeat { heartbeat = WireHead(head, form) }
        if publication.isDropped { dropped = Dropped() }
    }

    func read() throws(Rejection) -> Publication {
        let hasTable = !diffs.isEmpty || hasHeartbeat || (hasWelcome && welcome != WireHead())
        guard !hasTable || !history.isEmpty else { throw .missing("history") }
        return Publication(
            table: try ID(read: table, "table"),
            history: history.isEmpty ? nil : try ID128(read: history, "history"),
            epoch: try ID128(read: epoch, "epoch"), timeMs: hasTimeMs ? timeMs : nil,
            diffs: try diffs.readAll("diffs") { diff throws(Rejection) in try diff.read() },
            welcome: hasWelcome && welcome != WireHead() ? try welcome.read("welcome") : nil,
            heartbeat: hasHeartbeat ? try heartbeat.read("heartbeat") : nil,
            isDropped: hasDropped, isWelcome: hasWelcome)
    }
}

extension WireHead {
    init(_ head: Head, _ form: Form) {
        if form == .json || head.revision != 0 { revision = head.revision }
        digest = head.digest.lowerHex
        if form == .json || head.oldest != 0 { oldest = head.oldest }
    }

    func read(_ field: String) throws(Rejection) -> Head {
        try within(field) { () throws(Rejection) in
            Head(
                revision: revision, digest: try UInt64(read: digest, "digest"), oldest: oldest)
        }
    }
}

/// The codec of the journal and of remembered replies: binary.
public struct WireCodec: Codec {
    /// Has no state.
    public init() {}

    /// The diff's binary form.
    public func encode(_ diff: Diff) -> [UInt8] { Encode.diff(diff, form: .binary) }

    /// The diff; nil if the bytes are not a diff.
    public func decodeDiff(_ bytes: ArraySlice<UInt8>) -> Diff? {
        bytes.withUnsafeBytes { try? Decode.diff($0, form: .binary) }
    }

    /// The diff's outline for the log, without reading the whole diff.
    public func outline(_ bytes: ArraySlice<UInt8>) -> DiffOutline? {
        bytes.withUnsafeBytes { Decode.hotOutline($0) } ?? decodeDiff(bytes).map { DiffOutline($0) }
    }

    /// The binary form of an inverse.
    public func encode(_ steps: [Op]) -> [UInt8] { Encode.inverse(steps) }

    /// The ops; nil if the bytes are not an inverse.
    public func decodeSteps(_ bytes: ArraySlice<UInt8>) -> [Op]? {
        bytes.withUnsafeBytes { try? Decode.inverse($0) }
    }

    /// Searches for the bytes of the ids, which a diff holds unchanged.
    public func mayMention(_ rows: RowSearch, _ diff: ArraySlice<UInt8>) -> Bool {
        diff.withUnsafeBytes { rows.mayBe(in: $0) }
    }

    /// The part's binary form.
    public func encode(_ part: CheckpointPart) -> [UInt8] { Encode.checkpoint(part) }

    /// The part. Throws if the bytes are not a part.
    public func decodePart(
        _ bytes: [UInt8], limits: Limits?
    ) throws(Rejection) -> CheckpointPart {
        try Decode.part(bytes, limits: limits)
    }

    /// The reply's binary form.
    public func encode(_ reply: Reply) -> [UInt8] { Encode.reply(reply, form: .binary) }

    /// Writes entries in binary.
    public func makeEntryWriter() -> any EntryWriter { BinaryEntryWriter() }

    /// The reply; nil if the bytes are not a reply.
    public func decodeReply(_ bytes: ArraySlice<UInt8>) -> Reply? {
        bytes.withUnsafeBytes { try? Decode.reply($0, form: .binary) }
    }
}

extension [UInt8] {
    /// Whether these bytes contain `part`.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first, part.count <= count else { return part.isEmpty }
        return withUnsafeBufferPointer { bytes in
            for start in 0...(bytes.count - part.count) where bytes[start] == first {
                if bytes[start..<start + part.count].elementsEqual(part) { return true }
            }
            return false
        }
    }
}
