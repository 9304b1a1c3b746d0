import GatewayCore
import NIOCore
import typealias TableModel.TableID
import TableSync

/// Everything that is known of pages, devices and the daemon. It belongs to the event loop: nothing
/// else touches it, which is why it may be handed to handlers unchecked.
final class Gateway: @unchecked Sendable {
    let settings: Settings
    let loop: any EventLoop
    let upstream: Upstream
    let store: DeviceStore
    var hub: Hub
    var choice: DaemonChoice
    var assets: Assets
    var addresses: Addresses
    var register: Register
    /// When devices were last used.
    var uses = DeviceUses()
    private var notedAtMs = Clock.monotonicMs
    /// The certificate for the connections to come; nil: without TLS.
    var certificate: Certificate?
    /// Whether the latest hangup found a file that is no good.
    var isReloadRefused = false
    private var readiness = Readiness()
    var attempts: PairingAttempts
    var snapshots: Snapshots<GzipPacker>
    /// Open sockets by page.
    var sockets: [PageID: SocketHandler] = [:]
    /// The pages that wait for a snapshot.
    var joiners: [PageID: Joiner] = [:]
    /// Snapshots that are not read to their end.
    var unsent = UnsentSnapshots()
    /// Every connection, for deadlines and bounds.
    var connections: [ObjectIdentifier: ConnectionGuard] = [:]
    /// The oldest revision from which the daemon can replay, and the history, by table.
    var oldest: [TableID: UInt64] = [:]
    /// Screens that ask to be let in.
    var askings = Askings()
    var isStopping = false
    /// Why the list of devices cannot be read; nil: it can.
    private var trouble: String?
    private var lastID = 0
    private var helloNumber: UInt64 = 0
    private var helloAtMs = 0
    /// Answers to what was asked before are another daemon's.
    private var firstNumber: UInt64 = 0
    private var flushing: Set<PageID> = []
    private let client = "gateway-\(Secret.hex(8))"

    /// Hears the snapshot that a page waits for.
    typealias Joiner = (PageID, Result<GzipSnapshot, SnapshotRefusal>) -> Void

    init(
        settings: Settings, loop: any EventLoop, upstream: Upstream, store: DeviceStore,
        assets: Assets, addresses: Addresses
    ) throws {
        self.settings = settings
        self.loop = loop
        self.upstream = upstream
        self.store = store
        self.assets = assets
        self.addresses = addresses
        choice = DaemonChoice(settings.endpoint)
        register = try store.read()
        attempts = PairingAttempts(nowMs: Clock.monotonicMs)
        hub = Hub(program: ("trestle-serve", Hello.programVersion), assets: assets.hash)
        snapshots = Snapshots(client: client + "-s") { GzipPacker() }
    }

    var nextID: PageID {
        lastID += 1
        return lastID
    }

    /// Takes over the list of devices as it is on disk, and ends the sockets of those that are gone.
    func readDevices() throws {
        register = try store.read()
        trouble = nil
        carryOut(hub.devices(register.devices))
    }

    /// The device with this secret.
    func device(tokenHash: String, isToken: Bool) -> Device? {
        known { $0.device(tokenHash: tokenHash, isToken: isToken, now: Clock.seconds) }
    }

    /// Whether somebody is invited by this code. A code that was guessed costs no more than this look: it reads and
    /// locks nothing.
    func isInvited(codeHash: String) -> Bool {
        known { $0.isInvited(codeHash: codeHash, now: Clock.seconds) ? true : nil } ?? false
    }

    /// Looks into the list of devices. Where nothing is found, it may have changed just now.
    private func known<Found>(_ find: (Register) -> Found?) -> Found? {
        if let found = find(register) { return found }
        guard store.hasChanged(), (try? readDevices()) != nil else { return nil }
        return find(register)
    }

    /// Why no changes can be made; nil: they can.
    var fault: String? {
        isStopping ? "stopping" : readiness.fault(hub.daemon, nowMs: Clock.monotonicMs)
    }

    /// Notes when devices were last used, where that says something new.
    private func noteUses() {
        for socket in sockets.values { uses.saw(socket.device, now: Clock.seconds) }
        let due = uses.due(in: register)
        guard !due.isEmpty else { return }
        do {
            try store.change { register throws(DeviceRefusal) in register.note(due) }
            try readDevices()
        } catch {
            Log.say("cannot note when devices were used: \(error)")
        }
    }

