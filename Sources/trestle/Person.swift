import Glibc
import TableClient
import TableModel

/// Who sits here, for the history, claims and drags.
enum Person {
    /// As --as says, else TRESTLE_NAME, else USER, else the system's name of the user; nil where
    /// none of them says.
    static func name(flag: String?) -> ID? {
        for given in [flag, Output.environment("TRESTLE_NAME"), Output.environment("USER")] {
            if let given, !given.isEmpty { return ID(given) }
        }
        return SystemUser.name.map { ID($0) }
    }

    /// What is only of use to the same person later: each call without a name is somebody else.
    static let missing = Failure(
        .usage, "usage",
        "Nobody is named, and the system has no name for user \(geteuid()): say who you are, by --as "
            + "NAME or TRESTLE_NAME. Your next command would be taken for somebody else's.")
}
