import TableDecisions
import TableModel
import TableSync

/// The facts about a table before a diff that the laws need.
struct TableBefore {
    let rows: [RowID: Row]
    let invocations: Invocations
    let digest: UInt64
    let settings: Settings
    let sections: [RowID: SectionID]

    init(_ table: Table) {
        var rows: [RowID: Row] = [:]
        for row in table.rows { rows[row.id] = row }
        self.rows = rows
        settings = table.settings
        var sections: [RowID: SectionID] = [:]
        if !settings.pauses.isEmpty {
            for section in table.sections {
                for row in section.runs().joined() { sections[row.id] = section.id }
            }
        }
        self.sections = sections
        invocations = table.invocations
        digest = table.digest
    }
}

// What a diff may do to a table: looked at for each one that reaches the disk.

extension Laws {
    func judge(
        _ diff: Diff, _ inverse: [Op]?, on name: TableID, _ before: TableBefore
    ) {
        guard let table = ledger.tables[name]?.table else { return }
        let fault = table.fault()
        demand(fault == nil, .tableIsWhole, "\(name) \(diff.revision): \(fault ?? "")")
        demand(
            isAccordion(table), .tableIsWhole, "\(name) \(diff.revision): an accordion is wide open"
        )
        let misfit = table.rows.first { !fits($0, table) }
        demand(
            misfit == nil, .tableIsWhole,
            "\(name) \(diff.revision): \(misfit?.id.text ?? "") shows what its kind has not")
        if diff.revision % 16 == 0 {
            demand(
                table.recomputedDigest() == table.digest, .tableIsWhole,
                "\(name) \(diff.revision): the digest is not that of the content")
        }
        versions(diff, table, before)
        pressedOnce(diff, before)
        pressedAgain(diff, name, before)
        attempted(diff, before)
        dragged(diff)
        givenOut(diff, before)
        begun(diff, before)
        undone(diff, name, table, before)
        ledger.tables[name]?.revisions[diff.revision] = .init(
            undoes: diff.cause.undoes,
            isPickedForUndo: PastChange.isPickedForUndo(
                diff.cause, isOfHandler: diff.ops.contains(where: \.isOfHandler),
                changesNothing: inverse?.isEmpty == true),
            mayBeReplaced: diff.ops.allSatisfy(\.mayBeReplaced),
            rows: Set(PastChange(diff: diff, inverse: inverse).rows))
    }

    /// An undo does not take back what is forgotten of a revision.
    func forgot(_ rows: [RowID], of name: TableID) {
        guard let shadow = ledger.tables[name] else {
            return demand(false, .revisionsFollow, "\(name) forgets, and is not there")
        }
        for (number, revision) in shadow.revisions where !revision.rows.isDisjoint(with: rows) {
            ledger.tables[name]?.revisions[number]?.mayBeReplaced = true
            ledger.tables[name]?.revisions[number]?.isPartial = true
        }
    }

    /// One row is expanded at most, of the table or of each section.
    private func isAccordion(_ table: Table) -> Bool {
        if table.settings.expandPolicy == .independent { return true }
        let open = table.sections.map { section in
            section.runs().joined().count { $0.expansion != .collapsed }
        }
        return table.settings.expandPolicy == .accordionTable
            ? open.reduce(0, +) <= 1 : open.allSatisfy { $0 <= 1 }
    }

    /// No row is open over nothing, in a state that its kind has not, or scrolled for all where each viewer
    /// scrolls by itself.
    private func fits(_ row: Row, _ table: Table) -> Bool {
        let isOverNothing = row.swipe.map { !table.hasActions(row, at: $0) } ?? false
        let isScrolled = row.scroll != nil && table.settings.scrollScope == .viewer
        return !isOverNothing && !isScrolled && table.kind(of: row)?.has(row.expansion) == true
    }

