import Glibc
public import StrictYAML

extension Configuration {
    /// The users and groups that the guest list in this file names and that this machine does not
    /// know, each with its place.
    ///
    /// They are warnings and no faults: a user may come later, and a directory of users may be away.
    public static func strangers(inFile name: String) throws -> [Fault] {
        try strangers(in: try text(of: name), name: name)
    }

    /// The same of a text, for a list that `check` has found nothing wrong with.
    static func strangers(in text: String, name: String) throws(Fault) -> [Fault] {
        let root = try Value(text, file: name)
        guard !root.isNull, let guests = try root.fields(Key.self)[.guests] else { return [] }
        var found: [Fault] = []
        for guest in try guests.list() {
            let fields = try guest.fields(GuestKey.self)
            for value in try fields[.users]?.list() ?? [] {
                let doubt = Machine.doubt(ofUser: try value.string())
                if let doubt { found.append(value.fault(doubt)) }
            }
            for value in try fields[.groups]?.list() ?? [] {
                let doubt = Machine.doubt(ofGroup: try value.string())
                if let doubt { found.append(value.fault(doubt)) }
            }
        }
        return found
    }
}

/// What the machine says of the names in a guest list.
private enum Machine {
    /// A number is doubted too where no account has it: it may be mistyped. It counts all the same,
    /// as in a container, where users of the host have no names.
    static func doubt(ofUser name: String) -> String? {
        if name == "*" { return nil }
        let number = UInt32(name)
        return doubt("user", name) { texts in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            // As the list reads it: `007` is a name.
            if let number, "\(number)" == name {
                return (getpwuid_r(number, &entry, &texts, texts.count, &found), found != nil)
            }
            return (getpwnam_r(name, &entry, &texts, texts.count, &found), found != nil)
        }
    }

    /// A group is called by its number only where it has no name: elsewhere a number means nobody.
    static func doubt(ofGroup name: String) -> String? {
        if let number = UInt32(name) {
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            var texts = room
            guard getgrgid_r(number, &entry, &texts, texts.count, &found) == 0, found != nil,
                let text = entry.gr_name
            else { return nil }
            let called = String(cString: text)
            return "group \(name) is called `\(called)` here, and only that name counts"
        }
        return doubt("group", name) { texts in
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            return (getgrnam_r(name, &entry, &texts, texts.count, &found), found != nil)
        }
    }

    /// A group with thousands of members needs this much.
    private static var room: [CChar] { Array(repeating: 0, count: 65_536) }

    private static func doubt(
        _ kind: String, _ name: String, ask: (inout [CChar]) -> (error: Int32, isFound: Bool)
    ) -> String? {
        var texts = room
        let (error, isFound) = ask(&texts)
        // Somebody with more text than there is room for is there, too.
        if isFound || error == ERANGE { return nil }
        // Some systems say so of somebody who is not there (getpwnam_r(3)).
        if [0, ENOENT, ESRCH, EBADF, EPERM].contains(error) {
            return "this machine has no \(kind) `\(name)`"
        }
        let reason = String(cString: strerror(error))
        return "this machine cannot say whether it has a \(kind) `\(name)`: \(reason)"
    }
}
