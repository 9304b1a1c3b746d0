import TableLayout
import TableModel
import TableSync

/// The daemon's figures in the text format of Prometheus, with times in seconds.
enum Prometheus {
    /// The number of tables that have series of their own, the first by name: each costs the collector.
    static let mostTables = 100

    /// The figures; without series of tables if `tables` is nil, since the daemon does not know them.
    static func lines(_ stats: Stats, _ health: Health, _ tables: [TableSummary]?) -> [TextLine] {
        (ofDaemon(health) + ofStats(stats) + (tables.map(ofTables) ?? [])).map { TextLine($0) }
    }

    private static func ofDaemon(_ health: Health) -> [String] {
        let metrics: [(name: String, help: String, value: String)] = [
            ("build_info", "Always 1; the label is the daemon's version.", "1"),
            (
                "read_only", "1 while the disk has no room and changes are refused, else 0.",
                health.status == "readOnly" ? "1" : "0"
            ),
            ("uptime_seconds", "Time since the daemon's start.", seconds(health.uptimeMs &* 1_000)),
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
            lines += chosen.map { "trestle_\(name){table=\(quoted($0.table.text))} \(value($0))" }
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

    /// Figures that `stats` names by a prefix are one metric, with the rest of their names as a label.
    private static let families: [(prefix: String, type: String, label: String)] = [
        ("requests_", "counter", "verb"),
        ("rejections_", "counter", "code"), ("connections_dropped_", "counter", "reason"),
        ("user_refusals_", "counter", "user"), ("user_reply_bytes_", "counter", "user"),
        ("user_request_bytes_", "counter", "user"), ("user_requests_", "counter", "user"),
        ("user_connections_", "gauge", "user"),
    ]

    private static func ofStats(_ stats: Stats) -> [String] {
        var lines: [String] = []
        var series = ["rejections_": sorted(stats.rejections)]
        var times: [String: [(String, UInt64)]] = [:]
        for (type, figures) in [("gauge", stats.gauges), ("counter", stats.counters)] {
            for (name, value) in sorted(figures) {
                let family = families.first { $0.type == type && name.hasPrefix($0.prefix) }
                if let prefix = family?.prefix {
                    series[prefix, default: []].append(
                        (String(name.dropFirst(prefix.count)), value))
                } else if type == "counter", let range = name.firstRange(of: "_us_") {
                    times[String(name[..<range.lowerBound]), default: []].append(
                        (String(name[range.upperBound...]), value))
                } else if type == "gauge", name.hasSuffix("_ms") {
                    let metric = "trestle_\(String(name.dropLast(3)).word)_seconds"
                    lines += head(metric, type, help(name))
                    lines.append("\(metric) \(seconds(value &* 1_000))")
                } else {
                    let end = type == "counter" ? "_total" : ""
                    let metric = "trestle_" + (name == "requests" ? "messages" : name.word) + end
                    lines += head(metric, type, help(name)) + ["\(metric) \(value)"]
                }
            }
        }
        for (prefix, type, label) in families {
            // A metric without series has no head either.
            guard let values = series[prefix], !values.isEmpty else { continue }
            let metric = "trestle_" + prefix.dropLast() + (type == "counter" ? "_total" : "")
            lines += head(metric, type, help(prefix))
            lines += values.map { "\(metric){\(label)=\(quoted($0.0))} \($0.1)" }
        }
        for (name, figures) in times.sorted(by: { ID($0.key) < ID($1.key) }) {
            lines += histogram(name == "request" ? "reply" : name.word, figures)
        }
        return lines
    }

    private static func sorted(_ figures: [String: UInt64]) -> [(String, UInt64)] {
        figures.map { ($0.key, $0.value) }.sorted { ID($0.0) < ID($1.0) }
    }

    private static func head(_ metric: String, _ type: String, _ help: String) -> [String] {
        ["# HELP \(metric) \(help)", "# TYPE \(metric) \(type)"]
    }

    /// A histogram from the figures `le_100`, …, `count` and `sum`, in microseconds.
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
            + bounds.map { "\(metric)_bucket{le=\"\(seconds($0.bound))\"} \($0.value)" } + [
                "\(metric)_bucket{le=\"+Inf\"} \(count)",
                "\(metric)_sum \(seconds(named["sum"] ?? 0))", "\(metric)_count \(count)",
            ]
    }

    /// Microseconds as seconds, without rounding: "0.00025".
    private static func seconds(_ microseconds: UInt64) -> String {
        let rest = String(microseconds % 1_000_000)
        var digits = String(repeating: "0", count: 6 - rest.count) + rest
        while digits.last == "0" { digits.removeLast() }
        let whole = String(microseconds / 1_000_000)
        return digits.isEmpty ? whole : "\(whole).\(digits)"
    }

    /// The help for a figure; its name if only a newer daemon has it.
    private static func help(_ name: String) -> String {
        helps[name] ?? "\(name.word.split(separator: "_").joined(separator: " "))."
    }

    private static let helps = [
        "cluster_in_touch": "1 while what the daemon has is known to be the present state, else 0.",
        "cluster_lag": "Entries that the daemon knows of and does not have yet.",
        "cluster_members": "Daemons of the service that have said of late that they are there.",
        "cluster_takeovers": "How often this process has become the leader.",
        "cluster_term": "The term in which the daemon writes; 0: it is a standby.",
        "cluster_leader": "1 for the leader of the service, else 0.",
        "commit": "How long commits to the journal took.",
        "commits": "Entries that were committed to the journal.",
        "connections": "Connections of clients, two for each viewer.",
        "connections_dropped_": "Connections that the daemon ended, by reason.",
        "connections_in_handshake": "Connections whose handshake has not ended.",
        "delivery": "From an entry's submission until a diff of it was handed to the sockets.",
        "disk_free_bytes": "Bytes that the daemon may still write to the journal's disk.",
        "journal_bytes": "Size of the journal's files.",
        "journal_checkpoint": "The position that the newest checkpoint covers.",
        "journal_entries": "Entries that the journal holds.",
        "journal_position": "Position of the newest entry.",
        "messages_dropped": "Messages to which no reply was possible.",
        "pauses": "Pauses of work, of all tables.",
        "publications": "Messages that were published.",
        "reload_refused": "1 if the configuration of the latest reload could not be used, else 0.",
        "rejections_": "Requests that were refused, by code.",
        "replies": "Replies that were sent.",
        "replies_dropped": "Replies that nobody took.",
        "reply": "From a turn's begin until its replies were sent, for each of its requests.",
        "request_bytes": "Bytes of all messages that arrived.",
        "requests": "Messages that arrived, also those that could not be read.",
        "requests_": "Requests that could be read, by verb.",
        "resident_bytes": "Memory in use.",
        "rows": "Rows of all tables.",
        "sessions": "Clients whose answers are remembered.",
        "standbys": "Standbys that have asked this daemon of late.",
        "standby_lag": "Entries that a standby does not have yet.",
        "standby_lag_ms": "How long a standby has lacked an entry, or has heard nothing.",
        "tables": "Tables.",
        "topics": "Topics that somebody subscribes to.",
        "turn": "From a turn's begin until its replies were sent.",
        "turn_processor": "How long turns had the processor, each until the next began.",
        "turns": "Turns of the daemon's loop.",
        "user_connections_": "Connections of each user.",
        "user_refusals_": "Requests of each user that were refused.",
        "user_reply_bytes_": "Bytes of replies to each user.",
        "user_request_bytes_": "Bytes that arrived of each user.",
        "user_requests_": "Messages that arrived of each user.",
        "waiting_checks": "Requests that wait for a check to end.",
        "waiting_workers": "Workers that wait for a row.",
    ]
}

extension String {
    /// The text with an underscore for each byte that the name of a metric or a variable cannot have.
    var word: String {
        String(
            decoding: utf8.map { byte in
                switch byte {
                case 48...57, 65...90, 97...122: return byte
                default: return UInt8(ascii: "_")
                }
            }, as: UTF8.self)
    }
}
