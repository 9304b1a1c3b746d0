import TableModel
import TableSync

/// A server and one viewer. A test carries every message between them.
final class Exchange {
    let codec = RegistryCodec()
    private(set) var server: Server
    let replica: Replica
    var nowMs: UInt64 = 10_000
    /// The replica's questions that were not answered yet.
    var asked: [(verb: Request.Verb, tag: UInt64)] = []
    /// The replica's other steps since the test last looked.
    private var said: [Replica.Step] = []
    private var idCount: UInt64 = 0
    private var jitter = 0.5
    private let retention: Retention

    static let table: TableID = "t"

    init(retention: Retention = Retention(), jitter: Double = 0) {
        self.retention = retention
        self.jitter = jitter
        server = Server(
            epoch: ID128(high: 1, low: 1), limits: Limits(), codec: codec, retention: retention,
            makeID: { ID128(high: 0, low: 1) })
        replica = Replica(Self.table, jitter: { jitter })
        renew(epoch: 1)
    }

    /// A daemon without tables.
    func renew(epoch: UInt64) {
        server = Server(
            epoch: ID128(high: epoch, low: epoch), limits: Limits(), codec: codec,
            retention: retention,
            makeID: { [unowned self] in
                idCount += 1
                return ID128(high: 7, low: idCount)
            })
    }

    /// The daemon restarts with the table as it is, or as it was.
    func restart(epoch: UInt64, with table: Table? = nil) {
        let live = table ?? server.tables[Self.table]?.table.copy()
        renew(epoch: epoch)
        if let live { server.restore(live) }
    }

    var table: Table? { server.tables[Self.table]?.table }

    // MARK: The daemon

    @discardableResult
    func commit(_ verbs: Request.Verb...) -> [Publication] {
        server.begin(nowMs: nowMs)
        for (route, verb) in verbs.enumerated() {
            let request = Request(table: Self.table, verb)
            server.receive(request, requestHash: 0, from: route)
        }
        // As those who read the bytes have them.
        return server.finish().publications.map { outgoing in
            var publication = outgoing.publication
            publication.diffs = outgoing.encoded.compactMap { codec.decodeDiff($0) }
            return publication
        }
    }

    /// Adds rows at the bottom, each in a diff of its own; one publication for each.
    @discardableResult
    func add(_ ids: RowID...) -> [Publication] {
        ids.flatMap { commit(.command(Command(.add(.init(id: $0, .init(title: $0.text)))))) }
    }

    func reply(to verb: Request.Verb) -> Reply {
        server.begin(nowMs: nowMs)
        server.receive(Request(table: Self.table, verb), requestHash: 0, from: 0)
        guard let answer = server.finish().replies.last else {
            preconditionFailure("no reply to \(verb)")
        }
        switch answer.body {
        case .reply(let reply): return reply
        case .replay(var reply, let encoded):
            guard case .replay(var publication, let head) = reply.answer else { return reply }
            publication.diffs = encoded.compactMap { codec.decodeDiff($0) }
            reply.answer = .replay(publication, head: head)
            return reply
        default: preconditionFailure("not the reply to a question: \(answer)")
        }
    }

    var welcome: Publication { server.welcome(to: Self.table) }
    var heartbeat: Publication? {
        server.tables[Self.table].map {
            Publication(
                table: Self.table, history: $0.table.history, epoch: server.epoch,
                heartbeat: $0.state)
        }
    }

    // MARK: The viewer

    /// Keeps the replica's questions and other steps.
    func take(_ steps: [Replica.Step]) {
        for step in steps {
            if case .ask(let verb, let tag) = step {
                asked.append((verb, tag))
            } else {
                said.append(step)
            }
        }
    }

    func start() { take(replica.start(nowMs: nowMs)) }
    func tick() { take(replica.tick(nowMs: nowMs)) }
    func hear(_ publication: Publication?) {
        if let publication { take(replica.received(publication, nowMs: nowMs)) }
    }
    func hear(_ publications: [Publication]) {
        for publication in publications { hear(publication) }
    }
    func answer(_ reply: Reply, tag: UInt64) {
        take(replica.answered(reply, tag: tag, nowMs: nowMs))
    }

    /// Answers all questions, also those that follow from the answers.
    func answerAll() {
        var rounds = 0
        while !asked.isEmpty, rounds < 1_000 {
            let (verb, tag) = asked.removeFirst()
            answer(reply(to: verb), tag: tag)
            rounds += 1
        }
    }

    /// Lets time pass for the replica.
    func wait(_ ms: UInt64) {
        nowMs += ms
        tick()
    }

    /// The names of the steps since the last look.
    func heard() -> [String] {
        defer { said = [] }
        return said.map { step in
            switch step {
            case .subscribe: return "subscribe"
            case .ask: return "ask"
            case .installed: return "installed"
            case .applied(let diff): return "applied \(diff.revision)"
            case .absent: return "absent"
            case .compared(let relation): return relation.rawValue
            case .mismatch: return "mismatch"
            }
        }
    }

    var freshness: Replica.Freshness { replica.freshness(nowMs: nowMs) }

    /// Whether the replica's table is the daemon's, as a whole.
    var isInStep: Bool {
        guard let table, let live = replica.table else { return false }
        return freshness == .live && asked.isEmpty && live.revision == table.revision
            && live.digest == table.digest && live.rows == table.rows
            && live.history == table.history && live.fault() == nil
    }

    /// A viewer that is up to date with a table of some rows.
    static func live(_ ids: RowID..., retention: Retention = Retention()) -> Exchange {
        let exchange = Exchange(retention: retention)
        exchange.commit(.create)
        for id in ids { exchange.add(id) }
        exchange.start()
        exchange.hear(exchange.welcome)
        exchange.answerAll()
        _ = exchange.heard()
        return exchange
    }
}
