public import TableModel

/// Encodes what the journal keeps and viewers receive. `TableWire` implements it. Both ends of the
/// protocol use only this, so they know no encoding.
public protocol Codec: Sendable {
    /// The one form of a diff that is journaled, published and replayed.
    func encode(_ diff: Diff) -> [UInt8]
    func decodeDiff(_ bytes: [UInt8]) -> Diff?
    /// What a log keeps of a diff besides its bytes. The bytes come from the journal, so a quick
    /// look is enough: the ops need not be decoded.
    func outline(_ bytes: [UInt8]) -> DiffOutline?
    /// The form in which an inverse is journaled.
    func encode(_ steps: [Op]) -> [UInt8]
    /// The same bytes without the ops: the inverse of an op that is not applied yet. Nil if it is not one
    /// of the frequent ops.
    func encodeInverse(of op: Op, on table: Table) -> [UInt8]?
    func decodeSteps(_ bytes: [UInt8]) -> [Op]?
    /// Whether an encoded diff may name one of these rows. It is quicker than decoding, and may say yes
    /// for a diff that names none of them.
    func mayMention(_ rows: RowSearch, _ diff: [UInt8]) -> Bool
    /// The form of a part of a backup. A restore stages these bytes unchanged.
    func encode(_ part: CheckpointPart) -> [UInt8]
    /// `limits`: the part comes from outside, and is refused if it is beyond them.
    func decodePart(_ bytes: [UInt8], limits: Limits?) throws(Rejection) -> CheckpointPart
    /// The form in which an answer is remembered.
    func encode(_ reply: Reply) -> [UInt8]
    /// The same of a reply that says `done`, and where these rows are now. Nil: it is to be encoded with its
    /// landings.
    func encode(_ reply: Reply, landing rows: [RowID], in table: Table, note: String?) -> [UInt8]?
    func decodeReply(_ bytes: [UInt8]) -> Reply?
}

extension Codec {
    /// As if there was no shorter way.
    public func encode(
        _ reply: Reply, landing rows: [RowID], in table: Table, note: String?
    ) -> [UInt8]? { nil }

    /// As if no op was frequent.
    public func encodeInverse(of op: Op, on table: Table) -> [UInt8]? { nil }

    /// The outline of the decoded diff.
    public func outline(_ bytes: [UInt8]) -> DiffOutline? {
        decodeDiff(bytes).map { DiffOutline($0) }
    }
}
