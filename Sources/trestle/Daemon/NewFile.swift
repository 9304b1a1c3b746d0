import Glibc
import TableTransport

/// A file that appears when it is whole, or not at all.
final class NewFile {
    private let path: String
    private let temporary: UnsafeMutablePointer<CChar>
    private let descriptor: Int32
    private var isFinished = false

    /// Makes a file beside the one that there is to be; its owner alone may read it.
    init(_ path: String) throws(Failure) {
        self.path = path
        temporary = strdup("\(path).XXXXXX")
        descriptor = HalfFile.make(temporary)
        guard descriptor >= 0 else { throw Failure(.cannotCreate, cannot: "create \(path)") }
    }

    /// Where the file is made: a link is followed. Only a regular file is replaced, so that root keeps /dev/null.
    static func place(of path: String, replacing: Bool) throws(Failure) -> String {
        var status = stat()
        // Whatever else is wrong is met when the file is made.
        guard lstat(path, &status) == 0 else { return path }
        guard let found = realpath(path, nil) else {
            throw Failure(.cannotCreate, cannot: "create \(path)")
        }
        defer { free(found) }
        let isRegular = stat(found, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard isRegular else {
            throw Failure(.cannotCreate, "cannot replace \(path): it is no regular file")
        }
        guard replacing else { throw isThere(path) }
        return String(cString: found)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if !isFinished, descriptor >= 0 { unlink(temporary) }
        HalfFile.forget(temporary)
        free(temporary)
    }

    func write(_ bytes: [UInt8]) throws(Failure) {
        let code = bytes.withUnsafeBufferPointer { StandardDescriptors.write($0, to: descriptor) }
        guard code == 0 else { throw Failure(cannot: "write to \(path)", code) }
    }

    /// Puts the file in its place once it is on disk.
    func finish(replacing: Bool) throws(Failure) {
        guard fsync(descriptor) == 0 else { throw Failure(cannot: "write to \(path)") }
        if replacing {
            guard rename(temporary, path) == 0 else {
                throw Failure(.cannotCreate, cannot: "create \(path)")
            }
        } else {
            guard takeFreeName() else {
                throw errno == EEXIST
                    ? Self.isThere(path) : Failure(.cannotCreate, cannot: "create \(path)")
            }
        }
        isFinished = true
        try syncDirectory()
    }

    /// By a second name, since `rename` takes the place of what came meanwhile. Where the file system has no second
    /// names, as FAT has none, an empty file takes the place first: only a crash can leave that there.
    private func takeFreeName() -> Bool {
        if link(temporary, path) == 0 {
            unlink(temporary)
            return true
        }
        guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS else { return false }
        return HalfFile.undisturbed {
            let place = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard place >= 0 else { return false }
            close(place)
            if rename(temporary, path) == 0 { return true }
            let code = errno
            unlink(path)
            errno = code
            return false
        }
    }

    private func syncDirectory() throws(Failure) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw Failure(cannot: "write to \(directory)")
        }
    }

    static func isThere(_ path: String) -> Failure {
        Failure(.cannotCreate, "\(path) is there already: --force replaces it")
    }
}

/// The unfinished file, which the handlers of signals that end the program remove.
enum HalfFile {
    // Handlers of signals may read it at any time; only the one thread of Swift that there is writes it.
    nonisolated(unsafe) private static var path: UnsafeMutablePointer<CChar>?

    static func prepare() {
        // Touched here, so that no handler is the first to do it.
        _ = path
        for number in [SIGTERM, SIGINT] {
            signal(number) { _ in
                if let path = HalfFile.path { unlink(path) }
                _exit(130)
            }
        }
        for number in deadly {
            let before = signal(number) { number in
                if let path = HalfFile.path { unlink(path) }
                Glibc.signal(number, SIG_DFL)
                raise(number)
            }
            // As under nohup.
            if unsafeBitCast(before, to: Int.self) == 1 { signal(number, SIG_IGN) }
        }
    }

    /// The other signals that end a program which does not handle them.
    private static let deadly: [Int32] = {
        let harmless = [
            SIGTERM, SIGINT, SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG,
            SIGWINCH, SIGPIPE, SIGXFSZ,
        ]
        // Up to the last real-time signal; the C library keeps two of them for itself.
        return (1...64).filter { !harmless.contains($0) && !(32...33 ~= $0) }
    }()

    /// Makes the file as `mkstemp` does. No signal comes between that and `path`.
    static func make(_ template: UnsafeMutablePointer<CChar>) -> Int32 {
        undisturbed {
            let descriptor = mkstemp(template)
            if descriptor >= 0 { path = template }
            return descriptor
        }
    }

    /// Runs `body` without handling signals. `errno` stays.
    static func undisturbed<Result>(_ body: () -> Result) -> Result {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        let result = body()
        let code = errno
        pthread_sigmask(SIG_SETMASK, &before, nil)
        errno = code
        return result
    }

    static func forget(_ gone: UnsafeMutablePointer<CChar>) {
        if path == gone { path = nil }
    }
}
