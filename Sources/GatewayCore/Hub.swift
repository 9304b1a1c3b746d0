import TableModel

/// Names one WebSocket, or one who waits for a snapshot.
public typealias PageID = Int

/// A message for pages, made once for all of them: a head line, and bytes that pass untouched.
public struct Message: Sendable {
    /// The first line.
    public var head: String
    /// The rest, behind a line break; nil: there is none.
    public var body: [UInt8]?

    /// A message of these.
    public init(_ head: String, _ body: [UInt8]? = nil) {
        self.head = head
        self.body = body
    }

    /// A message with this text.
    public init(_ head: String, text: String) { self.init(head, Array(text.utf8)) }

    /// Its length as a text frame without the frame's own head.
    public var count: Int { head.utf8.count + (body.map { $0.count + 1 } ?? 0) }
}

/// Why a socket is closed by this end.
public enum EndCode: String, Sendable {
    case revoked, shutdown, tooMuch, malformed

    /// For people.
    public var message: String {
        switch self {
        case .revoked: return "This device was taken off the list. Pair it again."
        case .shutdown: return "The gateway is stopping."
        case .tooMuch: return "This device sent more than it may."
        case .malformed: return "That is no message of this protocol."
        }
    }
}

/// An effect that the hub asks for.
public enum Effect: Sendable {
    /// Send this to these pages.
    case send([PageID], Message)
    /// Send this request to the daemon, with the frame before it that says for which device.
    case request([UInt8], behalf: [UInt8])
    /// Begin or end a subscription at the daemon.
    case subscribe(String), unsubscribe(String)
    /// Let the daemon say once more what a table's revision is.
    case probe(String)
    /// Tell the page why, and close its socket.
    case end(PageID, EndCode)
}

/// The hub knows which pages follow which tables, whose requests are under way, and what each page may cost. No sockets, no
/// clock.
public struct Hub {
    /// The bounds of the hub.
    public struct Bounds: Sendable {
        /// Unsent bytes of a page beyond which publications are left out.
        public var publications = 1 << 20
        /// Unsent bytes of a page beyond which replies are left out too, as the daemon does.
        public var replies = 4 << 20
        /// Sockets of one device.
        public var socketsOfDevice = 16
        /// Tables that one page follows.
        public var follows = 16
        /// Tables that all pages follow: the daemon bounds the topics of a connection.
        public var tables = 200
        /// Tables that all pages of one device follow: so no device takes the places of others.
        public var tablesOfDevice = 32
        /// Bytes of the topics of those tables: the daemon ends a connection beyond 16 KiB of them.
        public var topicBytes = 15 << 10
        /// The bytes of topics of one device.
        public var topicBytesOfDevice = 2 << 10
        /// Client ids of one page whose replies still find it.
        public var clients = 64
        /// Bytes a second from one device, and at once.
        public var bytesPerSecond = 2.0 * Double(1 << 20)
        /// Bytes at once from one device.
        public var bytesAtOnce = 16.0 * Double(1 << 20)
        /// The cost of a join, since a snapshot is packed for it.
        public var joinBytes = 256 << 10
        /// Bytes of snapshots a second for one device.
        public var snapshotBytesPerSecond = 8.0 * Double(1 << 20)
        /// Bytes of snapshots at once for one device.
        public var snapshotBytesAtOnce = 64.0 * Double(1 << 20)
        /// The least cost of a message, however short.
        public var leastBytes = 512

        /// Those above.
        public init() {}
    }

    struct Page {
        var device: Device
        /// The frame before its requests: the page has no say in it.
        var behalf: [UInt8]?
        var follows: Set<TableID> = []
        var clients: [String] = []
        /// Bytes that were handed to its socket and not taken.
        var unsent = 0
        /// Tables of which something was left out.
        var dropped: Set<TableID> = []
    }

    let bounds: Bounds
    /// The state of the daemon, as far as it is known.
    public var daemon = DaemonState()
    /// The hub's counters.
    var counters = Counters()
    /// The name and version that pages are told.
    public var program: (name: String, version: String)
    /// The hash of all files of the page.
    public private(set) var assets: String

    var pages: [PageID: Page] = [:]
    /// By the bytes of the names: two that only look alike are two tables.
    var followers: [TableID: Set<PageID>] = [:]
    /// Where the replies to a client go.
    var clients: [String: PageID] = [:]
    var budgets: [String: Bucket] = [:]
    /// The bytes of snapshots that devices may be given.
    var snapshotBudgets: [String: Bucket] = [:]
    /// The last heartbeat or welcome of each table that somebody follows.
    var latest: [TableID: (body: [UInt8], atMs: Int)] = [:]
    var probedAtMs: [TableID: Int] = [:]

