import Glibc

/// systemd's journal, to which a process may write lines with fields of its own.
public struct JournalSocket: Sendable {
    private let path: [UInt8]

    /// The journal of this machine.
    public init() { self.init(path: "/run/systemd/journal/socket") }

    /// A journal that listens somewhere else.
    init(path: String) { self.path = Array(path.utf8) }

    /// Whether standard error leads to the journal, by the value of `JOURNAL_STREAM`: the device and
    /// the inode of the stream that the manager has opened.
    public static func isStandardError(_ stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(2, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// Hands over one entry; false: it was not taken, and is to be written elsewhere.
    ///
    /// Names are of capitals, digits and underscores. A value with a line break is refused: it would
    /// be another field.
    public func write(_ fields: [(name: String, value: String)]) -> Bool {
        var message: [UInt8] = []
        for (name, value) in fields {
            guard !value.utf8.contains(10), !name.utf8.contains(61) else { return false }
            message += Array(name.utf8) + [61] + Array(value.utf8) + [10]
        }
        var name = sockaddr_un()
        guard path.count < MemoryLayout.size(ofValue: name.sun_path) else { return false }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
        let sent = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // A journal that does not read must not block this process.
                sendto(
                    descriptor, message, message.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0,
                    socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return sent == message.count
    }
}
