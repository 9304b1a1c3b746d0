import JournalFormat

/// A journal in an empty directory that begins with a checkpoint: what another journal held is moved there.
package struct StartedLog {
    private let disk: any Disk
    private let limits: Limits
    private let manifest: Manifest
    private let checkpoint: Checkpoint
    private let file: CheckpointFile

    /// The next entry is the one behind `position`.
    package init(in directory: StateDirectory, covering position: UInt64) throws {
        try self.init(FileDisk(path: directory.path), Limits(), covering: position)
    }

    init(_ disk: any Disk, _ limits: Limits, covering position: UInt64) throws {
        (self.disk, self.limits) = (disk, limits)
        manifest = Manifest(log: UInt64.random(in: 1 ... .max))
        // The hash chain begins anew here: it is a promise of one journal to itself.
        let covered = ChainPoint(position: position, chain: Chain.start)
        checkpoint = Checkpoint(log: manifest.log, number: 1, covering: covered)
        file = try CheckpointFile(disk, limits, checkpoint, bytesCovered: 0)
    }

    /// Adds a part of the checkpoint.
    package func add(_ part: [UInt8]) throws {
        try part.withUnsafeBytes { try file.add($0) }
    }

    /// Brings all of it into force.
    package func finish() throws {
        let name = FileName.checkpoint(number: checkpoint.number).text
        try file.finishAtOnce(as: name + FileName.beginning)
        try Beginning.start(in: disk, limits, manifest, base: checkpoint.covered)
    }
}
