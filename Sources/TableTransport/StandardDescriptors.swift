import Glibc

/// Standard input, output and error of this process.
public enum StandardDescriptors {
    /// Opens /dev/null in place of each that is closed. Else the next file that is opened gets its number,
    /// and what is meant for standard error is written into that file. Call it first in `main`.
    ///
    /// Writing to standard output fails then, as it does where that is closed: a backup must not seem to be made.
    public static func open() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
            let flags = descriptor == 1 ? O_RDONLY : O_RDWR
            // The lowest number that is free is this one. Without it nothing could be told, and files could
            // be spoilt.
            if Glibc.open("/dev/null", flags) != descriptor { _exit(EX_IOERR) }
        }
    }

    /// A descriptor of the same terminal or pipe that is never waited for. A terminal says that it can be written to
    /// where a write still waits, so it is opened once more: others have the first one, such as the shell, and
    /// theirs must wait. Where there is no other way, and for files, it is the descriptor itself.
    public static func unblocked(_ descriptor: Int32) -> Int32 {
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            status.st_mode & S_IFMT == S_IFIFO || isatty(descriptor) == 1
        else { return descriptor }
        let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let own = Glibc.open("/proc/self/fd/\(descriptor)", flags)
        return own < 0 ? descriptor : own
    }

    /// Writes it all, to one of them or to a file, also where whoever started us set it so that nothing
    /// waits there; 0, or the `errno`.
    public static func write(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Int32 {
        var rest = UnsafeRawBufferPointer(bytes)[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(descriptor, part.baseAddress, part.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                _ = isWritable(descriptor, withinMs: -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Writes all of a text likewise.
    @discardableResult
    public static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { write($0, to: descriptor) }
    }

    /// Waits until a descriptor can be written to. A file always can.
    static func isWritable(_ descriptor: Int32, withinMs timeout: Int32) -> Bool {
        var look = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&look, 1, timeout)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }

    /// A pipe that has any room has as much (PIPE_BUF): a larger write could wait for more of it.
    static let mostAtOnce = 4_096
}
