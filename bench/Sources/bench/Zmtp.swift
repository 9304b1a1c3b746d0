import Glibc

/// A client of a libzmq socket, which speaks ZMTP 3.0 (rfc.zeromq.org/spec/23) over a plain stream:
/// as lean as the clients of Redis, so that what is measured is the server.
final class Zmtp {
    enum Kind: String {
        case dealer = "DEALER"
        case sub = "SUB"
    }

    private let connection: Connection
    private var incoming: Incoming
    private var outgoing: [UInt8] = []

    private enum Flag {
        static let more: UInt8 = 1
        static let long: UInt8 = 2
        static let command: UInt8 = 4
    }

    /// Connects to an endpoint `ipc://…` or `tcp://127.0.0.1:…`, and waits until a server listens there.
    init(_ kind: Kind, to endpoint: String, capacity: Int = 16 << 10) throws(Failure) {
        connection = try Self.connect(endpoint)
        incoming = Incoming(capacity: capacity)
        let mechanism = Array("NULL".utf8)
        try connection.send(
            [0xff] + zeros(8) + [0x7f, 3, 0] + mechanism + zeros(20 - mechanism.count) + zeros(32))
        let name = Array("Socket-Type".utf8)
        let value = Array(kind.rawValue.utf8)
        let ready =
            [5] + Array("READY".utf8) + [UInt8(name.count)] + name + [0, 0, 0, UInt8(value.count)]
            + value
        try connection.send([Flag.command, UInt8(ready.count)] + ready)
        // The other side's greeting, and its READY: it lets nobody in before it has decided who may.
        var isGreeted = false
        while !isGreeted {
            try incoming.receive(connection)
            incoming.read { bytes in
                guard bytes.count >= 66, bytes.count >= 66 + Int(bytes[65]) else { return 0 }
                isGreeted = true
                return 66 + Int(bytes[65])
            }
        }
    }

    private static func connect(_ endpoint: String) throws(Failure) -> Connection {
        let port = endpoint.split(separator: ":").last.flatMap { Int($0) }
        let end = nanoseconds() + 60_000_000_000
        while true {
            do {
                if let port { return try Connection(port: port) }
                return try Connection(path: String(endpoint.dropFirst("ipc://".count)))
            } catch {
                guard nanoseconds() < end else { throw error }
                usleep(500)
            }
        }
    }

    var descriptor: Int32 { connection.descriptor }

    func close() { connection.close() }

    func subscribe(_ topic: [UInt8]) throws(Failure) {
        try connection.send([0, UInt8(topic.count + 1), 1] + topic)
    }

    /// The frames of a request to trestled, in one write; as of our own client, without a delimiter.
    func sendRequest(_ body: [UInt8]) throws(Failure) {
        outgoing.removeAll(keepingCapacity: true)
        add(TrestleWords.header, flags: Flag.more)
        add(body, flags: 0)
        try connection.send(outgoing)
    }

    private func add(_ frame: [UInt8], flags: UInt8) {
        if frame.count < 256 {
            outgoing.append(flags)
            outgoing.append(UInt8(frame.count))
        } else {
            outgoing.append(flags | Flag.long)
            withUnsafeBytes(of: UInt64(frame.count).bigEndian) {
                outgoing.append(contentsOf: $0)
            }
        }
        outgoing.append(contentsOf: frame)
    }

    /// Takes in what has come. False: nothing, and `waits` was not wanted.
    @discardableResult
    func receive(waits: Bool) throws(Failure) -> Bool {
        try incoming.receive(connection, waits: waits)
    }

    /// The next message that is there; nil if there is none.
    func nextNow<Result>(
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(Failure) -> Result? {
        var result: Result?
        messages(atMost: 1) { result = body($0) }
        guard result == nil, try receive(waits: false) else { return result }
        messages(atMost: 1) { result = body($0) }
        return result
    }

    /// Lends the last frame of each whole message that has come, up to so many.
    func messages(atMost most: Int = .max, _ body: (UnsafeRawBufferPointer) -> Void) {
        var pings: [[UInt8]] = []
        incoming.read { bytes in
            var offset = 0
            var read = 0
            var count = 0
            while count < most, let frame = Frame(bytes, at: offset) {
                offset = frame.end
                if frame.flags & Flag.command != 0 {
                    if let ping = Self.ping(frame.content) { pings.append(ping) }
                    read = offset
                } else if frame.flags & Flag.more == 0 {
                    body(frame.content)
                    count += 1
                    read = offset
                }
            }
            return read
        }
        for ping in pings { try? connection.send(ping) }
    }

    /// The answer to a command, if it is a PING: its context, of at most 16 bytes, goes back.
    private static func ping(_ command: UnsafeRawBufferPointer) -> [UInt8]? {
        guard command.count <= 23, command.starts(with: [4] + Array("PING".utf8)) else {
            return nil
        }
        let pong = [4] + Array("PONG".utf8) + command.dropFirst(7)
        return [Flag.command, UInt8(pong.count)] + pong
    }

    /// Waits for a message; nil when the time is over.
    func next<Result>(
        milliseconds: Int32 = 30_000, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(Failure) -> Result? {
        let end = nanoseconds() + UInt64(milliseconds) * 1_000_000
        while true {
            if let result = try nextNow(body) { return result }
            let now = nanoseconds()
            if now >= end { return nil }
            var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&item, 1, Int32((end - now) / 1_000_000) + 1)
        }
    }

    /// Asks, and waits for the answer.
    func ask<Result>(
        _ request: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(Failure) -> Result {
        try sendRequest(request)
        guard let result = try next(body) else { throw Failure("no answer") }
        return result
    }

    private struct Frame {
        let flags: UInt8
        let content: UnsafeRawBufferPointer
        let end: Int

        /// Nil when it is not whole yet.
        init?(_ bytes: UnsafeRawBufferPointer, at start: Int) {
            guard start + 2 <= bytes.count else { return nil }
            flags = bytes[start]
            var size = Int(bytes[start + 1])
            var begin = start + 2
            if flags & Flag.long != 0 {
                guard start + 9 <= bytes.count else { return nil }
                let word = bytes.loadUnaligned(fromByteOffset: start + 1, as: UInt64.self)
                size = Int(clamping: UInt64(bigEndian: word))
                begin = start + 9
            }
            guard size <= bytes.count - begin else { return nil }
            end = begin + size
            content = UnsafeRawBufferPointer(rebasing: bytes[begin..<end])
        }
    }
}

private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
