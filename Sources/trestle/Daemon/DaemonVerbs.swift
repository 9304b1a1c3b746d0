import ArgumentParser
import StrictYAML
import TableModel
import TableSync
import TableWire

struct HealthVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Say whether the daemon is well; exit code 1 if not.")

    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let (reply, health) = try connection.health()
        let condition = health.condition == "outOfTouch" ? "out of touch" : health.condition
        let summary =
            "\(condition): trestled \(health.version), up \(health.uptime), "
            + "\(health.tables.of("table")), \(health.rows.of("row")), "
            + "journal at \(health.position)" + health.part
        try connection.show(
            reply,
            adding: [
                ("status", .text(health.condition)), ("version", .text(health.version)),
                ("uptimeMs", .integer(health.uptimeMs)), ("position", .integer(health.position)),
                ("tables", .integer(UInt64(health.tables))),
                ("rows", .integer(UInt64(health.rows))),
            ] + health.clusterDraft, names: [health.condition],
            lines: { _ in [TextLine(summary)] + health.memberLines })
        if health.condition != "ok" { throw ExitCode(ExitStatus.refused.rawValue) }
    }
}

extension Health {
    /// The daemon cannot tell whether it has the present state.
    fileprivate var isOutOfTouch: Bool { cluster?.isOutOfTouch ?? false }

    /// A standby was promoted in this daemon's place.
    private var isFenced: Bool { cluster?.role == "fenced" }

    /// `ok`, `readOnly`, `outOfTouch` or `fenced`.
    fileprivate var condition: String { isFenced ? "fenced" : isOutOfTouch ? "outOfTouch" : status }

    /// "; leader in term 12". A daemon that is out of touch does not know the leader.
    fileprivate var part: String {
        guard let cluster, isFenced || !isOutOfTouch else { return "" }
        if cluster.role == "leader" { return "; leader in term \(cluster.term)" }
        let leader = cluster.leader.joined(separator: " ")
        if isFenced { return "; this daemon's state is old: \(leader) writes in its place" }
        let behind = cluster.lag == 0 ? "" : ", \(cluster.lag) entries behind"
        return "; standby\(behind), \(leader.isEmpty ? "no leader" : "leader \(leader)")"
    }

    fileprivate var memberLines: [TextLine] {
        (cluster?.members ?? []).map { member in
            return TextLine(
                "  \(member.endpoints.joined(separator: " ")) at \(member.position), "
                    + "trestled \(member.version)"
                    + (member.writes && !isOutOfTouch ? ", leader" : ""))
        }
    }

    fileprivate var clusterDraft: Documents.Pairs {
        guard let cluster else { return [] }
        let members = cluster.members.map { member in
            Draft.mapping([
                ("id", .text(member.id)), ("endpoints", .list(member.endpoints.map(Draft.text))),
                ("position", .integer(member.position)), ("version", .text(member.version)),
            ])
        }
        return [
            ("role", .text(cluster.role)), ("term", .integer(cluster.term)),
            ("lag", .integer(cluster.lag)), ("outOfTouch", .flag(cluster.isOutOfTouch)),
            ("leader", .list(cluster.leader.map(Draft.text))),
            ("members", .list(members)),
        ]
    }

    /// "3 d 4 h", "12 s"
    fileprivate var uptime: String {
        let seconds = uptimeMs / 1_000
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3_600: return "\(seconds / 60) min \(seconds % 60) s"
        case ..<86_400: return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
        default: return "\(seconds / 86_400) d \(seconds % 86_400 / 3_600) h"
        }
    }
}

struct StatsVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print the daemon's figures.",
        discussion: """
            -o prom prints them in the text format of Prometheus, and what each of the first 100 \
            tables by name holds. A daemon that is out of touch does not tell that.
            """)

    static var forms: [OutputForm] { [.table, .wide, .json, .ndjson, .name, .prom] }

    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let reply = try connection.ask(.stats)
        guard case .stats(let stats) = reply.answer else { throw connection.surprise }
        if connection.form == .prom {
            let (_, health) = try connection.health()
            // Of tables a daemon that is out of touch says nothing.
            if health.isOutOfTouch { return try Output.lines(Prometheus.lines(stats, health, nil)) }
            return try Output.lines(Prometheus.lines(stats, health, try connection.tables().tables))
        }
        let names = (Array(stats.counters.keys) + Array(stats.gauges.keys)).map { ID($0) }.sorted()
        try connection.show(
            reply,
            adding: [
                ("counters", Documents.figures(stats.counters)),
                ("gauges", Documents.figures(stats.gauges)),
                ("rejections", Documents.figures(stats.rejections)),
            ], names: names.map(\.text), lines: { _ in Self.lines(stats) })
    }

    private static func lines(_ stats: Stats) -> [TextLine] {
        var columns = Columns(["FIGURE", "VALUE"], numbers: [1])
        let rejections = stats.rejections.map { ("rejected: \($0.key)", $0.value) }
        let groups = [
            stats.gauges.map { ($0.key, $0.value) },
            // How times are spread is for programs.
            stats.counters.filter { $0.key.firstRange(of: "_us_le_") == nil }
                .map { ($0.key, $0.value) },
            rejections,
        ]
        for group in groups {
            for (name, value) in group.sorted(by: { ID($0.0) < ID($1.0) }) {
                columns.append([name, "\(value)"])
            }
        }
        return columns.lines
    }
}

struct CheckVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read the journal again and compute every digest anew; slow on large tables.")

    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let client = try connection.client()
        _ = try client.hello(by: connection.deadline)
        let reply = try connection.accepted(
            client.ask(.check, by: connection.longDeadline, againAfterMilliseconds: nil))
        guard case .check(let check) = reply.answer else { throw connection.surprise }
        let summary =
            "ok: journal entries: \(check.entries), \(check.tables.count.of("table")), "
            + "journal at \(check.position)"
        try connection.show(
            reply,
            adding: [
                ("position", .integer(check.position)), ("entries", .integer(check.entries)),
                ("checkpointParts", .integer(check.checkpointParts)),
                ("tables", .list(check.tables.map(Documents.table))),
            ], names: check.tables.map(\.table.text), lines: { _ in [TextLine(summary)] })
    }
}

struct RPCVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "rpc", abstract: "Send one request as it is, and print the reply.",
        discussion: """
            Request and reply are JSON as docs/PROTOCOL.md specifies them, whatever --output says. \
            The exit code is 1 if the reply is not ok.

              trestle rpc '{"table":"board","command":{"remove":{"rows":["t41"]}}}'
            """)

    @Argument(help: "The request; - reads it from standard input.") var json: String
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let body = json == "-" ? try Files.bytes(at: "-", atMost: 64 << 20) : Array(json.utf8)
        let answer = try connection.client().exchange(body, form: .json, by: connection.deadline)
        try Output.line(json: String(decoding: answer, as: UTF8.self))
        let reply = answer.withUnsafeBytes { try? Decode.reply($0, form: .json) }
        guard let reply else { throw ExitCode(ExitStatus.protocolMismatch.rawValue) }
        if case .refused = reply.answer { throw ExitCode(ExitStatus.refused.rawValue) }
    }
}
