import Glibc
import TableClient
import TableModel

/// The person who sits here, for the history, claims and drags.
enum Person {
    /// The name from --as, TRESTLE_NAME, USER or the system's users, the first that says one.
    static func name(flag: String?) -> ID? {
        for given in [flag, Output.environment("TRESTLE_NAME"), Output.environment("USER")] {
            if let given, !given.isEmpty { return ID(given) }
        }
        return SystemUser.name.map { ID($0) }
    }

    /// A failure of verbs that are only of use to the same person later: each call without a name is somebody else.
    static let missing = Failure(
        .usage,
        "You have no name here, and the system has none for user \(geteuid()): give one with --as "
            + "NAME or TRESTLE_NAME. Without it, your next command would count as somebody else's.")
}
