import CPeerGuard
import TableModel
import TableSync

/// Bounds on what one peer can cost: bounds in bytes that libzmq does not have, held by a guard that reads
/// along with it (docs/decisions/0022).
enum PeerGuard {
    /// Publications after which to look whether all viewers read.
    static let publishedPerLook = 4 << 20

    /// The figures that the guard has counted.
    struct Figures {
        var connections: UInt32
        var strangers: UInt32
        /// The number of connections that were ended, by the reason's name in `stats`.
        var ended: [String: UInt64]
        /// User and process of the peer that was ended last, where it came by a unix socket. −1: not known.
        var lastUser: Int64
        var lastProcess: Int64
    }

    /// Begins, before the first bind. Throws where libzmq would not be guarded.
    static func start(connections: Int) throws(DaemonError) {
        var bounds = peer_guard_rules()
        bounds.connections = UInt32(clamping: connections)
        bounds.message_bytes = messageBytes
        switch peer_guard_start(&bounds) {
        case 0: break
        case -1: throw DaemonError(.io, "libzmq does not call the guard in this program")
        default: throw DaemonError(.io, "no memory for the guard of connections")
        }
    }

    /// Connections to these endpoints are encrypted.
    static func seal(_ pairs: [Configuration.Endpoints]) throws(DaemonError) {
        for pair in pairs {
            for (url, subscribes) in [(pair.request, false), (pair.publish, true)] {
                guard let port = Configuration.port(url) else { continue }
                switch peer_guard_seal(port, subscribes) {
                case 0: break
                case -2:
                    throw DaemonError(.io, "libzmq does not decrypt with libsodium in this program")
                default:
                    throw DaemonError(.badConfiguration, "too many endpoints with `curve: true`")
                }
            }
        }
    }

    /// Whether a connection is still there. Where it is not, libzmq may have let go of it too.
    static func isOpen(_ descriptor: Int32, number: UInt64) -> Bool {
        peer_guard_is_open(descriptor, number)
    }

    /// Another number of connections from now on. Those beyond a smaller one stay; no more are let in.
    static func change(connections: Int) {
        peer_guard_change(UInt32(clamping: connections), messageBytes)
    }

    /// Four times the limit of a request: up to here it is refused by name.
    static let messageBytes = UInt64(Limits().requestBytes) * 4 + 65_536

    /// The messages that the daemon takes in: libzmq holds them meanwhile, and the guard bounds them.
    struct Inbox {
        static let requests = Inbox(raw: PEER_GUARD_REQUESTS)
        static let subscriptions = Inbox(raw: PEER_GUARD_SUBSCRIPTIONS)
        fileprivate let raw: peer_guard_inbox

        /// The count of what has arrived in this process's life.
        var arrived: UInt64 { peer_guard_arrived(raw) }

        /// Whether so many requests wait that it matters whose they are.
        static var isCrowded: Bool { peer_guard_is_crowded() }

        /// A message of so many frames, not counting a routing id, and bytes is taken in. Whose it was
        /// need be said only of requests, where it is crowded.
        func took(frames: Int, bytes: Int, from descriptor: Int32 = -1) {
            peer_guard_took(raw, UInt64(max(0, frames)), UInt64(max(0, bytes)), descriptor)
        }

        /// Nothing is left of what had arrived at a time.
        func drained(of arrived: UInt64) { peer_guard_drained(raw, arrived) }
    }

    /// Where a request came from.
    struct Connection {
        /// −1: not known, and its replies are not counted.
        var descriptor: Int32 = -1
        /// As the `Authenticator` counts: a later one that has the same descriptor has more.
        var number: UInt64 = 0
    }

    /// Whether a connection that sent a request is still there; true where it is not known which it was.
    static func isThere(_ connection: Connection) -> Bool {
        connection.descriptor < 0 || connection.number == 0
            || peer_guard_is_open(connection.descriptor, connection.number)
    }

    /// Whether a connection reads enough for its requests to be worth an answer.
    static func reads(_ connection: Connection) -> Bool {
        peer_guard_reads(connection.descriptor, connection.number)
    }

    /// Whether a connection reads enough to be given a reply, which is then counted.
    static func mayReply(to connection: Connection, bytes: Int) -> Bool {
        peer_guard_may_reply(connection.descriptor, connection.number, UInt64(bytes))
    }

    /// Ends a principal's viewers, which come again and are asked anew what they may read. Of those
    /// that came by tcp it ends all.
    static func endViewers(of principal: Principal) { peer_guard_end_viewers(uid(principal)) }

    /// How many connections a user has. Those that came by tcp are counted together.
    static func connections(of principal: Principal) -> UInt32 {
        peer_guard_connections_of(uid(principal))
    }

    private static func uid(_ principal: Principal) -> Int64 {
        if case .user(let uid) = principal.proof { return Int64(uid) }
        return -1
    }

    /// How many connections were ended so far, for any reason.
    static var endedCount: UInt64 { endedCounts(of: rawFigures).dropFirst().reduce(0, &+) }

    private static var rawFigures: peer_guard_figures {
        var raw = peer_guard_figures()
        peer_guard_read(&raw)
        return raw
    }

    /// Gives the ended connections by the code of the reason.
    private static func endedCounts(of raw: peer_guard_figures) -> [UInt64] {
        withUnsafeBytes(of: raw.ended) { Array($0.bindMemory(to: UInt64.self)) }
    }

    static var figures: Figures {
        let raw = rawFigures
        let counts = endedCounts(of: raw)
        var ended: [String: UInt64] = [:]
        // The first is no reason.
        for (code, count) in counts.enumerated().dropFirst() {
            let reason = peer_guard_reason(rawValue: UInt32(code))
            ended[String(cString: peer_guard_reason_name(reason))] = count
        }
        return Figures(
            connections: raw.connections, strangers: raw.strangers, ended: ended,
            lastUser: raw.last_uid, lastProcess: raw.last_pid)
    }
}
