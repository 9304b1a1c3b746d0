/// A named refusal: expected, not an error. The table is as it was before.
public struct Rejection: Error, Equatable, Sendable {
    /// What programs go by.
    public var code: Code
    /// What people read: a sentence.
    public var message: String
    /// The field at fault, as the protocol names it.
    public var field: String?
    /// In a batch: the first command that was refused, counted from 0.
    public var command: Int?

    /// A refusal; `command` is set by the batch it stands in.
    public init(_ code: Code, _ message: String, field: String? = nil) {
        self.code = code
        self.message = message
        self.field = field
    }

    /// In groups by precedence: the message, who asks, the table; within a group any may be given.
    /// Frozen names; each has a line in docs/PROTOCOL.md and a row in the tests.
    public enum Code: String, Sendable, CaseIterable {
        // The message itself.
        /// Another protocol version than the daemon speaks.
        case unsupportedProtocol
        /// More frames than a request has.
        case tooManyFrames
        /// More of something than `hello` allows.
        case tooLarge
        /// Bytes that do not decode.
        case malformed
        /// No verb that this daemon knows.
        case unknownVerb
        /// A name that cannot be a table's.
        case badName
        /// An id that is empty, or has control characters.
        case badID
        /// A number that is not finite or out of range.
        case badNumber
        /// A word that is not among those the field takes.
        case badValue
        // Who asks.
        /// The disk has no room for changes at present.
        case diskFull
        /// It cannot be told whether this command was carried out: it is not run again.
        case unknown
        /// The number was used with another command.
        case numberReused
        // Which table.
        case noSuchTable
        /// The table or row is there already.
        case exists
        // The command's own sense.
        /// An id twice where each may stand once.
        case duplicate
        /// An anchor that is among the moved rows, or in another section than the one named.
        case badAnchor
        // The state of things.
        /// A precondition does not hold.
        case stale
        case noSuchSection
        case noSuchKind
        case noSuchRow
        case noSuchState
        case noSuchItem
        /// Items of a row whose kind is no strip.
        case notStrip
        /// The blank of a strip was selected.
        case stripBlank
        case noSuchAction
        /// The action is at the other edge.
        case wrongEdge
        /// The group has no full swipe, or the action is not its first.
        case noFullSwipe
        /// The action wants a person to be asked first.
        case needsConfirmation
        /// The action was performed on this version of the row, or is under way.
        case alreadyDone
        /// The table is in edit mode.
        case editing
        /// The invocation has ended, or there never was one.
        case noSuchInvocation
        /// Another handler holds the invocation, or none does.
        case notHeld
        /// The kind forbids it.
        case notAllowed
        /// A pinned row does not move, and is not passed.
        case pinned
        /// The row is being dragged.
        case leased
        /// The lease has ended, or there never was one.
        case noSuchLease
        /// Somebody else has claimed the row.
        case claimed
        /// Who sends the command has not claimed the row.
        case notClaimed
        /// There is no change that could be taken back.
        case nothingToUndo
        /// The revision is taken back already.
        case alreadyUndone
        /// It cannot be taken back, whoever came later.
        case notUndoable
        /// A later change is in the way.
        case conflict
        case kindInUse
        case sectionNotEmpty
        /// Swipes, or the scrolling of strips, are each viewer's own in this table.
        case viewerScope
        // Reading.
        /// The diffs asked for are no longer kept: take a snapshot.
        case compacted
        /// The snapshot was let go: begin again.
        case noSuchSnapshot
        /// The history named is not this table's.
        case otherHistory
        // Restoring.
        /// The restore was let go, another began, or a part is missing: begin again.
        case noSuchRestore
        /// The parts of a backup do not make the tables that they say.
        case badBackup
        /// What is on disk or in memory does not add up (from `check`).
        case damaged
        /// The daemon ended before it was done (from `check`).
        case interrupted
        /// Read from a daemon that is newer than this code; its own code begins the message.
        case unrecognized
    }
}

extension Rejection {
    /// For an id that names nothing.
    static func noRow(_ id: RowID, field: String) -> Rejection {
        Rejection(.noSuchRow, "There is no row \"\(id.text)\".", field: field)
    }

    static func noSection(_ id: SectionID, field: String) -> Rejection {
        Rejection(.noSuchSection, "There is no section \"\(id.text)\".", field: field)
    }

    static func noKind(_ id: KindID, field: String) -> Rejection {
        Rejection(.noSuchKind, "No kind \"\(id.text)\" is registered here.", field: field)
    }

    static func tooLarge(_ what: String, _ size: Int, limit: Int, field: String) -> Rejection {
        Rejection(.tooLarge, "\(what): \(size), at most \(limit).", field: field)
    }
}
