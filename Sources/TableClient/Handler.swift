import Glibc
public import TableModel
import TableSync

/// An outside handler of swipe actions: takes invocations that wait in a table, holds them while
/// they run, and reports how they ended. For one thread.
///
///     let handler = try Handler("board", action: "page", client: client, follower: follower)
///     while true {
///         for invocation in try handler.next(room: 1, withinMilliseconds: 1_000) {
///             …
///             _ = try handler.finish(invocation.id, .done)
///         }
///     }
///
/// It holds an invocation until it finishes or releases it, the deadline passes, or the daemon has
/// not heard from the handler for `holderTimeoutMs`. If a handler dies, nobody knows whether it ran
/// what it held: the next one to take it sees `Invocation.attempts`.
///
/// The daemon hears from it only in `next`. Where the work takes longer than a second, call
/// `next(room: 0, withinMilliseconds: 0)` about once a second meanwhile, and look at `lost()`: else
/// another handler gets the invocation.
///
/// While the daemon's disk is full it takes nothing, and waits with what it has to report.
public final class Handler {
    /// The outcome of a report.
    public enum Receipt: Equatable, Sendable {
        /// The daemon has it.
        case accepted
        /// The handler did not hold the invocation any more: the report came too late.
        case tooLate
        /// Nobody can tell whether the daemon has it: the table says how it stands.
        case unknown
    }

    /// The invocations that it holds, by id.
    public internal(set) var held: [InvocationID: Invocation] = [:]

    /// The daemon's note about the latest report that it has, in a sentence for people: such as why the later
    /// effects of an action were left out.
    public private(set) var note: String?

    /// Called a few times a second while an answer is missing. True ends the waiting: the call that
    /// waits throws `timeout` or `unreachable`.
    public var givesUp: () -> Bool = { false }

    let table: TableID
    private let action: ID?
    /// Its place in the line of those that wait for a row; nil: it takes what was pressed.
    var place: Place?
    let client: Client
    let follower: Follower
    /// The state at the latest answer. In an older replica, invocations that are taken already still
    /// seem to wait. Revisions of two histories cannot be compared: a restore begins another one.
    private var seen: (history: ID128, revision: UInt64)?
    /// The invocations that a renewal has shown to be lost.
    private var missing: [Invocation] = []
    private var renewedMs: UInt64 = 0
    private var commandedMs: UInt64 = 0
    /// Before that the disk is not tried again.
    var restsUntilMs: UInt64 = 0
    static let renewMs: UInt64 = 1_000
    /// The pause after which it sends a command that does nothing.
    var commandsAgainAfterMs: UInt64 = 30_000

    /// A handler of one action of a table; nil: of all. `client` sends the commands, and its id is
    /// the holder's. `follower` has a client of its own. With `feed` it presses the action itself, on the next free
    /// rows that `feed` asks for, where no press waits: it waits in the daemon's line for them (rule B11).
    public init(
        _ table: TableID, action: ID?, feed: Command.Next? = nil, client: Client, follower: Follower
    ) {
        self.table = table
        self.action = feed?.action ?? action
        place = feed.map { Place(feed: $0) }
        self.client = client
        self.follower = follower
        if feed != nil { follower.wake(on: client) }
    }

    /// Waits at most so long for something to happen, then takes up to `room` waiting invocations.
    /// While the daemon is silent it waits on, until `givesUp`; so do `finish` and `release`. Throws
    /// `refused` with `noSuchTable` if the table is gone. With `feed` and no `room` it leaves the line, and may get
    /// what the daemon has given it in that moment: `isAsking` tells whether that may still come.
    public func next(room: Int, withinMilliseconds timeout: Int) throws -> [Invocation] {
        for step in try follower.next(withinMilliseconds: timeout) {
            switch step {
            case .absent: throw ClientError.refused(.noTable(table))
            // Its revisions come again.
            case .compared(.rolledBack): seen = nil
            case .compared, .subscribe, .ask, .installed, .applied, .mismatch: break
            }
        }
        try renew()
        try stayKnown()
        if place != nil { return try takeInLine(atMost: room) }
        return room > 0 && monotonicMs() >= restsUntilMs ? try take(atMost: room) : []
    }

    /// Invocations that it no longer holds: the deadline has passed, or the daemon released them, or
    /// has forgotten this client.
    public func lost() -> [Invocation] {
        var lost = missing
        missing = []
        if let replica = follower.replica.table, let seen, replica.history == seen.history,
            replica.revision >= seen.revision
        {
            lost += held.values.filter { replica.invocations[$0.id]?.holder != client.id }
        }
        for invocation in lost { held[invocation.id] = nil }
        return lost.sorted { $0.id < $1.id }
    }

