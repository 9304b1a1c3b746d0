import ArgumentParser
import TableClient
import TableModel
import TableSync

/// Completions from the live tables. They take half a second at most, and a failure completes nothing.
enum Live {
    static let tables = completion { client, _ in
        try client.tables(by: Deadline(inMilliseconds: patienceMs)).map(\.table.text)
    }
    static let rows = completion { client, line in
        try line.table(client)?.rows.map(\.id.text) ?? []
    }
    /// Rows that are gone and can be brought back, as far as the latest changes tell.
    static let removedRows = completion { client, line in
        guard let table = try line.table(client) else { return [] }
        let filter = HistoryFilter(most: most)
        let deadline = Deadline(inMilliseconds: patienceMs)
        let reply = try client.ask(.history(filter), about: table.name, by: deadline)
        guard case .history(let page) = reply.answer else { return [] }
        let rows = Set(page.changes.flatMap(\.rows))
        return rows.filter { table.row($0) == nil && line.isNotNamed($0) }.map(\.text)
    }
    static let sections = completion { client, line in
        try line.table(client)?.sections.map(\.id.text) ?? []
    }
    /// The names of properties, with the fields that the rows have.
    static let properties = completion { client, line in
        let rows = try line.table(client)?.rows
        let fields = Set(rows?.flatMap { $0.content.fields.map(\.key) } ?? [])
        return RowProperty.plain.keys + fields.map { "field.\($0.text)" }
    }
    static let kinds = completion { client, line in
        try line.table(client)?.kinds.keys.map(\.text) ?? []
    }
    /// The actions of the row before, or of every kind where that is not a row.
    static let actions = completion { client, line in
        guard let table = try line.table(client) else { return [] }
        return actionIDs(of: line.row.flatMap { table.row($0) }, in: table)
    }

    private static func completion(
        _ find: @escaping @Sendable (Client, Line) throws -> [String]
    ) -> CompletionKind {
        .custom { words, index, prefix in Line(words, index).candidates(prefix, find) }
    }

    private static func actionIDs(of row: Row?, in table: Table) -> [String] {
        var groups: [ActionGroup?] = []
        var kinds = Array(table.kinds.values)
        if let row {
            groups = Edge.allCases.map { table.actions(of: row, at: $0) }
            kinds = kinds.filter { $0.id == row.content.kind }
        } else {
            groups = table.kinds.values.flatMap { [$0.leading, $0.trailing] }
        }
        return kinds.actionIDs(in: groups)
    }

    /// Nobody reads more candidates.
    fileprivate static let most = 1_000
    /// The time for all that a completion asks, in milliseconds.
    fileprivate static let patienceMs: UInt64 = 500
}

/// A command line that is being typed.
private struct Line {
    private var endpoint: String?
    /// The words behind the verb, up to the one that is being completed.
    private var positional: [String] = []

    init(_ words: [String], _ index: Int) {
        var at = 1
        while at < min(index, words.count) {
            let word = words[at]
            at += 1
            if word == "--" { continue }
            guard Words.isOption(word) else {
                positional.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1)
            let takesValue = Words.takingValues[String(parts[0])] != nil
            let value = parts.count == 2 ? String(parts[1]) : at < words.count ? words[at] : ""
            if parts[0] == "-e" || parts[0] == "--endpoint" { endpoint = value }
            if takesValue, parts.count == 1 { at += 1 }
        }
        if positional.first == "explain" { positional.removeFirst() }
    }

    var row: RowID? { positional.count > 2 ? ID(positional[2]) : nil }

    func isNotNamed(_ row: RowID) -> Bool { !positional.dropFirst(2).contains(row.text) }

    func table(_ client: Client) throws -> Table? {
        guard positional.count > 1 else { return nil }
        let deadline = Deadline(inMilliseconds: Live.patienceMs)
        return try client.snapshot(of: ID(positional[1]), by: deadline).table
    }

    func candidates(_ prefix: String, _ find: (Client, Line) throws -> [String]) -> [String] {
        guard let endpoint = try? Endpoint.find(flag: endpoint),
            let client = try? KeyStore.client(endpoint)
        else { return [] }
        client.patience = .none
        guard let found = try? find(client, self) else { return [] }
        let fitting = found.filter { $0.hasPrefix(prefix) && $0.meansNothingToShells }
        return Array(Set(fitting).sorted().prefix(Live.most))
    }
}

extension [Kind] {
    /// The ids of the actions in these groups, and in the menus of the kinds' items.
    func actionIDs(in groups: [ActionGroup?]) -> [String] {
        let menus = flatMap { $0.itemKinds.values.flatMap(\.menu) }
        return (groups.compactMap { $0 }.flatMap(\.actions) + menus).map(\.id.text)
    }
}

extension Client {
    /// The tables of the daemon.
    func tables(by deadline: Deadline) throws -> [TableSummary] {
        guard case .tables(let tables) = try ask(.tables, by: deadline).answer else { return [] }
        return tables
    }
}

extension String {
    /// Whether a shell can take the id as it is: others chose it, and bash puts it into the line unquoted.
    fileprivate var meansNothingToShells: Bool {
        shown == self && !isEmpty && !hasPrefix("-")
            && utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, 0x80...: return true
                default: return "-_.:/@+,%".utf8.contains(byte)
                }
            }
    }
}
