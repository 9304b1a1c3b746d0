public import TableModel

// The audit names each deed on tables as a whole and on the daemon: its sender, its origin, and whether it was allowed.

/// One entry of the audit. Texts from outside are escaped and bounded when it is made, so that no
/// reader of it has to think of that.
public struct AuditEntry: Equatable, Sendable {
    /// Whether it was done.
    public enum Outcome: String, Sendable, CaseIterable {
        case allowed, refused
    }

    /// Counted from 1 since the daemon's start.
    public var number: UInt64 = 0
    /// When, in milliseconds since 1970 (UTC).
    public var timeMs: UInt64 = 0
    /// The sender, as `user` of a cause; empty: nobody is proven.
    public var user: String
    /// The name that the sender gave, if it is another one than the user's.
    public var name = ""
    /// The number of a user of this machine.
    public var uid: UInt32?
    /// Where from: `pid:N` on a unix socket, `tcp:ADDRESS`, `file`.
    public var from: String
    /// The word of the verb; empty where entries were left out.
    public var verb: String
    /// The table; empty: it is about none, or all.
    public var table: String
    /// Whether it was done.
    public var outcome: Outcome
    /// Why it was refused: the code of a rejection, or a word of the daemon's own.
    public var code: String
    /// Further details, for people.
    public var detail: String
    /// So many more entries of this user with this outcome were left out.
    public var suppressed: UInt64 = 0

    /// An entry with these values, but escaped and cut off.
    public init(
        user: String, uid: UInt32? = nil, from: String, verb: String, table: String = "",
        _ outcome: Outcome, code: String = "", detail: String = ""
    ) {
        self.user = Printable.text(user, atMost: Self.mostScalars)
        self.uid = uid
        self.from = Printable.text(from, atMost: Self.mostScalars)
        self.verb = Printable.text(verb, atMost: Self.mostScalars)
        self.table = Printable.text(table, atMost: Self.mostScalars)
        self.outcome = outcome
        self.code = Printable.text(code, atMost: Self.mostScalars)
        self.detail = Printable.text(detail, atMost: 4 * Self.mostScalars)
    }

    /// The length of a name; longer ones are cut off.
    static let mostScalars = 128
}

extension AuditEntry {
    /// An entry about a deed of a principal, or about one that it may not do.
    public init(
        _ principal: Principal, saying name: ID? = nil, from: String, verb: String,
        table: TableID? = nil, refusedAs code: String? = nil, detail: String = ""
    ) {
        var uid: UInt32?
        if case .user(let number) = principal.proof { uid = number }
        self.init(
            user: principal.name?.text ?? "", uid: uid, from: from, verb: verb,
            table: table?.text ?? "", code == nil ? .allowed : .refused, code: code ?? "",
            detail: detail)
        if let name, name != principal.name {
            self.name = Printable.text(name.text, atMost: Self.mostScalars)
        }
    }

    /// The sender in tables for people: `kim (bob)`.
    public var shownUser: String {
        Cause.shown(name.isEmpty ? nil : name, provenAs: user.isEmpty ? nil : user) ?? ""
    }

    /// Its words and values, as a log line has them: what is empty is left out.
    public var pairs: [(key: String, value: String)] {
        let all = [
            ("user", user), ("name", name), ("uid", uid.map { "\($0)" } ?? ""), ("from", from),
            ("verb", verb),
            ("table", table), ("outcome", outcome.rawValue), ("code", code), ("detail", detail),
            ("suppressed", suppressed == 0 ? "" : "\(suppressed)"),
        ]
        return all.filter { !$0.1.isEmpty }
    }
}

/// Text from outside that must not steer a terminal, nor forge a line or a word of a log.
public enum Printable {
    /// Characters that could act on a terminal or turn text around are spelled out; the rest is cut off.
    public static func text(_ text: String, atMost most: Int = .max) -> String {
        var (result, left) = ("", most)
        for scalar in text.unicodeScalars {
            let shown = isDangerous(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : nil
            // The shown text counts, so a text that was cut off once stays as it is.
            left -= shown?.utf8.count ?? 1
            if left < 0 { return result + "…" }
            if let shown { result += shown } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    /// One word of a line of `key=value`: in quotes where it could be taken for more.
    public static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                return true
            default: return "._:/@+-*".utf8.contains(byte)
            }
        }
        if isPlain, !text.isEmpty { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
