/// What a row was before it came into the table: an import brings it, so that a row that is
/// exported and imported is the same row.
///
/// A class, since few rows that are added carry anything.
public final class Carried: Sendable {
    /// When the row was made, milliseconds since 1970 (UTC); nil: now.
    public let createdMs: UInt64?
    /// As in `Row`; 0: not since it was made.
    public let changedMs: UInt64
    /// As in `Row`; 0: not since it was made.
    public let movedMs: UInt64
    /// What was performed on it: done or failed. What is pending has an invocation, in another
    /// table, and is not carried.
    public let performed: [Performance]
    /// Who works on it, in the name that it says.
    public let claim: Claim?

    /// As given; by default nothing.
    public init(
        createdMs: UInt64? = nil, changedMs: UInt64 = 0, movedMs: UInt64 = 0,
        performed: [Performance] = [], claim: Claim? = nil
    ) {
        self.createdMs = createdMs
        self.changedMs = changedMs
        self.movedMs = movedMs
        self.performed = performed
        self.claim = claim
    }

    /// Whether it says nothing.
    public var isEmpty: Bool { self == Carried() }

    /// What a row has beyond one that is made at this time.
    convenience init(of row: Row, since nowMs: UInt64) {
        self.init(
            createdMs: row.createdMs == nowMs ? nil : row.createdMs, changedMs: row.changedMs,
            movedMs: row.movedMs, performed: row.performed, claim: row.claim)
    }
}

extension Carried: Equatable {
    /// By everything.
    public static func == (a: Carried, b: Carried) -> Bool {
        a.createdMs == b.createdMs && a.changedMs == b.changedMs && a.movedMs == b.movedMs
            && a.performed == b.performed && a.claim == b.claim
    }
}

extension Decision {
    /// What an added row carries is such as the table could have made itself.
    func checkCarried(_ carried: Carried) throws(Rejection) {
        for (timeMs, field) in [
            (carried.createdMs ?? 0, "createdMs"), (carried.changedMs, "changedMs"),
            (carried.movedMs, "movedMs"), (carried.claim?.sinceMs ?? 0, "claim.sinceMs"),
        ] where timeMs > limits.timeMs {
            throw Rejection(
                .badNumber, "A time is at most \(limits.timeMs), the end of the year 9999.",
                field: "carried.\(field)")
        }
        guard carried.performed.count <= Row.mostPerformed else {
            throw .tooLarge(
                "performed actions", carried.performed.count, limit: Row.mostPerformed,
                field: "carried.performed")
        }
        try checkDistinct(carried.performed.map(\.action), field: "carried.performed")
        for one in carried.performed {
            try checkID(one.action, field: "carried.performed")
            switch one.state {
            case .done: continue
            case .failed(let reason): try checkReason(reason, field: "carried.performed")
            case .pending:
                throw Rejection(
                    .badValue,
                    "\"\(one.action.text)\" is pending in another table: it is done or failed here.",
                    field: "carried.performed")
            }
        }
        guard let claim = carried.claim else { return }
        try checkID(claim.holder, field: "carried.claim.holder")
        try checkClaim(note: claim.note, claim.ttlSeconds, within: "carried.claim.")
        guard table.claimedRows.count < limits.claims else {
            throw .tooLarge(
                "claimed rows", table.claimedRows.count + 1, limit: limits.claims,
                field: "carried.claim")
        }
    }

    /// A sentence that stands in a row.
    func checkReason(_ reason: String, field: String) throws(Rejection) {
        guard reason.utf8.count <= limits.reasonBytes else {
            throw .tooLarge(
                "reason bytes", reason.utf8.count, limit: limits.reasonBytes, field: field)
        }
        guard !reason.utf8.contains(0) else {
            throw Rejection(.badValue, "A reason cannot hold a NUL.", field: field)
        }
    }
}
