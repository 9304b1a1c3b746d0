internal import TableModel
public import TableSync

// The audit: how many entries are asked for, and the entries.

extension RequestReader {
    func audit(_ wire: WireRequest.Audit) throws(Rejection) -> Request.Verb {
        let most = wire.hasMost ? Int(wire.most) : 100
        guard (1...AuditTrail.mostEntries).contains(most) else {
            throw Rejection(
                .badNumber, "most: 1 to \(AuditTrail.mostEntries).", field: "audit.most")
        }
        return .audit(most: most)
    }
}

extension WireAuditReply {
    init(_ entries: [AuditEntry]) {
        self.entries = entries.map { Entry($0) }
    }

    func read() throws(Rejection) -> [AuditEntry] {
        try entries.readAll("entries") { entry throws(Rejection) in try entry.read() }
    }
}

extension WireAuditReply.Entry {
    init(_ entry: AuditEntry) {
        number = entry.number
        timeMs = entry.timeMs
        user = entry.user
        if let value = entry.uid { uid = value }
        from = entry.from
        verb = entry.verb
        table = entry.table
        outcome = entry.outcome.rawValue
        code = entry.code
        detail = entry.detail
        suppressed = entry.suppressed
    }

    func read() throws(Rejection) -> AuditEntry {
        var entry = AuditEntry(
            user: user, uid: hasUid ? uid : nil, from: from, verb: verb, table: table,
            try .init(read: outcome, "outcome"), code: code, detail: detail)
        (entry.number, entry.timeMs, entry.suppressed) = (number, timeMs, suppressed)
        return entry
    }
}

extension Encode {
    /// One line of JSON, without a line break.
    public static func document(_ entry: AuditEntry) -> String {
        WireAuditReply.Entry(entry).json
    }
}
