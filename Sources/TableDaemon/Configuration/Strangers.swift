import Glibc
import TableTransport
public import StrictYAML

extension Configuration {
    /// The users and groups that the guest list in this file names and that this machine does not
    /// know, each with its place.
    ///
    /// They are warnings and no faults: a user may come later, and a directory of users may be away.
    public static func strangers(inFile name: String) throws -> [Fault] {
        try strangers(in: try text(of: name), name: name)
    }

    /// Finds them in a text, whose list `check` has found nothing wrong with.
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

// Doubts about the names in a guest list.
extension Machine {
    /// A number is doubted too where no account has it: it may be mistyped. It counts all the same,
    /// as in a container, where users of the host have no names.
    fileprivate static func doubt(ofUser name: String) -> String? {
        if name == "*" { return nil }
        // As the list reads it: `007` is a name.
        if let number = UInt32(name), "\(number)" == name {
            return doubt("user", name, user(number))
        }
        return doubt("user", name, user(named: name))
    }

    /// A group is called by its number only where it has no name: elsewhere a number means nobody.
    fileprivate static func doubt(ofGroup name: String) -> String? {
        guard let number = UInt32(name) else { return doubt("group", name, group(named: name)) }
        guard case .found(let called) = SystemAnswer.group(number) else { return nil }
        return "group \(name) is called `\(called)` here, and only that name counts"
    }

    private static func doubt<Found>(
        _ kind: String, _ name: String, _ answer: SystemAnswer<Found>
    ) -> String? {
        switch answer {
        case .found: return nil
        // One with more text than there is room for is there, too.
        case .unclear(ERANGE): return nil
        case .nothing: return "this machine has no \(kind) `\(name)`"
        case .unclear(let code):
            let reason = String(cString: strerror(code))
            return "this machine cannot say whether it has a \(kind) `\(name)`: \(reason)"
        }
    }
}
