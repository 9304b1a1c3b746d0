import StrictYAML
import TableModel
import TableSync

extension Configuration {
    enum GuestKey: String, CaseIterable { case users, groups, keys, anybody, tables, roles }

    /// Lines of the guest list: at most so many, and so many names in each list.
    private static let mostLines = 1_000
    private static let mostNames = 1_000

    /// Reads the list of who may do what. A list without lines lets nobody do anything.
    static func guests(_ value: Value?, _ faults: inout Faults) -> GuestList? {
        // Nothing behind the key is a list that lets nobody in: who wrote the key wanted a list.
        guard let value else { return GuestList([]) }
        guard let all = faults.reading({ () throws(Fault) in try value.list() }) else {
            return nil
        }
        guard all.count <= mostLines else {
            faults.append(value.fault("expected at most \(mostLines) guests, found \(all.count)"))
            return nil
        }
        return GuestList(all.compactMap { guest($0, &faults) })
    }

    private static func guest(_ value: Value, _ faults: inout Faults) -> GuestList.Line? {
        let before = faults.found.count
        guard let fields = faults.fields(value, GuestKey.self) else { return nil }
        // Without `tables` a line is about all of them: nobody means that by `tables:` with nothing behind it.
        for key in GuestKey.allCases where fields.names(key) && fields[key] == nil {
            faults.append(value.fault("`\(key)` has nothing behind it"))
        }
        var line = GuestList.Line(roles: [], line: value.line)
        faults.read(fields[.users], into: &line.users) { value throws(Fault) in try names(value) }
        faults.read(fields[.groups], into: &line.groups) { value throws(Fault) in try names(value) }
        faults.read(fields[.keys], into: &line.keys) { value throws(Fault) in
            try names(value) { $0 == "*" || KeyName.isPlain($0) }
        }
        faults.read(fields[.anybody], into: &line.isAnybody) { value throws(Fault) in
            try value.bool()
        }
        faults.read(fields[.tables], into: &line.tables) { value throws(Fault) in
            try names(value) { !$0.contains("/") && NamePattern($0) != nil }
                .sorted().compactMap(NamePattern.init)
        }
        faults.read(fields[.roles], into: &line.roles) { value throws(Fault) in
            let roles = try value.list { role throws(Fault) in try role.word(Role.self) }
            guard Set(roles).count == roles.count else { throw value.fault("a role stands twice") }
            return Set(roles)
        }
        if let star = fields[.groups], line.groups.contains("*") {
            faults.append(star.fault("`*` is for users and keys, not for groups"))
        }
        if line.roles.isEmpty, faults.found.count == before {
            let roles = "viewer, operator, handler, editor or admin"
            faults.append(value.fault("a guest needs `roles`: \(roles)"))
        }
        let isAboutSomebody =
            line.isAnybody || !(line.users.isEmpty && line.groups.isEmpty && line.keys.isEmpty)
        if !isAboutSomebody, faults.found.count == before {
            faults.append(value.fault("a guest needs `users`, `groups`, `keys` or `anybody: true`"))
        }
        return line
    }

    /// Texts, each of which stands there once. `canBe`: something may have this name, or one like it.
    private static func names(
        _ value: Value, _ canBe: (String) -> Bool = { _ in true }
    ) throws(Fault) -> Set<String> {
        var names: Set<String> = []
        let all = try value.list()
        guard 1...mostNames ~= all.count else {
            throw value.fault("expected 1 to \(mostNames) names, found \(all.count)")
        }
        for one in all {
            let name = try one.string()
            guard 1...256 ~= name.utf8.count, name.utf8.allSatisfy({ $0 > 31 && $0 != 127 }) else {
                throw one.expected("a name of 1 to 256 bytes without control characters")
            }
            guard canBe(name) else { throw one.fault("nothing can be named `\(name)`") }
            guard names.insert(name).inserted else { throw one.fault("`\(name)` stands twice") }
        }
        return names
    }
}

extension GuestList {
    /// For the log: whoever changes the file reads there what came of it.
    var summary: String {
        lines.isEmpty
            ? "nobody" : lines.map { "line \($0.line): \($0.summary)" }.joined(separator: "; ")
    }
}

extension GuestList.Line {
    fileprivate var summary: String {
        var who = users.sorted() + groups.sorted().map { "group \($0)" }
        who += keys.sorted().map { "key \($0)" } + (isAnybody ? ["anybody"] : [])
        let roles = Role.allCases.filter(self.roles.contains).map(\.rawValue)
        return [who, roles, tables.map(\.text)].map { $0.joined(separator: ",") }.joined(
            separator: " ")
    }
}
