import Glibc

/// Holds an `ipc://` path: libzmq would let a second daemon take it from the first unnoticed.
///
/// The lock is on a file beside the socket, and goes with the process, however that ends.
final class SocketLock {
    private let descriptor: Int32

    /// Takes the lock, making the socket's directory if it is not there.
    init(socketPath: String) throws(DaemonError) {
        Directories.makeParents(of: socketPath)
        let path = socketPath + ".lock"
        try Self.checkOwner(of: socketPath)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw DaemonError(
                .cannotCreate, "cannot open \(path): \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw DaemonError(.cannotCreate, "another trestled serves \(socketPath)")
        }
    }

    /// In a directory of somebody else's, the socket could be exchanged for another.
    private static func checkOwner(of socketPath: String) throws(DaemonError) {
        guard let slash = socketPath.lastIndex(of: "/") else { return }
        let directory = slash == socketPath.startIndex ? "/" : String(socketPath[..<slash])
        var status = stat()
        guard stat(directory, &status) == 0 else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw DaemonError(.cannotCreate, "\(directory) belongs to another user")
        }
    }

    deinit {
        close(descriptor)
    }
}
