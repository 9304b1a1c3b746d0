public import TableModel
import TableSync

/// An outside handler of swipe actions: takes invocations that wait in a table, holds them while
/// they run, and reports how they ended. For one thread.
///
///     let handler = try Handler("board", action: "page", client: client, follower: follower)
///     while true {
///         for invocation in try handler.next(room: 1, withinMilliseconds: 1_000) {
///             …
///             try handler.finish(invocation.id, .done)
///         }
///     }
///
/// It holds an invocation until it finishes or releases it, the deadline passes, or the daemon has
/// not heard from the handler for `holderTimeoutMs`. If a handler dies, nobody knows whether it ran
/// what it held: the next one to take it sees `Invocation.attempts`.
public final class Handler {
    /// The invocations that it holds, by id.
    public private(set) var held: [InvocationID: Invocation] = [:]

    /// Called a few times a second while an answer is missing. True ends the waiting: the call that
    /// waits throws `timeout` or `unreachable`.
    public var givesUp: () -> Bool = { false }

    private let table: TableID
    private let action: ID?
    private let client: Client
    private let follower: Follower
    /// The revision of the latest answer. In an older replica, invocations that are taken already
    /// still seem to wait.
    private var seen: UInt64 = 0
    private var renewedMs: UInt64 = 0
    private static let renewMs: UInt64 = 1_000

    /// A handler of one action of a table; nil: of all. `client` sends the commands, and its id is
    /// the holder's. `follower` has a client of its own.
    public init(_ table: TableID, action: ID?, client: Client, follower: Follower) {
        self.table = table
        self.action = action
        self.client = client
        self.follower = follower
    }

    /// Waits at most so long for something to happen, then takes up to `room` waiting invocations.
    /// Throws `refused` with `noSuchTable` if the table is gone.
    public func next(room: Int, withinMilliseconds timeout: Int) throws -> [Invocation] {
        for step in try follower.next(withinMilliseconds: timeout) {
            guard case .absent = step else { continue }
            throw ClientError.refused(
                Rejection(.noSuchTable, "There is no table \"\(table.text)\".", field: "table"))
        }
        try renew()
        return room > 0 ? try take(atMost: room) : []
    }

    /// Invocations that it no longer holds: the deadline has passed, or the daemon released them.
    public func lost() -> [Invocation] {
        guard let replica = follower.replica.table, replica.revision >= seen else { return [] }
        let lost = held.values.filter {
            replica.invocations[$0.id]?.holder != client.id
        }
        for invocation in lost { held[invocation.id] = nil }
        return lost.sorted { $0.id < $1.id }
    }

    /// Reports how an invocation ended. False: this handler no longer holds it.
    public func finish(_ id: InvocationID, _ outcome: Invocation.Outcome) throws -> Bool {
        try end(id, .finish(id, outcome))
    }

    /// Releases an invocation that was not begun. False: this handler no longer holds it.
    public func release(_ id: InvocationID) throws -> Bool {
        try end(id, .release(id))
    }

    // Commands wait for their answers until `givesUp`: the handler must not forget what it took
    // because the daemon restarts.

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
