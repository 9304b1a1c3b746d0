import Glibc
import TableSync

/// The users and groups of this machine.
enum Machine {
    /// The machine's answer about a name or a number.
    enum Answer<Found> {
        case found(Found)
        /// There is none.
        case nothing
        /// It could not tell, for this reason.
        case unclear(Int32)
    }

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

    static func user(_ uid: UInt32) -> Answer<Principal> {
        ask(passwd(), { getpwuid_r(uid, &$0, &$1, $1.count, &$2) }, principal)
    }

    static func user(named name: String) -> Answer<Principal> {
        ask(passwd(), { getpwnam_r(name, &$0, &$1, $1.count, &$2) }, principal)
    }

    /// The name of a group.
    static func group(_ gid: UInt32) -> Answer<String> {
        ask(Glibc.group(), { getgrgid_r(gid, &$0, &$1, $1.count, &$2) }) {
            $0.gr_name.map { String(cString: $0) } ?? "\(gid)"
        }
    }

    static func group(named name: String) -> Answer<String> {
        ask(Glibc.group(), { getgrnam_r(name, &$0, &$1, $1.count, &$2) }) { _ in name }
    }

    private static func ask<Entry, Found>(
        _ entry: Entry,
        _ look: (inout Entry, inout [CChar], inout UnsafeMutablePointer<Entry>?) -> Int32,
        _ take: (Entry) -> Found
    ) -> Answer<Found> {
        var entry = entry
        var found: UnsafeMutablePointer<Entry>?
        // A group with thousands of members needs this much.
        var texts = [CChar](repeating: 0, count: 65_536)
        let code = look(&entry, &texts, &found)
        return withExtendedLifetime(texts) {
            if found != nil { return .found(take(entry)) }
            // Some systems say so of one that is not there (getpwnam_r(3)).
            return [0, ENOENT, ESRCH, EBADF, EPERM].contains(code) ? .nothing : .unclear(code)
        }
    }

    /// Its groups are named, or numbered where they have no name.
    private static func principal(_ entry: passwd) -> Principal {
        guard let name = entry.pw_name else { return .user(entry.pw_uid) }
        var ids = [gid_t](repeating: 0, count: 1_024)
        var count = Int32(ids.count)
        let isWhole = getgrouplist(name, entry.pw_gid, &ids, &count) >= 0
        let groups = ids.prefix(isWhole ? Int(count) : 0).map { gid in
            if case .found(let name) = group(gid) { name } else { "\(gid)" }
        }
        return .user(entry.pw_uid, name: String(cString: name), groups: Set(groups))
    }
}