    /// Whether one more connection may stand. Where there are as many as may be, another one leaves for it.
    func makesRoom() -> Bool {
        guard connections.count >= settings.mostConnections else { return true }
        let those = connections.values.lazy.compactMap { one in one.leaving.map { (one, $0) } }
        guard let (one, _) = those.min(by: { $0.1 < $1.1 }) else { return false }
        one.leave()
        hub.countLeaving()
        return true
    }

    // MARK: Time

    /// Four times a second: deadlines, the list of devices, and the daemon's hello.
    func tick() {
        let now = Clock.monotonicMs
        upstream.sign(nowMs: now)
        if now - helloAtMs >= 500 { askHello(now) }
        if now - notedAtMs >= 5_000 {
            notedAtMs = now
            noteUses()
        }
        if choice.tick(nowMs: now) { turn(now) }
        carryOut(hub.tick(nowMs: now))
        carryOut(snapshots.tick(nowMs: now))
        if store.hasChanged() {
            do {
                try readDevices()
            } catch {
                // The next tick tries again: somebody may have been revoked. It is said once.
                let text = "\(error)"
                if text != trouble {
                    Log.say("cannot read the devices, and go on with those of before: \(text)")
                }
                trouble = text
            }
        }
        for connection in Array(connections.values) { connection.tick(nowMs: now) }
        flush()
    }

    private func askHello(_ now: Int) {
        helloAtMs = now
        helloNumber += 2
        for (number, verb) in [(helloNumber, "hello"), (helloNumber + 1, "health")] {
            let body = #"{"client":"\#(client)","number":\#(number),"\#(verb)":{}}"#
            upstream.order(.request(Array(body.utf8)))
        }
    }

    /// Goes to the daemon of the service that is chosen now. Pages hear of it by its `hello`, and send again
    /// what was under way.
    private func turn(_ now: Int) {
        upstream.order(.connect(choice.present))
        hub.daemon.turned()
        readiness.lost()
        firstNumber = helloNumber + 2
        askHello(now)
    }

    // MARK: The daemon

    /// Takes messages from the other thread, of `bytes` bytes together.
    func heard(_ batch: [Heard], bytes: Int) {
        let now = Clock.monotonicMs
        for heard in batch {
            switch heard {
            case .reply(let reply): heardReply(reply, now)
            case .publication(let topic, let body):
                let topic = String(decoding: topic, as: UTF8.self)
                noteOldest(topic, body)
                carryOut(hub.heardPublication(topic: topic, body, nowMs: now))
            case .refused(let word): hub.daemon.refused(word)
            case .connected(let endpoint):
                // What was asked before it stood is lost, and the daemon may have been started anew.
                guard choice.areSeveral, endpoint == choice.present else { continue }
                askHello(now)
            case .failed(let endpoint):
                if endpoint == choice.present { readiness.lost() }
                if choice.failed(endpoint, nowMs: now) { turn(now) }
            case .stop, .reload: break
            }
        }
        upstream.looked(bytes, nowMs: now)
        flush()
    }

    private func heardReply(_ reply: [UInt8], _ now: Int) {
        let before = ["table", "hello", "snapshot", "error", "rows", "epoch", "tables"]
        guard let place = JSONMembers.find("client", in: reply, before: before),
            let name = JSONMembers.text(reply, place)
        else {
            // A refusal of what the daemon could not read, and we could: its hello tells why.
            return
        }
        if name == client {
            guard let place = JSONMembers.find("number", in: reply, before: before),
                let number = JSONMembers.number(reply, place), number >= firstNumber
            else { return }
            heardOwn(reply, isHealth: number % 2 == 1, now)
        } else if name == snapshots.client {
            guard let place = JSONMembers.find("number", in: reply, before: before),
                let number = JSONMembers.number(reply, place)
            else { return }
            carryOut(snapshots.heard(reply, number: number, nowMs: now))
        } else {
            carryOut(hub.heardReply(reply, client: name))
            guard choice.areSeveral, let leader = DaemonChoice.leader(in: reply) else { return }
            if choice.isStandby(of: leader, nowMs: now) { turn(now) }
        }
    }

