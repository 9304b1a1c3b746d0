import CZeroMQ
import Glibc

/// As much of gRPC over HTTP/2 as etcd needs: requests of one path on one connection, each a
/// stream of its own. What comes back is lent as whole messages.
struct GrpcConnection {
    private let connection: Connection
    private let path: String
    private var stream: UInt32 = 1
    private var incoming = Incoming(capacity: 64 << 10)
    /// gRPC messages may lie in several DATA frames.
    private var message: [UInt8] = []

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private enum Kind {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let reset: UInt8 = 3
        static let settings: UInt8 = 4
        static let ping: UInt8 = 6
        static let goAway: UInt8 = 7
        static let window: UInt8 = 8
    }

    init(port: Int, path: String) throws(Failure) {
        self.path = path
        connection = try Connection(port: port)
        var bytes = Self.preface
        // SETTINGS_INITIAL_WINDOW_SIZE, and the connection's window: as large as they can be, so
        // that nothing needs to be said about windows later.
        Self.frame(Kind.settings, 0, 0, [0, 4, 0x7F, 0xFF, 0xFF, 0xFF], &bytes)
        Self.frame(Kind.window, 0, 0, [0x7F, 0xFE, 0, 0], &bytes)
        try connection.send(bytes)
    }

    var descriptor: Int32 { connection.descriptor }

    func close() { connection.close() }

    /// Sends one request; with `stays` more could follow on its stream, as for a watch.
    mutating func request(_ body: [UInt8], stays: Bool = false) throws(Failure) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + 160)
        Self.frame(Kind.headers, 4, stream, headers, &bytes)
        var data: [UInt8] = [0]
        withUnsafeBytes(of: UInt32(body.count).bigEndian) { data.append(contentsOf: $0) }
        data.append(contentsOf: body)
        Self.frame(Kind.data, stays ? 0 : 1, stream, data, &bytes)
        stream += 2
        try connection.send(bytes)
    }

    /// HPACK. The first request puts its headers into the connection's table, the others name them.
    private var headers: [UInt8] {
        // POST, http: of the static table.
        var block: [UInt8] = [0x83, 0x86]
        if stream > 1 { return block + [0xC1, 0xC0, 0xBF, 0xBE] }
        func text(_ text: String) { block += [UInt8(text.utf8.count)] + Array(text.utf8) }
        block.append(0x44)
        text(path)
        block.append(0x41)
        text("localhost")
        block.append(0x5F)
        text("application/grpc")
        block.append(0x40)
        text("te")
        text("trailers")
        return block
    }

    private static func frame(
        _ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ content: [UInt8],
        _ bytes: inout [UInt8]
    ) {
        let size = content.count
        bytes += [UInt8(size >> 16 & 0xFF), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)]
        bytes += [kind, flags]
        withUnsafeBytes(of: stream.bigEndian) { bytes.append(contentsOf: $0) }
        bytes += content
    }

    /// Takes what has come, if anything has, and lends each whole message. How many requests were
    /// answered, and how many of these without a message: a failure.
    mutating func receive(
        waits: Bool = false, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) -> (answered: Int, failed: Int) {
        guard try incoming.receive(connection, waits: waits) else { return (0, 0) }
        var frames: [(kind: UInt8, flags: UInt8, content: [UInt8])] = []
        incoming.read { bytes in
            var offset = 0
            while bytes.count - offset >= 9 {
                let size =
                    Int(bytes[offset]) << 16 | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
                guard bytes.count - offset >= 9 + size else { break }
                let content = Array(bytes[offset + 9..<offset + 9 + size])
                frames.append((bytes[offset + 3], bytes[offset + 4], content))
                offset += 9 + size
            }
            return offset
        }
        var result = (answered: 0, failed: 0)
        for (kind, flags, content) in frames { try take(kind, flags, content, &result, body) }
        return result
    }

    private mutating func take(
        _ kind: UInt8, _ flags: UInt8, _ content: [UInt8],
        _ result: inout (answered: Int, failed: Int), _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) {
        switch kind {
        case Kind.data:
            message.append(contentsOf: content)
            lend(body)
        case Kind.headers where flags & 1 != 0:
            result.answered += 1
            // An error is told in headers alone, and has the stream's first as its last.
            if !hasMessage { result.failed += 1 }
            hasMessage = false
        case Kind.settings where flags & 1 == 0, Kind.ping where flags & 1 == 0:
            var bytes: [UInt8] = []
            let echo = kind == Kind.ping ? content : []
            Self.frame(kind, 1, 0, echo, &bytes)
            try connection.send(bytes)
        case Kind.reset, Kind.goAway: throw Failure("etcd ended a stream")
        default: break
        }
    }

    private var hasMessage = false

    private mutating func lend(_ body: (UnsafeRawBufferPointer) -> Void) {
        var offset = 0
        while message.count - offset >= 5 {
            let size = message[offset + 1..<offset + 5].reduce(0) { $0 << 8 | Int($1) }
            guard message.count - offset >= 5 + size else { break }
            message.withUnsafeBytes {
                body(UnsafeRawBufferPointer(rebasing: $0[offset + 5..<offset + 5 + size]))
            }
            hasMessage = true
            offset += 5 + size
        }
        message.removeFirst(offset)
    }
}
