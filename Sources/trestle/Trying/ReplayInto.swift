import StrictYAML
import TableClient
import TableDecisions
import TableModel
import TableSync
import TableWire

/// Has another daemon carry out a recording. A table of our own goes ahead: there the requests for a revision are
/// found, and the daemon has to come to the recorded digest.
final class DaemonReplay {
    private let source: RecordingFile
    private var clock: VirtualClock
    private let client: Client
    private let name: TableID
    private let timeoutMs: UInt64?
    private let limits: Limits
    private let opened: UInt64
    /// The state that the daemon has if all is well.
    private var repeater: Repeater?
    private var history: ID128?
    /// The number of the latest command that was sent for a recorded client.
    private var number: UInt64 = 0
    private var stage = Stage.none
    private var revisions = 0
    private var commands = 0

    init(
        _ source: RecordingFile, _ clock: VirtualClock, endpoint: String, table: String?,
        timeoutMs: UInt64?
    ) throws {
        self.source = source
        self.clock = clock
        self.timeoutMs = timeoutMs
        name = table.map { ID($0) } ?? source.header.table
        client = try KeyStore.client(endpoint)
        client.patience = timeoutMs == nil ? .none : .always
        let hello = try client.hello(by: Deadline(inMilliseconds: timeoutMs ?? 5_000))
        limits = hello.limits
        opened = hello.opened
    }

    private enum Stage {
        case none
        /// The table is there, as the recording begins or on the way to that.
        case begun
        /// Some of the recording was carried out: where that led to can be looked at.
        case underWay
    }

    func run(_ connection: Connection) throws {
        do {
            try carryOut()
        } catch {
            // What went wrong is more to the point than why the table stays, if it does.
            if stage == .begun { _ = try? send(.drop, atMs: nil, client: nil) }
            throw error
        }
        try report(connection)
    }

    private func carryOut() throws {
        while let line = try source.next() {
            switch line {
            case .header: break
            case .state(let state):
                clock.wait(until: state.atMs)
                try begin(with: state)
            case .change(let change, let atMs):
                clock.wait(until: atMs)
                try carryOut(change.diff, atMs: atMs)
                revisions += 1
            }
        }
        if repeater == nil { throw source.fault("there is no state in it") }
    }

    private func report(_ connection: Connection) throws {
        guard let mirror = repeater?.table else { return }
        let figures: Documents.Pairs = [
            ("revisions", .integer(UInt64(revisions))), ("commands", .integer(UInt64(commands))),
            ("digest", .text(mirror.digest.lowerHex)),
        ]
        let reply = Reply(
            table: name, history: history, epoch: ID128(high: 0, low: 0),
            revision: mirror.revision, .done(rows: [], unchanged: true))
        let summary =
            "\(revisions.of("revision")) by \(commands.of("command")): "
            + "digest \(mirror.digest.lowerHex) at revision \(mirror.revision)"
        try connection.show(
            reply, adding: [("replayed", .mapping(figures))], names: [self.name.text],
            lines: { _ in [TextLine(summary)] })
    }

    // MARK: Beginning

    private func begin(with state: SessionState) throws {
        guard repeater == nil else {
            throw source.fault("revisions are missing here: the session cannot be carried out")
        }
        let wanted = try source.table(of: state)
        let batches = BeginningSteps(of: wanted).batches
        let mirror = try made(by: batches, atMs: state.atMs)
        guard mirror.digest == wanted.digest else {
            throw source.fault(
                "no commands lead to the state in which the session begins (actions wait for "
                    + "a handler in it): record it from an earlier time")
        }
        repeater = Repeater(mirror, recordedAs: wanted.revision, limits: limits)
        let reply = try send(.create, atMs: state.atMs, client: nil)
        history = reply.history
        stage = .begun
        for batch in batches {
            _ = try send(.batch(batch, ifRevision: nil), atMs: state.atMs, client: nil)
        }
        try compare()
    }

    /// A table of our own that has gone the way to the beginning.
    private func made(by batches: [[Command]], atMs: UInt64) throws -> Table {
        let table = Table(
            name: name, history: ID128(high: 0, low: 0), removedPlaces: limits.removedPlaces)
        for batch in batches {
            let result = reduce(
                batch: batch, on: table, limits: limits, DecisionContext(nowMs: atMs))
            guard case .success(let plan) = result else {
                throw source.fault("the state is beyond what that daemon takes: \(result)")
            }
            _ = table.apply(plan, cause: Cause(verb: "batch", timeMs: atMs))
        }
        return table
    }