    /// An answer to `hello`, or to `health`.
    private func heardOwn(_ reply: [UInt8], isHealth: Bool, _ now: Int) {
        choice.heard(nowMs: now)
        if isHealth {
            guard let health = DaemonChoice.health(in: reply) else {
                return readiness.refused("noHealth", nowMs: now)
            }
            readiness.heard(health, nowMs: now)
            if choice.heard(health, nowMs: now) { turn(now) }
            return
        }
        let epoch = hub.daemon.epoch
        carryOut(hub.heardHello(reply, nowMs: now))
        if hub.daemon.epoch != epoch { snapshots.forget() }
        if hub.daemon.isMet {
            connectPublications()
        } else if hub.daemon.isOutdated, choice.isOutdated(nowMs: now) {
            turn(now)
        }
    }

    /// Publications come by the transport that requests go by.
    private func connectPublications() {
        let endpoint = Hello.publishEndpoint(
            of: hub.daemon.publish, asking: choice.present,
            withKeys: settings.keys[choice.present] != nil)
        if let endpoint { upstream.order(.publications(at: endpoint)) }
    }

    private func noteOldest(_ topic: String, _ body: [UInt8]) {
        guard topic.hasPrefix("j/") else { return }
        guard let table = Hub.table(of: topic) else { return }
        for name in ["heartbeat", "welcome"] {
            guard let place = JSONMembers.find(name, in: body, before: ["diffs"]) else { continue }
            oldest[table] = JSONMembers.find("oldest", in: body, place)
                .flatMap { JSONMembers.number(body, $0) }
            return
        }
        if JSONMembers.find("dropped", in: body, before: ["diffs"]) != nil {
            snapshots.forget(table)
            oldest[table] = nil
        }
    }

    // MARK: Effects

    func carryOut(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .send(let pages, let message):
                let frame = SocketHandler.frame(message)
                for page in pages {
                    guard let socket = sockets[page] else { continue }
                    socket.send(frame, counting: message.count)
                    flushing.insert(page)
                }
            case .request(let body, let behalf):
                // Pages send it again as soon as they are told of the daemon's `hello`.
                guard hub.daemon.isMet else { continue }
                upstream.order(.request(body, behalf: behalf))
            case .subscribe(let topic): upstream.order(.subscribe(topic))
            case .unsubscribe(let topic):
                upstream.order(.unsubscribe(topic))
                if topic.hasPrefix("j/"), let table = Hub.table(of: topic) { oldest[table] = nil }
            case .probe(let topic): upstream.order(.probe(topic))
            case .end(let page, let code): sockets[page]?.end(code)
            }
        }
    }

    /// Once for all that was written in one turn.
    func flush() {
        // What a flush sets free may be followed by more.
        while let page = flushing.popFirst() { sockets[page]?.flush() }
    }

    // MARK: Joining

    /// Asks for a snapshot; `answer` is called once, unless the page leaves before.
    func join(_ table: TableID, answer: @escaping Joiner) -> PageID {
        let id = nextID
        joiners[id] = answer
        let now = Clock.monotonicMs
        carryOut(snapshots.ask(table, for: id, oldest: oldest[table], nowMs: now))
        return id
    }

    func left(_ joiner: PageID) {
        joiners[joiner] = nil
        snapshots.left(joiner)
        unsent.end(joiner)
    }

    /// Why a device is not given a snapshot now; nil: it is, and reads it as this page.
    func refusal(of snapshot: GzipSnapshot, to device: Device, _ page: PageID) -> String? {
        guard unsent.begin(page, of: device, snapshot: snapshot.number, bytes: snapshot.count)
        else { return "Too many snapshots that were asked for are not read yet. Try again." }
        if hub.gives(device, bytes: snapshot.count, nowMs: Clock.monotonicMs) { return nil }
        unsent.end(page)
        return "This device joins too often. Try again."
    }

    private func carryOut(_ effects: [Snapshots<GzipPacker>.Effect]) {
        for effect in effects {
            switch effect {
            case .request(let body):
                // An old first would show what was before the promotion. Its page is refused, and asks again.
                guard hub.daemon.isMet else { continue }
                upstream.order(.request(body))
            case .answer(let pages, let result):
                for page in pages { joiners.removeValue(forKey: page)?(page, result) }
            }
        }
    }

    // MARK: The end

    func stop() {
        isStopping = true
        noteUses()
        carryOut(hub.shutdown())
        flush()
    }
}
