import TableModel
import TableSync

/// Whether somebody may send a request, and why: for `trestled explain-access`.
public struct AccessExplanation {
    /// They may.
    public var isAllowed: Bool { answer?.isAllowed ?? true }
    private let user: String
    private let table: String
    private let verb: String
    /// Whether it is about all tables, so that lines about some of them do not count.
    private let isAboutAll: Bool
    /// The lines about some tables that would do, were it about one of these.
    private let linesOfSome: [Int]
    /// Nil: there is no guest list.
    private let answer: AccessAnswer?

    /// Throws a sentence where the user or the verb is none. Verbs with commas between them are those of a
    /// batch, which takes the rights of all.
    public init(
        _ configuration: Configuration, user: String, table: String, verb: String
    ) throws(DaemonError) {
        var needed: Rights = []
        var isAboutAll = false
        for word in verb.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            guard let (rights, isAboutTables) = Self.rights(of: word) else {
                throw DaemonError(.badConfiguration, "there is no request or command `\(word)`")
            }
            needed.formUnion(rights)
            isAboutAll = isAboutAll || isAboutTables
        }
        let principal = try Self.principal(user)
        (self.user, self.table, self.verb) = (user, table, verb)
        self.isAboutAll = isAboutAll
        let ofSome = configuration.guests?.lines.filter { line in
            !line.isAbout(nil) && line.isAbout(principal) && line.rights.isSuperset(of: needed)
        }
        linesOfSome = (ofSome ?? []).map(\.line)
        answer = configuration.guests?.answer(
            for: principal, needed, on: isAboutAll ? nil : ID(table))
    }

    private static func principal(_ name: String) throws(DaemonError) -> Principal {
        if name == "anybody" { return .local }
        if name.hasPrefix(Principal.keyPrefix) {
            return .key(String(name.dropFirst(Principal.keyPrefix.count)))
        }
        guard let user = Machine.principal(named: name) else {
            throw DaemonError(.badConfiguration, "there is no user `\(name)`")
        }
        return user
    }

    private static func rights(of verb: String) -> (Rights, isAboutAll: Bool)? {
        let line =
            Command.Name(rawValue: verb)?.description ?? Request.Name(rawValue: verb)?.description
            ?? Drag.Name(rawValue: verb)?.description
        return line.map { ($0.rights, $0.traits.contains(.allTables)) }
            ?? ofCommandLine[verb].map { ($0, false) }
    }

    /// Verbs of `trestle` that are no requests, but send some.
    private static let ofCommandLine: [String: Rights] = [
        "show": .read, "view": .read, "watch": .read, "wait": .read, "layout": .read,
        "export": .read, "record": .read, "import": .changeRows, "handle": [.read, .handle],
    ]

    /// A sentence for people.
    public var text: String {
        guard let answer else {
            return "yes: there is no guest list, so whoever may connect is admin"
        }
        let (which, gives) = Self.named(answer.lines)
        if answer.isAllowed {
            if answer.lines.isEmpty {
                return "yes: anybody may send `\(verb)`, and is answered of what it may read"
            }
            return isAboutAll
                ? "yes: \(user) may send `\(verb)`, which is about all tables, by \(which)"
                : "yes: \(user) may send `\(verb)` to \(table), by \(which)"
        }
        let role = answer.role.rawValue
        let also = answer.lines.isEmpty ? "no line gives it" : "\(which) \(gives) less"
        guard isAboutAll else {
            return "no: `\(verb)` on \(table) takes the role \(role), and \(also)"
        }
        let (whichOfSome, giveOfSome) = Self.named(linesOfSome)
        let reason =
            linesOfSome.isEmpty
            ? also : "\(whichOfSome) \(giveOfSome) it on some tables only, which does not count"
        return "no: `\(verb)` is about all tables and takes the role \(role) on all of them, and "
            + reason
    }

    private static func named(_ lines: [Int]) -> (String, String) {
        let numbers = lines.map(String.init).joined(separator: ", ")
        return lines.count == 1 ? ("line \(numbers)", "gives") : ("lines \(numbers)", "give")
    }

    /// The answer for programs, as JSON.
    public var json: String {
        let lines = (answer?.lines ?? []).map(String.init).joined(separator: ",")
        let role = answer.map { ",\"role\":\"\($0.role.rawValue)\"" } ?? ""
        return "{\"allowed\":\(isAllowed)\(role),\"allTables\":\(isAboutAll),\"lines\":[\(lines)]}"
    }
}