    /// A hub without pages.
    public init(
        program: (name: String, version: String), assets: String, bounds: Bounds = Bounds()
    ) {
        self.program = program
        self.assets = assets
        self.bounds = bounds
    }

    /// How many pages are open.
    public var pageCount: Int { pages.count }

    /// How many tables somebody follows.
    public var tableCount: Int { followers.count }

    /// Whether one more socket of this device may open.
    public func admits(_ device: Device) -> Bool {
        pages.values.lazy.filter { $0.device.name == device.name }.count < bounds.socketsOfDevice
    }

    /// A socket is open.
    public mutating func opened(_ page: PageID, _ device: Device) -> [Effect] {
        pages[page] = Page(device: device, behalf: device.behalfFrame)
        counters.opened += 1
        return tell(page, device)
    }

    /// A socket is closed.
    public mutating func closed(_ page: PageID) -> [Effect] {
        guard let gone = pages.removeValue(forKey: page) else { return [] }
        for client in gone.clients where clients[client] == page { clients[client] = nil }
        return gone.follows.sorted().flatMap { unfollow(page, $0) }
    }

    /// The devices are these now. Sockets of others are closed.
    public mutating func devices(_ devices: [Device]) -> [Effect] {
        let known = Set(devices)
        let prefixes = Set(devices.map(\.prefix))
        // One that has another name now connects anew, by itself.
        return pages.filter { !known.contains($0.value.device) }.sorted { $0.key < $1.key }
            .map { page, state in
                .end(page, prefixes.contains(state.device.prefix) ? .shutdown : .revoked)
            }
    }

    /// The socket of a page has taken so many bytes.
    public mutating func written(_ page: PageID, _ count: Int) -> [Effect] {
        guard var state = pages[page] else { return [] }
        state.unsent = max(0, state.unsent - count)
        let isThrough = state.unsent <= bounds.publications / 2 && !state.dropped.isEmpty
        let dropped = isThrough ? state.dropped.sorted() : []
        if isThrough { state.dropped = [] }
        pages[page] = state
        return dropped.flatMap { send([page], Message("dropped \($0)")) }
    }

    /// The files of the page are others now: each page hears so.
    public mutating func serves(assets: String) -> [Effect] {
        self.assets = assets
        return tellDevices()
    }

    /// Tells each page again who it is and what stands behind it.
    mutating func tellDevices() -> [Effect] {
        pages.sorted { $0.key < $1.key }.flatMap { page, state in tell(page, state.device) }
    }

    /// The message has the daemon's last `hello`, which a page takes for a sign that the daemon answers. So the
    /// page hears at once when it does not.
    private mutating func tell(_ page: PageID, _ device: Device) -> [Effect] {
        send([page], deviceMessage(device)) + (daemon.isUp ? [] : send([page], daemonMessage))
    }

    /// Whether the daemon answers; if not, why.
    var daemonMessage: Message {
        if daemon.isUp { return Message("daemon up") }
        return Message("daemon down", text: #"{"why":\#(JSONText.quote(daemon.why))}"#)
    }

    /// Tells all pages that this end stops.
    public func shutdown() -> [Effect] { pages.keys.sorted().map { .end($0, .shutdown) } }

    func deviceMessage(_ device: Device) -> Message {
        let parts = [
            #""device":\#(JSONText.quote(device.name))"#,
            #""role":\#(JSONText.quote(device.role.rawValue))"#,
            #""tables":\#(JSONText.list(device.tables.map(\.description)))"#,
            #""prefix":\#(JSONText.quote(device.prefix))"#,
            #""program":\#(JSONText.quote(program.name))"#,
            #""version":\#(JSONText.quote(program.version))"#,
            #""assets":\#(JSONText.quote(assets))"#,
        ]
        let start = "{" + parts.joined(separator: ",") + #","hello":"#
        return Message(
            "device", Array(start.utf8) + (daemon.hello ?? Array("null".utf8)) + Array("}".utf8))
    }

    /// Sends a message that is never held back: a reply, or a short one.
    mutating func send(_ to: [PageID], _ message: Message) -> [Effect] {
        let count = message.count
        var taken: [PageID] = []
        for page in to where pages[page] != nil {
            guard (pages[page]?.unsent ?? 0) + count <= max(bounds.replies, 2 * count) else {
                counters.droppedReplies += 1
                continue
            }
            pages[page]?.unsent += count
            taken.append(page)
        }
        return taken.isEmpty ? [] : [.send(taken, message)]
    }
}
