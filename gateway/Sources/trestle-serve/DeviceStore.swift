import GatewayCore
import Glibc

/// The list of devices on disk. Several processes change it, each under a lock; a reader sees all of
/// the old or all of the new.
final class DeviceStore: @unchecked Sendable {
    // Unchecked: the running gateway uses it on its event loop only, the commands in one thread.
    private let path: String
    private let directory: String
    private var seen = stat()
    /// How long `change` waits for others who change the list, in milliseconds.
    private let patience: Int

    /// Makes the directory, for its user alone.
    init(directory: String, patience: Int) throws {
        self.directory = directory
        self.patience = patience
        path = "\(directory)/devices"
        try Self.make(directory)
    }

    private static func make(_ directory: String) throws {
        var found = stat()
        if stat(directory, &found) != 0 {
            if errno == ENOENT, let slash = directory.lastIndex(of: "/"),
                slash > directory.startIndex
            {
                let parent = String(directory[..<slash])
                if access(parent, F_OK) != 0 { try make(parent) }
            }
            guard mkdir(directory, 0o700) == 0 || errno == EEXIST, stat(directory, &found) == 0
            else { throw SystemFailure("cannot make \(directory)", exitCode: 73) }
        }
    }

    /// Refuses a directory in which others could change the list.
    func check() throws {
        var found = stat()
        guard stat(directory, &found) == 0 else { throw SystemFailure("cannot read \(directory)") }
        guard found.st_uid == geteuid(), found.st_mode & 0o022 == 0 else {
            throw SystemFailure(
                saying: "\(directory) can be changed by others: chown it to this user, chmod 700",
                exitCode: 77)
        }
    }

    /// The list as it is now.
    func read() throws -> Register {
        // The look comes first: a change after it is found by the next one. It counts once the list was
        // read: what could not be read is still to be read.
        let found = look()
        let register = try parsed()
        seen = found
        return register
    }

    private func parsed() throws -> Register {
        guard let bytes = try File.read(path, atMost: 4 << 20) else { return Register() }
        do {
            return try Register(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw SystemFailure(saying: "\(path), line \(error.line), is none", exitCode: 65)
        }
    }

    /// Whether the file is another than the one that was read last.
    func hasChanged() -> Bool {
        let now = look()
        return now.st_ino != seen.st_ino || now.st_mtim.tv_sec != seen.st_mtim.tv_sec
            || now.st_mtim.tv_nsec != seen.st_mtim.tv_nsec || now.st_size != seen.st_size
    }

    private func look() -> stat {
        var found = stat()
        return stat(path, &found) == 0 ? found : stat()
    }

    /// Changes the list, and writes it before anybody hears of the change.
    @discardableResult
    func change<Result>(_ body: (inout Register) throws(DeviceRefusal) -> Result) throws -> Result {
        // The directory itself: a file in it could be removed while it is locked.
        let lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw SystemFailure("cannot open \(directory)", exitCode: 73) }
        defer { close(lock) }
        var tries = 0
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            tries += 1
            guard errno == EWOULDBLOCK || errno == EINTR, tries < patience / 2 else {
                throw SystemFailure("cannot lock \(directory)", exitCode: 75)
            }
            usleep(2_000)
        }
        // Not `read`: whoever serves has to notice what others have changed before.
        var register = try parsed()
        let result = try body(&register)
        try File.write(path, register.text)
        return result
    }

    /// By which address browsers come: the running gateway says so to `pair`.
    var origin: String? {
        get {
            (try? File.read("\(directory)/origin", atMost: 1_024))
                .flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
                .map { String($0.prefix { $0 != "\n" }) }
        }
        set {
            guard let newValue else { return }
            do {
                try File.write("\(directory)/origin", newValue + "\n")
            } catch {
                Log.say("cannot say to `pair` by which address browsers come: \(error)")
            }
        }
    }
}
