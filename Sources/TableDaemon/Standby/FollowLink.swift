import TableSync
import TableTransport
import TableWire

/// The connection of a standby to the daemon that it follows: one question at a time, and the answer to it.
final class FollowLink {
    private let socket: Socket
    private let endpoint: String
    /// When to connect anew, if there is no connection.
    private var connectsAtMs: UInt64 = 0
    private var incoming = Frames(limit: 4)
    private var number: UInt64 = 0
    /// When the question was asked that is under way; nil: none is.
    private var askedMs: UInt64?
    /// Until then nothing is asked.
    private var restsUntilMs: UInt64 = 0
    private var monitor: SocketMonitor
    /// Why there is no connection; nil: there is one, or it is waited for.
    private(set) var trouble: String?
    private let keyHint: String

    /// An answer that has not come in so long does not come.
    private static let patienceMs: UInt64 = 3_000
    /// The largest answer: one entry of the largest turn, or a piece of a copy.
    private static let mostBytes: Int64 = 128 << 20

    /// Connects, and goes on to try.
    init(_ settings: FollowSettings, in context: Context, secret: CurveKey?) throws {
        var options = SocketOptions()
        options.sendsOnlyWhenConnected = true
        options.maximumFrameBytes = Self.mostBytes
        options.heartbeat = .init()
        options.allowsIPv6 = settings.endpoint.utf8.contains(UInt8(ascii: "["))
        if let text = settings.key {
            // Without both it would be a connection in the open.
            guard let key = CurveKey(text), let secret else {
                throw DaemonError(
                    .badConfiguration, "`journal.follow.key`: it is no key, or this daemon has none"
                )
            }
            options.curve = .init(server: key, publicKey: try secret.publicKey(), secret: secret)
        }
        socket = try Socket(.dealer, in: context, options: options)
        endpoint = settings.endpoint
        keyHint =
            settings.key == nil
            ? "" : ": `journal.follow.key` may not be its key, or it encrypts nothing"
        monitor = try SocketMonitor(socket)
        try socket.connect(endpoint)
    }

    var descriptor: Int32? { try? socket.fileDescriptor }

    /// Nothing is asked for so long.
    func rest(_ ms: UInt64, nowMs: UInt64) { restsUntilMs = nowMs + ms }

    /// Whether the next question may be asked.
    func isDue(_ nowMs: UInt64) -> Bool {
        nowMs >= restsUntilMs && nowMs >= (askedMs.map { $0 + Self.patienceMs } ?? 0)
    }

    /// Asks, if there is a connection. An older question is forgotten.
    func ask(_ verb: Request.Verb, nowMs: UInt64) throws {
        number += 1
        var request = Request(verb)
        request.number = number
        var frames = Frames(limit: 2)
        frames.append(Form.binary.frame)
        frames.append(Encode.request(request, form: .binary))
        askedMs = try socket.send(&frames) == .sent ? nowMs : nil
        if askedMs != nil || connectsAtMs == 0 { connectsAtMs = nowMs + Self.patienceMs }
        guard nowMs >= connectsAtMs else { return }
        // libzmq gives a connection up for good when the other end does not know the key, and it may by now.
        connectsAtMs = nowMs + Self.patienceMs
        trouble = trouble ?? "\(endpoint) does not answer: there is no connection"
        try? socket.disconnect(endpoint)
        try socket.connect(endpoint)
    }

    private func watch() throws {
        while let event = try monitor.next() {
            switch event.kind {
            case .ready: trouble = nil
            case .handshakeFailed(isRefused: true):
                trouble = "\(endpoint) refuses the key of this daemon: its list has no such guest"
            case .handshakeFailed(isRefused: false):
                trouble = "\(endpoint) breaks the connection off while it is made" + keyHint
            // A daemon that answered before does not answer any more.
            case .retrying: trouble = nil
            case .connected, .disconnected: break
            }
        }
    }

    /// The answer to the question that is under way, and when that was asked; nil: it has not come.
    func receive() throws -> (answer: Reply.Answer, askedMs: UInt64)? {
        try watch()
        while try socket.receive(into: &incoming) {
            guard let asked = askedMs, incoming.count == 2,
                incoming.withBytes(at: 0, { Header.form($0) }) == .binary,
                let reply = incoming.withBytes(
                    at: 1,
                    {
                        (bytes: UnsafeRawBufferPointer) -> Reply? in
                        try? Decode.reply(bytes, form: .binary)
                    }), reply.number == number
            else { continue }
            askedMs = nil
            return (reply.answer, asked)
        }
        return nil
    }
}
