import Glibc

/// Reads files, and standard input as `-`.
enum Files {
    /// The file's name in messages.
    static func name(of path: String) -> String { path == "-" ? "standard input" : path }

    /// The whole file; more than `limit` bytes are refused.
    static func bytes(at path: String, atMost limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { if descriptor != 0 { close(descriptor) } }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, into: &part)
            if count == 0 { return bytes }
            if count < 0 { throw unreadable(path, errno) }
            bytes += part[..<count]
            if bytes.count > limit {
                throw Failure(.badData, "\(name(of: path)): more than \(limit) bytes")
            }
        }
    }

    /// The whole file that a verb reads for a table. The error says if the two arguments seem to be swapped.
    static func bytes(
        at path: String, for verb: String, on table: String, atMost limit: Int
    ) throws(Failure) -> [UInt8] {
        do throws(Failure) {
            return try bytes(at: path, atMost: limit)
        } catch {
            var about = stat()
            guard error.status == .io, access(path, F_OK) != 0, stat(table, &about) == 0,
                about.st_mode & S_IFMT == S_IFREG
            else { throw error }
            var failure = error
            failure.message += ". Are the arguments swapped? `trestle \(verb) \(path) \(table)`"
            throw failure
        }
    }

    /// Reads the next bytes; returns their number, 0 at the end, or a negative number with `errno` set. It waits even
    /// on a standard input that another process has set not to wait.
    static func read(_ descriptor: Int32, into part: inout [UInt8]) -> Int {
        while true {
            let count = part.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 { return count }
            if errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = Glibc.poll(&poll, 1, -1)
            } else if errno != EINTR {
                return count
            }
        }
    }

    /// The whole file as text, which has to be valid UTF-8.
    static func text(at path: String, atMost limit: Int) throws(Failure) -> String {
        let bytes = try bytes(at: path, atMost: limit)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.badData, "\(name(of: path)): not valid UTF-8")
        }
        return text
    }

    static func unreadable(_ path: String, _ code: Int32) -> Failure {
        Failure(cannot: "read \(name(of: path))", code)
    }
}
