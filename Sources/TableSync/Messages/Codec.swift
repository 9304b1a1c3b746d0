public import TableModel

/// Encodes what the journal keeps and viewers receive. `TableWire` implements it. Both ends of the
/// protocol use only this, so they know no encoding.
public protocol Codec: Sendable {
    /// The one form of a diff that is journaled, published and replayed.
    func encode(_ diff: Diff) -> [UInt8]
    func decodeDiff(_ bytes: ArraySlice<UInt8>) -> Diff?
    /// What a log keeps of a diff besides its bytes. The bytes come from the journal, so a quick
    /// look is enough: the ops need not be decoded.
    func outline(_ bytes: ArraySlice<UInt8>) -> DiffOutline?
    /// The form in which an inverse is journaled.
    func encode(_ steps: [Op]) -> [UInt8]
    func decodeSteps(_ bytes: ArraySlice<UInt8>) -> [Op]?
    /// Whether an encoded diff may name one of these rows. It is quicker than decoding, and may say yes
    /// for a diff that names none of them.
    func mayMention(_ rows: RowSearch, _ diff: ArraySlice<UInt8>) -> Bool
    /// The form of a part of a backup. A restore stages these bytes unchanged.
    func encode(_ part: CheckpointPart) -> [UInt8]
    /// `limits`: the part comes from outside, and is refused if it is beyond them.
    func decodePart(_ bytes: [UInt8], limits: Limits?) throws(Rejection) -> CheckpointPart
    /// The form in which an answer is remembered.
    func encode(_ reply: Reply) -> [UInt8]
    /// The same of the reply that says of this request that it is done, and where these rows are now, without
    /// a reply as a value. Nil: it is to be encoded from one.
    ///
    /// `tellsTable`: the sender may know of the table, and is told its history and revision.
    func encodeDone(
        _ request: Request, epoch: ID128, unchanged: Bool, landing rows: [RowID], note: String?,
        in table: Table, tellsTable: Bool
    ) -> [UInt8]?
    func decodeReply(_ bytes: [UInt8]) -> Reply?
    /// Writes the entries of the journal, one after the other.
    func makeEntryWriter() -> any EntryWriter
}

/// A diff and its inverse, as journaled: one behind the other in one piece of memory.
public struct EncodedChange: Equatable, Sendable {
    private let bytes: [UInt8]
    private let inverseBytes: Int
    private let hasInverse: Bool

    /// Bytes of the inverse, and behind it of the diff; nil: the inverse is too large to keep, and all are the
    /// diff's.
    public init(_ bytes: [UInt8], inverseBytes: Int?) {
        self.bytes = bytes
        self.inverseBytes = inverseBytes ?? 0
        hasInverse = inverseBytes != nil
    }

    /// Puts one behind the other.
    public init(diff: [UInt8], inverse: [UInt8]?) {
        self.init(inverse.map { $0 + diff } ?? diff, inverseBytes: inverse?.count)
    }

    /// The diff, which is published and replayed too.
    public var diff: ArraySlice<UInt8> { bytes[inverseBytes...] }
    /// The inverse; nil: it is too large to keep.
    public var inverse: ArraySlice<UInt8>? { hasInverse ? bytes[..<inverseBytes] : nil }
    /// Bytes of both.
    public var byteCount: Int { bytes.count }

    /// Whether the inverse leads nowhere.
    var changesNothing: Bool { hasInverse && inverseBytes == 0 }
}

/// Writes the records of a turn into one entry of the journal, each as it is decided.
public protocol EntryWriter: AnyObject {
    /// Whether there is no record yet.
    var isEmpty: Bool { get }
    /// How many bytes the records take so far.
    var byteCount: Int { get }

    /// Adds a record.
    func add(_ record: Ready.Record)
    /// Begins `Ready.Record.changed`, which is written while its ops are applied: nearly every command has
    /// one of these, so that no value is made of it. The inverse is kept up to so many bytes.
    func begin(
        changed table: TableID, base: UInt64, cause: borrowing Cause, inverseBytes: Int)
    /// Adds ops that are to be applied next, and together: `op`, or a run that begins with it. The table is as
    /// those before have left it.
    func add(_ op: Op, of run: ArraySlice<Op>, on table: Table)
    /// Ends the record that was begun. All its ops are applied, and the table has this digest.
    func end(digest: UInt64) -> EncodedChange
    /// Adds `Ready.Record.answered`, of which no value is made either.
    func add(answered client: ID, user: ProvenID?, _ answered: Sessions.Answered)

    /// The entry of this time, with all records since the one before.
    func finish(timeMs: UInt64) -> [UInt8]
    /// Begins anew: what was added is forgotten.
    func removeAll()
}

extension Codec {
    /// A diff that is all of an array.
    public func decodeDiff(_ bytes: [UInt8]) -> Diff? { decodeDiff(bytes[...]) }

    /// The ops of an inverse that is all of an array.
    public func decodeSteps(_ bytes: [UInt8]) -> [Op]? { decodeSteps(bytes[...]) }

    /// As if there was no shorter way.
    public func encodeDone(
        _ request: Request, epoch: ID128, unchanged: Bool, landing rows: [RowID], note: String?,
        in table: Table, tellsTable: Bool
    ) -> [UInt8]? { nil }

    /// The outline of the decoded diff.
    public func outline(_ bytes: ArraySlice<UInt8>) -> DiffOutline? {
        decodeDiff(bytes).map { DiffOutline($0) }
    }
}