    private func versions(_ diff: Diff, _ table: Table, _ before: TableBefore) {
        for row in table.rows {
            let old = before.rows[row.id]
            if old?.isSame(as: row) == true { continue }
            let isNew = old.map { $0.content != row.content || $0.performed != row.performed }
            if isNew ?? true {
                // What a handler ends changes what the row says of it, and not the row.
                let isFinished = old.map { $0.content == row.content } ?? false
                demand(
                    row.version == diff.revision || isFinished, .versionsFollowContent,
                    "row \(row.id) has new content, and version \(row.version)")
            }
            demand(
                row.version == old?.version || row.version == diff.revision,
                .versionsFollowContent, "row \(row.id) has version \(row.version) from nowhere")
        }
    }

    /// Rule A18, of presses that do not say which version they saw.
    private func pressedOnce(_ diff: Diff, _ before: TableBefore) {
        guard let client = diff.cause.client, let number = diff.cause.number,
            case .command(let command) = issued[Numbered(client: client, number: number)]?.verb,
            case .act(let act) = command.verb, command.ifVersion == nil,
            let row = before.rows[act.row], act.action != Wishes.repeating
        else { return }
        let deed = Deed(act.action, on: act.item)
        let states = row.performed.filter { $0.deed == deed }.map(\.state)
        demand(
            states.allSatisfy { $0 != .done && !$0.isPending }, .actsOnce,
            "\(act.action) is performed again on version \(row.version) of \(act.row)")
    }

    /// An action is performed once within a moment, whoever presses and whatever version they saw: until the row was acted on otherwise, or
    /// what was done was taken back.
    private func pressedAgain(_ diff: Diff, _ name: TableID, _ before: TableBefore) {
        guard var lately = ledger.tables[name]?.lately else { return }
        let nowMs = diff.cause.timeMs
        for op in diff.ops {
            switch op {
            case .insert(let row, _, _): lately[row.id] = nil
            case .restore(let id, let traces) where diff.cause.undoes != nil:
                lately[id] = lately[id]?.filter { traces.performed.map(\.deed).contains($0.key) }
            case .finish(let id, let outcome):
                guard let ended = before.invocations[id],
                    before.rows[ended.row]?.performance(of: ended.deed)?.state == .pending(id)
                else { continue }
                // A failed action may be tried again soon.
                lately[ended.row, default: [:]][ended.deed] = outcome == .done ? nowMs : nil
            case .perform(let id, let performance):
                let deed = performance.deed
                let last = lately[id]?[deed] ?? 0
                demand(
                    last > nowMs || nowMs - last >= RecentDeeds.windowMs
                        || deed.action == Wishes.repeating, .actsOnce,
                    "\(deed.action) is performed on \(id) again after \(nowMs - min(last, nowMs)) ms"
                )
                lately[id] = lately[id]?.filter { deed.item != nil && $0.key.item != deed.item }
                lately[id, default: [:]][deed] = nowMs
            case .remove, .move, .set, .swipe, .expand, .swap, .item, .scroll, .select, .mark,
                .claim, .sleep, .expandAll, .edit, .define, .insertSection, .removeSection,
                .setSection,
                .invoke, .take, .release, .rest, .invocation, .restore, .came:
                continue
            }
        }
        ledger.tables[name]?.lately = lately
    }

    /// The command that somebody sent, if it led to this diff: a daemon may have taken it for another one.
    private func wished(_ diff: Diff) -> Command.Verb? {
        guard let client = diff.cause.client, let number = diff.cause.number,
            case .command(let command) = issued[Numbered(client: client, number: number)]?.verb
        else { return nil }
        return command.verb
    }

    /// A row that `next` gives out did not sleep. A press that came before the row was put off goes on.
    private func givenOut(_ diff: Diff, _ before: TableBefore) {
        guard wished(diff)?.name == .next else { return }
        func look(at id: RowID) {
            demand(
                before.rows[id]?.sleep == nil, .sleepersAreLeft,
                "row \(id) sleeps, and is given out")
        }
        for case .claim(let id, _) in diff.ops { look(at: id) }
        for case .perform(let id, _) in diff.ops { look(at: id) }
    }

