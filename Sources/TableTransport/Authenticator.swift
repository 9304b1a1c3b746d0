import CZeroMQ

/// Decides on every connection to the sockets of its domain, before anything of it is let in
/// (ZAP, rfc.zeromq.org/spec/27). One per context.
///
/// Who may open a unix socket, or connect to a loopback address, is let in. That the question is
/// asked at all keeps out peers of ZMTP 1.0 and 2.0, and each message of a unix socket then says
/// which user sent it.
public struct Authenticator: ~Copyable {
    /// What listening sockets name in `SocketOptions.domain`.
    public static let domain = "trestle"

    /// The property of a message that says by which connection it came: they are counted as they
    /// are decided on.
    public static let connection = "Connection"

    /// Whether questions may be left that `watch` does not report again.
    public private(set) var hasMore = false
    private var decided: UInt64 = 0
    private let socket: Socket
    // Routing id, delimiter, then the eight of a request without credentials.
    private var request = Frames(limit: 12)
    private var answer = Frames(limit: 8)

    /// Answers from now on. Before the first socket of its domain listens.
    public init(in context: Context) throws(TransportError) {
        var options = SocketOptions()
        // As many as connections may be in their handshake.
        options.sendHighWaterMark = 65_536
        options.receiveHighWaterMark = 65_536
        let socket = try Socket(.router, in: context, options: options)
        try socket.bind("inproc://zeromq.zap.01")
        self.socket = socket
    }

    /// Waits for questions too: not as for a socket, which libzmq would look at in each turn.
    public func watch(with poller: inout Poller) throws(TransportError) -> Poller.Entry {
        poller.add(descriptor: try socket.fileDescriptor)
    }

    /// Answers what was asked; at most a thousand, so that commands do not wait for newcomers: to be
    /// called again, without a wait, while there is more.
    public mutating func decide() throws(TransportError) {
        hasMore = true
        for _ in 0..<1_000 {
            guard try socket.receive(into: &request) else { return hasMore = false }
            // From libzmq itself. Another shape would be of another version: nobody is let in.
            guard request.count >= 8, request.excess == 0, request.bytes(at: 2) == Self.version
            else { continue }
            answer.removeAll()
            answer.append(request.bytes(at: 0))
            answer.append("")
            answer.append("1.0")
            answer.append(request.bytes(at: 3))
            let isKnown = request.bytes(at: 4) == Array(Self.domain.utf8)
            answer.append(isKnown ? "200" : "400")
            answer.append(isKnown ? "" : "no such domain")
            answer.append(isKnown ? Self.user(of: request.bytes(at: 5)) : [])
            decided += 1
            answer.append(Self.metadata(Self.connection, "\(decided)"))
            _ = try socket.send(&answer)
        }
    }

    /// A property, as ZMTP writes it.
    private static func metadata(_ name: String, _ value: String) -> [UInt8] {
        let size = value.utf8.count
        var bytes = [UInt8(name.utf8.count)] + Array(name.utf8)
        bytes += [0, 0, UInt8(size >> 8), UInt8(size & 255)]
        return bytes + Array(value.utf8)
    }

    private static let version = Array("1.0".utf8)

    /// libzmq writes a peer of a unix socket as `localhost:UID:GID:PID`. Empty for any other.
    static func user(of address: [UInt8]) -> [UInt8] {
        let parts = address.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 4, parts[1].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return [] }
        return Array(parts[1])
    }
}
