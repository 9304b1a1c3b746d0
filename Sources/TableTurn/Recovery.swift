package import JournalPort
import TableModel
package import TableSync
import TableWire

/// Recovery: newest checkpoint, then each journal entry, by the same `apply` that viewers use.
package struct Recovery {
    private let server: Server
    private var checkpoint: UInt64 = 0
    private var partsLeft: UInt64 = 0
    private var building: (table: Table, digest: UInt64)?
    /// The rows of the table that is being built, until it is known how many there are.
    private var slices: [SnapshotChunk.Slice] = []
    private var sessions: SessionBook
    /// The latest diffs of the table that is being built.
    private var log = CheckpointPart.Log()
    private var owners = Owners()
    /// The swipes that drags had closed in it.
    private var lifted: [ClosedSwipe] = []
    private let limits: Limits
    /// The digest after each change with the journaled one.
    private let comparing: Bool

    /// Brings a server without tables to the state that the journal leads to.
    ///
    /// The digests are compared once, in the end: the digest is of the whole table, so that what a
    /// change did wrong shows unless a later one made up for it. Only if they differ all is read
    /// again, to name the change after which they do.
    ///
    /// - Parameters:
    ///   - server: that has no tables yet.
    ///   - journal: that is read.
    ///   - goesOn: is called with each part and entry, for whoever wants to know that it goes on.
    @discardableResult
    package static func bring(
        _ server: Server, upTo journal: any Journal, goesOn: () -> Void = {}
    ) throws -> JournalSummary {
        try bring(server) { body in
            try journal.recover {
                goesOn()
                try body($0)
            }
        }
    }

    /// Recovers from a journal that is no daemon's at present. It may be read twice.
    @discardableResult
    package static func bring(
        _ server: Server, by reading: ((Recovered) throws -> Void) throws -> JournalSummary
    ) throws -> JournalSummary {
        var tries = 0
        while true {
            do {
                return try bringOnce(server, reading)
            } catch let moved as JournalMoved {
                tries += 1
                guard tries < mostTries else { throw JournalUnavailable("\(moved)") }
                server.forgetRecovered()
            }
        }
    }

    /// Each time two checkpoints are written faster than one is read.
    private static let mostTries = 5

    private static func bringOnce(
        _ server: Server, _ reading: ((Recovered) throws -> Void) throws -> JournalSummary
    ) throws -> JournalSummary {
        let summary = try read(reading, into: server, comparing: false)
        if server.hasJournaledDigests { return summary }
        server.forgetRecovered()
        return try read(reading, into: server, comparing: true)
    }

    private static func read(
        _ reading: ((Recovered) throws -> Void) throws -> JournalSummary, into server: Server,
        comparing: Bool
    ) throws -> JournalSummary {
        var recovery = Recovery(server, comparing: comparing)
        let summary = try reading { try recovery.add($0) }
        try recovery.finish()
        return summary
    }

    private init(_ server: Server, comparing: Bool) {
        self.server = server
        self.comparing = comparing
        limits = server.limits
        sessions = SessionBook()
    }

    private mutating func add(_ recovered: Recovered) throws {
        switch recovered {
        case .checkpoint(let position, let parts):
            checkpoint = position
            partsLeft = parts
            server.restored(position: position)
        case .part(let bytes):
            try add(Decode.checkpoint(bytes))
            partsLeft -= 1
            if partsLeft == 0 {
                try finishTable()
                server.restore(sessions)
            }
        case .entry(let position, let bytes):
            // The checkpoint covers this entry.
            if position <= checkpoint { return }
            for record in try Decode.entry(bytes).records {
                try server.replay(record, position: position, comparing: comparing)
            }
            server.restored(position: position)
        }
    }

    private mutating func finish() throws { try finishTable() }

    // MARK: The checkpoint

    private mutating func add(_ part: CheckpointPart) throws {
        switch part {
        case .table(let start):
            try finishTable()
            let table = Table(
                restoring: start.table, history: start.history, revision: start.revision,
                kinds: start.kinds, settings: start.settings, removedPlaces: limits.removedPlaces)
            table.restoreEditing(start.isEditing)
            building = (table, start.digest)
        case .invocations(let all):
            for invocation in all { building?.table.restore(invocation) }
        case .rows(let some):
            guard building != nil else {
                throw RecoveryError("the checkpoint has rows without a table")
            }
            slices += some
        case .kinds(let more): building?.table.restore(more)
        case .log(let more): log.add(more)
        case .removed(let places, let recent, let closed):
            for place in places { building?.table.appendRemovedPlace(place) }
            for deed in recent { building?.table.appendRecentDeed(deed) }
            lifted += closed
        case .sessions(let clients, let evictedTo, let owner):
            sessions.restore(clients, evictedTo: evictedTo, of: owner)
        case .owners(let more): owners.add(more)
        case .term(let term): server.restore(term)
        }
    }

    private mutating func finishTable() throws {
        guard let (table, digest) = building else { return }
        table.reserve(slices.reduce(0) { $0 + $1.rows.count })
        for slice in slices {
            try table.appendSection(slice.section, title: slice.title)
            try table.appendRows(slice.rows, to: slice.section)
        }
        slices = []
        guard table.digest == digest else {
            throw RecoveryError("the checkpoint of table \"\(table.name)\" is damaged")
        }
        server.restore(table)
        try server.restore(log, of: table.name)
        server.restore(owners, of: table.name)
        server.restore(lifted, of: table.name)
        (log, owners, lifted) = (CheckpointPart.Log(), Owners(), [])
        building = nil
    }
}
