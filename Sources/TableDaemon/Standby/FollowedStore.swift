import JournalPort
import TableJournal

extension FollowedJournal: Journal {
    /// Not before the entry that begins it is applied.
    var term: UInt64? {
        if case .leading(let term) = standing, untaken.entries.isEmpty { term } else { nil }
    }

    var durable: UInt64 { local.durable }
    var isFollowed: Bool { true }
    var isOwnCopy: Bool { true }
    var isCurrent: Bool { isLeading || isInTouch }
    var leaders: [String] { isLeading ? [] : [settings.endpoint] }
    var figures: JournalFigures { local.figures }

    func submit(_ entry: [UInt8], position: UInt64, term: UInt64) throws {
        try local.submit(entry, position: position, term: term)
    }

    func news() throws -> JournalNews {
        try work()
        guard untaken.isReplaced else { return .underWay }
        untaken.isReplaced = false
        return .refused
    }

    func entries(
        after position: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let taken = untaken.entries
        untaken.entries = []
        // Entries that were not taken in their order are read again.
        guard taken.first?.position == position + 1 else {
            return try local.entries(after: position, body)
        }
        for (position, entry) in taken { try entry.withUnsafeBytes { try body(position, $0) } }
    }

    /// A promotion, or its end, leaves behind a checkpoint that the turn knows nothing of any more.
    func beginCheckpoint() throws {
        try local.abandonCheckpoint()
        try local.beginCheckpoint()
    }

    func appendToCheckpoint(_ part: [UInt8]) throws { try local.appendToCheckpoint(part) }
    func finishCheckpoint() throws -> Bool { try local.finishCheckpoint() }
    func abandonCheckpoint() throws { try local.abandonCheckpoint() }

    func compact(before position: UInt64, atMost: Int) throws -> Int {
        try local.compact(before: position, atMost: atMost)
    }

    func forgetEarlier(beginsAnew: Bool) throws { try local.forgetEarlier(beginsAnew: beginsAnew) }

    func tend() throws -> Bool {
        local.hasRoom = hasRoom
        return try local.tend()
    }

    func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary {
        untaken.entries = []
        return try local.recover(body)
    }

    func verification() throws -> any Verification { try local.verification() }
    func close() throws { try local.close() }
}
