internal import TableModel
public import TableSync

/// One commit: everything that one turn of the loop decided.
public struct JournalEntry: Equatable, Sendable {
    /// The time of the turn, in milliseconds since 1970 (UTC).
    public var timeMs: UInt64
    /// The records in the order of their decisions.
    public var records: [Ready.Record]

    /// The records of one turn.
    public init(timeMs: UInt64, records: [Ready.Record]) {
        self.timeMs = timeMs
        self.records = records
    }
}

extension Encode {
    /// The bytes of an entry. The diffs and replies in it keep their encoded bytes.
    public static func entry(_ entry: JournalEntry) -> [UInt8] {
        let records = BinaryEntryWriter()
        for record in entry.records { records.add(record) }
        return records.finish(timeMs: entry.timeMs).entry
    }
}
