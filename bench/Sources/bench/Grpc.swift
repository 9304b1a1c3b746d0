import CZeroMQ
import Glibc

/// As much of gRPC over HTTP/2 as etcd needs: requests of one path on one connection, each a
/// stream of its own. What comes back is lent as whole messages.
struct GrpcConnection {
    let descriptor: Int32
    private let path: String
    private var stream: UInt32 = 1
    private var incoming = [UInt8](repeating: 0, count: 64 << 10)
    private var end = 0
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
        descriptor = try Self.connect(port)
        var bytes = Self.preface
        // SETTINGS_INITIAL_WINDOW_SIZE, and the connection's window: as large as they can be, so
        // that nothing needs to be said about windows later.
        Self.frame(Kind.settings, 0, 0, [0, 4, 0x7F, 0xFF, 0xFF, 0xFF], &bytes)
        Self.frame(Kind.window, 0, 0, [0x7F, 0xFE, 0, 0], &bytes)
        try send(bytes)
    }

    private static func connect(_ port: Int) throws(Failure) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, size)
            }
        }
        guard connected == 0 else {
            Glibc.close(descriptor)
            throw Failure("connect to etcd")
        }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
        return descriptor
    }

    func close() { Glibc.close(descriptor) }

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
        try send(bytes)
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

    private func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, 0)
            }
            guard count > 0 else { throw Failure("write to etcd") }
            sent += count
        }
    }

    /// Takes what has come, if anything has, and lends each whole message. How many requests were
    /// answered, and how many of these without a message: a failure.
    mutating func receive(
        waits: Bool = false, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) -> (answered: Int, failed: Int) {
        if end == incoming.count { incoming += [UInt8](repeating: 0, count: incoming.count) }
        let start = end
        let count = incoming.withUnsafeMutableBytes {
            recv(
                descriptor, $0.baseAddress?.advanced(by: start), $0.count - start,
                waits ? 0 : Int32(MSG_DONTWAIT))
        }
        if count < 0, errno == EAGAIN { return (0, 0) }
        guard count > 0 else { throw Failure("read from etcd") }
        end += count
        var result = (answered: 0, failed: 0)
        var offset = 0
        while end - offset >= 9 {
            let size =
                Int(incoming[offset]) << 16 | Int(incoming[offset + 1]) << 8
                | Int(incoming[offset + 2])
            guard end - offset >= 9 + size else { break }
            let content = offset + 9..<offset + 9 + size
            try take(incoming[offset + 3], incoming[offset + 4], content, &result, body)
            offset = content.upperBound
        }
        incoming.replaceSubrange(0..<end - offset, with: Array(incoming[offset..<end]))
        end -= offset
        return result
    }

    private mutating func take(
        _ kind: UInt8, _ flags: UInt8, _ content: Range<Int>,
        _ result: inout (answered: Int, failed: Int), _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) {
        switch kind {
        case Kind.data:
            message.append(contentsOf: incoming[content])
            lend(body)
        case Kind.headers where flags & 1 != 0:
            result.answered += 1
            // An error is told in headers alone, and has the stream's first as its last.
            if !hasMessage { result.failed += 1 }
            hasMessage = false
        case Kind.settings where flags & 1 == 0, Kind.ping where flags & 1 == 0:
            var bytes: [UInt8] = []
            let echo = kind == Kind.ping ? Array(incoming[content]) : []
            Self.frame(kind, 1, 0, echo, &bytes)
            try send(bytes)
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
