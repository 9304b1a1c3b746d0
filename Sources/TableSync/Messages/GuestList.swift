public import TableModel

/// The guest list of the configuration. Lines add up: a principal has the rights of every line
/// that is about them.
public struct GuestList: Equatable, Sendable {
    /// The lines, in the order of the file.
    public var lines: [Line]

    /// A list of these lines; an empty one lets nobody do anything.
    public init(_ lines: [Line]) { self.lines = lines }

    /// Some principals, some tables, and what the ones may do with the others.
    public struct Line: Equatable, Sendable {
        /// Users of the machine, by name or number; `*`: all of them.
        public var users: Set<String> = []
        /// Groups whose members it is about.
        public var groups: Set<String> = []
        /// Registered keys, by name; `*`: all of them.
        public var keys: Set<String> = []
        /// Everybody, also who has proven nothing (tcp on loopback without keys).
        public var isAnybody = false
        /// Names of tables.
        public var tables = [NamePattern.all]
        /// Their roles.
        public var roles: Set<Role>
        /// Where it stands in the file.
        public var line: Int

        /// A line about nobody yet.
        public init(roles: Set<Role>, line: Int = 0) {
            self.roles = roles
            self.line = line
        }

        /// The rights that its roles give together.
        public var rights: Rights { roles.reduce(into: []) { $0.formUnion($1.rights) } }

        /// Whether it is about this principal.
        public func isAbout(_ principal: Principal) -> Bool {
            if isAnybody { return true }
            switch principal.proof {
            case .local: return false
            case .key(let name): return keys.contains("*") || keys.contains(name)
            case .user(let uid):
                return users.contains("*") || users.contains("\(uid)")
                    || (principal.account.map { users.contains($0) } ?? false)
                    || !groups.isDisjoint(with: principal.groups)
            }
        }

        /// Whether it is about a table of this name, whether or not there is one; nil: about all tables, also
        /// those that are made later.
        public func isAbout(_ table: TableID?) -> Bool { tables.stand(for: table) }
    }

    /// The lines about a principal and a table of this name, whether or not there is one; nil: all tables.
    private func lines(about principal: Principal, _ table: TableID?) -> [Line] {
        lines.filter { $0.isAbout(principal) && $0.isAbout(table) }
    }

    /// The rights of a principal on a table of this name, or on all tables (nil).
    public func rights(of principal: Principal, on table: TableID?) -> Rights {
        lines(about: principal, table).reduce(into: []) { $0.formUnion($1.rights) }
    }

    /// Whether any line gives a principal any right.
    func mayAnything(_ principal: Principal) -> Bool {
        lines.contains { !$0.rights.isEmpty && $0.isAbout(principal) }
    }
}

/// Whether somebody may send a request, and which lines say so.
public struct AccessAnswer: Equatable, Sendable {
    /// They may.
    public var isAllowed: Bool
    /// The rights that the request takes.
    public var needed: Rights
    /// The least role that has them.
    public var role: Role { Role.least(for: needed) }
    /// The numbers of the lines that give any of these rights.
    public var lines: [Int]
}

extension GuestList {
    /// Whether a principal may send a request with these rights about a table; nil: about all.
    public func answer(
        for principal: Principal, _ needed: Rights, on table: TableID?
    ) -> AccessAnswer {
        let about = lines(about: principal, table)
        let rights = about.reduce(into: Rights()) { $0.formUnion($1.rights) }
        return AccessAnswer(
            isAllowed: rights.isSuperset(of: needed), needed: needed,
            lines: about.filter { !$0.rights.isDisjoint(with: needed) }.map(\.line))
    }
}
