import Glibc
import TableTransport

/// Why a connection fails, as far as the system tells.
enum Obstacle: Equatable {
    /// There is nothing to connect to; what is missing, for people.
    case absent(String)
    /// Nobody listens there.
    case silent
    /// The system does not let this process connect; what it may not use, and who may.
    case forbidden(String)

    /// Finds why a connection has failed, without making one.
    static func find(on endpoint: String) -> Obstacle {
        guard let path = endpoint.path(ofScheme: "ipc://"), path.utf8.first != UInt8(ascii: "@")
        else { return .silent }
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == EACCES, let directory = closedDirectory(above: path) {
                return .forbidden(directory)
            }
            return .absent("there is no such socket")
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return .absent("it is no socket") }
        guard faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 else {
            return .forbidden("the socket \(path) is open to \(status.whoMay(0o020)) only")
        }
        return .silent
    }

    /// The first directory of the path that this process may not enter.
    private static func closedDirectory(above path: String) -> String? {
        var at = path.utf8.startIndex
        while let slash = path.utf8[at...].dropFirst().firstIndex(of: UInt8(ascii: "/")) {
            at = slash
            let directory = String(path[..<slash])
            var status = stat()
            guard stat(directory, &status) == 0 else { return nil }
            guard faccessat(AT_FDCWD, directory, X_OK, AT_EACCESS) == 0 else {
                return "the directory \(directory) is open to \(status.whoMay(0o010)) only"
            }
        }
        return nil
    }
}

extension stat {
    /// The owner, and whether the group has this permission.
    fileprivate func whoMay(_ groupPermission: mode_t) -> String {
        let owner = "its owner \(SystemUser.name(of: st_uid) ?? "\(st_uid)")"
        let group = Self.groupName(st_gid)
        return st_mode & groupPermission == 0
            ? "\(owner), and not to its group \(group)," : "\(owner) and the group \(group)"
    }

    private static func groupName(_ id: gid_t) -> String {
        if case .found(let name) = SystemAnswer.group(id) { name } else { "\(id)" }
    }
}

/// The system's knowledge of its users.
public enum SystemUser {
    /// The name of the user who runs this process; nil: the system has none for the user id.
    public static var name: String? { name(of: geteuid()) }

    static func name(of id: uid_t) -> String? {
        let answer = SystemAnswer(passwd(), { getpwuid_r(id, &$0, &$1, $1.count, &$2) }) {
            $0.pw_name.map { String(cString: $0) } ?? ""
        }
        guard case .found(let name) = answer, !name.isEmpty else { return nil }
        return name
    }
}

extension String {
    /// The rest after the scheme; nil: the scheme is another.
    fileprivate func path(ofScheme scheme: String) -> String? {
        guard utf8.starts(with: scheme.utf8) else { return nil }
        return String(decoding: utf8.dropFirst(scheme.utf8.count), as: UTF8.self)
    }
}
