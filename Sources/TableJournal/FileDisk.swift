import CJournals
import Glibc

/// The names in a directory; nil: it cannot be read, and `errno` says why.
package func fileNames(in directory: String) -> [String]? {
    guard let entries = opendir(directory) else { return nil }
    defer { closedir(entries) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(entries) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
        errno = 0
    }
    return errno == 0 ? names : nil
}

/// The system calls of the journal.
final class FileDisk: Disk {
    let path: String
    private let isReadOnly: Bool

    /// A disk that is only read opens its files so: they may be on a file system that cannot be written.
    init(path: String, isReadOnly: Bool = false) {
        (self.path, self.isReadOnly) = (path, isReadOnly)
    }

    func names() throws -> [String] {
        guard let names = fileNames(in: path) else { throw failed("list", path) }
        return names
    }

    func open(_ name: String) throws -> any DiskFile {
        let access = isReadOnly ? O_RDONLY : O_RDWR
        return try OpenFile(path: path(of: name), access | O_CLOEXEC | O_NOFOLLOW)
    }

    func make(_ name: String) throws -> any DiskFile {
        try OpenFile(path: path(of: name), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW)
    }

    func rename(_ name: String, to newName: String) throws {
        guard Glibc.rename(path(of: name), path(of: newName)) == 0 else {
            throw failed("rename", path(of: name))
        }
    }

    func remove(_ name: String) throws {
        guard unlink(path(of: name)) == 0 else { throw failed("remove", path(of: name)) }
    }

    func beginRemoval(_ name: String, piece: Int) throws -> any SyncUnderWay {
        // Open, it keeps its blocks when the name is gone.
        let file = try OpenFile(path: path(of: name), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        try remove(name)
        return try file.beginCutting(piece: piece)
    }

    func sync() throws { try directory().sync() }

    func beginSync() throws -> any SyncUnderWay { try directory().beginSync() }

    private func directory() throws -> OpenFile {
        try OpenFile(path: path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, isDirectory: true)
    }
}

/// A descriptor.
private final class OpenFile: DiskFile {
    fileprivate let path: String
    fileprivate let descriptor: Int32
    fileprivate let isDirectory: Bool
    /// Where `store` writes.
    private var page: UnsafeMutableRawPointer?

    private static let pageBytes = 4096

    init(path: String, _ flags: Int32, isDirectory: Bool = false) throws {
        self.path = path
        self.isDirectory = isDirectory
        descriptor = try openFile(path, flags)
    }

    deinit {
        if let page { munmap(page, Self.pageBytes) }
        close(descriptor)
    }

    func size() throws -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failed("look at", path) }
        return Int(status.st_size)
    }

    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failed("read", path) }
            guard count > 0 else { break }
            done += count
        }
        return done
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            // A write that was carried out in part goes on, and then says why it cannot.
            guard count > 0 else { throw failed("write", path) }
            done += count
        }
    }

    func write(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer,
        _ tail: UnsafeRawBufferPointer, at offset: Int
    ) throws {
        func vector(_ piece: UnsafeRawBufferPointer) -> iovec {
            iovec(
                iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress),
                iov_len: piece.count)
        }
        let count = withUnsafeTemporaryAllocation(of: iovec.self, capacity: 3) { vectors in
            vectors[0] = vector(head)
            vectors[1] = vector(body)
            vectors[2] = vector(tail)
            return pwritev(descriptor, vectors.baseAddress, 3, off_t(offset))
        }
        if count == head.count + body.count + tail.count { return }
        guard count >= 0 || errno == EINTR else { throw failed("write", path) }
        // A write that was carried out in part goes on.
        var (written, at) = (max(0, count), offset)
        for piece in [head, body, tail] {
            let done = min(written, piece.count)
            try write(UnsafeRawBufferPointer(rebasing: piece[done...]), at: at + done)
            written -= done
            at += piece.count
        }
    }

    func cut(to size: Int) throws {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw failed("cut", path) }
    }

    func sync() throws {
        let result = isDirectory ? fsync(descriptor) : fdatasync(descriptor)
        guard result == 0 else { throw failed("sync", path) }
    }

    func beginSync() throws -> any SyncUnderWay {
        try inThread("sync", csync_begin(descriptor, isDirectory ? 1 : 0))
    }

    /// Cuts the file to nothing.
    func beginCutting(piece: Int) throws -> any SyncUnderWay {
        try inThread("cut", csync_begin_cutting(descriptor, Int64(try size()), Int64(piece)))
    }

    private func inThread(_ doing: String, _ sync: OpaquePointer?) throws -> any SyncUnderWay {
        guard let sync else {
            throw JournalError.system(doing: "begin to \(doing)", path: path, code: EAGAIN)
        }
        return ThreadedSync(sync, doing, self)
    }

    func startWriting(_ range: Range<Int>) {
        csync_start_writing(descriptor, Int64(range.lowerBound), Int64(range.count))
    }

    func store(_ bytes: UnsafeRawBufferPointer) {
        if page == nil {
            let found = mmap(nil, Self.pageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            if found != MAP_FAILED { page = found }
        }
        guard let page, let start = bytes.baseAddress, bytes.count <= Self.pageBytes else {
            // A file system without shared memory: then it is a call.
            _ = pwrite(descriptor, bytes.baseAddress, bytes.count, 0)
            return
        }
        page.copyMemory(from: start, byteCount: bytes.count)
    }
}

private final class ThreadedSync: SyncUnderWay {
    private var sync: OpaquePointer?
    /// Keeps the descriptor open.
    private let file: OpenFile
    private let doing: String
    private var code: Int32 = 0

    init(_ sync: OpaquePointer, _ doing: String, _ file: OpenFile) {
        (self.sync, self.doing, self.file) = (sync, doing, file)
    }

    deinit {
        if let sync { csync_end(sync) }
    }

    func isDone() throws -> Bool {
        if let sync, csync_is_done(sync) == 0 { return false }
        try wait()
        return true
    }

    func wait() throws {
        if let sync {
            code = csync_end(sync)
            self.sync = nil
        }
        guard code == 0 else {
            throw JournalError.system(doing: doing, path: file.path, code: code)
        }
    }
}

private func failed(_ doing: String, _ path: String) -> JournalError {
    .system(doing: doing, path: path, code: errno)
}
