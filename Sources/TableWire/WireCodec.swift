public import TableModel
public import TableSync

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
        bytes.withUnsafeBytes { Decode.outline(ofDiff: $0) }
            ?? decodeDiff(bytes).map { DiffOutline($0) }
    }

    /// The binary form of an inverse.
    public func encode(_ steps: [Op]) -> [UInt8] { Encode.inverse(steps) }

    /// The ops; nil if the bytes are not an inverse.
    public func decodeSteps(_ bytes: ArraySlice<UInt8>) -> [Op]? {
        bytes.withUnsafeBytes { try? Decode.inverse($0) }
    }

    /// Each op of an inverse is a field of its own.
    public func end(ofSteps number: Int, in bytes: ArraySlice<UInt8>) -> Int? {
        var place = bytes.startIndex
        for _ in 0..<number {
            guard let size = Self.field(at: &place, of: bytes), size <= bytes.endIndex - place
            else { return nil }
            place += size
        }
        return place
    }

    /// Reads the head of an op; returns how many bytes it has.
    private static func field(at place: inout Int, of bytes: ArraySlice<UInt8>) -> Int? {
        guard place < bytes.endIndex, bytes[place] == 1 << 3 | 2 else { return nil }
        var (size, shift) = (0, 0)
        repeat {
            place += 1
            guard place < bytes.endIndex, shift < 35 else { return nil }
            size |= Int(bytes[place] & 0x7f) << shift
            shift += 7
        } while bytes[place] >= 0x80
        place += 1
        return size
    }

    /// Searches for the bytes of the ids, which a diff holds unchanged.
    public func mayMention(_ rows: RowSearch, _ diff: ArraySlice<UInt8>) -> Bool {
        diff.withUnsafeBytes { rows.mayBe(in: $0) }
    }

    /// The part's binary form.
    public func encode(_ part: CheckpointPart) -> [UInt8] { Encode.checkpoint(part) }

    /// The part. Throws if the bytes are not a part.
    public func decodePart(_ bytes: [UInt8], limits: Limits?) throws(Rejection) -> CheckpointPart {
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
