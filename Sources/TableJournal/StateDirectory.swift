import Glibc
import JournalFormat

/// The daemon's directory of files. This process holds it alone while this object lives.
///
/// Take it before binding any socket. A second bind of an `ipc://` path would silently steal the
/// path. A second `StateDirectory` is refused at once and does not harm the first.
public final class StateDirectory: Sendable {
    /// The path as it was given.
    public let path: String
    private let whole: DirectoryLock
    private let lock: Int32

    /// Creates the directory (mode 0700) if it is missing, and takes its lock.
    ///
    /// Our files in it lose permissions for others.
    ///
    /// - Throws: `JournalError.locked` with the holder's process id if another holds it, even in
    ///   this process. `JournalError.openToOthers` if others may replace its files.
    ///   `JournalError.system` if the directory cannot be made or used.
    public init(path: String) throws {
        self.path = path
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw JournalError.system(doing: "create the directory", path: path, code: errno)
        }
        try Self.checkOwner(of: path)
        whole = try DirectoryLock(path: path)
        try Self.closeFiles(in: path)
        let lockPath = path + "/lock"
        lock = try openFile(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW)
        // When this throws from here on, `deinit` runs and closes the lock.
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = Self.holder(lock)
            guard code == EWOULDBLOCK else {
                throw JournalError.system(doing: "lock", path: lockPath, code: code)
            }
            throw JournalError.locked(directory: path, pid: holder)
        }
        // Overwritten in place, then cut, so that a second opener never reads an empty file.
        let text = Array("\(getpid())\n".utf8)
        guard pwrite(lock, text, text.count, 0) == text.count,
            ftruncate(lock, off_t(text.count)) == 0
        else {
            let code = errno
            throw JournalError.system(doing: "write", path: lockPath, code: code)
        }
    }

    deinit { close(lock) }

    /// Whether there is a journal in it.
    public var holdsJournal: Bool { access(file(FileName.manifest), F_OK) == 0 }

    /// The path of the file `name` in the directory.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Refuses a directory that others may change: they could replace our journal.
    private static func checkOwner(of path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw JournalError.system(doing: "look at", path: path, code: errno)
        }
        // It is not a directory: opening the lock reports that.
        guard status.st_mode & S_IFMT == S_IFDIR else { return }
        let isOwn = status.st_uid == geteuid()
        guard isOwn, status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw JournalError.openToOthers(
                directory: path, owner: status.st_uid, user: geteuid(),
                mode: status.st_mode & 0o7777)
        }
    }

    /// Files of an older daemon, or copied files, may be readable by others.
    private static func closeFiles(in path: String) throws {
        for name in fileNames(in: path) ?? [] where isOurs(name) {
            let file = path + "/" + name
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_mode & 0o077 != 0
            else { continue }
            guard chmod(file, 0o600) == 0 else {
                throw JournalError.system(doing: "set the mode of", path: file, code: errno)
            }
        }
    }

    /// Also those that are not in force.
    private static func isOurs(_ name: String) -> Bool {
        ["lock", FileName.acknowledged, FileName.manifest].contains(name)
            || ["log-", "checkpoint-"].contains { name.hasPrefix($0) }
            || [FileName.unfinished, FileName.beginning].contains { name.hasSuffix($0) }
    }

    /// The process whose number stands in a lock file.
    static func holder(_ lock: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(lock, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let digits = bytes[..<count].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return Int32(String(decoding: digits, as: UTF8.self))
    }
}

/// A directory that is locked itself. The file `lock` says who holds it, and that file may be removed while it is
/// locked: whoever makes it anew locks another file.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `JournalError.locked` if another holds it, even in this process.
    init(path: String) throws {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Some file systems of a network lock no directory. Then the file in it is all that there is.
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { return }
        let file = open(path + "/lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        let holder = StateDirectory.holder(file)
        if file >= 0 { close(file) }
        throw JournalError.locked(directory: path, pid: holder)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}

/// Opens a file of ours with mode 0600. Throws an error that names it.
func openFile(_ path: String, _ flags: Int32) throws -> Int32 {
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw JournalError.system(doing: "open", path: path, code: errno) }
    return descriptor
}
