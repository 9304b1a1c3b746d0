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
        var figures: [(name: String, type: String, help: String, value: Int)] = [
            ("up", "gauge", "Whether the daemon answers.", daemon.isUp ? 1 : 0),
            ("ready", "gauge", "Whether changes can be made, as /readyz says.", isReady ? 1 : 0),
            (
                "reload_refused", "gauge", "Whether the latest SIGHUP found a bad file.",
                certificate.isRefused ? 1 : 0
            ),
            ("connections", "gauge", "Open connections.", connections),
            (
                "connections_left_total", "counter", "Connections that made room for others.",
                counters.left
            ),
            ("pages", "gauge", "Open WebSockets.", pageCount),
            ("devices", "gauge", "Paired devices.", devices),
            ("tables", "gauge", "Tables that somebody follows.", tableCount),
            ("unsent_bytes", "gauge", "Bytes that wait for pages.", unsent),
            ("pages_total", "counter", "WebSockets that were opened.", counters.opened),
            ("http_requests_total", "counter", "Requests of HTTP.", counters.httpRequests),
            ("http_refusals_total", "counter", "Of them refused.", counters.httpRefusals),
            ("requests_total", "counter", "Requests of pages.", counters.requests),
            ("requests_refused_total", "counter", "Of them refused here.", counters.refused),
            ("publications_total", "counter", "Publications of the daemon.", counters.publications),
            (
                "publications_dropped_total", "counter", "Left out for a page that reads slowly.",
                counters.droppedPublications
            ),
            (
                "replies_dropped_total", "counter", "Left out for a page that does not read.",
                counters.droppedReplies
            ),
            (
                "ended_total", "counter", "Sockets that were ended for what they sent.",
                counters.ended
            ),
            ("pairings_total", "counter", "Devices that were let in.", counters.pairings),
            (
                "pairings_failed_total", "counter", "Codes that were refused.",
                counters.failedPairings
            ),
            ("snapshots_total", "counter", "Snapshots of the daemon.", snapshots.fetched),
            ("snapshots_shared_total", "counter", "Joins that shared one.", snapshots.shared),
        ]
        if let endsAt = certificate.endsAt {
            figures.append(
                (
                    "certificate_expiry_seconds", "gauge",
                    "When the certificate ends, in seconds since 1970.", endsAt
                ))
        }
        return figures.map { figure in
            let name = "trestle_serve_\(figure.name)"
            return "# HELP \(name) \(figure.help)\n# TYPE \(name) \(figure.type)\n"
                + "\(name) \(figure.value)\n"
        }.joined()
    }
}
