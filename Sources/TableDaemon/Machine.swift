import Glibc
import TableSync
import TableTransport

/// The users and groups of this machine.
enum Machine {
    /// A user with its name and groups, and whether the machine could not tell who it is.
    static func principal(_ uid: UInt32) -> (Principal, isUnclear: Bool) {
        switch user(uid) {
        case .found(let user): (user, false)
        case .nothing: (.user(uid), false)
        case .unclear: (.user(uid), true)
        }
    }

    /// A user of this name or number; nil: there is none of this name.
    static func principal(named name: String) -> Principal? {
        if let uid = UInt32(name) { return principal(uid).0 }
        guard case .found(let user) = user(named: name) else { return nil }
        return user
    }

    static func user(_ uid: UInt32) -> SystemAnswer<Principal> {
        SystemAnswer(passwd(), { getpwuid_r(uid, &$0, &$1, $1.count, &$2) }, principal)
    }

    static func user(named name: String) -> SystemAnswer<Principal> {
        SystemAnswer(passwd(), { getpwnam_r(name, &$0, &$1, $1.count, &$2) }, principal)
    }

    static func group(named name: String) -> SystemAnswer<String> {
        SystemAnswer(Glibc.group(), { getgrnam_r(name, &$0, &$1, $1.count, &$2) }) { _ in name }
    }

    /// Its groups are named, or numbered where they have no name.
    private static func principal(_ entry: passwd) -> Principal {
        guard let name = entry.pw_name else { return .user(entry.pw_uid) }
        var ids = [gid_t](repeating: 0, count: 1_024)
        var count = Int32(ids.count)
        let isWhole = getgrouplist(name, entry.pw_gid, &ids, &count) >= 0
        let groups = ids.prefix(isWhole ? Int(count) : 0).map { gid in
            if case .found(let name) = SystemAnswer.group(gid) { name } else { "\(gid)" }
        }
        return .user(entry.pw_uid, name: String(cString: name), groups: Set(groups))
    }
}
