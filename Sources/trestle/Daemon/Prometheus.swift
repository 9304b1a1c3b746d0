import TableLayout
import TableModel
import TableSync

/// The daemon's figures in the text format of Prometheus: a help and a type for each metric, verbs,
/// codes and tables as labels, times in seconds.
enum Prometheus {
    /// Tables that have series of their own: the first by name. More would cost whoever collects
    /// them more than they tell.
    static let mostTables = 100

    /// Without series of tables where the daemon does not say how they are: `tables` is nil.
    static func lines(
        _ stats: Stats, _ health: Health, _ tables: [TableSummary]?
    ) -> [TextLine] {
        (ofDaemon(health) + ofStats(stats) + (tables.map(ofTables) ?? [])).map { TextLine($0) }
    }

    private static func ofDaemon(_ health: Health) -> [String] {
        let metrics: [(name: String, help: String, value: String)] = [
            ("build_info", "Always 1; the label is the daemon's version.", "1"),
            (
                "read_only", "1 while the disk has no room and changes are refused, else 0.",
                health.status == "readOnly" ? "1" : "0"
            ),
            (
                "uptime_seconds", "Time since the daemon's start.",
                seconds(health.uptimeMs &* 1_000)
            ),
        ]
        return metrics.flatMap { metric in
            let label = metric.name == "build_info" ? "{version=\(quoted(health.version))}" : ""
            return head("trestle_\(metric.name)", "gauge", metric.help)
                + ["trestle_\(metric.name)\(label) \(metric.value)"]
        }
    }

    private static func ofTables(_ tables: [TableSummary]) -> [String] {
        let chosen = tables.sorted { $0.table < $1.table }.prefix(mostTables)
        let metrics: [(name: String, type: String, help: String, (TableSummary) -> UInt64)] = [
            ("table_rows", "gauge", "Rows of the table.", { UInt64($0.rows) }),
            ("table_sections", "gauge", "Sections of the table.", { UInt64($0.sections) }),
            (
                "table_revisions_total", "counter", "Changes of the table, over restarts.",
                { $0.revision }
            ),
        ]
        var lines: [String] = []
        for (name, type, help, value) in metrics where !chosen.isEmpty {
            lines += head("trestle_\(name)", type, help)
            lines += chosen.map {
                "trestle_\(name){table=\(quoted($0.table.text))} \(value($0))"
            }
        }
        let hidden = "trestle_tables_without_series"
        return lines + head(hidden, "gauge", "Tables beyond those that have series of their own.")
            + ["\(hidden) \(tables.count - chosen.count)"]
    }

    /// A label's value. What must not reach a terminal is written as everywhere else.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.shown.unicodeScalars {
            if scalar == "\\" || scalar == "\"" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    private static func ofStats(_ stats: Stats) -> [String] {
        var lines: [String] = []
        var connections: [(String, UInt64)] = []
        for (name, value) in sorted(stats.gauges) {
            if name.hasPrefix("user_connections_") {
                connections.append((String(name.dropFirst("user_connections_".count)), value))
                continue
            }
            lines += head("trestle_\(word(name))", "gauge", help(name))
            lines.append("trestle_\(word(name)) \(value)")
        }
        var verbs: [(String, UInt64)] = []
        var reasons: [(String, UInt64)] = []
        var times: [String: [(String, UInt64)]] = [:]
        var users: [String: [(String, UInt64)]] = [:]
        for (name, value) in sorted(stats.counters) {
            if name.hasPrefix("requests_") {
                verbs.append((String(name.dropFirst("requests_".count)), value))
            } else if let what = userFigures.first(where: { name.hasPrefix("user_\($0)_") }) {
                users[what, default: []].append(
                    (String(name.dropFirst("user_\(what)_".count)), value))
            } else if name.hasPrefix("connections_dropped_") {
                reasons.append((String(name.dropFirst("connections_dropped_".count)), value))
            } else if let range = name.firstRange(of: "_us_") {
                times[String(name[..<range.lowerBound]), default: []].append(
                    (String(name[range.upperBound...]), value))
            } else {
                let metric = name == "requests" ? "trestle_messages" : "trestle_\(word(name))"
                lines += head(metric + "_total", "counter", help(name))
                lines.append("\(metric)_total \(value)")
            }
        }
        lines += labelled(
            "trestle_requests_total", "Requests that could be read, by verb.", "verb", verbs)
        lines += labelled(
            "trestle_rejections_total", "Requests that were refused, by code.", "code",
            sorted(stats.rejections))
        lines += labelled(
            "trestle_connections_dropped_total", "Connections that the daemon ended, by reason.",
            "reason", reasons)
        for (what, figures) in users.sorted(by: { ID($0.key) < ID($1.key) }) {
            lines += labelled(
                "trestle_user_\(what)_total", help("user_\(what)"), "user", figures)
        }
        if !connections.isEmpty {
            lines += labelled(
                "trestle_user_connections", "Connections of each user.", "user", connections,
                type: "gauge")
        }
        for (name, figures) in times.sorted(by: { ID($0.key) < ID($1.key) }) {
            lines += histogram(name == "request" ? "reply" : word(name), figures)
        }
        return lines
    }

