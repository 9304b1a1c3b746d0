import JournalFormat

/// The file `acknowledged`: the promise, outside of the log.
///
/// A flipped bit in the newest entry looks like a torn end, and nothing stands behind it that says
/// otherwise. This file does. It is written through memory after each commit, without a call, and never
/// synced while the daemon runs: what is in memory survives the end of the process. After a power cut the
/// file can only be older, which proves less but nothing wrong.
final class AcknowledgedFile {
    enum Content: Equatable {
        case missing
        case unreadable
        case promise(Promise)

        /// The newest position known to have been acknowledged.
        var position: UInt64 {
            if case .promise(let promise) = self { promise.newest.position } else { 0 }
        }
    }

    private let file: any DiskFile
    /// It was not there, so that its name is not durable yet.
    let isNew: Bool

    /// Writes the promise, and makes it durable.
    init(_ disk: any Disk, _ promise: Promise) throws {
        let name = FileName.acknowledged
        isNew = try !disk.names().contains(name)
        file = try isNew ? disk.make(name) : disk.open(name)
        try tidy(promise)
    }

    static func read(in disk: any Disk) throws -> Content {
        guard try disk.names().contains(FileName.acknowledged) else { return .missing }
        // One byte too many, so that a longer file is noticed.
        let bytes = try disk.open(FileName.acknowledged).bytes(0..<Promise.size + 1)
        guard !bytes.isEmpty else { return .missing }
        return bytes.withUnsafeBytes { Promise($0).map { .promise($0) } ?? .unreadable }
    }

    /// Says how far the log must reach from now on.
    func store(_ promise: Promise) { Self.with(promise) { file.store($0) } }

    /// Writes the promise, makes it durable, and cuts off excess bytes.
    func tidy(_ promise: Promise) throws {
        try Self.with(promise) { try file.write($0, at: 0) }
        if try file.size() != Promise.size { try file.cut(to: Promise.size) }
        try file.sync()
    }

    private static func with<Result>(
        _ promise: Promise, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafeTemporaryAllocation(byteCount: Promise.size, alignment: 8) { bytes in
            promise.encode(into: bytes)
            return try body(UnsafeRawBufferPointer(bytes))
        }
    }
}

extension AcknowledgedFile.Content {
    /// Refuses a journal that holds less than was acknowledged, or something else.
    ///
    /// - Parameters:
    ///   - log: for messages, where the journal ends.
    ///   - chain: the chain at the promise's position, if that is retained.
    func check(
        in disk: any Disk, log: String, head: ChainPoint, base: UInt64, covered: UInt64?,
        chain: UInt64?
    ) throws -> [JournalWarning] {
        let path = disk.path(of: FileName.acknowledged)
        let promise: Promise
        switch self {
        case .missing: return head.position == 0 ? [] : [.acknowledgedMissing(path: path)]
        case .unreadable: return [.acknowledgedUnreadable(path: path)]
        case .promise(let content): promise = content
        }
        let newest = promise.newest
        guard newest.position <= head.position else {
            throw JournalError.acknowledgedLost(
                path: log, end: head.position, acknowledged: newest.position)
        }
        guard promise.checkpoint <= covered ?? 0 else {
            throw JournalError.checkpointLost(
                path: disk.path, found: covered, acknowledged: promise.checkpoint)
        }
        // The promise is older, and its entry is not retained any more: nothing to compare.
        guard newest.position >= base else { return [] }
        guard chain == newest.chain else {
            throw JournalError.acknowledgedDiffers(path: log, position: newest.position)
        }
        return []
    }
}
