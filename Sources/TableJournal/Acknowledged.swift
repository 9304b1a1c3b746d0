import Glibc

/// What the journal has promised to hold, as last acknowledged.
struct Promise: Equatable {
    /// The newest acknowledged entry.
    var newest: ChainPoint
    /// The position that the newest finished checkpoint covers; 0 without one.
    var checkpoint: UInt64
}

/// The file `acknowledged`: the promise, outside the database.
///
/// A flipped bit in the write-ahead log makes SQLite take that frame for the end of the log, and
/// every later commit is gone without a word. This file says how far the journal must reach.
/// It is never synced after a commit: the page cache survives the end of the process, and after a
/// power cut the file can only be older, which proves less but nothing wrong.
final class AcknowledgedFile {
    enum Content: Equatable {
        case missing
        case unreadable
        case promise(Promise)
    }

    let path: String
    private let descriptor: Int32

    init(path: String) throws {
        self.path = path
        descriptor = try openFile(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW)
    }

    deinit {
        close(descriptor)
    }

    func read() throws -> Content {
        // One word more than there should be, so that a longer file is noticed.
        var words = [UInt64](repeating: 0, count: Self.words + 1)
        let count = pread(descriptor, &words, words.count * 8, 0)
        guard count >= 0 else {
            throw JournalError.system(doing: "read", path: path, code: errno)
        }
        guard count > 0 else { return .missing }
        words = words.map { UInt64(littleEndian: $0) }
        guard count == Self.words * 8, words[0] == Self.magic,
            words[4] == Chain.seal(Array(words[..<4]))
        else { return .unreadable }
        let newest = ChainPoint(position: words[1], chain: words[2])
        return .promise(Promise(newest: newest, checkpoint: words[3]))
    }

    func write(_ promise: Promise) throws {
        var words = [
            Self.magic, promise.newest.position, promise.newest.chain, promise.checkpoint,
        ]
        words.append(Chain.seal(words))
        let bytes = words.map { $0.littleEndian }
        guard pwrite(descriptor, bytes, Self.words * 8, 0) == Self.words * 8 else {
            throw JournalError.system(doing: "write", path: path, code: errno)
        }
    }

    /// Cuts off what does not belong to the file and makes it durable.
    func tidy() throws {
        guard ftruncate(descriptor, off_t(Self.words * 8)) == 0, fsync(descriptor) == 0 else {
            throw JournalError.system(doing: "sync", path: path, code: errno)
        }
    }

    private static let words = 5
    /// "TRSTLACK".
    private static let magic: UInt64 = 0x4B43_414C_5453_5254
}
