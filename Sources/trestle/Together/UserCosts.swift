import StrictYAML
import TableModel
import TableSync

/// The costs of each user, from the figures that the daemon keeps by name.
enum UserCosts {
    private struct User {
        let name: String
        var figures: [String: UInt64] = [:]
    }

    /// The figures' prefixes in `stats`, and their names here.
    private static let columns = [
        ("user_requests_", "requests"), ("user_refusals_", "refusals"),
        ("user_request_bytes_", "requestBytes"), ("user_reply_bytes_", "replyBytes"),
        ("user_connections_", "connections"),
    ]

    static func show(_ connection: Connection) throws {
        let reply = try connection.ask(.stats)
        guard case .stats(let stats) = reply.answer else { throw connection.surprise }
        let users = users(in: stats)
        try connection.show(
            reply, lists: ["users": users.map(document)], names: users.map(\.name),
            lines: { _ in lines(users) })
    }

    private static func users(in stats: Stats) -> [User] {
        var users: [String: User] = [:]
        for (name, value) in stats.counters.merging(stats.gauges, uniquingKeysWith: { $1 }) {
            for (prefix, column) in columns where name.utf8.starts(with: prefix.utf8) {
                let user = String(name.dropFirst(prefix.count))
                users[user, default: User(name: user)].figures[column] = value
            }
        }
        return users.values.sorted { ID($0.name) < ID($1.name) }
    }

    private static func document(_ user: User) -> String {
        Draft.mapping(
            [("user", .text(user.name))] + columns.map { ($0.1, .integer(user.figures[$0.1] ?? 0)) }
        ).json
    }

    private static func lines(_ users: [User]) -> [TextLine] {
        var columns = Columns(
            ["USER", "REQUESTS", "REFUSALS", "BYTES IN", "BYTES OUT", "CONNECTIONS"],
            numbers: [1, 2, 3, 4, 5])
        for user in users {
            columns.append([user.name] + Self.columns.map { String(user.figures[$0.1] ?? 0) })
        }
        return columns.lines
    }
}
