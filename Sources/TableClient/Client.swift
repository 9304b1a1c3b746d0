public import TableModel
public import TableSync
import TableTransport
public import TableWire

/// A connection to a daemon: asks, commands, follows tables. For one thread.
///
/// Commands are numbered and sent again until they are answered, so each is carried out once,
/// through lost replies and restarts of the daemon.
///
///     let client = try Client("ipc:///run/trestle/request.sock")
///     let reply = try client.perform(.command(Command(.remove(["t41"]))), on: "board")
public final class Client {
    /// What it is connected to.
    public let endpoint: String
    /// Names the writer in causes, and the holder of invocations.
    public var id: ID { writer.client }
    /// What people call who sits here: in the history, and the holder of claims and leases.
    public var name: ID? {
        get { writer.name }
        set { writer.name = newValue }
    }
    /// Binary for programs; JSON to see what is said.
    public let form: Form
    /// Whether a daemon that was not there yet is waited for, until the deadline. Otherwise what
    /// needs it throws `unreachable` as soon as an attempt to connect has failed. A daemon that was
    /// there and is away is waited for in any case.
    public var patience = Patience.always
    let context: Context
    let requests: Socket
    private var monitor: SocketMonitor
    private var poller = Poller(capacity: 2)
    private var incoming = Frames(limit: 4)
    let writer: Writer
    /// When `greeting` asked last.
    private var greetedMs: UInt64?
    private var readNumber: UInt64 = 0
    private var hasConnected = false
    /// Why the latest attempt to connect failed, while none has succeeded.
    private var obstacle: Obstacle?
    private var timesForbidden = 0
    private var known: Hello?

    /// For which daemon there is any waiting.
    public enum Patience: Sendable {
        /// For none.
        case none
        /// For one that may be about to be started again: its socket is there.
        case forRestart
        /// For any.
        case always
    }

    /// Connects, without waiting for the daemon to be there. `id` names the writer in causes and
    /// must be its own: leave it out to have one made.
    public init(_ endpoint: String, id: ID? = nil, form: Form = .binary) throws {
        self.endpoint = endpoint
        self.form = form
        writer = Writer(client: id ?? Self.randomID())
        context = try Context()
        requests = try Socket(.dealer, in: context, options: Self.options)
        monitor = try SocketMonitor(requests)
        try requests.connect(endpoint)
        _ = poller.add(requests)
        _ = poller.add(monitor)
    }

    /// A name for a writer: 60 random bits, short because it stands in every diff it causes.
    public static func randomID(prefix: String = "") -> ID {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        var generator = SystemRandomNumberGenerator()
        let letters = (0..<12).map { _ in alphabet[Int((generator.next() as UInt64) & 31)] }
        return ID(prefix + String(letters))
    }

    static var options: SocketOptions {
        var options = SocketOptions()
        options.maximumFrameBytes = 64 << 20
        options.receiveHighWaterMark = 10_000
        options.reconnectMilliseconds = 50
        options.reconnectMaximumMilliseconds = 500
        return options
    }

    // MARK: Asking and commanding

    /// Asks for something that changes nothing, again and again until the deadline: for what is to
    /// be done once there is `perform`, and to ask for it here is a mistake of the program. What keeps the
    /// daemon busy for long is better asked once: `againAfterMilliseconds` nil.
    public func ask(
        _ verb: Request.Verb, about table: TableID? = nil,
        by deadline: Deadline = Deadline(inMilliseconds: 5_000),
        againAfterMilliseconds pauseMs: UInt64? = 1_000, withName: Bool = false
    ) throws -> Reply {
        precondition(!verb.description.isRemembered, "`perform` has it done, and once")
        var request = readRequest(verb, about: table)
        if withName { identify(&request) }
        while true {
            try send(request)
            let pause = Deadline(inMilliseconds: pauseMs)
            while let reply = try receive(before: pause, and: deadline) {
                guard reply.client == request.client, reply.number == request.number else {
                    continue
                }
                // Who asked, and for the how-many-eth time, is nobody's concern: it is no command.
                var answer = reply
                if withName { (answer.client, answer.number) = (nil, nil) }
                return answer
            }
            if deadline.hasPassed { throw silence }
        }
    }

    /// What the daemon says of itself; asked for once.
    public func hello(by deadline: Deadline = Deadline(inMilliseconds: 5_000)) throws -> Hello {
        if let known { return known }
        return try met(try ask(.hello, by: deadline))
    }

    /// The same without waiting: nil as long as the daemon has not answered. To be called again and
    /// again, by programs that have something else to do meanwhile; until it has given an answer
    /// nothing else may be asked.
    public func greeting() throws -> Hello? {
        if let known { return known }
        let now = Deadline(inMilliseconds: 0)
        while let reply = try receive(before: now, and: now) {
            switch reply.answer {
            case .hello, .refused: return try met(reply)
            default: continue
            }
        }
        // What is asked before there is a connection waits for one; only later can it get lost.
        let isDue = greetedMs.map { hasConnected && monotonicMs() - $0 >= 1_000 } ?? true
        if isDue {
            greetedMs = monotonicMs()
            try send(readRequest(.hello, about: nil))
        }
        return nil
    }

