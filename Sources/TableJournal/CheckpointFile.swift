import JournalFormat

/// The checkpoint under way: a file of its own that counts for nothing until it has its name.
///
/// The system is told to write as parts come, so that little is left for the sync at the end. That sync,
/// and the one of the name, are done in a thread of their own.
final class CheckpointFile {
    private(set) var checkpoint: Checkpoint
    /// Payload bytes of the entries that it will cover and no complete checkpoint covers.
    let bytesCovered: UInt64
    private let disk: any Disk
    private let limits: Limits
    private let file: any DiskFile
    private(set) var fileBytes = 0
    /// Up to where the system was told to write.
    private var started = 0
    private var buffer = PageBuffer()
    private var state = State.writing

    private enum State {
        case writing
        case syncing(any SyncUnderWay)
        case naming(any SyncUnderWay)
        case done
    }

    private static let name = "checkpoint" + FileName.unfinished

    init(
        _ disk: any Disk, _ limits: Limits, _ checkpoint: Checkpoint, bytesCovered: UInt64
    ) throws {
        (self.disk, self.limits) = (disk, limits)
        (self.checkpoint, self.bytesCovered) = (checkpoint, bytesCovered)
        if try disk.names().contains(Self.name) { try disk.remove(Self.name) }
        file = try disk.make(Self.name)
        try write(Checkpoint.headerSize) { checkpoint.encodeHeader(into: $0) }
    }

    private func write(_ count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) throws {
        try buffer.with(bytes: count) { bytes in
            fill(bytes)
            try file.write(UnsafeRawBufferPointer(bytes), at: fileBytes)
        }
        fileBytes += count
        // Whole pages: the rest of the last one is still to come.
        let pages = fileBytes & ~4095
        guard pages - started >= limits.writtenBytes else { return }
        file.startWriting(started..<pages)
        started = pages
    }

    func add(_ payload: UnsafeRawBufferPointer) throws {
        let header = checkpoint.add(payload)
        try write(PartHeader.size + payload.count) { bytes in
            header.encode(into: bytes, of: checkpoint)
            UnsafeMutableRawBufferPointer(rebasing: bytes[PartHeader.size...])
                .copyMemory(from: payload)
        }
    }

    /// Goes on with the end; true when the checkpoint is durable and has its name.
    func finish() throws -> Bool {
        switch state {
        case .writing:
            try write(Checkpoint.endSize) { checkpoint.encodeEnd(into: $0) }
            state = .syncing(try file.beginSync())
        case .syncing(let sync):
            guard try sync.isDone() else { return false }
            let name = FileName.checkpoint(number: checkpoint.number).text
            try disk.rename(Self.name, to: name)
            guard limits.syncsNames else {
                state = .done
                return true
            }
            state = .naming(try disk.beginSync())
        case .naming(let sync):
            guard try sync.isDone() else { return false }
            state = .done
            return true
        case .done: return true
        }
        return false
    }

    /// Whether parts may still be added.
    var isOpen: Bool { if case .writing = state { true } else { false } }

    /// Writes the end without a thread, where nobody waits for anything else.
    func finishAtOnce(as name: String) throws {
        try write(Checkpoint.endSize) { checkpoint.encodeEnd(into: $0) }
        try file.sync()
        try disk.rename(Self.name, to: name)
        state = .done
    }

    /// Takes away what was written. Once it has its name that is synced, whatever becomes of it: a failure
    /// of that must be heard of.
    func giveUp() throws {
        switch state {
        case .writing, .syncing: try disk.remove(Self.name)
        case .naming(let sync): try sync.wait()
        case .done: break
        }
    }
}
