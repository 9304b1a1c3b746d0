public import TableModel

/// A table that is built from the parts of a backup, before anybody sees it.
///
/// A backup comes from outside and bypasses `reduce`. With limits, each part is checked against the
/// same bounds as commands, and the whole against the announced digest.
public final class StagedTable {
    /// The table so far.
    public let table: Table
    private let digest: UInt64
    /// Nil: the parts come from the journal, and were checked before they came into it.
    private var shared: SharedLimits?

    /// A larger revision is not exact as a number in JSON, and could not grow for ever.
    private static let mostRevision: UInt64 = 1 << 53
    /// More often than a handler ever takes one invocation.
    private static let mostAttempts = 1 << 31

    /// Begins without kinds and rows. `digest` is that of the finished table.
    public init(
        _ name: TableID, history: ID128, revision: UInt64, digest: UInt64, settings: Settings,
        isEditing: Bool, limits: Limits?, removedPlaces: Int
    ) throws(Rejection) {
        self.digest = digest
        shared = limits.map { SharedLimits($0) }
        table = Table(
            restoring: name, history: history, revision: revision, kinds: [], settings: settings,
            removedPlaces: removedPlaces)
        table.restoreEditing(isEditing)
        guard let limits, let shared else { return }
        try name.checkTableName(limits: limits)
        guard revision <= Self.mostRevision else {
            throw Rejection(.badNumber, "The revision is out of range.", field: "revision")
        }
        try decision(shared).checkLook(settings.look, field: "settings")
        try decision(shared).checkPauses(settings.pauses, field: "settings.pauses")
        try decision(shared).checkAlerts(settings.alerts, field: "settings.alerts")
    }

    private func decision(_ limits: SharedLimits) -> Decision {
        Decision(
            table: table, shared: limits, context: DecisionContext(nowMs: 0), keepsOld: true)
    }

    // MARK: Parts

    /// Holds what comes from now on, and the whole at its end, against these limits; nil: that was done
    /// before.
    public func hold(against limits: Limits?) { shared = limits.map { SharedLimits($0) } }

    /// Registers kinds. They come before the rows that have them.
    public func add(_ kinds: [Kind]) throws(Rejection) {
        for kind in kinds {
            if let shared { try check(kind, shared) }
            table.restore([kind])
        }
    }

    /// Adds invocations. They come before the rows on which they are pending.
    public func add(_ invocations: [Invocation]) throws(Rejection) {
        for invocation in invocations {
            if let shared { try check(invocation, decision(shared)) }
            table.restore(invocation)
        }
    }

    /// Adds rows at the bottom of a section: the last one, or a new one behind it.
    public func add(_ rows: [Row], to section: SectionID, title: String) throws(Rejection) {
        if let shared, table.sections.last?.id != section {
            let decision = decision(shared)
            try decision.checkID(section, field: "section")
            try decision.checkTitle(title, field: "title")
            try decision.check(table.sections.count + 1, of: .sections, field: "section")
        }
        try fitting { () throws(Mismatch) in try table.appendSection(section, title: title) }
        for row in rows {
            if let shared {
                do throws(Rejection) {
                    try check(row, decision(shared))
                } catch {
                    var rejection = error
                    rejection.message = "Row \"\(row.id.text)\": \(error.message)"
                    throw rejection
                }
            }
            try fitting { () throws(Mismatch) in try table.appendRow(row, to: section) }
        }
    }

    /// Checks the finished table, after the last part.
    public func finish() throws(Rejection) {
        guard table.digest == digest else {
            throw bad("has the digest \(table.digest.lowerHex), not \(digest.lowerHex)")
        }
        guard let shared else { return }
        guard table.kinds[.plainKind] != nil else { throw bad("has no kind \"row\"") }
        if table.openRows.count > (table.settings.swipePolicy == .exclusive ? 1 : .max) {
            throw bad("has two open rows, but allows one")
        }
        if table.selectedRows.count > (table.settings.selection == .shared ? 1 : 0) {
            throw bad("has more selected rows than it allows")
        }
        if table.isEditing, !table.openRows.isEmpty { throw bad("has an open row in edit mode") }
        for what in [Amount.claimedRows, .pinnedRows] {
            try decision(shared).check(table.amount(of: what), of: what, field: "rows")
        }
    }

    private func fitting(_ step: () throws(Mismatch) -> Void) throws(Rejection) {
        do throws(Mismatch) {
            try step()
        } catch { throw bad("does not fit together: \(error)") }
    }

    private func bad(_ what: String) -> Rejection {
        Rejection(.badBackup, "Table \"\(table.name.text)\" \(what).")
    }

    // MARK: Bounds

    private func check(_ kind: Kind, _ shared: SharedLimits) throws(Rejection) {
        guard table.kinds[kind.id] == nil else {
            throw Rejection(.duplicate, "Kind \"\(kind.id.text)\" stands twice.", field: "kinds")
        }
        let decision = decision(shared)
        try decision.check(table.kinds.count + 1, of: .kinds, field: "kinds")
        try decision.checkKind(kind)
    }

