import TableModel
import TableSync

// The attempts of an invocation (rule A21): looked at for each diff that reaches the disk.

extension Laws {
    func attempted(_ diff: Diff, _ before: TableBefore) {
        var begun: [InvocationID: Invocation] = [:]
        for op in diff.ops {
            switch op {
            case .invoke(let one): begun[one.id] = one
            case .invocation(let id, let old): begun[id] = old
            case .take(let id, let holder):
                change(id, &begun, before) { one in
                    demand(!one.isResting, .attemptsBeginInTime, "\(id.text) is taken in its pause")
                    demand(
                        one.holder == nil && one.attempts < Wishes.mostAttempts(of: one),
                        .attemptsEndOnce, "\(id.text) is taken after \(one.attempts) attempts")
                    (one.holder, one.attempts) = (holder, one.attempts + 1)
                }
            case .release(let id):
                change(id, &begun, before) { one in
                    demand(
                        one.retries.attempts == nil, .attemptsEndOnce,
                        "\(id.text) waits again, and nobody says that an attempt is over")
                    one.holder = nil
                }
            case .rest(let id, let failure?):
                change(id, &begun, before) { one in
                    let used = one.attemptsSoFar
                    demand(
                        !one.isResting && used < one.retries.attempts ?? 1, .attemptsEndOnce,
                        "\(id.text) rests after attempt \(used)")
                    (one.holder, one.attempts, one.failure) = (nil, used, failure)
                }
            case .rest(let id, nil):
                change(id, &begun, before) { one in
                    demand(
                        mayEndPause(of: one, diff), .attemptsBeginInTime,
                        "\(id.text) is due before its time, by \(diff.cause.verb)")
                    one.failure?.isOver = true
                }
            case .finish(let id, let outcome):
                let ended = begun[id] ?? before.invocations[id]
                demand(
                    ended.map { outcome == .done || $0.attemptsSoFar >= $0.retries.attempts ?? 1 }
                        ?? false, .attemptsEndOnce,
                    "\(id.text) ends after \(ended?.attempts ?? 0) attempts: \(outcome)")
                begun[id] = nil
                if let ended { follows(outcome, of: ended, diff) }
            case .insert, .remove, .move, .set, .swipe, .expand, .swap, .item, .scroll, .select,
                .mark, .claim, .expandAll, .edit, .define, .insertSection, .removeSection,
                .setSection, .perform, .restore, .came, .sleep:
                continue
            }
        }
    }

    private func change(
        _ id: InvocationID, _ begun: inout [InvocationID: Invocation], _ before: TableBefore,
        _ body: (inout Invocation) -> Void
    ) {
        guard var one = begun[id] ?? before.invocations[id] else { return }
        body(&one)
        begun[id] = one
    }

    /// Time ends a pause, or a command that somebody wished, or a handler that gives back what it need not rest for.
    private func mayEndPause(of one: Invocation, _ diff: Diff) -> Bool {
        guard let failure = one.failure, !failure.isOver else { return false }
        if failure.dueMs <= diff.cause.timeMs || isDateSet { return true }
        if ["retry", "each"].contains(diff.cause.verb) { return true }
        guard let client = diff.cause.client, let number = diff.cause.number,
            case .batch(let commands, _) = issued[Numbered(client: client, number: number)]?.verb
        else { return false }
        return commands.contains { $0.verb.name == .retry }
    }

    /// The kind says with the same field what follows when a page is done, and what when it has failed.
    private func follows(_ outcome: Invocation.Outcome, of ended: Invocation, _ diff: Diff) {
        guard ended.item == nil, diff.cause.verb != "batch" else { return }
        let expected = outcome == .done ? Wishes.whenDone : Wishes.whenFailed
        for case .set(ended.row, let changes) in diff.ops {
            demand(
                changes.fields.allSatisfy { $0.key != "f" || $0.value == expected }, .thenOrElse,
                "\(ended.id.text) is \(outcome), and \(changes.fields) follows")
        }
    }
}
