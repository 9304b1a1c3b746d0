import Glibc

/// Why the journal cannot do what it was asked. Each case has a description of one or two sentences
/// that a system administrator can act on.
public enum JournalError: Error, Equatable {
    /// Another process holds the state directory.
    case locked(directory: String, pid: Int32?)
    /// Other users than `user` may change the state directory: they own it, or its mode allows it.
    case openToOthers(directory: String, owner: UInt32, user: UInt32, mode: UInt32)
    /// A system call failed; `code` is its errno.
    case system(doing: String, path: String, code: Int32)
    /// The file belongs to another journal.
    case foreignFile(path: String)
    /// A newer program has written the file.
    case newerForm(path: String, found: UInt64, known: UInt64)
    /// The file that says which journal the directory holds is missing, and others are there.
    case manifestMissing(path: String)
    /// The first bytes of a file are not what was written.
    case fileDamaged(path: String)
    /// An entry's bytes are not those that were written, or the entry is at a wrong place.
    case entryDamaged(path: String, position: UInt64)
    /// An entry is missing.
    case entryMissing(path: String, position: UInt64)
    /// The checkpoint that covers `position` is damaged. `part` counts from 0; nil is the header.
    case checkpointDamaged(path: String, position: UInt64?, part: UInt64?)
    /// An entry was submitted for a position that is not the next one.
    case entryOutOfTurn(path: String, position: UInt64, next: UInt64)
    /// Acknowledged commits are no longer in the journal.
    case acknowledgedLost(path: String, end: UInt64, acknowledged: UInt64)
    /// The entry at `position` is not the one that was acknowledged.
    case acknowledgedDiffers(path: String, position: UInt64)
    /// A finished checkpoint is no longer in the journal.
    case checkpointLost(path: String, found: UInt64?, acknowledged: UInt64)
    /// An entry or checkpoint part is larger than the journal accepts.
    case payloadTooLarge(bytes: Int, limit: Int)
    /// A checkpoint was begun twice, or continued before it was begun.
    case checkpointOutOfTurn(doing: String)
    /// An earlier write failed, so no more is written.
    case poisoned(path: String)
    /// The journal was closed.
    case closed(path: String)
}

/// Something noticed at opening that does not keep the journal from being used.
public enum JournalWarning: Equatable, Sendable {
    /// The journal has entries but the `acknowledged` file is missing.
    case acknowledgedMissing(path: String)
    /// The `acknowledged` file cannot be understood.
    case acknowledgedUnreadable(path: String)
}

extension JournalWarning: CustomStringConvertible {
    /// The warning as one sentence.
    public var description: String {
        let consequence =
            "so it is unknown whether the journal holds every acknowledged commit; "
            + "this is normal after a power cut, and the file has been rewritten"
        return switch self {
        case .acknowledgedMissing(let path): "\(path) is missing, \(consequence)."
        case .acknowledgedUnreadable(let path): "\(path) is unreadable, \(consequence)."
        }
    }
}

extension JournalError: CustomStringConvertible {
    /// The error as one or two sentences.
    public var description: String {
        switch self {
        case .locked(let directory, let pid):
            let who = pid.map { "process \($0)" } ?? "another process"
            return "The state directory \(directory) is in use by \(who); "
                + "stop it first, or use another directory."
        case .openToOthers(let directory, let owner, let user, let mode):
            if owner != user {
                return "The state directory \(directory) belongs to user \(owner), and the daemon "
                    + "runs as user \(user): run it as the owner, or "
                    + "`chown -R \(user) \(directory)`."
            }
            return "The state directory \(directory) may be changed by others (mode 0"
                + "\(String(mode, radix: 8))), who could replace the journal: "
                + "`chmod go-w \(directory)`."
        case .system(let doing, let path, let code):
            return "Could not \(doing) \(path): \(String(cString: strerror(code)))."
        case .foreignFile(let path):
            return "\(path) belongs to the journal of another state directory; "
                + "move it away, or copy the whole of one directory."
        case .newerForm(let path, let found, let known):
            return "\(path) has form \(found), but this program knows only up to \(known); "
                + "use the newer program."
        case .payloadTooLarge(let bytes, let limit):
            return "An entry or checkpoint part of \(bytes) bytes exceeds the limit of "
                + "\(limit) bytes."
        case .entryOutOfTurn(let path, let position, let next):
            return "Entry \(position) was submitted to \(path), whose next one is \(next)."
        case .checkpointOutOfTurn(let doing):
            return "Cannot \(doing): the calls are out of order."
        case .poisoned(let path):
            return "An earlier write to \(path) failed, so nothing more is written; "
                + "restart the daemon to continue from what is on disk."
        case .closed(let path):
            return "The journal \(path) is closed."
        default:
            return damage + " " + Self.restore
        }
    }

    private static let restore =
        "Keep a copy of the state directory for inspection and restore it from a backup, or save what is "
        + "whole with `trestled salvage`."

    /// The cases in which the files do not hold what was written.
    private var damage: String {
        switch self {
        case .entryDamaged(let path, let position):
            "\(path) is damaged: entry \(position) is not what was written there."
        case .entryMissing(let path, let position):
            "\(path) is damaged: entry \(position) is missing."
        case .checkpointDamaged(let path, let position, let part):
            "\(path) is damaged: "
                + (part.map { "part \($0)" } ?? "the header") + " of the checkpoint"
                + (position.map { " at position \($0)" } ?? "") + " is not what was written."
        case .manifestMissing(let path):
            "\(path) is missing, and other files of the journal are there."
        case .fileDamaged(let path):
            "\(path) is damaged: its first bytes are not what was written."
        case .acknowledgedLost(let path, let end, let acknowledged):
            "\(path) ends at entry \(end), but entry \(acknowledged) was acknowledged: "
                + "commits are lost. " + Self.restoredOnPurpose
        case .acknowledgedDiffers(let path, let position):
            "\(path) holds another entry \(position) than the one that was acknowledged. "
                + Self.restoredOnPurpose
        case .checkpointLost(let path, let found, let acknowledged):
            "\(path) has " + (found.map { "a checkpoint at \($0)" } ?? "no checkpoint")
                + ", but one at \(acknowledged) was finished: commits are lost. "
                + Self.restoredOnPurpose
        default:
            "The journal is damaged."
        }
    }

    private static let restoredOnPurpose =
        "If the journal was restored from a backup on purpose, remove the file 'acknowledged' "
        + "beside it and start again."
}
