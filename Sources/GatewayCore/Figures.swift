/// Figures for `/metrics`.
public struct Counters: Sendable {
    var opened = 0
    var requests = 0
    var refused = 0
    var publications = 0
    var droppedPublications = 0
    var droppedReplies = 0
    var ended = 0
    var pairings = 0
    var failedPairings = 0
    var httpRequests = 0
    var httpRefusals = 0
    var left = 0
}

extension Hub {
    /// Counts a request of HTTP, or a refusal of one.
    public mutating func count(refusal: Bool) {
        if refusal { counters.httpRefusals += 1 } else { counters.httpRequests += 1 }
    }

    /// Counts a code that was given.
    public mutating func countPairing(failed: Bool) {
        if failed { counters.failedPairings += 1 } else { counters.pairings += 1 }
    }

    /// Counts a connection that made room for another one.
    public mutating func countLeaving() { counters.left += 1 }

    /// The figures in Prometheus' text format.
    public func metrics(
        connections: Int, devices: Int, snapshots: (fetched: Int, shared: Int),
        isReady: Bool, certificate: (endsAt: Int?, isRefused: Bool)
    ) -> String {
        let unsent = pages.values.reduce(0) { $0 + $1.unsent }
        var figures: [(name: String, help: String, value: Int)] = [
            ("up", "Whether the daemon answers.", daemon.isUp ? 1 : 0),
            ("ready", "Whether changes can be made, as /readyz says.", isReady ? 1 : 0),
            (
                "reload_refused", "Whether the latest SIGHUP found a bad file.",
                certificate.isRefused ? 1 : 0
            ),
            ("connections", "Open connections.", connections),
            ("connections_left_total", "Connections that made room for others.", counters.left),
            ("pages", "Open WebSockets.", pageCount),
            ("devices", "Paired devices.", devices),
            ("tables", "Tables that somebody follows.", tableCount),
            ("unsent_bytes", "Bytes that wait for pages.", unsent),
            ("pages_total", "WebSockets that were opened.", counters.opened),
            ("http_requests_total", "Requests of HTTP.", counters.httpRequests),
            ("http_refusals_total", "Of them refused.", counters.httpRefusals),
            ("requests_total", "Requests of pages.", counters.requests),
            ("requests_refused_total", "Of them refused here.", counters.refused),
            ("publications_total", "Publications of the daemon.", counters.publications),
            (
                "publications_dropped_total", "Left out for a page that reads slowly.",
                counters.droppedPublications
            ),
            (
                "replies_dropped_total", "Left out for a page that does not read.",
                counters.droppedReplies
            ),
            ("ended_total", "Sockets that were ended for what they sent.", counters.ended),
            ("pairings_total", "Devices that were let in.", counters.pairings),
            ("pairings_failed_total", "Codes that were refused.", counters.failedPairings),
            ("snapshots_total", "Snapshots of the daemon.", snapshots.fetched),
            ("snapshots_shared_total", "Joins that shared one.", snapshots.shared),
        ]
        if let endsAt = certificate.endsAt {
            let help = "When the certificate ends, in seconds since 1970."
            figures.append(("certificate_expiry_seconds", help, endsAt))
        }
        return figures.map { figure in
            let name = "trestle_serve_\(figure.name)"
            let type = figure.name.hasSuffix("_total") ? "counter" : "gauge"
            return "# HELP \(name) \(figure.help)\n# TYPE \(name) \(type)\n"
                + "\(name) \(figure.value)\n"
        }.joined()
    }
}