    // MARK: Going on

    private func carryOut(_ diff: Diff, atMs: UInt64) throws {
        let errand: Errand
        do {
            guard let next = try repeater?.errand(for: diff, atMs: atMs) else {
                throw source.fault("a revision before any state")
            }
            errand = next
        } catch let error as Unrepeatable { throw source.fault(error.reason) }
        switch errand.repetition {
        case .commands(let found):
            let verb: Request.Verb =
                found.count == 1 ? .command(found[0]) : .batch(found, ifRevision: nil)
            _ = try send(verb, for: errand)
            commands += found.count
        case .drop(let rows, let section, let anchor):
            let lease = try lift(rows, for: errand)
            let drop = Drag.drop(lease: lease, section: section, anchor, .strict)
            _ = try send(.drag(drop), for: errand)
            commands += 1
        case .past(let verb, let lifted):
            let lease = lifted.isEmpty ? nil : try lift(lifted, for: errand)
            _ = try send(.command(Command(verb)), for: errand)
            if let lease { _ = try drag(.cancel(lease: lease), for: errand) }
            commands += 1
        }
        try compare()
    }

    private func lift(_ rows: [RowID], for errand: Errand) throws -> ID {
        let reply = try drag(.lift(rows, ttlSeconds: Drag.defaultTTLSeconds), for: errand)
        guard case .lease(let lease) = reply.answer else { throw unexpected(reply) }
        return lease.id
    }

    /// A step of a drag that is no command, and has no number.
    private func drag(_ drag: Drag, for errand: Errand) throws -> Reply {
        // Leases are given to somebody only, and an undo may be nobody's.
        let holder = errand.name ?? "replay"
        let reply = try exchange(Request(table: name, name: holder, atMs: errand.atMs, .drag(drag)))
        if case .refused = reply.answer { throw unexpected(reply) }
        return reply
    }

    private func send(_ verb: Request.Verb, for errand: Errand) throws -> Reply {
        let reply = try send(verb, atMs: errand.atMs, client: errand.client, name: errand.name)
        stage = .underWay
        return reply
    }

    /// Throws unless the daemon's table has our digest.
    private func compare() throws {
        guard let mirror = repeater?.table, let history else { return }
        let verb = Request.Verb.offer(
            history: history, revision: mirror.revision, digest: mirror.digest)
        let reply = try exchange(Request(table: name, verb))
        guard case .standing(let standing) = reply.answer else { throw unexpected(reply) }
        guard standing.relation == .same else {
            throw source.fault(
                "the daemon is at revision \(standing.head.revision) with the digest "
                    + "\(standing.head.digest.lowerHex), not at \(mirror.revision) with "
                    + mirror.digest.lowerHex)
        }
    }

    private func send(
        _ verb: Request.Verb, atMs: UInt64?, client: ID?, name actor: ID? = nil
    ) throws -> Reply {
        var request = Request(client: client, table: name, name: actor, atMs: atMs, verb)
        if client != nil {
            // The daemon may know this client from elsewhere: the number is above all that it has used.
            number = max(number + 1, wallClockMs() * 1_000)
            request.number = number
            request.opened = opened
        }
        let reply = try exchange(request)
        guard case .done = reply.answer else { throw unexpected(reply) }
        return reply
    }

    private func exchange(_ request: Request) throws -> Reply {
        let bytes = try client.exchange(
            Encode.request(request, form: .binary), form: .binary,
            by: Deadline(inMilliseconds: timeoutMs ?? 30_000))
        do {
            return try bytes.withUnsafeBytes { try Decode.reply($0, form: .binary) }
        } catch { throw ClientError.protocolMismatch("a reply cannot be read: \(error)") }
    }

    private func unexpected(_ reply: Reply) -> Failure {
        guard case .refused(let rejection) = reply.answer else {
            return Failure(ClientError.protocolMismatch("the answer is to another question"))
        }
        var failure = Failure(rejection)
        if rejection.field == "atMs" { failure.message += " Start it with --virtual-clock." }
        return failure
    }
}
