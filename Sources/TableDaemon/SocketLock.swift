import Glibc
import TableTransport

/// Holds an `ipc://` path: libzmq would let a second daemon take it from the first unnoticed.
///
/// The lock is on a file beside the socket, and goes with the process, however that ends. Where
/// somebody has removed that file, the socket itself tells whether it is served.
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
        do throws(DaemonError) {
            try Self.checkFree(socketPath)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// libzmq removes whatever is at the path: that must be nothing, or a socket that nobody serves.
    private static func checkFree(_ path: String) throws(DaemonError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw DaemonError(
                .cannotCreate,
                "\(path) is there and is no socket: it is not replaced; move it away, or serve elsewhere"
            )
        }
        let code = connect(to: path)
        switch code {
        // Left behind, or gone by now.
        case ECONNREFUSED, ENOENT: return
        // Served, perhaps by one that is too busy to answer.
        case 0, EAGAIN: throw DaemonError(.cannotCreate, "another process serves \(path)")
        default:
            throw DaemonError(
                .cannotCreate,
                "cannot tell whether another process serves \(path): "
                    + String(cString: strerror(code)))
        }
    }

    /// 0, or why nobody answers there.
    private static func connect(to path: String) -> Int32 {
        guard let address = UnixAddress(Array(path.utf8)) else { return ENAMETOOLONG }
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let socket = socket(AF_UNIX, Int32(flags), 0)
        guard socket >= 0 else { return errno }
        defer { close(socket) }
        return address.with { Glibc.connect(socket, $0, $1) } == 0 ? 0 : errno
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
        // In one with the sticky bit, as /tmp, each exchanges only what is his.
        let isOpen = status.st_mode & (S_IWGRP | S_IWOTH) != 0 && status.st_mode & S_ISVTX == 0
        guard !isOpen else {
            throw DaemonError(
                .cannotCreate,
                "others may exchange sockets in \(directory) (mode 0"
                    + "\(String(status.st_mode & 0o7777, radix: 8))): chmod go-w \(directory)")
        }
    }

    deinit { close(descriptor) }
}
