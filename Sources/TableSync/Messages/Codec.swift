public import TableModel

/// Encodes what the journal keeps and viewers receive. `TableWire` implements it. Both ends of the
/// protocol use only this, so they know no encoding.
public protocol Codec: Sendable {
    /// The one form of a diff that is journaled, published and replayed.
    func encode(_ diff: Diff) -> [UInt8]
    func decodeDiff(_ bytes: ArraySlice<UInt8>) -> Diff?
    /// The outline that a log keeps of a diff besides its bytes. The bytes come from the journal, so a quick
    /// look is enough: the ops need not be decoded.
    func outline(_ bytes: ArraySlice<UInt8>) -> DiffOutline?
    /// The form in which an inverse is journaled.
    func encode(_ steps: [Op]) -> [UInt8]
    func decodeSteps(_ bytes: ArraySlice<UInt8>) -> [Op]?
    /// Where the first so many ops of an inverse end, if these can be decoded by themselves.
    func end(ofSteps number: Int, in bytes: ArraySlice<UInt8>) -> Int?
    /// Whether an encoded diff may name one of these rows. It is quicker than decoding, and may say yes
    /// for a diff that names none of them.
    func mayMention(_ rows: RowSearch, _ diff: ArraySlice<UInt8>) -> Bool
    /// The form of a part of a backup. A restore stages these bytes unchanged.
    func encode(_ part: CheckpointPart) -> [UInt8]
    /// `limits`: the part comes from outside, and is refused if it is beyond them.
    func decodePart(_ bytes: [UInt8], limits: Limits?) throws(Rejection) -> CheckpointPart
    /// The form in which an answer is remembered.
    func encode(_ reply: Reply) -> [UInt8]
    func decodeReply(_ bytes: ArraySlice<UInt8>) -> Reply?
    /// Writes the entries of the journal, one after the other.
    func makeEntryWriter() -> any EntryWriter
}

/// Writes the records of a turn into one entry of the journal, each as it is decided. What else is to be said
/// or kept of them is bytes of the entry: whoever keeps some is lent them, and where they are to lie is
/// returned for those who need them when the entry is finished.
public protocol EntryWriter: AnyObject {
    /// Whether there is no record yet.
    var isEmpty: Bool { get }
    /// How many bytes the records take so far.
    var byteCount: Int { get }

    /// Adds a record.
    func add(_ record: Ready.Record)
    /// Begins `Ready.Record.changed`, which is written while its ops are applied: nearly every command has
    /// one of these, so that no value is made of it. The inverse is kept up to so many bytes. `asText`: viewers
    /// read the table as JSON, and the diff is written in that form too.
    func begin(
        changed table: TableID, base: UInt64, cause: borrowing Cause, inverseBytes: Int,
        asText: Bool)
    /// Adds what is to be applied next: `op`, or several ops that go together and begin with it. The table is
    /// as those before have left it.
    func add(_ op: borrowing Op, of run: ArraySlice<Op>?, on table: Table)
    /// Encodes ops that are to be added in a later turn, with what leads back over them. `asText`: as JSON too.
    func prepared(_ ops: [Op], inverse: [Op], asText: Bool) -> PreparedOps
    /// Adds ops that were encoded ahead: each of them on a row that no other op is about.
    func add(_ prepared: [PreparedOps])
    /// Ends the record that was begun. All its ops are applied, and the table has this digest.
    ///
    /// - Parameters:
    ///   - digest: of the table, as the record leaves it.
    ///   - keep: is lent the diff, and its inverse; nil: that is too large to keep.
    /// - Returns: where the diff lies, and its text, if that was asked for.
    func end(
        digest: UInt64, _ keep: (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) -> Void
    ) -> (place: Range<Int>, text: [UInt8])
    /// Adds `Ready.Record.answered`, of which no value is made either: that this numbered request of a client
    /// is done, and where these rows are now. Nil: it is to be added with its reply.
    ///
    /// - Parameters:
    ///   - request: has been carried out.
    ///   - opened: what its client, who was not known, says of its `hello`; nil: it was known.
    ///   - requestHash: of its bytes: who sends others by that number is refused.
    ///   - epoch: of the daemon.
    ///   - unchanged: it changed nothing.
    ///   - rows: whose places the reply tells.
    ///   - notes: what the reply says of them beside that.
    ///   - table: as the request has left it.
    ///   - tellsTable: the sender may know of the table, and is told its history and revision.
    ///   - remember: is lent the reply.
    /// - Returns: where the reply lies; and as JSON, if the request came as that.
    func add(
        done request: Request, opened: UInt64?, requestHash: UInt64, epoch: ID128, unchanged: Bool,
        landing rows: Few<RowID>, notes: [RowID: Note]?, in table: Table, tellsTable: Bool,
        remember: (UnsafeRawBufferPointer) -> Void
    ) -> (place: Range<Int>, text: [UInt8])?
    /// Adds `Ready.Record.answered`. Returns where its reply lies.
    func add(
        answered client: ID, user: ProvenID?, opened: UInt64?, _ answered: Sessions.Answered
    ) -> Range<Int>

    /// The entry of this time, with all records since the one before; and by how much all of it lies behind
    /// where it was said to lie, since the time took more room than was thought.
    func finish(timeMs: UInt64) -> (entry: [UInt8], shift: Int)
    /// Begins anew: what was added is forgotten.
    func removeAll()
}
