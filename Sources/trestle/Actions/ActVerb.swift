import ArgumentParser
import Glibc
import TableClient
import TableModel
import TableSync

struct ActVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "act", abstract: "Perform a swipe action, or one of an item's menu, once.",
        usage: """
            trestle act <table> (<row> <action> | <action> --where <predicate> [--section \
            <section>] [--limit <rows>]) [--full] [--leading | --trailing] [--item <item>] [--yes] \
            [--wait] \(RowConditionOptions.usage)
            """,
        discussion: """
            An action is performed once, however many screens press it. The second press is \
            refused (alreadyDone). For a second nobody performs the same action on the row again, \
            unless another action is performed meanwhile. Later it can be performed again when the \
            row's title or fields have changed, or it has been moved on. It can also be performed \
            again with --if-version and the version that the row has had since the last time. An action \
            that says `repeat: true` counts each press. One with a guard (`when` in the kinds file) is \
            refused on rows for which that does not hold (guarded).

            An action that a handler completes is pending at first. --wait waits for its end. It \
            exits with 1 if the action failed, and with 66 if the table is dropped or restored \
            meanwhile. For an action that needs a confirmation it asks on a terminal. A script says \
            --yes.

            --item names an item of a strip: the action is in the menu of the item's kind. It is \
            performed once for each item.

              trestle act board t41 bump
              trestle act board t41 page --wait --timeout 30
              trestle act board menu serve --item soup

            With --where it performs the action on all rows that the condition fits, as `trestle \
            help set` says: each row may refuse it, and then nothing is done. To agree on a terminal \
            confirms it for all of them.

              trestle act board bump --where 'field.late == "yes"'
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The row's id.", completion: Live.rows) var row: String
    @Argument(help: "The action's id.", completion: Live.actions) var action: String?
    @OptionGroup var many: EachSectionOptions
    @Flag(help: "As a full swipe. Refused unless a full swipe performs this action.")
    var full = false
    @Flag(help: "Refuse the action unless it is at the leading edge.") var leading = false
    @Flag(help: "Refuse the action unless it is at the trailing edge.") var trailing = false
    @Option(help: "The item of the strip whose menu has the action.") var item: String?
    @Flag(help: "Wait until a pending action is done or has failed.") var wait = false
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    func validate() throws {
        // With --where the first word is the action.
        try many.each.check(hasRows: action != nil, "<action>")
        try Alternatives.check(["--leading": leading, "--trailing": trailing])
        let isByCondition = many.each.condition != nil
        try Alternatives.check(["--where": isByCondition, "--wait": wait])
        try Alternatives.check([
            "--where": isByCondition, "--if-version": condition.ifVersion != nil,
        ])
    }

    func carryOut(_ connection: Connection) throws {
        guard let action else {
            let verb = Command.Verb.act(press(of: ID(row), on: Command.Each.noRow))
            do {
                _ = try connection.carryOutEach(
                    verb, many.each, in: many.section, of: table, deed: "performed \(row) on",
                    condition.command)
            } catch let failure as Failure {
                throw Output.canAsk ? failure : failure.withWayToConfirm
            }
            return
        }
        let follower = try wait && !connection.isExplaining ? waiting(connection) : nil
        let reply = try press(action, connection)
        guard let pending = reply.invocations.first else {
            return try connection.show(reply, ["performed \(action) on \(place)"])
        }
        guard let follower else {
            return try connection.show(
                reply, ["\(action) on \(place) is pending (\(pending.id.text))"])
        }
        let outcome = try follower.outcome(
            of: pending, in: reply.history, until: Deadline(inMilliseconds: connection.timeoutMs))
        if case .failed(let reason) = outcome {
            throw Failure(.refused, code: "failed", "\"\(action)\" failed on \(place): \(reason)")
        }
        try connection.show(reply, ["\(action) on \(place) is done"])
    }

    /// The row, or row/item.
    private var place: String { row + (item.map { "/\($0)" } ?? "") }

    private func waiting(_ connection: Connection) throws -> Waiting {
        _ = try connection.client().hello(by: connection.deadline)
        return try Waiting(table, connection)
    }

    private func press(of action: ID, on row: RowID) -> Command.Act {
        let edge: Edge? = leading ? .leading : trailing ? .trailing : nil
        return Command.Act(
            action, on: row, item: item.map { ID($0) }, edge: edge, isFull: full,
            isConfirmed: many.each.yes)
    }

    private func press(_ action: String, _ connection: Connection) throws -> Reply {
        var act = press(of: ID(action), on: ID(row))
        do {
            return try connection.perform(.act(act), on: table, condition)
        } catch let failure as Failure
            where failure.code == Rejection.Code.needsConfirmation.rawValue
        {
            guard Output.canAsk, !connection.isExplaining else { throw failure.withWayToConfirm }
            guard Output.isAgreed("Perform \"\(action)\" on \(place)?") else { throw failure }
            act.isConfirmed = true
            return try connection.perform(.act(act), on: table, condition)
        }
    }
}

extension Failure {
    /// It says how a script confirms an action, if that is what was missing.
    fileprivate var withWayToConfirm: Failure {
        guard code == Rejection.Code.needsConfirmation.rawValue else { return self }
        var failure = self
        failure.message += " In a script, say --yes."
        return failure
    }
}

/// Follows a table for the end of one invocation.
private final class Waiting {
    private let follower: Follower

    /// Returns when the table is followed, so that no outcome of a later press is missed.
    init(_ table: String, _ connection: Connection) throws {
        let client = try connection.client(at: try Endpoint.find(flag: connection.endpoint))
        let deadline = connection.deadline
        follower = try Follower(ID(table), client: client, by: deadline)
        try follower.waitForTable(by: deadline)
    }

    /// `history`: that of the table in which it was pressed.
    func outcome(
        of pending: Invocation, in history: ID128?, until end: Deadline
    ) throws -> Invocation.Outcome {
        let id = pending.id
        let first = follower.replica.table?.history
        while true {
            for step in try follower.next(withinMilliseconds: 100) {
                switch step {
                case .applied(let diff):
                    for case .finish(let ended, let outcome) in diff.ops where ended == id {
                        return outcome
                    }
                case .absent: throw WatchVerb.absent(follower.replica.name, wasThere: true)
                case .installed: try check(history, first)
                case .compared, .mismatch, .subscribe, .ask: break
                }
            }
            if let table = follower.replica.table, table.history == history ?? table.history {
                // A whole new state came, without the steps that led to it.
                if table.invocations[id] == nil, table.revision >= id.revision {
                    return Self.outcome(of: pending.deed, on: table.row(pending.row))
                }
            }
            if end.hasPassed { throw Failure(.timeout, "\(id.text) is still pending") }
        }
    }

    /// Refuses another table of the same name, in which another invocation can have the same id.
    private func check(_ history: ID128?, _ first: ID128?) throws(Failure) {
        guard let history, let table = follower.replica.table, table.history != history,
            table.history != first
        else { return }
        throw Failure(
            .noSuchThing, code: "noSuchTable",
            "The table \"\(table.name.text)\" was restored or made anew: nobody can tell how the "
                + "action ended.")
    }

    /// The outcome that the row shows. A row that is gone was removed by the action.
    private static func outcome(of deed: Deed, on row: Row?) -> Invocation.Outcome {
        if case .failed(let reason)? = row?.performance(of: deed)?.state { return .failed(reason) }
        return .done
    }
}
