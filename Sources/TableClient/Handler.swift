public import TableModel
import TableSync

/// An outside handler of swipe actions: takes invocations that wait in a table, keeps them while
/// they run, and says how they ended. For one thread.
///
///     let handler = try Handler("board", action: "page", client: client, follower: follower)
///     while true {
///         for invocation in try handler.next(room: 1, withinMilliseconds: 1_000) {
///             …
///             try handler.finish(invocation.id, .done)
///         }
///     }
///
/// What it takes is its own until it is finished or released, its deadline passes, or the daemon
/// has not heard of it for `holderTimeoutMs`. A handler that dies has run what it held or not:
/// whoever takes it next sees that from `Invocation.attempts`.
public final class Handler {
    /// What it holds, by id.
    public private(set) var held: [InvocationID: Invocation] = [:]

    /// Asked a few times a second while an answer does not come: true ends the waiting, and what
    /// was under way throws `timeout` or `unreachable`.
    public var givesUp: () -> Bool = { false }

    private let table: TableID
    private let action: ID?
    private let client: Client
    private let follower: Follower
    /// The revision that the latest answer came with: a replica behind it shows as waiting what is
    /// taken already.
    private var seen: UInt64 = 0
    private var renewedMs: UInt64 = 0
    private static let renewMs: UInt64 = 1_000

    /// Handles one action of a table, or all of them with nil. `client` sends the commands, and
    /// its id is the holder's; `follower` has a client of its own.
    public init(_ table: TableID, action: ID?, client: Client, follower: Follower) {
        self.table = table
        self.action = action
        self.client = client
        self.follower = follower
    }

    /// Takes what waits, at most `room`, and waits so long for something to happen. Throws
    /// `refused` with `noSuchTable` when the table is gone.
    public func next(room: Int, withinMilliseconds timeout: Int) throws -> [Invocation] {
        for step in try follower.next(withinMilliseconds: timeout) {
            guard case .absent = step else { continue }
            throw ClientError.refused(
                Rejection(.noSuchTable, "There is no table \"\(table.text)\".", field: "table"))
        }
        try renew()
        return room > 0 ? try take(atMost: room) : []
    }

    /// What was held and is not any more: the deadline has passed, or the daemon gave it away.
    public func lost() -> [Invocation] {
        guard let replica = follower.replica.table, replica.revision >= seen else { return [] }
        let lost = held.values.filter {
            replica.invocations[$0.id]?.holder != client.id
        }
        for invocation in lost { held[invocation.id] = nil }
        return lost.sorted { $0.id < $1.id }
    }

    /// Says how an invocation ended. False: it is not this handler's any more.
    public func finish(_ id: InvocationID, _ outcome: Invocation.Outcome) throws -> Bool {
        try end(id, .finish(id, outcome))
    }

    /// Gives back what was not begun.
    public func release(_ id: InvocationID) throws -> Bool {
        try end(id, .release(id))
    }

    // Commands wait for their answers until `givesUp`: what was taken must not be forgotten because the
    // daemon is being started anew.

    private func end(_ id: InvocationID, _ verb: Command.Verb) throws -> Bool {
        let reply = try client.perform(
            .command(Command(verb)), on: table, by: Deadline(inMilliseconds: nil),
            givesUp: givesUp)
        held[id] = nil
        guard case .refused(let rejection) = reply.answer else {
            seen = max(seen, reply.revision ?? 0)
            return true
        }
        switch rejection.code {
        case .noSuchInvocation, .notHeld, .noSuchTable, .unknown: return false
        default: throw ClientError.refused(rejection)
        }
    }

    private func take(atMost room: Int) throws -> [Invocation] {
        guard let replica = follower.replica.table, replica.revision >= seen else { return [] }
        let most = replica.invocations.waiting(
            for: action, atMost: min(room, client.limits.takenInvocations)
        ).count
        guard most > 0 else { return [] }
        let reply = try client.perform(
            .command(Command(.take(action: action, atMost: most))), on: table,
            by: Deadline(inMilliseconds: nil),
            givesUp: givesUp)
        switch reply.answer {
        case .refused(let rejection): throw ClientError.refused(rejection)
        case .done(_, _, let taken):
            seen = max(seen, reply.revision ?? 0)
            for invocation in taken { held[invocation.id] = invocation }
            return taken
        default: throw ClientError.protocolMismatch("taking was answered by something else")
        }
    }

    private func renew() throws {
        let now = monotonicMs()
        guard !held.isEmpty, now &- renewedMs >= Self.renewMs else { return }
        renewedMs = now
        _ = try client.perform(
            .renew, on: table, by: Deadline(inMilliseconds: nil),
            givesUp: givesUp)
    }
}
