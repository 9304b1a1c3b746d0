import TableSync

extension Generator {
    mutating func audited() -> AuditEntry {
        var entry = AuditEntry(
            user: text(), uid: maybe { UInt32($0.below(70_000)) }, from: text(), verb: text(),
            table: text(), one(AuditEntry.Outcome.self), code: text(), detail: text())
        (entry.number, entry.timeMs, entry.suppressed) = (number(), number(), number())
        return entry
    }
}
