public import TableModel

/// Turns into bytes what the journal keeps and viewers are sent. `TableWire` has it; both ends of
/// the protocol are written against this, so that they know no encoding.
public protocol Codec: Sendable {
    /// The one form of a diff that is journaled, published and replayed.
    func encode(_ diff: Diff) -> [UInt8]
    func decodeDiff(_ bytes: [UInt8]) -> Diff?
    /// What a log keeps of a diff. Bytes that come from the journal are taken for a diff where a
    /// look at them shows nothing else: its steps need not be read.
    func outline(_ bytes: [UInt8]) -> DiffOutline?
    /// The form in which an inverse is journaled.
    func encode(_ steps: [Op]) -> [UInt8]
    func decodeSteps(_ bytes: [UInt8]) -> [Op]?
    /// Whether an encoded diff may name this row: quicker than decoding it. May say yes where the
    /// answer is no.
    func mayMention(_ row: RowID, _ diff: [UInt8]) -> Bool
    /// The form of a part of a backup, which is staged as it came.
    func encode(_ part: CheckpointPart) -> [UInt8]
    /// With limits the part comes from outside, and is refused by name where it is beyond them.
    func decodePart(_ bytes: [UInt8], limits: Limits?) throws(Rejection) -> CheckpointPart
    /// The form in which an answer is remembered.
    func encode(_ reply: Reply) -> [UInt8]
    func decodeReply(_ bytes: [UInt8]) -> Reply?
}

extension Codec {
    /// As the whole diff gives it.
    public func outline(_ bytes: [UInt8]) -> DiffOutline? {
        decodeDiff(bytes).map { DiffOutline($0) }
    }
}
