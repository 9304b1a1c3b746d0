import TableModel

// The promotion of a standby: it writes in a new term, and its tables begin new histories.

extension Server {
    /// In which term the tables are written. It is 1 until a standby is promoted, and one more each time.
    public struct Term: Equatable, Sendable {
        /// The number of the term.
        public var number: UInt64 = 1
        /// The position of the entry with which it began; 0: of the first term.
        public var began: UInt64 = 0

        /// The first term.
        public init() {}

        /// A later one.
        public init(number: UInt64, began: UInt64) { (self.number, self.began) = (number, began) }
    }

    /// The term in which the tables are written.
    public var term: Term { tables.term }

    /// The entry with which this daemon begins the next term. It is applied as one that another daemon has written.
    public func promotion(timeMs: UInt64) -> [UInt8] {
        let writer = codec.makeEntryWriter()
        let histories = tables.values.map { live in
            Ready.Record.Restored(table: live.table.name, history: makeID())
        }
        writer.add(.promoted(term: term.number + 1, histories.sorted { $0.table < $1.table }))
        return writer.finish(timeMs: timeMs).entry
    }

    /// Takes the term over from a checkpoint.
    public func restore(_ term: Term) { tables.term = term }

    /// Viewers and clients of the daemon that wrote before see other histories: what they have beyond this entry
    /// is not here.
    func replayPromoted(
        _ number: UInt64, _ histories: [Ready.Record.Restored], _ position: UInt64
    ) throws(RecoveryError) {
        // Another term comes after it.
        guard number > term.number, number < .max else {
            throw RecoveryError("entry \(position) begins term \(number) in term \(term.number)")
        }
        for one in histories { tables[one.table]?.table.begin(history: one.history) }
        tables.term = Term(number: number, began: position)
        // Clients ask for `hello` anew, and so hear of the term.
        epoch = makeID()
    }
}
