import Glibc
import TableTransport

/// One context for all tests, as for any process.
let sharedContext = Result { try Context(maximumSockets: 256) }

/// Long enough for a busy machine: what is late fails, what is early costs nothing.
let patience = 10_000

/// A directory for unix sockets, removed with what is in it.
struct Directory: ~Copyable {
    let path: String

    init() {
        var template = Array("/tmp/transport-test-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
    }

    deinit {
        if let stream = opendir(path) {
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                unlink("\(path)/\(name)")
            }
            closedir(stream)
        }
        rmdir(path)
    }

    func endpoint(_ name: String = "socket") -> String { "ipc://\(path)/\(name)" }
}

/// A ROUTER and a DEALER joined over a unix socket.
struct Couple: ~Copyable {
    let directory: Directory
    let router: Socket
    let dealer: Socket

    init(
        router routerOptions: SocketOptions = SocketOptions(),
        dealer dealerOptions: SocketOptions = SocketOptions()
    ) throws {
        // All at the end: what cannot be copied is initialised as a whole.
        let directory = Directory()
        let router = try Socket(.router, in: sharedContext.get(), options: routerOptions)
        let dealer = try Socket(.dealer, in: sharedContext.get(), options: dealerOptions)
        try router.bind(directory.endpoint())
        try dealer.connect(directory.endpoint())
        self.directory = directory
        self.router = router
        self.dealer = dealer
    }
}

extension Socket {
    /// The next message as arrays; `nil` when none comes.
    func next(limit: Int = 9, within milliseconds: Int = patience) throws -> [[UInt8]]? {
        var frames = Frames(limit: limit)
        guard try receive(into: &frames, withinMilliseconds: milliseconds) else { return nil }
        return (0..<frames.count).map { frames.bytes(at: $0) }
    }

    /// Sends texts.
    func send(_ texts: String...) throws -> SendOutcome {
        try send(texts.map { Array($0.utf8) })
    }
}

/// A unix socket that listens, as a service manager would hand it over.
func listeningSocket(at path: String) -> Int32 {
    let descriptor = unixSocket(Int32(SOCK_STREAM.rawValue), at: path)
    listen(descriptor, 8)
    return descriptor
}

/// A bound unix socket; a leading "@" makes its name abstract.
func unixSocket(_ kind: Int32, at path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, kind, 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let bound = withUnsafePointer(to: name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, length) }
    }
    return bound == 0 ? descriptor : -1
}
