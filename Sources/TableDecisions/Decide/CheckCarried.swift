import TableModel

extension Decision {
    /// Refuses what the table could not have made itself.
    func checkCarried(_ carried: Carried) throws(Rejection) {
        let times: [(ms: UInt64, field: String)] = [
            (carried.createdMs ?? 0, "createdMs"), (carried.changedMs, "changedMs"),
            (carried.movedMs, "movedMs"), (carried.claim?.sinceMs ?? 0, "claim.sinceMs"),
            (carried.sleep?.untilMs ?? 0, "sleep.untilMs"),
        ]
        for (ms, field) in times where ms > limits.timeMs {
            throw Rejection(
                .badNumber, "A time is at most \(limits.timeMs), the end of the year 9999.",
                field: "carried.\(field)")
        }
        try checkPerformed(carried.performed, field: "carried.performed")
        for one in carried.performed {
            switch one.state {
            case .done: continue
            case .failed(let reason): try checkReason(reason, field: "carried.performed")
            case .pending:
                throw Rejection(
                    .badValue,
                    "\"\(one.action.text)\" is pending: only done or failed actions are carried.",
                    field: "carried.performed")
            }
        }
        if let section = carried.cameFrom { try checkID(section, field: "carried.cameFrom") }
        guard let claim = carried.claim else { return }
        try checkID(claim.holder, field: "carried.claim.holder")
        try checkClaim(note: claim.note, claim.ttlSeconds, within: "carried.claim.")
        try check(table.claimedRows.count + 1, of: .claimedRows, field: "carried.claim")
    }

    /// Checks the number and the names of performances, each of another action or item.
    func checkPerformed(_ performed: [Performance], field: String) throws(Rejection) {
        let onItems = performed.count { $0.item != nil }
        for (count, limit) in [
            (performed.count - onItems, Row.mostPerformed), (onItems, Row.mostPerformedOnItems),
        ] where count > limit {
            throw .tooLarge("performed actions", count, limit: limit, field: field)
        }
        var seen: Set<Deed> = []
        for one in performed {
            try checkID(one.action, field: field)
            if let item = one.item { try checkID(item, field: field) }
            try require(
                seen.insert(one.deed).inserted, or: .duplicate,
                "\"\(one.action.text)\" stands twice.", field: field)
        }
    }

    /// Checks a sentence that is kept in a row.
    func checkReason(_ reason: String, field: String) throws(Rejection) {
        try bound("reason bytes", reason.utf8.count, by: limits.reasonBytes, field: field)
        try require(
            !reason.utf8.contains(0), or: .badValue, "A reason cannot hold a NUL.", field: field)
    }
}
