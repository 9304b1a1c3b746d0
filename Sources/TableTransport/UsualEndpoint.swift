import Glibc

/// The place at which a daemon serves, if nobody says.
public enum UsualEndpoint {
    /// The system's daemon, for root and where there is one; else the user's own.
    public static func found(runtimeDirectory: String?) -> String {
        let system = "/run/trestle/request.sock"
        if geteuid() == 0 || access(system, F_OK) == 0 { return "ipc://\(system)" }
        return "ipc://\(runtimeDirectory ?? "/run/user/\(geteuid())")/trestle/request.sock"
    }
}
