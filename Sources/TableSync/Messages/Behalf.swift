public import TableModel

/// On whose behalf a request is, as its sender says: a device behind a gateway.
///
/// It takes rights away and gives none: what is done needs the sender's right and the one from here.
public struct Behalf: Equatable, Sendable {
    /// The name that the sender gives it. Two names are the same if their bytes are.
    public let name: ID
    /// Its role; nil: it has the sender's rights.
    public let role: Role?
    /// With which tables; none: with all.
    public let tables: [NamePattern]

    /// Most bytes of a name.
    public static let mostNameBytes = 64
    /// Most patterns.
    public static let mostTables = 64
    /// Most bytes of all patterns together: each request about a table is held against them.
    public static let mostTableBytes = 4_096
    /// Most bytes of the message, whatever its form.
    public static let mostBytes = 16_384

    /// One with these values, or why there is none such.
    ///
    /// - Parameters:
    ///   - name: what the sender calls it.
    ///   - role: the name of a role; empty: it may do what the sender may.
    ///   - tables: names, in which `*` stands for any characters; nil: all tables. An empty list is
    ///     refused: it would be taken for all, where somebody meant none.
    public init(name: String, role: String = "", tables: [String]? = nil) throws(Rejection) {
        try bound("name bytes", name.utf8.count, by: Self.mostNameBytes, field: "behalf.name")
        try require(
            !name.isEmpty && PlainText.isPlain(name), or: .badID,
            name.isEmpty ? "It is not said on whose behalf." : "A name has no control characters.",
            field: "behalf.name")
        self.name = ID(name)
        self.role = Role(rawValue: role)
        guard role.isEmpty || self.role != nil else {
            let all = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw Rejection(.badValue, "A role is one of \(all).", field: "behalf.role")
        }
        self.tables = try Self.patterns(tables)
    }

    private static func patterns(_ texts: [String]?) throws(Rejection) -> [NamePattern] {
        guard let texts else { return [] }
        try require(
            !texts.isEmpty, or: .badValue,
            "An empty list of tables is none: leave it out for all tables.", field: "behalf.tables")
        try bound("patterns", texts.count, by: mostTables, field: "behalf.tables")
        let bytes = texts.reduce(0) { $0 + $1.utf8.count }
        try bound("bytes of patterns", bytes, by: mostTableBytes, field: "behalf.tables")
        var patterns: [NamePattern] = []
        for text in texts {
            guard let pattern = NamePattern(text) else {
                throw Rejection(
                    .badValue,
                    "A table has 1 to \(NamePattern.mostBytes) bytes and no control characters.",
                    field: "behalf.tables")
            }
            patterns.append(pattern)
        }
        return patterns
    }

    /// The rights that are left of its sender's on a table of this name, or on all tables (nil).
    public func rights(on table: TableID?) -> Rights {
        let isAbout = tables.isEmpty || tables.stand(for: table)
        return isAbout ? role?.rights ?? Role.admin.rights : []
    }
}
