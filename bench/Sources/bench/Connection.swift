import Glibc

/// A stream to a server.
struct Connection {
    let descriptor: Int32

    /// By its socket in the file system.
    init(path: String) throws(Failure) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard path.utf8.count < room.count else { return false }
            room.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { throw Failure("the path \(path) is too long for a socket") }
        descriptor = try Self.connect(AF_UNIX, address, path)
    }

    /// By a port of this machine's own.
    init(port: Int) throws(Failure) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        descriptor = try Self.connect(AF_INET, address, "port \(port)")
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
    }

    private static func connect<Address>(
        _ family: Int32, _ address: Address, _ name: String
    ) throws(Failure) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        let size = socklen_t(MemoryLayout<Address>.size)
        let connected = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, size)
            }
        }
        guard connected == 0 else {
            Glibc.close(descriptor)
            throw Failure("connect to \(name)")
        }
        return descriptor
    }

    func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, 0)
            }
            guard count > 0 else { throw Failure("write to the server") }
            sent += count
        }
    }

    /// How many bytes came into `room`; waits for the first.
    func receive(into room: inout [UInt8]) throws(Failure) -> Int {
        let count = recv(descriptor, &room, room.count, 0)
        try Self.check(count)
        return count
    }

    /// As `receive`, without waiting: nil if nothing has come.
    func receiveNow(into room: inout [UInt8]) throws(Failure) -> Int? {
        let count = recv(descriptor, &room, room.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN { return nil }
        try Self.check(count)
        return count
    }

    /// Throws unless something was read.
    static func check(_ count: Int) throws(Failure) {
        if count > 0 { return }
        if count == 0 { errno = 0 }
        throw Failure(count == 0 ? "the server has closed a connection" : "read from the server")
    }

    func close() { Glibc.close(descriptor) }
}
