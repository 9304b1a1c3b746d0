/// An expected refusal with a code. It is not an error: the table stays as it was.
public struct Rejection: Error, Equatable, Sendable {
    /// For programs.
    public var code: Code
    /// A sentence for people.
    public var message: String
    /// The field at fault, as the protocol names it.
    public var field: String?
    /// In a batch: the first command that was refused, counted from 0.
    public var command: Int?
    /// With `notLeader`: where whoever could carry it out is reached, as far as is known.
    public var endpoints: [String] = []
    /// The message as data, where it says more than the code does.
    public var saying: Saying?

    /// The batch sets `command`.
    public init(_ code: Code, _ message: String, field: String? = nil, saying: Saying? = nil) {
        self.code = code
        self.message = message
        self.field = field
        self.saying = saying
    }

    /// Grouped by precedence: the message, the sender, the table, and so on. Within a group, any of
    /// several codes may be given. The names are frozen. Each has a line in docs/PROTOCOL.md and a
    /// row in the tests.
    public enum Code: String, Sendable, CaseIterable {
        // The message itself.
        /// The protocol version is not the daemon's.
        case unsupportedProtocol
        /// The request has more frames than allowed.
        case tooManyFrames
        /// More of something than `hello` allows.
        case tooLarge
        /// Bytes that do not decode.
        case malformed
        /// The daemon does not know the verb.
        case unknownVerb
        /// A name that cannot be a table's.
        case badName
        /// An id that is empty, or has control characters.
        case badID
        /// A number that is not finite or out of range.
        case badNumber
        /// A word that the field does not take.
        case badValue
        // The sender.
        /// Another daemon of the same service writes at present: ask it, at `endpoints`.
        case notLeader
        /// There is no other daemon that could write.
        case noOtherDaemon
        /// It is no standby, or none that could be promoted now.
        case notStandby
        /// The disk has no room for changes at present.
        case diskFull
        /// Nobody can tell whether this command was carried out. It is not run again.
        case unknown
        /// The number was used for another command.
        case numberReused
        // Which table.
        case noSuchTable
        /// The table or row exists already.
        case exists
        // The command's own sense.
        /// An id occurs twice where it may occur once.
        case duplicate
        /// An anchor that is among the moved rows, or in another section than the one named.
        case badAnchor
        // The state of the table.
        /// A precondition does not hold.
        case stale
        case noSuchSection
        case noSuchKind
        case noSuchRow
        case noSuchState
        case noSuchItem
        /// The kind of the row is not a strip.
        case notStrip
        /// The blank of a strip was selected.
        case stripBlank
        case noSuchAction
        /// The action is at the other edge.
        case wrongEdge
        /// The group has no full swipe, or the action is not its first.
        case noFullSwipe
        /// The action's condition does not hold for the row.
        case guarded
        /// The action wants a person to be asked first.
        case needsConfirmation
        /// The action was performed on this version of the row already, or is pending.
        case alreadyDone
        /// Nothing of the row has failed that could be performed again.
        case notFailed
        /// The table is in edit mode.
        case editing
        /// New work of the section or action is not taken at present.
        case paused
        /// The invocation has ended or never existed.
        case noSuchInvocation
        /// Another handler holds the invocation, or none does.
        case notHeld
        /// The kind forbids it.
        case notAllowed
        /// A pinned row does not move, and no row moves past it.
        case pinned
        /// The row is being dragged.
        case leased
        /// The lease has ended or never existed.
        case noSuchLease
        /// Somebody else has claimed the row.
        case claimed
        /// The sender has not claimed the row.
        case notClaimed
        /// There is no change to undo.
        case nothingToUndo
        /// The revision is undone already.
        case alreadyUndone
        /// The revision cannot be undone, even without later changes.
        case notUndoable
        /// A later change is in the way.
        case conflict
        case kindInUse
        case sectionNotEmpty
        /// Swipes, or the scroll positions of strips, are each viewer's own in this table.
        case viewerScope
        // Reading.
        /// The diffs asked for are no longer kept: take a snapshot.
        case compacted
        /// The daemon dropped the snapshot: begin again.
        case noSuchSnapshot
        /// The history named is not this table's.
        case otherHistory
        // Restoring.
        /// The daemon dropped the restore, another began, or a part is missing: begin again.
        case noSuchRestore
        /// The parts of a backup do not make the tables that it lists.
        case badBackup
        /// The disk or the memory contradicts itself (from `check`).
        case damaged
        /// The daemon ended before it was done (from `check`).
        case interrupted
        /// Read from a daemon that is newer than this code; its own code begins the message.
        case unrecognized
    }
}

extension Rejection {
    /// Names the field from the message down that holds `name`. The sender's field stands in the request itself.
    package func below(_ name: String) -> Rejection {
        var rejection = self
        if field != "client" { rejection.field = field.map { "\(name).\($0)" } ?? name }
        return rejection
    }

    package static func noTable(_ name: TableID) -> Rejection {
        Rejection(.noSuchTable, "There is no table \"\(name.text)\".", field: "table")
    }

    /// The id names no row.
    package static func noRow(_ id: RowID, field: String) -> Rejection {
        Rejection(.noSuchRow, "There is no row \"\(id.text)\".", field: field)
    }

    package static func noSection(_ id: SectionID, field: String) -> Rejection {
        Rejection(.noSuchSection, "There is no section \"\(id.text)\".", field: field)
    }

    package static func noKind(_ id: KindID, field: String) -> Rejection {
        Rejection(.noSuchKind, "No kind \"\(id.text)\" is registered here.", field: field)
    }

    @usableFromInline
    package static func tooLarge(
        _ what: String, _ size: Int, limit: Int, field: String?
    ) -> Rejection { Rejection(.tooLarge, "\(what): \(size), at most \(limit).", field: field) }
}

/// Refuses more of something than `most`.
@inlinable @inline(__always)
package func bound(
    _ what: @autoclosure () -> String, _ size: Int, by most: Int,
    field: @autoclosure () -> String? = nil
) throws(Rejection) {
    if size > most { throw .tooLarge(what(), size, limit: most, field: field()) }
}

/// Refuses with this code and sentence what does not hold.
@inlinable @inline(__always)
package func require(
    _ holds: Bool, or code: Rejection.Code, _ message: @autoclosure () -> String,
    field: @autoclosure () -> String? = nil
) throws(Rejection) {
    if !holds { throw Rejection(code, message(), field: field()) }
}
