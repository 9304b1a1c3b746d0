import TableClient
import TableDecisions
import TableModel
import TableSync

/// Whether a handler of an action would ever have something to do.
enum HandledAction {
    /// Waits for the table. Refuses an action for which a handler would wait for ever.
    static func check(_ action: ID, _ follower: Follower, by deadline: Deadline) throws {
        let name = follower.replica.name
        try follower.waitForTable(by: deadline)
        guard let table = follower.replica.table,
            !table.invocations.all.contains(where: { $0.action == action })
        else { return }
        let effects = effects(of: action, in: table)
        if effects.joined().contains(where: \.isInvoke) { return }
        let message =
            effects.isEmpty
            ? "No kind and no row of \(name.text) has an action \"\(action.text)\"."
            : "No press of \"\(action.text)\" waits for a handler: it has no effect `invoke`."
        throw Failure(Rejection(.noSuchAction, message, field: "action"))
    }

    /// The effects of each action of this name. The name `tap` stands for taps.
    private static func effects(of action: ID, in table: Table) -> [[Effect]] {
        var groups = table.kinds.values.flatMap { [$0.leading, $0.trailing] }
        let itemKinds = table.kinds.values.flatMap(\.itemKinds.values)
        groups += itemKinds.map { ActionGroup(actions: $0.menu) }
        var taps = table.kinds.values.map(\.tap) + itemKinds.map(\.tap)
        for row in table.rows {
            if let own = row.content.actions { groups += [own.leading, own.trailing] }
            taps += row.content.items.map(\.tap)
        }
        let all = groups.compactMap { $0 }.flatMap(\.actions).filter { $0.id == action }
        let isTap = action == ID("tap")
        return all.map(\.effects) + (isTap ? taps.filter { !$0.isEmpty } : [])
    }
}
