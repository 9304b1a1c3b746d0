public import TableModel
public import TableSync
import TableTransport
public import TableWire

/// A connection to a daemon: asks, commands, follows tables. For one thread.
///
/// Commands are numbered and sent again until they are answered. So each is carried out once, even
/// if replies get lost or the daemon restarts.
///
///     let client = try Client("ipc:///run/trestle/request.sock")
///     let reply = try client.perform(.command(Command(.remove(["t41"]))), on: "board")
public final class Client {
    /// The endpoint of the daemon that it is connected to.
    public var endpoint: String { places.present }
    var places: ClientEndpoints
    /// The client's id: it names the writer in causes, and the holder of invocations. It is another one
    /// once the daemon has forgotten the client, which has commanded nothing for long.
    public var id: ID { writer.client }
    /// The person's name: in the history, and as the holder of claims and leases.
    public var name: ID? {
        get { writer.name }
        set { writer.name = newValue }
    }
    /// On whose behalf it asks and commands, with no more rights than that has; nil: for its own user. Set
    /// it before the first request. Publications are its user's in any case.
    public var behalf: Behalf? {
        didSet { behalfFrame = behalf.map { Encode.behalf($0, form: form) } }
    }
    private(set) var behalfFrame: [UInt8]?
    /// The encoding: binary for programs, JSON to read along.
    public let form: Form
    /// Which daemon to wait for, until the deadline, if it is not there yet. Without waiting, a
    /// request throws `unreachable` as soon as an attempt to connect has failed. A daemon that was
    /// there before is always waited for.
    public var patience = Patience.always
    let context: Context
    let requests: Socket
    /// The options of its sockets, which a follower's socket has too.
    let socketOptions: SocketOptions
    private var monitor: SocketMonitor
    private var poller = Poller(capacity: 2)
    private var incoming = Frames(limit: 4)
    let writer: Writer
    private var readNumber: UInt64 = 0
    var hasConnected = false
    /// How often a connection was made: a daemon that was started anew is met by another one.
    private(set) var connections = 0
    /// Whether the request takes the daemon long, and is sent once: another daemon is asked only where this one is gone.
    private(set) var isPatient = false
    /// Bytes are exchanged, which are sent once, and whose answer is not read: it may be any.
    private(set) var isExchanging = false
    private let begunMs = monotonicMs()
    /// Why the latest attempt to connect failed; nil: none has failed.
    private var obstacle: Obstacle?
    private var timesForbidden = 0
    private var handshakesFailed = 0
    private var refusal: String?
    /// The other end did not know the key, so libzmq has given the connection up for good.
    var isGivenUp = false
    var known: Hello?
    /// The daemon's start in which it said this.
    var knownEpoch: ID128?
    /// The question for `hello` that has no answer yet, and when it was last sent.
    var helloAsked: (question: Request, sentMs: UInt64)?

    /// Which daemon a client waits for.
    public enum Patience: Sendable {
        /// For none.
        case none
        /// For one whose socket is there: it may be restarting.
        case forRestart
        /// For any.
        case always
    }

    /// Connects, without waiting for the daemon. `id` names the writer in causes and must be its
    /// own; nil makes a random one. `keys` are for endpoints that are served with CURVE. Several daemons
    /// that are one service are a list: `tcp://10.0.0.1:7571,tcp://10.0.0.2:7571`.
    public init(
        _ endpoint: String, id: ID? = nil, form: Form = .binary, keys: ClientKeys? = nil
    ) throws {
        places = ClientEndpoints(endpoint)
        self.form = form
        writer = Writer(client: id ?? Self.randomID()) { Self.randomID() }
        context = try Context()
        socketOptions = Self.options(for: places.present, keys)
        requests = try Socket(.dealer, in: context, options: socketOptions)
        monitor = try SocketMonitor(requests)
        try requests.connect(places.present)
        _ = poller.add(requests)
        _ = poller.add(monitor)
    }

    /// An id for a writer: 60 random bits. It is short because each of the writer's diffs has it.
    public static func randomID() -> ID {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        var generator = SystemRandomNumberGenerator()
        let letters = (0..<12).map { _ in alphabet[Int((generator.next() as UInt64) & 31)] }
        return ID(String(letters))
    }

    // MARK: Asking and commanding