    private static func sorted(_ figures: [String: UInt64]) -> [(String, UInt64)] {
        figures.map { ($0.key, $0.value) }.sorted { ID($0.0) < ID($1.0) }
    }

    private static func head(_ metric: String, _ type: String, _ help: String) -> [String] {
        ["# HELP \(metric) \(help)", "# TYPE \(metric) \(type)"]
    }

    /// What is counted for each user, in the names of `stats`.
    private static let userFigures = ["requests", "refusals", "request_bytes", "reply_bytes"]

    private static func labelled(
        _ metric: String, _ help: String, _ label: String, _ values: [(String, UInt64)],
        type: String = "counter"
    ) -> [String] {
        // A metric without series has no head either.
        values.isEmpty
            ? []
            : head(metric, type, help)
                + values.map { "\(metric){\(label)=\(quoted($0.0))} \($0.1)" }
    }

    /// From `le_100`, …, `count` and `sum`, in microseconds.
    private static func histogram(_ name: String, _ figures: [(String, UInt64)]) -> [String] {
        let metric = "trestle_\(name)_seconds"
        let named = Dictionary(figures) { first, _ in first }
        let bounds = figures.compactMap { figure -> (bound: UInt64, value: UInt64)? in
            guard figure.0.hasPrefix("le_"), let bound = UInt64(figure.0.dropFirst(3)) else {
                return nil
            }
            return (bound, figure.1)
        }.sorted { $0.bound < $1.bound }
        let count = named["count"] ?? 0
        return head(metric, "histogram", help(name))
            + bounds.map { "\(metric)_bucket{le=\"\(seconds($0.bound))\"} \($0.value)" }
            + [
                "\(metric)_bucket{le=\"+Inf\"} \(count)",
                "\(metric)_sum \(seconds(named["sum"] ?? 0))", "\(metric)_count \(count)",
            ]
    }

    /// Of microseconds, without rounding: "0.00025".
    private static func seconds(_ microseconds: UInt64) -> String {
        let rest = String(microseconds % 1_000_000)
        var digits = String(repeating: "0", count: 6 - rest.count) + rest
        while digits.last == "0" { digits.removeLast() }
        let whole = String(microseconds / 1_000_000)
        return digits.isEmpty ? whole : "\(whole).\(digits)"
    }

    /// What a figure is; of one that a newer daemon has, its name.
    private static func help(_ name: String) -> String {
        helps[name] ?? "\(word(name).split(separator: "_").joined(separator: " "))."
    }

    private static let helps = [
        "cluster_in_touch": "1 while what the daemon has is known to be the present state, else 0.",
        "cluster_lag": "Entries that the daemon knows of and does not have yet.",
        "cluster_members": "Daemons of the service that have said of late that they are there.",
        "cluster_takeovers": "How often this process has become the writer.",
        "cluster_term": "The term in which the daemon writes; 0: it follows.",
        "cluster_writer": "1 for the daemon of the service that writes, else 0.",
        "commit": "How long commits to the journal took.",
        "commits": "Entries that were committed to the journal.",
        "connections": "Connections of clients, two for each viewer.",
        "connections_in_handshake": "Connections whose handshake has not ended.",
        "delivery": "From an entry's submission until a diff of it was handed to the sockets.",
        "disk_free_bytes": "Bytes that the daemon may still write to the journal's disk.",
        "journal_bytes": "Size of the journal's files.",
        "journal_checkpoint": "The position that the newest checkpoint covers.",
        "journal_entries": "Entries that the journal holds.",
        "journal_position": "Position of the newest entry.",
        "messages_dropped": "Messages to which no reply was possible.",
        "publications": "Messages that were published.",
        "replies": "Replies that were sent.",
        "replies_dropped": "Replies that nobody took.",
        "reply": "From a turn's begin until its replies were sent, for each of its requests.",
        "request_bytes": "Bytes of all messages that arrived.",
        "requests": "Messages that arrived, also those that could not be read.",
        "resident_bytes": "Memory in use.",
        "rows": "Rows of all tables.",
        "sessions": "Clients whose answers are remembered.",
        "tables": "Tables.",
        "topics": "Topics that somebody subscribes to.",
        "turn": "From a turn's begin until its replies were sent.",
        "turn_processor": "How long turns had the processor, each until the next began.",
        "turns": "Turns of the daemon's loop.",
        "user_refusals": "Requests of each user that were refused.",
        "user_reply_bytes": "Bytes of replies to each user.",
        "user_request_bytes": "Bytes that arrived of each user.",
        "user_requests": "Messages that arrived of each user.",
        "waiting_checks": "Requests that wait for a check to end.",
    ]

    /// Only what a metric's name may have.
    private static func word(_ text: String) -> String {
        String(
            decoding: text.utf8.map { byte in
                switch byte {
                case 48...57, 65...90, 97...122: return byte
                default: return UInt8(ascii: "_")
                }
            }, as: UTF8.self)
    }
}
