import TableModel

// An action is performed once, as people mean it, however many screens press it (rule A18).

extension Decision {
    /// Refuses a press on what is under way, or was performed and the row is as it was since. A sender that names the
    /// current version has seen the outcome of the last time, and means it twice unless that was a moment ago.
    func checkOnce(
        _ deed: Deed, of action: Action, on row: Row, seen version: UInt64?
    ) throws(Rejection) {
        let state = row.performance(of: deed)?.state
        if state?.isPending == true { throw .alreadyDone(action.id, "is under way") }
        if !action.repeats {
            let isOver = state == .done && version != row.version
            let hint = isOver ? Self.hint(onVersion: row.version) : Self.hint
            try checkNotJustPerformed(deed, on: row.id, field: "action", hint)
            if isOver { throw .alreadyDone(action.id, "was performed", when(deed, row), hint) }
        }
        guard let version, version != row.version else { return }
        throw Rejection(
            .stale, "Row \"\(row.id.text)\" has version \(row.version), not \(version).",
            field: "ifVersion")
    }

    /// Refuses what was performed on the row a moment ago. Whoever pressed was aiming at the row as it was before.
    func checkNotJustPerformed(
        _ deed: Deed, on row: RowID, field: String, _ hint: String = hint
    ) throws(Rejection) {
        guard let entry = table.recent.latest(deed, on: row, at: nowMs) else { return }
        // A deed of this batch has no time yet.
        let when = entry.revision == 0 ? "" : when(entry.timeMs, by: actor(of: entry.revision))
        throw .alreadyDone(deed.action, "was performed", when, hint, field: field)
    }

    /// The row that was pressed is not there.
    func refusal(ofPress deed: Deed, onMissing row: RowID) -> Rejection {
        if let removed = table.removed[row], removed.performed.contains(deed) {
            let cause = change(removed.revision)?.diff.cause
            let when = cause.map { self.when($0.timeMs, by: $0.actor) } ?? ""
            return .alreadyDone(deed.action, "removed the row", when)
        }
        do throws(Rejection) {
            try checkNotJustPerformed(deed, on: row, field: "action")
        } catch { return error }
        return .noRow(row, field: "row")
    }

    private static let hint = "Press again after a second if you mean it twice."

    private static func hint(onVersion version: UInt64) -> String {
        "If you mean it twice, press again on version \(version) after a second (--if-version "
            + "\(version))."
    }

    // MARK: When, and by whom

    /// When a deed was performed on a row and by whom, as far as its latest change tells.
    func when(_ deed: Deed, _ row: Row) -> String {
        // A refusal by many rows does not say it of each.
        if meter?.isSpent == true { return "" }
        meter?.add(Self.valuesOfChange)
        guard let change = change(row.version) else { return "" }
        for case .perform(row.id, let performance) in change.diff.ops
        where performance.deed == deed {
            return when(change.diff.cause.timeMs, by: change.diff.cause.actor)
        }
        // A handler that was done has changed the row.
        for case .invocation(let id, let old?) in change.inverse ?? []
        where old.row == row.id && old.deed == deed {
            return when(old.pressedMs, by: actor(of: id.revision) ?? old.client)
        }
        return ""
    }

    private func when(_ timeMs: UInt64, by actor: ID?) -> String {
        guard timeMs != 0, timeMs <= nowMs else { return "" }
        let by = actor.map { " by \($0.text)" } ?? ""
        return ", \(Self.age(nowMs - timeMs)) ago\(by)"
    }

    private static func age(_ ms: UInt64) -> String {
        let seconds = ms / 1_000
        switch seconds {
        case ..<10: return "\(seconds).\(ms % 1_000 / 100) s"
        case ..<120: return "\(seconds) s"
        case ..<7_200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return "\(seconds / 86_400) days"
        }
    }

    private func actor(of revision: UInt64) -> ID? { kept(revision)?.mark(of: revision).actor }

    /// Not where a refusal would be long in coming.
    private func change(_ revision: UInt64) -> PastChange? {
        guard let past = kept(revision), past.size(of: revision) <= Self.mostBytesRead else {
            return nil
        }
        return past.change(revision)
    }

    private static let mostBytesRead = 64 << 10
    /// To read a change of so many bytes takes as long as to look up so many values.
    private static let valuesOfChange = 4_096

    private func kept(_ revision: UInt64) -> (any Past)? {
        guard let past = context.past, revision > past.oldest, revision <= past.head else {
            return nil
        }
        return past
    }
}

// MARK: What makes a row another one to act on

extension Decision {
    /// The ops before a move by which what was performed on the rows may be performed again: where an action moves
    /// them, or they come to another section. What has failed still says why.
    func renewing(_ ids: Few<RowID>, movedTo section: SectionID?, byAction: Bool) -> [Op] {
        var ops: [Op] = []
        for id in ids {
            guard let row = table.row(id), row.performed.contains(where: { $0.state == .done }),
                // A row that this batch has changed has no time yet, which the op would write. After an action it comes.
                byAction || self.section(of: id) != section && row.version <= table.revision
            else { continue }
            var traces = Traces(of: row)
            traces.performed.removeAll { $0.state == .done }
            ops.append(.restore(id, traces))
        }
        return ops
    }
}

extension Rejection {
    /// `how` a press was performed before, `when` and by whom, and how it is performed again.
    static func alreadyDone(
        _ action: ID, _ how: String, _ when: String = "", _ hint: String = "",
        field: String = "action"
    ) -> Rejection {
        let end = hint.isEmpty ? "" : " \(hint)"
        return Rejection(
            .alreadyDone, "\"\(action.text)\" \(how) already\(when).\(end)", field: field)
    }
}