    /// Sends a request that changes nothing, again and again until it is answered or the deadline
    /// passes. A request that changes something is a mistake of the program here: `perform` sends it
    /// once. Ask only once what keeps the daemon busy for long: `againAfterMilliseconds` nil.
    public func ask(
        _ verb: Request.Verb, about table: TableID? = nil,
        by deadline: Deadline = Deadline(inMilliseconds: 5_000),
        againAfterMilliseconds pauseMs: UInt64? = 1_000, withName: Bool = false
    ) throws -> Reply {
        precondition(!verb.description.isRemembered, "`perform` has it done, and once")
        var request = readRequest(verb, about: table)
        if withName { identify(&request) }
        let body = Encode.request(request, form: form)
        // Only a small one is within the limits of every daemon.
        if body.count > Self.alwaysTaken, known == nil { _ = try hello(by: deadline) }
        try check(body)
        defer { isPatient = false }
        while true {
            // A daemon of an older term is not asked for reads either.
            if writer.isHeld, verb != .hello, verb != .health { _ = try hello(by: deadline) }
            isPatient = pauseMs == nil
            try send(body, form)
            let pause = Deadline(inMilliseconds: pauseMs)
            while let reply = try receive(before: pause, and: deadline) {
                guard reply.client == request.client, reply.number == request.number else {
                    continue
                }
                if try goesElsewhere(reply, by: deadline) { break }
                places.settled()
                // It is no command, so the caller has no use for client and number.
                var answer = reply
                if withName { (answer.client, answer.number) = (nil, nil) }
                return answer
            }
            if deadline.hasPassed { throw silence }
        }
    }

    /// Sends bytes unchanged, as one body; returns the body of the reply.
    public func exchange(
        _ body: [UInt8], form: Form, by deadline: Deadline = Deadline(inMilliseconds: 5_000)
    ) throws -> [UInt8] {
        isExchanging = true
        defer { isExchanging = false }
        try send(body, form)
        while !deadline.hasPassed {
            guard try waitForFrames(before: deadline, and: deadline) else { continue }
            return incoming.bytes(at: incoming.count - 1)
        }
        throw silence
    }

    /// The table as it is now. `progress` gets the parts that have come, and their total.
    public func snapshot(
        of table: TableID, by deadline: Deadline = Deadline(inMilliseconds: 30_000),
        progress: (_ parts: Int, _ of: Int) -> Void = { _, _ in }
    ) throws -> (table: Table, epoch: ID128) {
        var parts = 0
        let replica = Replica(table) { 0 }
        var steps = replica.begin(nowMs: monotonicMs())
        var numbers: [UInt64: UInt64] = [:]
        while true {
            for step in steps {
                switch step {
                case .ask(let verb, let tag):
                    let request = readRequest(verb, about: table)
                    request.number.map { numbers[$0] = tag }
                    try send(request)
                case .installed:
                    if let held = replica.table, let epoch = replica.epoch { return (held, epoch) }
                case .absent: throw ClientError.refused(.noTable(table))
                default: break
                }
            }
            steps = []
            if let reply = try receive(before: Deadline(inMilliseconds: 250), and: deadline) {
                if let number = reply.number, let tag = numbers.removeValue(forKey: number) {
                    if let error = reply.hopeless { throw error }
                    if case .snapshot(let part) = reply.answer {
                        // One that came late has been asked for twice.
                        parts = min(parts + 1, part.chunks)
                        progress(parts, part.chunks)
                    }
                    steps = replica.answered(reply, tag: tag, nowMs: monotonicMs())
                }
            } else {
                if deadline.hasPassed { throw silence }
                steps = replica.tick(nowMs: monotonicMs())
            }
        }
    }

    // MARK: Frames

    func readRequest(_ verb: Request.Verb, about table: TableID?) -> Request {
        readNumber += 1
        var request = Request(number: readNumber, table: table, verb)
        request.zoneSeconds = zoneSeconds()
        return request
    }

    /// Adds the client, its name and a number of its own to a request.
    func identify(_ request: inout Request) {
        request.client = id
        request.name = name
        // Different from the commands' numbers, which begin at 1.
        request.number = request.number.map { $0 | 1 << 52 }
    }

    func send(_ request: Request) throws { try send(Encode.request(request, form: form), form) }

