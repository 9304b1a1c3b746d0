import CZeroMQ
import Glibc

/// Decides on every connection to the sockets of its domain before any of its data is read (ZAP,
/// rfc.zeromq.org/spec/27). One per context.
///
/// Whoever may open a unix socket or connect to a loopback address is accepted. The check itself
/// has two uses. It keeps out peers of ZMTP 1.0 and 2.0. Each message of a unix socket then carries
/// its user. With CURVE, the holder of a key on the list is accepted, and nobody else.
public struct Authenticator: ~Copyable {
    /// The domain that listening sockets name in `SocketOptions.domain`.
    public static let domain = "trestle"

    /// The property of a message that says by which connection it came: they are counted as they
    /// are decided on.
    public static let connection = "Connection"

    /// The names of the keys that may connect with CURVE.
    public var keys: [CurveKey: String] = [:] { didSet { pace.keep(keys.keys) } }
    /// How many new connections one key may make at once; 20 a second besides.
    public var newOfKey: Int {
        get { Int(clamping: pace.burst) }
        set { pace.burst = UInt64(clamping: newValue) }
    }
    private var pace = KeyPace(burst: 128)
    /// How often CURVE was refused.
    public private(set) var refusals: UInt64 = 0
    /// How often a known key was told to come later.
    public private(set) var hasty: UInt64 = 0
    private var refused: [Refused] = []
    private var unkept: UInt64 = 0
    private var decided: UInt64 = 0
    private let socket: Socket
    // Routing id, delimiter, then the eight frames of a request without credentials.
    private var request = Frames(limit: 12)
    private var answer = Frames(limit: 8)

    /// Answers from now on. Make it before the first socket of its domain listens.
    public init(in context: Context) throws(TransportError) {
        var options = SocketOptions()
        // As many connections may be in their handshake at once.
        options.sendHighWaterMark = 65_536
        options.receiveHighWaterMark = 65_536
        let socket = try Socket(.router, in: context, options: options)
        try socket.bind("inproc://zeromq.zap.01")
        self.socket = socket
    }

    /// Registers its requests with a poller.
    public func watch(with poller: inout Poller) -> Poller.Entry { poller.add(socket) }

    /// Answers the waiting requests, but at most a thousand, so that commands need not wait.
    public mutating func decide() throws(TransportError) {
        for _ in 0..<1_000 {
            guard try socket.receive(into: &request) else { return }
            // libzmq itself sends these. Another shape means another version: it gets no answer.
            guard request.count >= 8, request.excess == 0, request.bytes(at: 2) == Self.version
            else { continue }
            answer.removeAll()
            answer.append(request.bytes(at: 0))
            answer.append("")
            answer.append("1.0")
            answer.append(request.bytes(at: 3))
            let user = user()
            // 300: it comes again by itself, and is not told why.
            let isHasty = user != nil && isHasty()
            answer.append(isHasty ? "300" : user != nil ? "200" : "400")
            answer.append(isHasty ? "come later" : user != nil ? "" : "not known here")
            answer.append(isHasty ? [] : user ?? [])
            decided = max(decided + 1, SystemClock.nanoseconds(CLOCK_MONOTONIC))
            answer.append(Self.metadata(Self.connection, "\(decided)"))
            _ = try socket.send(&answer)
        }
    }

    /// Whom the question is about: the user of a unix socket, the name of a key, or nobody in
    /// particular (empty). Nil: who asks is not let in.
    private mutating func user() -> [UInt8]? {
        guard request.bytes(at: 4) == Array(Self.domain.utf8) else { return nil }
        let address = request.bytes(at: 5)
        switch request.bytes(at: 7) {
        case Self.null: return Self.isHere(address) ? Self.user(of: address) : nil
        case Self.curve:
            let key = request.count == 9 ? CurveKey(bytes: request.bytes(at: 8)) : nil
            if let name = key.flatMap({ keys[$0] }) { return Array((Self.keyPrefix + name).utf8) }
            refusals += 1
            if let key, refused.count < Self.mostRefused {
                refused.append(Refused(address: String(decoding: address, as: UTF8.self), key: key))
            } else {
                unkept += 1
            }
            return nil
        default: return nil
        }
    }

    /// Whether a key makes new connections faster than it may.
    private mutating func isHasty() -> Bool {
        guard request.count == 9, request.bytes(at: 7) == Self.curve,
            let key = CurveKey(bytes: request.bytes(at: 8)),
            !pace.lets(key, at: SystemClock.nanoseconds(CLOCK_MONOTONIC))
        else { return false }
        hasty += 1
        return true
    }

    /// A peer that has shown a key that is not on the list.
    public struct Refused: Equatable, Sendable {
        /// The peer's address.
        public let address: String
        /// Its public key.
        public let key: CurveKey
    }

    /// Those who were refused since the last call, up to a bound, and how many more there were.
    public mutating func takeRefused() -> (kept: [Refused], more: UInt64) {
        defer { (refused, unkept) = ([], 0) }
        return (refused, unkept)
    }

    private static let mostRefused = 64

    private static let null = Array("NULL".utf8)
    private static let curve = Array("CURVE".utf8)
    /// How the user of a connection begins that has proven a key.
    public static let keyPrefix = "key:"

    /// Without keys only this machine is served, whatever a socket is bound to.
    static func isHere(_ address: [UInt8]) -> Bool {
        let text = String(decoding: address, as: UTF8.self)
        return !user(of: address).isEmpty || text.hasPrefix("127.") || text == "::1"
            || text.hasPrefix("::ffff:127.")
    }

    /// A property, as ZMTP writes it.
    private static func metadata(_ name: String, _ value: String) -> [UInt8] {
        let size = value.utf8.count
        var bytes = [UInt8(name.utf8.count)] + Array(name.utf8)
        bytes += [0, 0, UInt8(size >> 8), UInt8(size & 255)]
        return bytes + Array(value.utf8)
    }

    private static let version = Array("1.0".utf8)

    /// The user id of a peer. libzmq writes a unix socket's peer as `localhost:UID:GID:PID`. Empty
    /// for any other peer.
    static func user(of address: [UInt8]) -> [UInt8] {
        let parts = address.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        // An address of ipv6 has colons too.
        guard parts.count == 4, parts[0].elementsEqual("localhost".utf8),
            parts[1...].allSatisfy({ part in
                !part.isEmpty && part.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            })
        else { return [] }
        return Array(parts[1])
    }
}