    private func met(_ reply: Reply) throws -> Hello {
        switch reply.answer {
        case .hello(let hello):
            known = hello
            writer.opened(at: hello.opened)
            return hello
        case .refused(let rejection): throw ClientError.protocolMismatch(rejection.message)
        default: throw ClientError.protocolMismatch("hello was not answered by hello")
        }
    }

    /// Has one thing done, exactly once, and returns the answer, which may be a refusal.
    ///
    /// Throws `timeout` where it is not known whether it was done: after the deadline, or when
    /// `givesUp`, which is asked a few times a second, says so.
    public func perform(
        _ verb: Request.Verb, on table: TableID?,
        by deadline: Deadline = Deadline(inMilliseconds: 5_000), givesUp: () -> Bool = { false }
    ) throws -> Reply {
        _ = try hello(by: deadline)
        let number = try issue(verb, on: table)
        while true {
            let pause = Deadline(inMilliseconds: 250)
            while let reply = try receive(before: pause, and: deadline) {
                if writer.answered(reply), reply.number == number { return reply }
            }
            if deadline.hasPassed || givesUp() { throw silence }
            try sendDue()
        }
    }

    /// Numbers a command, and sends it if one more may be under way; else `sendDue` does, later.
    func issue(_ verb: Request.Verb, on table: TableID?) throws -> UInt64 {
        let request = writer.request(verb, table: table, nowMs: monotonicMs())
        guard let number = request.number else { preconditionFailure("a writer numbers") }
        if writer.hasRoom(for: number) { try send(request) }
        return number
    }

    /// Sends what there is room for by now, and again what was not answered for long.
    func sendDue() throws {
        for request in writer.due(nowMs: monotonicMs()) { try send(request) }
    }

    /// Sends bytes as they are, as one body, and returns the body of the reply.
    public func exchange(
        _ body: [UInt8], form: Form, by deadline: Deadline = Deadline(inMilliseconds: 5_000)
    ) throws -> [UInt8] {
        try send(body, form)
        while !deadline.hasPassed {
            guard try waitForFrames(before: deadline, and: deadline) else { continue }
            return incoming.bytes(at: incoming.count - 1)
        }
        throw silence
    }

    /// The table as it is now. `progress` is told how many parts of how many have come.
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
                case .absent:
                    throw ClientError.refused(
                        Rejection(
                            .noSuchTable, "There is no table \"\(table.text)\".", field: "table"))
                default: break
                }
            }
            steps = []
            let pause = Deadline(inMilliseconds: 250)
            if let reply = try receive(before: pause, and: deadline) {
                if let number = reply.number, let tag = numbers.removeValue(forKey: number) {
                    if case .snapshot(let part) = reply.answer {
                        parts += 1
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
        return Request(number: readNumber, table: table, verb)
    }

    /// Says who asks.
    func identify(_ request: inout Request) {
        request.client = id
        request.name = name
        // Apart from the commands' numbers, which begin at 1.
        request.number = request.number.map { $0 | 1 << 52 }
    }

    func send(_ request: Request) throws {
        try send(Encode.request(request, form: form), form)
    }

    /// Without the empty delimiter, which only a REQ socket needs: one frame less for each of the
    /// threads that it goes through, there and back.
    private func send(_ body: [UInt8], _ form: Form) throws {
        _ = try requests.send([Array(form.header.utf8), body])
    }

    /// The next reply; nil when none came in time.
    func receive(before pause: Deadline, and deadline: Deadline) throws -> Reply? {
        while try waitForFrames(before: pause, and: deadline) {
            let last = incoming.count - 1
            do {
                return try incoming.withBytes(at: last) { try Decode.reply($0, form: form) }
            } catch {
                throw ClientError.protocolMismatch("a reply cannot be read: \(error)")
            }
        }
        return nil
    }

    private func waitForFrames(before pause: Deadline, and deadline: Deadline) throws -> Bool {
        while true {
            try takeEvents()
            if try requests.receive(into: &incoming) { return incoming.count > 1 }
            let left = deadline.milliseconds(atMost: pause.milliseconds(atMost: 60_000))
            if left == 0 { return false }
            _ = try poller.wait(milliseconds: left)
        }
    }

    private func takeEvents() throws {
        while let event = try monitor.next() {
            switch event.kind {
            case .connected: hasConnected = true
            case .retrying where !hasConnected: try meet(Obstacle.find(on: endpoint))
            default: break
            }
        }
    }

    /// An attempt to connect has failed; libzmq makes the next by itself.
    private func meet(_ found: Obstacle) throws {
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

    private var silence: ClientError {
        if hasConnected { return .timeout(endpoint: endpoint) }
        switch obstacle {
        case .forbidden(let what): return .notPermitted(endpoint: endpoint, because: what)
        case .absent(let why): return .unreachable(endpoint: endpoint, because: why)
        case .silent:
            return .unreachable(endpoint: endpoint, because: "nobody listens there")
        case nil: return .unreachable(endpoint: endpoint)
        }
    }
}
