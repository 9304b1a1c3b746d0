import TableModel
import TableSync

/// The daemon's figures in the text format of Prometheus: a help and a type for each metric, verbs
/// and codes as labels, times in seconds.
enum Prometheus {
    static func lines(_ stats: Stats) -> [TextLine] {
        var lines: [String] = []
        for (name, value) in sorted(stats.gauges) {
            lines += head("trestle_\(word(name))", "gauge", help(name))
            lines.append("trestle_\(word(name)) \(value)")
        }
        var verbs: [(String, UInt64)] = []
        var reasons: [(String, UInt64)] = []
        var times: [String: [(String, UInt64)]] = [:]
        for (name, value) in sorted(stats.counters) {
            if name.hasPrefix("requests_") {
                verbs.append((String(name.dropFirst("requests_".count)), value))
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
        for (name, figures) in times.sorted(by: { ID($0.key) < ID($1.key) }) {
            lines += histogram(word(name), figures)
        }
        return lines.map { TextLine($0) }
    }

    private static func sorted(_ figures: [String: UInt64]) -> [(String, UInt64)] {
        figures.map { ($0.key, $0.value) }.sorted { ID($0.0) < ID($1.0) }
    }

    private static func head(_ metric: String, _ type: String, _ help: String) -> [String] {
        ["# HELP \(metric) \(help)", "# TYPE \(metric) \(type)"]
    }

    private static func labelled(
        _ metric: String, _ help: String, _ label: String, _ values: [(String, UInt64)]
    ) -> [String] {
        head(metric, "counter", help)
            + values.map { "\(metric){\(label)=\"\(word($0.0))\"} \($0.1)" }
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
        "commit": "How long commits to the journal took.",
        "commits": "Entries that were committed to the journal.",
        "connections": "Connections of clients, two for each viewer.",
        "connections_in_handshake": "Connections whose handshake has not ended.",
        "disk_free_bytes": "Bytes that the daemon may still write to the journal's disk.",
        "journal_bytes": "Size of the journal's files.",
        "journal_checkpoint": "The position that the newest checkpoint covers.",
        "journal_entries": "Entries that the journal holds.",
        "journal_position": "Position of the newest entry.",
        "messages_dropped": "Messages to which no reply was possible.",
        "publications": "Messages that were published.",
        "replies": "Replies that were sent.",
        "replies_dropped": "Replies that nobody took.",
        "request": "From a turn's begin until its replies were sent, for each of its requests.",
        "request_bytes": "Bytes of all messages that arrived.",
        "requests": "Messages that arrived, also those that could not be read.",
        "resident_bytes": "Memory in use.",
        "rows": "Rows of all tables.",
        "sessions": "Clients whose answers are remembered.",
        "tables": "Tables.",
        "topics": "Topics that somebody subscribes to.",
        "turn": "From a turn's begin until its replies were sent.",
        "turns": "Turns of the daemon's loop.",
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
