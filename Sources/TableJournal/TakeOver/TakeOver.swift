import JournalFormat

/// Takes over the journal of a daemon of before, at the first start.
///
/// All of it is read, checked, and written under names that are not in force. The file `journal` brings
/// them into force (`Beginning`); only then is `journal.db` put aside. A start that ends before begins
/// again. The old files are not changed: they are kept as `journal.db.taken-over`, for whoever wants to
/// go back.
struct TakeOver {
    static let database = "journal.db"
    private static let aside = "journal.db.taken-over"
    private static let log = "-wal"

    private let disk: any Disk
    private let limits: Limits
    private let manifest: Manifest
    private let promise: AcknowledgedFile.Content

    init(
        _ disk: any Disk, _ limits: Limits, _ manifest: Manifest,
        _ promise: AcknowledgedFile.Content
    ) {
        (self.disk, self.limits, self.manifest, self.promise) = (disk, limits, manifest, promise)
    }

    func run() throws {
        guard let old = try OldJournal(path: disk.path(of: Self.database)) else {
            guard promise.position == 0 else {
                throw JournalError.acknowledgedLost(
                    path: disk.path(of: Self.database), end: 0, acknowledged: promise.position)
            }
            let log = try Beginning.firstSegment(in: disk, limits, manifest, base: .start)
            return try log.sync()
        }
        try takeCheckpoint(of: old)
        try takeEntries(of: old)
    }

    private func takeCheckpoint(of old: OldJournal) throws {
        guard let header = old.checkpoint else { return }
        let checkpoint = Checkpoint(log: manifest.log, number: 1, covering: header.covered)
        let file = try CheckpointFile(disk, limits, checkpoint, bytesCovered: 0)
        try old.parts { try file.add($0) }
        let name = FileName.checkpoint(number: checkpoint.number).text
        try file.finishAtOnce(as: name + FileName.beginning)
    }

    private func takeEntries(of old: OldJournal) throws {
        let log = try Beginning.firstSegment(in: disk, limits, manifest, base: old.base)
        let wanted = promise.position
        var chain = wanted == old.base.position ? old.base.chain : nil
        try old.entries { point, payload in
            try log.append(payload, isSynced: false)
            if point.position == wanted { chain = point.chain }
        }
        try log.sync()
        _ = try promise.check(
            in: disk, log: disk.path(of: Self.database), head: old.head, base: old.base.position,
            covered: old.checkpoint?.covered.position, chain: chain)
    }

    /// Puts the old files aside when the new ones are in force. The database goes first: without it its
    /// log is nothing, whatever name that has.
    static func putAside(_ names: Set<String>, in disk: any Disk) throws {
        var hasRenamed = false
        for suffix in ["", Self.log] {
            let (name, aside) = (database + suffix, aside + suffix)
            guard names.contains(name), !names.contains(aside) else { continue }
            try disk.rename(name, to: aside)
            hasRenamed = true
        }
        if hasRenamed { try disk.sync() }
    }
}
