import JournalFormat

/// Segments that wait to be used: their blocks are on the disk, and their names too.
///
/// All of this is done between turns, a little at a time, and the syncs in a thread of their own. A
/// commit that finds no spare makes a segment itself, and is slower.
final class SpareSegments {
    /// A segment that may be used.
    struct Spare {
        var birth: UInt64
        var file: any DiskFile
        /// It was made just now: neither its blocks nor its name are on the disk.
        var isNew = false
    }

    private enum Preparing {
        case no
        case filling(any DiskFile, written: Int)
        case syncing(any DiskFile, any SyncUnderWay)
    }

    private let disk: any Disk
    private let limits: Limits
    private let removals: Removals
    private var nextBirth: UInt64
    private var ready: [Spare] = []
    /// Renamed, and the name is not durable yet.
    private var unnamed: [Spare] = []
    private var naming: (sync: any SyncUnderWay, spares: [Spare])?
    private var preparing = Preparing.no

    /// Ends the names of new ones.
    private let suffix: String

    private static let name = "log" + FileName.unfinished

    init(
        _ disk: any Disk, _ limits: Limits, _ removals: Removals, nextBirth: UInt64, suffix: String
    ) {
        (self.disk, self.limits, self.removals) = (disk, limits, removals)
        self.nextBirth = nextBirth
        self.suffix = suffix
    }

    /// Spares, and those that become some.
    private var count: Int { ready.count + unnamed.count + (naming?.spares.count ?? 0) }
    var isEmpty: Bool { count == 0 }

    /// Whether something is under way that should be looked at again soon.
    var isBusy: Bool {
        if case .no = preparing { return naming != nil || !unnamed.isEmpty }
        return true
    }

    var fileBytes: Int {
        let whole = count * limits.segmentBytes
        return switch preparing {
        case .no: whole
        case .filling(_, let written): whole + written
        case .syncing: whole + limits.segmentBytes
        }
    }

    private func birth() -> UInt64 {
        defer { nextBirth += 1 }
        return nextBirth
    }

    /// The next segment, in the order of births.
    func take() throws -> Spare {
        if ready.isEmpty, let naming {
            // It is waited for, so that its failure is heard of: after it nothing may be written.
            try naming.sync.wait()
            (ready, self.naming) = (naming.spares, nil)
        }
        if !ready.isEmpty { return ready.removeFirst() }
        // Those whose names are not durable yet come before a new one: births go up.
        for spare in unnamed { try disk.remove(FileName.segment(birth: spare.birth).text) }
        unnamed = []
        let birth = birth()
        let file = try disk.make(FileName.segment(birth: birth).text + suffix)
        return Spare(birth: birth, file: file, isNew: true)
    }

    /// Takes a file whose entries nobody needs any more. Each life has a birth number of its own, which
    /// no seal in the file was made with.
    func recycle(_ name: String, fileBytes: Int) throws {
        guard count < limits.spares, fileBytes == limits.segmentBytes else {
            return try removals.begin(name)
        }
        let birth = birth()
        try disk.rename(name, to: FileName.segment(birth: birth).text)
        unnamed.append(
            Spare(birth: birth, file: try disk.open(FileName.segment(birth: birth).text)))
    }

    /// Removes those that had entries once.
    func discard() throws {
        if let naming {
            try naming.sync.wait()
            (ready, self.naming) = (ready + naming.spares, nil)
        }
        for spare in ready + unnamed {
            try removals.begin(FileName.segment(birth: spare.birth).text)
        }
        (ready, unnamed) = ([], [])
    }

    /// Does a little. `isWanted`: another segment will soon be needed.
    func tend(isWanted: Bool) throws {
        try tendNames()
        switch preparing {
        case .no:
            guard isWanted, isEmpty else { return }
            preparing = .filling(try disk.make(Self.name), written: 0)
        case .filling(let file, let written):
            let count = min(limits.preparedBytes, limits.segmentBytes - written)
            try Self.zeros(count) { try file.write($0, at: written) }
            file.startWriting(written..<written + count)
            let isFull = written + count == limits.segmentBytes
            preparing =
                isFull
                ? .syncing(file, try file.beginSync()) : .filling(file, written: written + count)
        case .syncing(let file, let sync):
            guard try sync.isDone() else { return }
            preparing = .no
            let birth = birth()
            try disk.rename(Self.name, to: FileName.segment(birth: birth).text)
            unnamed.append(Spare(birth: birth, file: file))
            try tendNames()
        }
    }

    private func tendNames() throws {
        if let naming {
            guard try naming.sync.isDone() else { return }
            ready += naming.spares
            self.naming = nil
        }
        guard !unnamed.isEmpty else { return }
        guard limits.syncsNames else {
            ready += unnamed
            return unnamed = []
        }
        naming = (try disk.beginSync(), unnamed)
        unnamed = []
    }

    /// Writes a whole segment of zeros, where somebody waits for it anyway.
    static func fill(_ file: any DiskFile, _ limits: Limits) throws {
        var written = 0
        while written < limits.segmentBytes {
            let count = min(1 << 20, limits.segmentBytes - written)
            try zeros(count) { try file.write($0, at: written) }
            written += count
        }
    }

    private static func zeros(
        _ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        try withUnsafeTemporaryAllocation(byteCount: count, alignment: 4096) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            try body(UnsafeRawBufferPointer(bytes))
        }
    }
}
