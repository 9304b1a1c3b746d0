import Glibc
import TableClient
import TableModel
import TableSync
import TableTransport
import TableWire

/// A daemon without a journal, in the thread of its test: it does something when it is told to `step`.
final class SmallDaemon {
    let endpoint: String
    private(set) var server: Server
    /// What arrives is lost.
    var isDeaf = false
    /// How many requests were lost.
    private(set) var lost = 0
    /// The requests that were decided.
    private(set) var decided: [Request] = []
    private let limits: Limits
    private let requests: Socket
    private var publications: Socket
    private let makePublications: () throws -> Socket
    private let path: String
    /// Where it publishes.
    private(set) var publishing: String
    var heartbeatMs = 1_000
    /// What was asked waits, and only what is about the process is answered at once.
    var isBusy = false
    private var postponed: [(Request, hash: UInt64, peer: [UInt8])] = []
    /// Whether `health` says so.
    var isOutOfTouch = false
    /// Everything that arrives is lost, as of a process that is stopped.
    var isMute = false
    /// How often `hello` was answered.
    private(set) var greeted = 0
    /// The one that its `hello` names; 0: none.
    var term: UInt64 = 0
    /// How often `health` was asked.
    private(set) var healths = 0
    /// The keys that may connect, where it is served with CURVE.
    var authenticator: Authenticator?
    private var routes: [[UInt8]] = []
    private var epoch: UInt64 = 1

    static let table: TableID = "board"

    init(limits: Limits = Limits(), secret: CurveKey? = nil) throws {
        let context = try Context()
        var options = SocketOptions()
        if secret != nil {
            authenticator = try Authenticator(in: context)
            options.domain = Authenticator.domain
        }
        requests = try Socket(.router, in: context, options: options)
        if let secret { try requests.secure(with: secret) }
        makePublications = { [options] in
            let socket = try Socket(.xpub, in: context, options: options)
            if let secret { try socket.secure(with: secret) }
            return socket
        }
        publications = try makePublications()
        let path = "/tmp/trestle-small-\(UInt64.random(in: 0 ... .max))"
        self.path = path
        publishing = "ipc://\(path)-publish"
        endpoint = "ipc://\(path)"
        try requests.bind(endpoint)
        try publications.bind(publishing)
        self.limits = limits
        server = Self.fresh(1, limits)
    }

    deinit { for suffix in ["", "-publish", "-elsewhere"] { unlink(path + suffix) } }

    private static func fresh(_ epoch: UInt64, _ limits: Limits) -> Server {
        Server(
            epoch: ID128(high: epoch, low: epoch), limits: limits, codec: WireCodec(),
            makeID: { ID128(high: .random(in: 1 ... .max), low: epoch) })
    }

    /// Another daemon in its place, without tables.
    func startAnew() {
        epoch += 1
        server = Self.fresh(epoch, limits)
    }

    /// Nobody is published to where it was any more.
    func publishElsewhere() throws {
        publications = try makePublications()
        publishing = "ipc://\(path)-elsewhere"
        try publications.bind(publishing)
    }

    /// Rows of a kind whose action waits for a handler.
    func makeTable(rows: Int) throws {
        try change(.create)
        var action = Action("page")
        action.effects = [.invoke(deadlineSeconds: 600, then: [])]
        var kind = Kind("k")
        kind.trailing = ActionGroup(actions: [action])
        try change(.command(Command(.define(.init(kinds: [kind])))))
        for row in 0..<rows {
            try change(.command(Command(.add(.init(id: ID("r\(row)"), .init(kind: "k"))))))
        }
    }

    func press(_ row: RowID) throws {
        try change(.command(Command(.act(.init("page", on: row)))))
    }

    /// Of somebody else; with a client it is remembered.
    func change(_ verb: Request.Verb, as client: ID? = nil) throws {
        let request = Request(
            client: client, number: client.map { _ in 1 }, opened: server.position,
            table: Self.table, verb)
        try turn(request, hash: 1, from: nil)
    }

