import Glibc
import JournalFormat

/// A state directory that is only read: salvage changes nothing in it, not even modes or its lock file.
final class SalvageFiles {
    let disk: FileDisk
    let names: [String]
    private let whole: DirectoryLock
    private let lock: Int32

    /// Takes the lock of the directory, and of the file in it where there is one.
    init(path: String) throws {
        whole = try DirectoryLock(path: path)
        disk = FileDisk(path: path, isReadOnly: true)
        names = try disk.names().sorted()
        lock = open(path + "/lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard lock >= 0 else {
            guard errno == ENOENT else {
                throw JournalError.system(doing: "open", path: path + "/lock", code: errno)
            }
            return
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            // `deinit` runs and closes it.
            throw JournalError.locked(directory: path, pid: StateDirectory.holder(lock))
        }
    }

    deinit {
        if lock >= 0 { close(lock) }
    }

    /// The births of the segments, in their order.
    var births: [UInt64] { names.segments.filter { $0 <= Form.largestNumber } }

    /// The numbers of the checkpoints, newest first.
    var checkpoints: [UInt64] { names.checkpoints.reversed() }

    /// All bytes of a file. What the disk does not give is zeros, which are damage like any other.
    func bytes(of name: String) throws -> [UInt8] {
        let file = try disk.open(name)
        let size = try file.size()
        return [UInt8](unsafeUninitializedCapacity: size) { room, count in
            count = size
            var offset = 0
            while offset < size {
                let next = min(size, offset + (1 << 20))
                let piece = UnsafeMutableBufferPointer(rebasing: room[offset..<next])
                Self.fill(UnsafeMutableRawBufferPointer(piece), from: file, at: offset)
                offset = next
            }
        }
    }

    /// Page by page where a larger piece cannot be read.
    private static func fill(
        _ room: UnsafeMutableRawBufferPointer, from file: any DiskFile, at offset: Int
    ) {
        if let count = try? file.read(into: room, at: offset), count == room.count { return }
        room.initializeMemory(as: UInt8.self, repeating: 0)
        for start in stride(from: 0, to: room.count, by: 4096) {
            let page = UnsafeMutableRawBufferPointer(
                rebasing: room[start..<min(room.count, start + 4096)])
            guard (try? file.read(into: page, at: offset + start)) == nil else { continue }
            page.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// The bytes of a small file; nil if it is not there or cannot be read.
    func small(_ name: String, count: Int) -> [UInt8]? {
        guard names.contains(name), let file = try? disk.open(name) else { return nil }
        return try? file.bytes(0..<count + 1)
    }
}
