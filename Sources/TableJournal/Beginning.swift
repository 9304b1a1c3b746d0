import JournalFormat

/// The first start in a directory, and what an unfinished one left. The journal is there when its file
/// `journal` is: that one rename brings all of it into force.
struct Beginning {
    private let disk: any Disk
    private let limits: Limits
    private let promise: AcknowledgedFile.Content

    init(_ disk: any Disk, _ limits: Limits, _ promise: AcknowledgedFile.Content) {
        (self.disk, self.limits, self.promise) = (disk, limits, promise)
    }

    /// The manifest of the journal, which has begun when this returns.
    func manifest() throws -> Manifest {
        var names = Set(try disk.names())
        if !names.contains(FileName.manifest) {
            try begin(names)
            names = Set(try disk.names())
        }
        let manifest = try read()
        try settle(names)
        return manifest
    }

    private func read() throws -> Manifest {
        let path = disk.path(of: FileName.manifest)
        let bytes = try disk.open(FileName.manifest).bytes(0..<Manifest.size + 1)
        guard let manifest = bytes.withUnsafeBytes({ Manifest($0) }) else {
            throw JournalError.fileDamaged(path: path)
        }
        try LogReader.check(form: manifest.form, path)
        return manifest
    }

    /// Files that the beginning left under other names get theirs; what was unfinished goes.
    private func settle(_ names: Set<String>) throws {
        var hasRenamed = false
        for name in names.sorted() where name.hasSuffix(FileName.beginning) {
            try disk.rename(name, to: String(name.dropLast(FileName.beginning.count)))
            hasRenamed = true
        }
        for name in names where name.hasSuffix(FileName.unfinished) { try disk.remove(name) }
        if hasRenamed, limits.syncsNames { try disk.sync() }
    }

    private func begin(_ names: Set<String>) throws {
        for name in names.sorted() {
            // A log without its `journal` is not ours to replace.
            guard FileName(name) == nil else {
                throw JournalError.manifestMissing(path: disk.path(of: FileName.manifest))
            }
        }
        for name in names
        where name.hasSuffix(FileName.beginning) || name.hasSuffix(FileName.unfinished) {
            try disk.remove(name)
        }
        let manifest = Manifest(log: UInt64.random(in: 1 ... .max))
        guard promise.position == 0 else {
            throw JournalError.acknowledgedLost(
                path: disk.path, end: 0, acknowledged: promise.position)
        }
        let log = try Self.firstSegment(in: disk, limits, manifest, base: .start)
        try log.sync()
        try bringIntoForce(manifest)
    }

    /// Makes a journal whose first entry goes behind `base`: that of a checkpoint which is there under a name that is
    /// not in force, or the start.
    static func start(
        in disk: any Disk, _ limits: Limits, _ manifest: Manifest, base: ChainPoint,
        append: (Log) throws -> Void = { _ in }
    ) throws {
        let log = try firstSegment(in: disk, limits, manifest, base: base)
        try append(log)
        try log.sync()
        _ = try AcknowledgedFile(disk, Promise(newest: log.head, checkpoint: base.position))
        try Beginning(disk, limits, .missing).bringIntoForce(manifest)
    }

    /// The first segment of a log, under a name that is not in force.
    private static func firstSegment(
        in disk: any Disk, _ limits: Limits, _ manifest: Manifest, base: ChainPoint
    ) throws -> Log {
        let segment = Log.Segment(birth: 1, base: base, end: base, fileBytes: limits.segmentBytes)
        let file = try disk.make(segment.name + FileName.beginning)
        try SpareSegments.fill(file, limits)
        try withUnsafeTemporaryAllocation(byteCount: SegmentHeader.size, alignment: 8) { page in
            SegmentHeader(base: base).encode(
                into: page, of: SegmentIdentity(log: manifest.log, birth: segment.birth))
            try file.write(UnsafeRawBufferPointer(page), at: 0)
        }
        return Log(
            disk, id: manifest.log, limits, segments: [segment], file: file,
            offset: SegmentHeader.size, nextBirth: 2, suffix: FileName.beginning)
    }

    /// Makes the journal of files that are complete under names that are not in force.
    func bringIntoForce(_ manifest: Manifest) throws {
        let name = FileName.manifest + FileName.unfinished
        let file = try disk.make(name)
        try withUnsafeTemporaryAllocation(byteCount: Manifest.size, alignment: 8) { bytes in
            manifest.encode(into: bytes)
            try file.write(UnsafeRawBufferPointer(bytes), at: 0)
        }
        try file.sync()
        // The names of all others, before the one that brings them into force.
        if limits.syncsNames { try disk.sync() }
        try disk.rename(name, to: FileName.manifest)
        if limits.syncsNames { try disk.sync() }
    }
}
