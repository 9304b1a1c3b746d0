public import Glibc

/// The address of a unix socket: a path, or an abstract name that begins with a NUL.
public struct UnixAddress: Sendable {
    private let name: [UInt8]

    /// Nil if it is too long for the system, at most 107 bytes.
    public init?(_ name: [UInt8]) {
        guard name.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        self.name = name
    }

    /// Lends it to a call of the system, which returns 0 or more, or −1.
    ///
    /// - Returns: what the call returned.
    public func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let isPath = name.first != 0
        let size =
            isPath ? MemoryLayout<sockaddr_un>.size : MemoryLayout<sa_family_t>.size + name.count
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }

    /// Sends one datagram, without waiting for a reader that stands still; false: it was not taken.
    func send(_ bytes: [UInt8]) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return with { sendto(descriptor, bytes, bytes.count, flags, $0, $1) } == bytes.count
    }
}
