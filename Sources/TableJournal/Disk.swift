// The seam between the journal and the system. Everything that the journal does to its files goes through
// here: `FileDisk` does it, and tests put a disk in its place that loses power, tears writes and fails.

/// The directory of the journal's files. After an error nothing more may be written.
protocol Disk: AnyObject {
    /// For messages.
    var path: String { get }
    /// The names of the files that are there.
    func names() throws -> [String]
    /// Opens a file that is there.
    func open(_ name: String) throws -> any DiskFile
    /// Makes an empty file. It must not be there yet.
    func make(_ name: String) throws -> any DiskFile
    /// Replaces what has the new name.
    func rename(_ name: String, to newName: String) throws
    func remove(_ name: String) throws
    /// Removes the file, and lets go of its blocks while the caller goes on, so many bytes at a time.
    func beginRemoval(_ name: String, piece: Int) throws -> any SyncUnderWay
    /// Makes the names durable.
    func sync() throws
    /// Begins a sync of the directory while the caller goes on.
    func beginSync() throws -> any SyncUnderWay
}

/// An open file. It is closed when it is let go.
protocol DiskFile: AnyObject {
    func size() throws -> Int
    /// Reads until the bytes are full or the file ends, and gives how many it read.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int
    /// Writes all of it, or throws.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws
    /// Writes three pieces, one behind the other.
    func write(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer,
        _ tail: UnsafeRawBufferPointer, at offset: Int
    ) throws
    /// Cuts the file, or makes it longer with zeros.
    func cut(to size: Int) throws
    /// Makes the content durable.
    func sync() throws
    /// Begins a sync of all bytes written up to now, while the caller goes on.
    func beginSync() throws -> any SyncUnderWay
    /// Lets the system begin to write, without waiting for it.
    func startWriting(_ range: Range<Int>)
    /// Overwrites the beginning of the file, through memory: the process may end right behind it. It is
    /// not durable, and fails in silence. The file must be as long.
    func store(_ bytes: UnsafeRawBufferPointer)
}

/// A sync that is under way, or a removal.
protocol SyncUnderWay: AnyObject {
    /// Whether it is done. Throws if it failed.
    func isDone() throws -> Bool
    /// Waits until it is done. Throws if it failed. Who lets go of it waits too, and never hears of that.
    func wait() throws
}

extension Disk {
    /// For messages.
    func path(of name: String) -> String { path + "/" + name }

    /// The whole content of a file.
    func read(_ name: String) throws -> FileBytes { try FileBytes(of: open(name)) }
}

/// Bytes that were read from a file.
final class FileBytes {
    private let bytes: UnsafeRawBufferPointer

    init(of file: any DiskFile, from offset: Int = 0) throws {
        let size = max(0, try file.size() - offset)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        do {
            let count = try file.read(into: room, at: offset)
            bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count])
        } catch {
            room.deallocate()
            throw error
        }
        self.room = room
    }

    deinit { room.deallocate() }

    private let room: UnsafeMutableRawBufferPointer

    /// Lends the bytes, which live as long as this.
    func with<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) { try body(bytes) }
    }
}