    /// Sends without the empty delimiter, which only a REQ socket needs: one frame less to pass
    /// through each thread, there and back.
    func send(_ body: [UInt8], _ form: Form) throws {
        if isGivenUp {
            // The key may be known by now.
            (isGivenUp, refusal) = (false, nil)
            try? requests.disconnect(endpoint)
            try requests.connect(endpoint)
        }
        if places.areSeveral, places.waitingSinceMs == nil { places.waitingSinceMs = monotonicMs() }
        guard let behalfFrame else {
            _ = try requests.send([Array(form.header.utf8), body])
            return
        }
        // `exchange` may send in another form than ours.
        let frame =
            form == self.form ? behalfFrame : behalf.map { Encode.behalf($0, form: form) } ?? []
        _ = try requests.send([Array(form.behalfHeader.utf8), frame, body])
    }

    /// The next reply; nil when none came in time.
    func receive(before pause: Deadline, and deadline: Deadline) throws -> Reply? {
        while try waitForFrames(before: pause, and: deadline) {
            let last = incoming.count - 1
            do {
                let reply = try incoming.withBytes(at: last) { try Decode.reply($0, form: form) }
                if try isAboutLimits(reply) { continue }
                let (isTaken, isLeft) = try isAboutPlace(reply)
                if !isTaken { return reply }
                if isLeft { return nil }
            } catch let error as WireError {
                throw ClientError.protocolMismatch("a reply cannot be read: \(error)")
            }
        }
        return nil
    }

    private func waitForFrames(before pause: Deadline, and deadline: Deadline) throws -> Bool {
        while true {
            let changes = places.changes
            try takeEvents()
            if places.changes != changes { return false }
            if try requests.receive(into: &incoming) {
                places.waitingSinceMs = nil
                return incoming.count > 1
            }
            // Whoever waits here sends again what was asked of the one before.
            if try turnIfSilent() { return false }
            var left = deadline.milliseconds(atMost: pause.milliseconds(atMost: 60_000))
            if left == 0 { return false }
            if places.waitingSinceMs != nil { left = min(left, 100) }
            _ = try poller.wait(milliseconds: left)
        }
    }

    private func takeEvents() throws {
        while let event = try monitor.next() {
            switch event.kind {
            case .connected: hasConnected = true
            case .ready:
                (handshakesFailed, refusal) = (0, nil)
                connections += 1
                places.connected(event.endpoint)
            case .handshakeFailed(let isRefused): try handshakeFailed(isRefused)
            case .retrying where places.areSeveral: try isRefused(event.endpoint)
            case .disconnected where places.areSeveral:
                if event.endpoint == endpoint { try turn() }
            case .retrying where !hasConnected: try meet(Obstacle.find(on: endpoint))
            default: break
            }
        }
    }

    /// The other end is there, and does not let us in.
    private func handshakeFailed(_ isRefused: Bool) throws {
        guard socketOptions.curve != nil else { return }
        handshakesFailed += 1
        if isRefused {
            // Another daemon of the service may know the key.
            places.failures += 1
            if places.areSeveral, places.failures % places.all.count != 0 { return try turn() }
            refusal = "it does not know this key (who runs it adds it: trestled keys add)"
            isGivenUp = true
            throw silence
        }
        // A restart too may end one in between.
        guard handshakesFailed > 2 else { return }
        refusal = "its key is not the one that is trusted, or it serves without keys there"
        if patience != .always { throw silence }
    }

    /// An attempt to connect has failed. libzmq makes the next one by itself.
    func meet(_ found: Obstacle) throws {
        obstacle = found
        switch found {
        case .absent:
            timesForbidden = 0
            if patience != .always { throw silence }
        case .silent:
            timesForbidden = 0
            if patience == .none { throw silence }
        case .forbidden:
            // A daemon that is just starting makes its socket before it opens it to the group.
            timesForbidden += 1
            if timesForbidden > 1 { throw silence }
        }
    }

    var silence: ClientError {
        if let refusal { return .notPermitted(endpoint: endpoint, because: refusal) }
        if hasConnected { return .timeout(endpoint: endpoint, because: places.refusal) }
        // No attempt to connect has ended, and there was hardly time for one.
        let isTooSoon = obstacle == nil && monotonicMs() - begunMs < ClientEndpoints.patienceMs
        switch obstacle ?? (isTooSoon ? Obstacle.find(on: endpoint) : nil) {
        case .forbidden(let what): return .notPermitted(endpoint: endpoint, because: what)
        case .absent(let why): return .unreachable(endpoint: endpoint, because: why)
        // Perhaps somebody listens there.
        case .silent where isTooSoon: return .timeout(endpoint: endpoint)
        case .silent:
            return .unreachable(endpoint: endpoint, because: "nobody listens there")
        case nil: return .unreachable(endpoint: endpoint)
        }
    }
}