    /// Paused work is neither pressed nor taken nor claimed anew.
    private func begun(_ diff: Diff, _ before: TableBefore) {
        guard !before.settings.pauses.isEmpty, let name = wished(diff)?.name,
            [.act, .next, .take, .claim].contains(name)
        else { return }
        func look(at action: ID?, _ row: RowID) {
            let pause = before.settings.pause(of: action, in: before.sections[row])
            demand(pause == nil, .pausedIsNotBegun, "row \(row) is paused, and is begun")
        }
        for case .claim(let id, _?) in diff.ops where before.rows[id]?.claim == nil {
            look(at: nil, id)
        }
        for case .invoke(let one) in diff.ops { look(at: one.action, one.row) }
        for case .take(let id, _) in diff.ops {
            guard let one = before.invocations[id], before.rows[one.row] != nil else { continue }
            look(at: one.action, one.row)
        }
    }

    private func dragged(_ diff: Diff) {
        guard diff.cause.verb == "lift" || diff.cause.verb == "cancel" else { return }
        let isOnlySwipes = diff.ops.allSatisfy { if case .swipe = $0 { true } else { false } }
        demand(isOnlySwipes, .dragsChangeOrderOnlyByDrop, "a \(diff.cause.verb) did more")
    }

    // MARK: Undo

    private func undone(_ diff: Diff, _ name: TableID, _ table: Table, _ before: TableBefore) {
        guard let undone = diff.cause.undoes else { return }
        asked(diff, name, undoes: undone)
        ledger.tables[name]?.revisions[undone]?.undoneBy = diff.revision
        let then = digests[Point(history: table.history, revision: undone - 1)]
        demand(
            undone != diff.base || diff.closesWhatItOpens || then == table.digest
                || ledger.tables[name]?.revisions[undone]?.isPartial == true, .undoRestores,
            "\(name) \(diff.revision) takes \(undone) back, not to what was: \(diff.ops)")
    }

    /// Whether it is the revision that was wished.
    private func asked(_ diff: Diff, _ name: TableID, undoes: UInt64) {
        guard let client = diff.cause.client, let number = diff.cause.number,
            case .command(let command) = issued[Numbered(client: client, number: number)]?.verb,
            case .undo(let wished, let mine) = command.verb,
            let revisions = ledger.tables[name]?.revisions
        else { return }
        // One that may have been replaced is passed over, if it was.
        let latest = revisions.keys.sorted(by: >).first {
            guard let one = revisions[$0], one.undoneBy == nil,
                one.undoes == nil ? one.isPickedForUndo : isRedo(one, revisions)
            else { return false }
            return $0 == undoes || !one.mayBeReplaced
        }
        guard let goal = wished.map({ top(of: $0, revisions) }) ?? (mine ? nil : latest) else {
            return
        }
        demand(
            undoes == goal, .undoTakesTheRightOne,
            "\(name) \(diff.revision) takes \(undoes) back where \(goal) was to be")
    }

    /// The last of a revision and those that undid, redid and undid it again.
    private func top(of revision: UInt64, _ all: [UInt64: Ledger.Revision]) -> UInt64 {
        all[revision]?.undoneBy.map { top(of: $0, all) } ?? revision
    }

    private func isRedo(_ one: Ledger.Revision, _ all: [UInt64: Ledger.Revision]) -> Bool {
        guard let undone = one.undoes.flatMap({ all[$0] }) else { return false }
        return undone.undoes != nil && !isRedo(undone, all)
    }
}

extension Op {
    /// Whether a later change may have left nothing of it to take back: it changes what passes, or makes a
    /// section that has rows by then.
    fileprivate var mayBeReplaced: Bool {
        switch self {
        case .swipe, .expand, .expandAll, .scroll, .claim, .sleep, .select, .mark, .came, .edit:
            return true
        case .insertSection, .invoke: return true
        case .insert, .remove, .move, .swap, .set, .item, .perform, .restore: return false
        case .removeSection, .setSection, .define: return false
        case .take, .release, .rest, .finish, .invocation: return false
        }
    }
}

extension Diff {
    /// A row that is dragged stays closed, whatever is undone.
    fileprivate var closesWhatItOpens: Bool {
        let opened = ops.compactMap { if case .swipe(let row, .some) = $0 { row } else { nil } }
        return ops.contains {
            if case .swipe(let row, nil) = $0 { opened.contains(row) } else { false }
        }
    }
}