    /// Reports how an invocation ended.
    public func finish(_ id: InvocationID, _ outcome: Invocation.Outcome) throws -> Receipt {
        try end(id, .finish(id, outcome))
    }

    /// Releases an invocation that was not begun.
    public func release(_ id: InvocationID) throws -> Receipt { try end(id, .release(id)) }

    // Commands wait for their answers until `givesUp`, so that a restart of the daemon loses nothing that is held.

    private func perform(_ verb: Request.Verb) throws -> Reply {
        let reply = try client.perform(
            verb, on: table, by: Deadline(inMilliseconds: nil), givesUp: givesUp
        ) { heard($0) }
        note(reply)
        return reply
    }

    /// The table was as the reply says at least.
    func note(_ reply: Reply) {
        guard let history = reply.history, let revision = reply.revision else { return }
        let before = seen?.history == history ? seen?.revision ?? 0 : 0
        seen = (history, max(before, revision))
    }

    private func command(_ verb: Command.Verb) throws -> Reply {
        commandedMs = monotonicMs()
        // Numbers under way are bounded, and one that waits keeps back those that come after it.
        if !client.writer.hasRoom() { leaveLine() }
        return try perform(.command(Command(verb)))
    }

    private func end(_ id: InvocationID, _ verb: Command.Verb) throws -> Receipt {
        note = nil
        while true {
            let reply = try command(verb)
            guard case .refused(let rejection) = reply.answer else {
                if case .done(let rows, _, _) = reply.answer { note = rows.first?.note }
                held[id] = nil
                return .accepted
            }
            // It is still held: each attempt is a sign of life.
            if rejection.code == .diskFull {
                try rest(because: rejection)
                continue
            }
            held[id] = nil
            switch rejection.code {
            case .noSuchInvocation, .notHeld, .noSuchTable: return .tooLate
            case .unknown: return .unknown
            default: throw ClientError.refused(rejection)
            }
        }
    }

    /// The disk is full: waits before it is tried again.
    private func rest(because rejection: Rejection) throws {
        let end = Deadline(inMilliseconds: Self.renewMs)
        while !end.hasPassed {
            if givesUp() {
                throw ClientError.timeout(endpoint: client.endpoint, because: rejection.message)
            }
            usleep(50_000)
        }
    }

    private func take(atMost room: Int) throws -> [Invocation] {
        guard let replica = follower.replica.table else { return [] }
        if let seen, replica.history == seen.history, replica.revision < seen.revision { return [] }
        let most = replica.waiting(
            for: action, atMost: min(room, client.limits.takenInvocations)
        ).count
        if most == 0 { return [] }
        switch try command(.take(action: action, atMost: most)).answer {
        case .refused(let rejection) where [.diskFull, .unknown].contains(rejection.code):
            restsUntilMs = monotonicMs() + Self.renewMs
            return []
        case .refused(let rejection): throw ClientError.refused(rejection)
        case .done(_, _, let taken):
            for invocation in taken { held[invocation.id] = invocation }
            return taken
        default: throw ClientError.protocolMismatch("taking was answered by something else")
        }
    }

    /// Says that it is there. What the daemon does not list then is lost.
    private func renew() throws {
        let now = monotonicMs()
        // In another history nothing else tells what is lost.
        let isOther = seen.map { $0.history != follower.replica.table?.history } ?? false
        guard !held.isEmpty, isOther || now &- renewedMs >= Self.renewMs else { return }
        renewedMs = now
        guard case .done(_, _, let listed) = try perform(.renew).answer else { return }
        let ids = Set(listed.map(\.id))
        for (id, invocation) in held where !ids.contains(id) {
            held[id] = nil
            missing.append(invocation)
        }
        // Taken by a command whose answer nobody waited for: another handler is to run it.
        for invocation in listed
        where held[invocation.id] == nil && invocation.action == action ?? invocation.action {
            _ = try release(invocation.id)
        }
    }

    /// Sends a command that changes nothing, since the daemon may forget a client that only renews.
    private func stayKnown() throws {
        guard !held.isEmpty, monotonicMs() &- commandedMs >= commandsAgainAfterMs else { return }
        _ = try command(.take(action: client.id, atMost: 1))
    }
}
