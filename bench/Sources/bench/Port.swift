import Glibc

/// The loopback ports of a server that is reached over tcp. A file in its directory names the first of two.
enum Port {
    /// The first port of the server in this directory; nil: it serves on unix sockets.
    static func first(in directory: String) -> Int? {
        Int(contents(directory + "/port").prefix { $0 != "\n" })
    }

    /// Finds two neighbouring ports that are free, and notes them in the directory; returns the first.
    @discardableResult
    static func reserve(in directory: String) throws(Failure) -> Int {
        for _ in 0..<100 {
            // The system gives out ports of one parity, so the next one is mostly free.
            let port = try bound(to: 0)
            guard port < 65_535, (try? bound(to: port + 1)) != nil else { continue }
            let path = directory + "/port"
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            defer { close(file) }
            let line = Array("\(port)\n".utf8)
            guard file >= 0, write(file, line, line.count) == line.count else {
                throw Failure("write \(path)")
            }
            return port
        }
        throw Failure("find two free ports")
    }

    /// Binds to a port, 0 for any, and lets it go again.
    private static func bound(to port: Int) throws(Failure) -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw Failure("find a free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