    private func check(_ invocation: Invocation, _ decision: Decision) throws(Rejection) {
        let field = "invocations.\(invocation.id.text)"
        let limits = decision.limits
        guard table.invocations[invocation.id] == nil else {
            throw Rejection(.duplicate, "The invocation stands twice.", field: field)
        }
        try decision.check(table.invocations.count + 1, of: .invocations, field: "invocations")
        for id in [invocation.row, invocation.action]
            + [invocation.item, invocation.client, invocation.holder]
            .compactMap({ $0 })
        {
            try decision.checkID(id, field: field)
        }
        let deadline = invocation.deadlineSeconds
        try require(
            invocation.id.revision <= table.revision && deadline.isFinite && deadline > 0
                && deadline <= limits.deadlineSeconds && invocation.attempts <= Self.mostAttempts,
            or: .badNumber, "The invocation has a number out of range.", field: field)
        try decision.checkRetries(invocation.retries, field: field)
        if let failure = invocation.failure {
            guard failure.dueMs <= limits.timeMs else {
                throw Rejection(.badNumber, "The next attempt is too late.", field: field)
            }
            try decision.checkReason(failure.reason, field: field)
        }
        // Either the ones are done or the others, never both.
        for effects in [invocation.then, invocation.retries.otherwise] {
            guard !effects.contains(where: \.isInvoke) else {
                throw Rejection(.badValue, "An invocation cannot start another.", field: field)
            }
            try decision.checkEffects(
                effects, of: nil, hasItem: invocation.item != nil, field: field)
        }
        if let pressed = invocation.pressed { try checkPressed(pressed.content, decision) }
    }

    /// A row as it was when it was pressed may name faces that are gone since: what it names is not looked for.
    private func checkPressed(_ content: Row.Content, _ decision: Decision) throws(Rejection) {
        var decision = decision
        decision.isOfPast = true
        try check(content, decision)
    }

    private func check(_ row: Row, _ decision: Decision) throws(Rejection) {
        try decision.checkID(row.id, field: "id")
        try decision.check(table.count + 1, of: .rows, field: "rows")
        try require(
            row.version <= table.revision, or: .badNumber,
            "Its version exceeds the table's revision.", field: "version")
        guard let kind = table.kind(of: row) else { throw .noKind(row.content.kind, field: "kind") }
        try check(row.content, decision)
        try decision.checkItems(row.content, field: "items")
        switch row.expansion {
        case .height(let points): try decision.checkHeight(points, field: "expand")
        case .named(let name):
            try require(
                kind.has(row.expansion), or: .noSuchState,
                "Its kind has no state \"\(name.text)\".", field: "expand")
        case .collapsed, .expanded: break
        }
        try checkTraces(of: row, decision)
    }

    private func check(_ content: Row.Content, _ decision: Decision) throws(Rejection) {
        try decision.checkContent(content)
        for field in content.fields { try decision.checkID(field.key, field: "fields") }
        if let actions = content.actions { try decision.checkActions(actions) }
        try decision.checkOwnStates(content.states)
    }

    /// Checks the row's performed actions, its scroll position and its claim.
    private func checkTraces(of row: Row, _ decision: Decision) throws(Rejection) {
        let limits = decision.limits
        try decision.checkPerformed(row.performed, field: "performed")
        for performance in row.performed {
            switch performance.state {
            case .done: break
            case .failed(let reason):
                try checkText(reason, atMost: limits.reasonBytes, field: "performed")
            case .pending(let id):
                try require(
                    table.invocations[id]?.row == row.id, or: .noSuchInvocation,
                    "It has no invocation \(id.text).", field: "performed")
            }
        }
        if let scroll = row.scroll {
            try decision.checkID(scroll.item, field: "scroll")
            guard (0...1).contains(scroll.fraction) else {
                throw Rejection(.badNumber, "A fraction is from 0 to 1.", field: "scroll")
            }
        }
        if !table.canKeepSelection(of: row) {
            throw Rejection(.noSuchItem, "What is selected of it is not there.", field: "selected")
        }
        if let section = row.cameFrom { try decision.checkID(section, field: "cameFrom") }
        guard let claim = row.claim else { return }
        try decision.checkID(claim.holder, field: "claim")
        try checkText(claim.note, atMost: limits.noteBytes, field: "claim")
        if let ttl = claim.ttlSeconds, !limits.claimSeconds.contains(ttl) {
            throw Rejection(.badNumber, "A claim lasts 1 second to a day.", field: "claim")
        }
    }

    private func checkText(_ text: String, atMost bytes: Int, field: String) throws(Rejection) {
        try bound("bytes", text.utf8.count, by: bytes, field: field)
        try require(!text.hasNUL, or: .badValue, "It cannot hold a NUL.", field: field)
    }
}
