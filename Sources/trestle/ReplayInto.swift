import StrictYAML
import TableClient
import TableModel
import TableSync
import TableWire

/// Has another daemon carry out a session. A table of our own goes before it: each revision's steps
/// are retraced to commands there, and what they come to has to have the recorded digest.
final class DaemonReplay {
    private let source: SessionFile
    private var clock: VirtualClock
    private let client: Client
    private let name: TableID
    private let timeoutMs: UInt64?
    private let limits: Limits
    private let opened: UInt64
    /// What the daemon has, if all is well.
    private var mirror: Table?
    private var history: ID128?
    /// Of the commands that are sent in a client's name.
    private var numbers: [ID: UInt64] = [:]
    private var revisions = 0
    private var commands = 0

    init(
        _ source: SessionFile, _ clock: VirtualClock, endpoint: String, table: String?,
        timeoutMs: UInt64?
    ) throws {
        self.source = source
        self.clock = clock
        self.timeoutMs = timeoutMs
        name = table.map { ID($0) } ?? source.header.table
        client = try Client(endpoint)
        let hello = try client.hello(by: Deadline(inMilliseconds: timeoutMs ?? 5_000))
        limits = hello.limits
        opened = hello.opened
    }

    func run(_ session: Session) throws {
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
        guard let mirror else { throw source.fault("there is no state in it") }
        let figures: Documents.Pairs = [
            ("revisions", .integer(UInt64(revisions))), ("commands", .integer(UInt64(commands))),
            ("digest", .text(mirror.digest.lowerHex)),
        ]
        let reply = Reply(
            table: name, history: history, epoch: ID128(high: 0, low: 0),
            revision: mirror.revision, .done(rows: [], unchanged: true))
        try session.show(
            Report(
                json: { Documents.reply(reply, adding: [("replayed", .mapping(figures))]) },
                ndjson: nil, names: { [self.name.text] },
                lines: { _ in
                    [
                        TextLine(
                            "\(self.revisions.of("revision")) by \(self.commands.of("command")): "
                                + "digest \(mirror.digest.lowerHex) at revision \(mirror.revision)")
                    ]
                }))
    }

    // MARK: Beginning

    private func begin(with state: SessionState) throws {
        guard mirror == nil else {
            throw source.fault("revisions are missing here: it cannot be carried out")
        }
        let wanted = try source.table(of: state)
        let mirror = Table(name: name, history: ID128(high: 0, low: 0))
        let steps = BeginningSteps(of: wanted).steps
        for step in steps {
            let result = reduce(
                batch: step.commands, on: mirror, limits: limits, nowMs: step.atMs, client: nil)
            guard case .success(let plan) = result else {
                throw source.fault("the state is beyond what that daemon takes: \(result)")
            }
            _ = mirror.commit(plan, cause: Cause(verb: "batch"))
        }
        guard mirror.digest == wanted.digest else {
            throw source.fault(
                "the session begins in a state that no commands lead to (what came of actions is "
                    + "in it): record it from an earlier time")
        }
        self.mirror = mirror
        let reply = try send(.create, atMs: state.atMs, client: nil)
        history = reply.history
        for step in steps {
            _ = try send(
                .batch(step.commands, ifRevision: nil), atMs: step.atMs, client: nil)
        }
        try compare()
    }

    // MARK: Going on

    private func carryOut(_ diff: Diff, atMs: UInt64) throws {
        guard let mirror else { throw source.fault("a revision before any state") }
        let time =
            diff.cause.timeMs != 0
            ? diff.cause.timeMs : diff.ops.lazy.compactMap(\.madeAtMs).first ?? atMs
        let client = diff.cause.client ?? diff.ops.lazy.compactMap(\.holder).first
        guard
            let retraced = retrace(
                diff.ops, on: mirror, limits: limits, nowMs: time, client: client,
                name: diff.cause.name)
        else {
            throw source.fault(
                "revision \(diff.revision) (\(diff.cause.verb)) is of a kind that no commands "
                    + "lead to: it cannot be carried out")
        }
        _ = mirror.commit(retraced.plan, cause: diff.cause)
        guard mirror.digest == diff.digest else {
            throw source.fault("revision \(diff.revision) leads to another digest")
        }
        let verb: Request.Verb =
            retraced.commands.count == 1
            ? .command(retraced.commands[0]) : .batch(retraced.commands, ifRevision: nil)
        _ = try send(verb, atMs: time, client: client, name: diff.cause.name)
        commands += retraced.commands.count
        try compare()
    }

    /// Whether the daemon has what we have.
    private func compare() throws {
        guard let mirror, let history else { return }
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
        _ verb: Request.Verb, atMs: UInt64, client: ID?, name actor: ID? = nil
    ) throws -> Reply {
        var request = Request(client: client, table: name, name: actor, atMs: atMs, verb)
        if let client {
            numbers[client, default: 0] += 1
            request.number = numbers[client]
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
        if rejection.field == "atMs" {
            failure.message += " Start it with --virtual-clock."
        }
        return failure
    }
}

/// Commands that make a table like one that is there, each at a time.
private struct BeginningSteps {
    struct Step {
        var commands: [Command]
        var atMs: UInt64
    }

    private(set) var steps: [Step] = []
    /// Of a request, with room for what is about the commands.
    private static let mostBytes = 512 << 10
    private static let mostCommands = 500

    init(of table: Table) {
        let kinds = table.kinds.values.sorted { $0.id < $1.id }
        add([.define(Command.Definitions(kinds: kinds, settings: table.settings))], atMs: 0)
        add(table.sections.map { .section($0.id, title: $0.title) }, atMs: 0)
        for section in table.sections {
            for row in section.runs().joined() {
                add(
                    [.add(Command.Add(id: row.id, row.content, section: section.id))],
                    atMs: row.createdMs)
            }
        }
        for row in table.rows {
            let initial = table.kinds[row.content.kind]?.initial ?? .collapsed
            if row.expansion != initial { add([.expand(row.id, row.expansion)], atMs: 0) }
            if let scroll = row.scroll { add([.scroll(row.id, scroll)], atMs: 0) }
            if let edge = row.swipe { add([.swipe(row.id, edge)], atMs: 0) }
        }
        if table.isEditing { add([.edit(true)], atMs: 0) }
    }

    private var bytes = 0

    /// Behind the last step if that is at the same time and has room.
    private mutating func add(_ verbs: [Command.Verb], atMs: UInt64) {
        for verb in verbs {
            let command = Command(verb)
            let size = Encode.request(Request(.command(command)), form: .binary).count
            let isSame = steps.last.map {
                $0.atMs == atMs && $0.commands.count < Self.mostCommands
            }
            if isSame == true, bytes + size <= Self.mostBytes {
                steps[steps.count - 1].commands.append(command)
                bytes += size
            } else {
                steps.append(Step(commands: [command], atMs: atMs))
                bytes = size
            }
        }
    }
}

extension Op {
    /// The time that the step bears: of the commit that it was part of.
    fileprivate var madeAtMs: UInt64? {
        switch self {
        case .insert(let row, _): return row.createdMs
        case .invoke(let invocation): return invocation.pressedMs
        default: return nil
        }
    }

    /// Who has to ask for it.
    fileprivate var holder: ID? {
        if case .take(_, let holder) = self { return holder }
        return nil
    }
}
