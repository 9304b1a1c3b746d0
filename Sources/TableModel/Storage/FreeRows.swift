// Rows that nobody works on, for `next`.

extension Table {
    /// The first rows, at most `most`, that nobody works on and that `next` asks for, of those for which `isFree`
    /// holds too; and how many of their values were looked at. Taken rows are passed over by whole runs: thousands at the
    /// top of a section cost no more than few.
    package func freeRows(
        for next: Command.Next, atMost most: Int, where isFree: (Row) -> Bool = { _ in true }
    ) -> (rows: [RowID], looked: Int) {
        var (found, looked): ([RowID], Int) = ([], 0)
        guard most > 0 else { return ([], 0) }
        let some = next.section.map { [section($0)].compactMap { $0 } } ?? sections
        for section in some where settings.pause(of: next.action, in: section.id) == nil {
            let goesOn = section.visitFree { row in
                looked += next.condition?.cost(of: row) ?? 1
                if next.fits(row), isToDo(next, row), isFree(row) { found.append(row.id) }
                return found.count < most && looked < Limits.freeRowsLookedAt
            }
            if !goesOn { break }
        }
        return (found, looked)
    }

    /// Whether `next` would get something now. A handler asks its replica, before it asks the daemon.
    public func hasSomething(for next: Command.Next) -> Bool {
        lookForWaiting(for: next).isAny || !freeRows(for: next, atMost: 1).rows.isEmpty
    }

    /// Whether this row is one that nobody works on and that `next` asks for.
    package func isFree(_ id: RowID, for next: Command.Next) -> Bool {
        guard let row = row(id), !row.isTaken, next.fits(row), isToDo(next, row),
            let section = section(of: id)?.id, next.section ?? section == section
        else { return false }
        return settings.pause(of: next.action, in: section) == nil
    }

    /// The first invocations that wait for a handler of this action, or of any, without those of work that is paused.
    public func waiting(for action: ID?, atMost most: Int) -> [InvocationID] {
        if settings.pauses.isEmpty { return invocations.waiting(for: action, atMost: most) }
        let all = invocations.waiting(for: action, atMost: .max)
        return Array(
            all.lazy.filter { id in
                guard let one = self.invocations[id] else { return false }
                let section = self.position(of: one.row)?.section ?? one.section
                return self.settings.pause(of: one.action, in: section) == nil
            }.prefix(most))
    }

    /// Whether an invocation waits for a handler that `next` asks for, and how many were looked at.
    package func lookForWaiting(for next: Command.Next) -> (isAny: Bool, looked: Int) {
        guard let action = next.action else { return (false, 0) }
        let all = waiting(for: action, atMost: .max)
        let place = all.firstIndex { invocations[$0].map { next.fits($0) } ?? false }
        return (place != nil, (place ?? all.count) + all.count / 8)
    }

    /// Whether the row has the action, and it has not been performed on the row as it is. What has failed is
    /// tried again by a press, not for ever by whoever asks next.
    private func isToDo(_ next: Command.Next, _ row: Row) -> Bool {
        guard let action = next.action else { return true }
        return row.performance(of: action) == nil
            && Edge.allCases.contains { edge in
                actions(of: row, at: edge)?.actions.contains { $0.id == action } == true
            }
    }
}
