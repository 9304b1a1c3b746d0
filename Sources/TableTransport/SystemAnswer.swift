package import Glibc

/// The machine's answer about a user or a group, by its name or its number.
package enum SystemAnswer<Found> {
    case found(Found)
    /// There is none.
    case nothing
    /// It could not tell, for this reason.
    case unclear(Int32)

    /// Asks by one of the functions of `getpwuid_r`'s kind.
    package init<Entry>(
        _ entry: Entry,
        _ look: (inout Entry, inout [CChar], inout UnsafeMutablePointer<Entry>?) -> Int32,
        _ take: (Entry) -> Found
    ) {
        var entry = entry
        var found: UnsafeMutablePointer<Entry>?
        // A group with thousands of members needs this much.
        var texts = [CChar](repeating: 0, count: 65_536)
        let code = look(&entry, &texts, &found)
        self = withExtendedLifetime(texts) {
            if found != nil { return .found(take(entry)) }
            // Some systems say so of one that is not there (getpwnam_r(3)).
            return [0, ENOENT, ESRCH, EBADF, EPERM].contains(code) ? .nothing : .unclear(code)
        }
    }
}

extension SystemAnswer<String> {
    /// The name of a group.
    package static func group(_ gid: gid_t) -> Self {
        Self(Glibc.group(), { getgrgid_r(gid, &$0, &$1, $1.count, &$2) }) {
            $0.gr_name.map { String(cString: $0) } ?? "\(gid)"
        }
    }
}