    /// Takes in what has arrived.
    func step() throws {
        try authenticator?.decide()
        var frames = Frames(limit: 4)
        while try publications.receive(into: &frames) { try welcome(frames.bytes(at: 0)) }
        while try requests.receive(into: &frames) {
            if isMute { continue }
            let (peer, last) = (frames.bytes(at: 0), frames.count - 1)
            let request = try frames.withBytes(at: last) {
                try Decode.request($0, form: .binary).result.get()
            }
            let hash = UInt64(frames.byteCount(at: last))
            if request.verb == .hello {
                try greet(request, peer)
            } else if request.verb == .health {
                try tellHealth(request, peer)
            } else if isBusy {
                postponed.append((request, hash, peer))
            } else if isDeaf {
                lost += 1
            } else {
                decided.append(request)
                try turn(request, hash: hash, from: peer)
            }
        }
        if isBusy { return }
        for (request, hash, peer) in postponed {
            decided.append(request)
            try turn(request, hash: hash, from: peer)
        }
        postponed = []
    }

    private func tellHealth(_ request: Request, _ peer: [UInt8]) throws {
        healths += 1
        var health = Health()
        health.cluster = Health.Cluster()
        health.cluster?.role = "standby"
        health.cluster?.isOutOfTouch = isOutOfTouch
        let reply = Reply(client: nil, number: request.number, epoch: server.epoch, .health(health))
        try send(Encode.reply(reply, form: .binary), to: peer)
    }

    private func greet(_ request: Request, _ peer: [UInt8]) throws {
        greeted += 1
        var hello = Hello()
        hello.limits = limits
        hello.opened = server.position
        hello.publish = [publishing]
        hello.heartbeatMs = heartbeatMs
        hello.term = term
        let reply = Reply(client: nil, number: request.number, epoch: server.epoch, .hello(hello))
        try send(Encode.reply(reply, form: .binary), to: peer)
    }

    /// A request that is refused by its connection is never read.
    func lets(in key: CurveKey, as name: String) { authenticator?.keys[key] = name }

    private func turn(_ request: Request, hash: UInt64, from peer: [UInt8]?) throws {
        server.begin(nowMs: wallClockMs(), monotonicMs: monotonicMs())
        let known = peer.flatMap { routes.firstIndex(of: $0) }
        if let peer, known == nil { routes.append(peer) }
        server.receive(
            request, requestHash: hash, from: known ?? (peer == nil ? -1 : routes.count - 1))
        server.serveWaiting(until: { false }, isThere: { _ in true }, sign: { _, _ in })
        let ready = server.finish()
        for one in ready.publications {
            try publish(
                Encode.publication(one.publication, encodedDiffs: one.encoded),
                about: one.publication.table)
        }
        for answer in ready.replies where answer.route >= 0 {
            let peer = routes[answer.route]
            switch answer.body {
            case .reply(let reply): try send(Encode.reply(reply, form: .binary), to: peer)
            case .recorded(let place): try send(Array((ready.entry ?? [])[place]), to: peer)
            case .remembered(let bytes), .text(let bytes): try send(bytes, to: peer)
            case .replay(let reply, let encoded):
                try send(Encode.reply(reply, encodedDiffs: encoded), to: peer)
            case .forDaemon: break
            }
        }
    }

    private func welcome(_ subscription: [UInt8]) throws {
        let parts = subscription.dropFirst().split(separator: UInt8(ascii: "/"))
        guard subscription.first == 1, parts.count == 2 else { return }
        let name = TableID(String(decoding: parts[1], as: UTF8.self))
        try publish(Encode.publication(server.welcome(to: name), form: .binary), about: name)
    }

    private func publish(_ body: [UInt8], about table: TableID) throws {
        _ = try publications.send([Array("b/\(table.text)/".utf8), body])
    }

    private func send(_ body: [UInt8], to peer: [UInt8]) throws {
        _ = try requests.send([peer, Array(Form.binary.header.utf8), body])
    }

    // MARK: Its clients

    /// A client that has its `hello`.
    func client() throws -> Client {
        let client = try Client(endpoint)
        try until { try client.greeting() != nil }
        return client
    }

    /// Steps until something holds.
    func until(_ what: () throws -> Bool) throws {
        let end = Deadline(inMilliseconds: 10_000)
        while try !what() {
            if end.hasPassed { throw ClientError.timeout(endpoint: endpoint) }
            try step()
            usleep(1_000)
        }
    }

    /// A step while a client waits; whether that has taken too long.
    func isStuck(_ end: Deadline, _ more: () throws -> Void = {}) -> Bool {
        do {
            try step()
            try more()
            return end.hasPassed
        } catch { return true }
    }
}
