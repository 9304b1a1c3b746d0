import TableJournal
import TableWire

/// A disk that outlives processes: what was synced stays; of what was written since, a power cut
/// leaves any beginning, and the next after it torn. Process crashes lose nothing of it, since
/// the page cache is the kernel's.
final class SimulatedDisk {
    struct Content {
        /// What precedes the oldest entry.
        var base: UInt64 = 0
        var entries: [[UInt8]] = []
        var checkpoint: (position: UInt64, parts: [[UInt8]])?
        /// Parts of a checkpoint that is not finished.
        var building: [[UInt8]] = []

        var position: UInt64 { base + UInt64(entries.count) }

        mutating func apply(_ write: Write) {
            switch write {
            case .entry(let bytes): entries.append(bytes)
            case .part(let bytes): building.append(bytes)
            case .finish(let position):
                checkpoint = (position, building)
                building = []
            case .sweep: building = []
            case .compact(let count):
                entries.removeFirst(count)
                base += UInt64(count)
            case .torn: break
            }
        }
    }

    /// One commit of the journal.
    enum Write {
        case entry([UInt8])
        case part([UInt8])
        case finish(position: UInt64)
        case sweep
        case compact(Int)
        /// Its beginning only: the checksums say so.
        case torn
    }

    /// A write or a sync that failed.
    struct Broken: Error {}

    private(set) var durable: Content
    private var unsynced: [Write] = []
    /// As many writes and syncs succeed before one fails; nil: all do.
    var breaksAfter: Int?
    var isFull = false
    private let laws: Laws
    private let bug: PlantedBug?

    init(_ content: Content = Content(), laws: Laws, bug: PlantedBug?) {
        durable = content
        self.laws = laws
        self.bug = bug
    }

    /// What a process sees: all that was written whole.
    var visible: Content {
        var content = durable
        for write in whole { content.apply(write) }
        return content
    }

    private var whole: ArraySlice<Write> {
        unsynced.prefix { if case .torn = $0 { false } else { true } }
    }

    func write(_ write: Write) throws {
        laws.demand(!isFull, .readOnlyWhenFull, "something is written though there is no room")
        if isBreaking() {
            unsynced.append(.torn)
            throw Broken()
        }
        unsynced.append(write)
    }

    func sync() throws {
        if isBreaking() { throw Broken() }
        if bug == .commitNotSynced { return }
        settle(whole.count)
    }

    private func isBreaking() -> Bool {
        guard let left = breaksAfter else { return false }
        breaksAfter = left > 0 ? left - 1 : nil
        return left == 0
    }

    /// A process opens the journal: what is torn is cut off, and the rest is made durable before
    /// anybody hears of it.
    func open() {
        let whole = Array(whole)
        unsynced = whole
        if bug == .openedUnsynced { return }
        settle(whole.count)
    }

    func cutPower(_ dice: Dice) {
        let kept = dice.below(unsynced.count + 1)
        let next = unsynced.dropFirst(kept).first
        unsynced = Array(unsynced.prefix(kept))
        settle(whole.count)
        unsynced = []
        if bug == .tornEntryTaken, case .entry(let bytes)? = next { takeHalf(of: bytes) }
    }

    /// The first records of an entry that did not reach the disk whole (a planted bug).
    private func takeHalf(of bytes: [UInt8]) {
        guard var entry = bytes.withUnsafeBytes({ try? Decode.entry($0) }) else { return }
        entry.records.removeLast((entry.records.count + 1) / 2)
        if !entry.records.isEmpty { durable.apply(.entry(Encode.entry(entry))) }
    }

    private func settle(_ count: Int) {
        for write in unsynced.prefix(count) {
            durable.apply(write)
            if case .entry(let bytes) = write { laws.reachedDisk(bytes, at: durable.position) }
        }
        unsynced.removeFirst(count)
    }
}

/// The journal of one process on that disk.
final class SimulatedJournal: Journal {
    private let disk: SimulatedDisk
    private let laws: Laws
    private let bug: PlantedBug?
    private var isPoisoned = false
    /// What the checkpoint that was begun covers.
    private var covers: UInt64?
    private var commits: UInt64 = 0

    init(on disk: SimulatedDisk, laws: Laws, bug: PlantedBug?) throws {
        self.disk = disk
        self.laws = laws
        self.bug = bug
        disk.open()
        if bug == .unfinishedCheckpointTaken, !disk.visible.building.isEmpty {
            try commit(.finish(position: disk.visible.position))
        }
    }

    private func commit(_ write: SimulatedDisk.Write, isSynced: Bool = true) throws {
        laws.demand(!isPoisoned, .endsAfterDiskError, "something is written after an error")
        isPoisoned = true
        try disk.write(write)
        if isSynced { try disk.sync() }
        isPoisoned = false
    }

    var position: UInt64 { disk.visible.position }

    var figures: JournalFigures {
        let content = disk.visible
        let covered = content.checkpoint?.position ?? content.base
        let fresh = content.entries.dropFirst(Int(max(covered, content.base) - content.base))
        return JournalFigures(
            position: content.position, oldest: content.entries.isEmpty ? nil : content.base + 1,
            entries: UInt64(content.entries.count), checkpoint: content.checkpoint?.position,
            bytesSinceCheckpoint: UInt64(fresh.reduce(0) { $0 + $1.count }), bytesOnDisk: 0,
            commits: commits)
    }

    func append(_ entry: [UInt8]) throws {
        try commit(.entry(entry))
        commits += 1
    }

    /// What an unfinished one left behind goes first.
    func beginCheckpoint() throws {
        if !disk.visible.building.isEmpty { try commit(.sweep, isSynced: false) }
        covers = position
    }

    func appendToCheckpoint(_ part: [UInt8]) throws { try commit(.part(part), isSynced: false) }

    func finishCheckpoint() throws {
        guard let covers else { throw SimulatedDisk.Broken() }
        try commit(.finish(position: covers))
        self.covers = nil
        laws.note("checkpoint of \(covers)")
    }

    func abandonCheckpoint() throws {
        covers = nil
        try commit(.sweep, isSynced: false)
    }

    func compact(before position: UInt64, atMost: Int) throws -> Int {
        let content = disk.visible
        guard let covered = content.checkpoint?.position, position > 0 else { return 0 }
        var end = min(position - 1, covered)
        if bug == .compactsTooMuch { end = content.position }
        guard end > content.base else { return 0 }
        let count = min(Int(end - content.base), atMost)
        try commit(.compact(count), isSynced: false)
        return count
    }

    func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary {
        let content = disk.visible
        var summary = JournalSummary()
        if let checkpoint = content.checkpoint {
            summary.checkpoint = checkpoint.position
            summary.parts = UInt64(checkpoint.parts.count)
            try body(.checkpoint(position: checkpoint.position, parts: summary.parts))
            for part in checkpoint.parts { try part.withUnsafeBytes { try body(.part($0)) } }
        }
        for (index, entry) in content.entries.enumerated() {
            let position = content.base + UInt64(index) + 1
            try entry.withUnsafeBytes { try body(.entry(position: position, $0)) }
        }
        summary.entries = UInt64(content.entries.count)
        summary.position = content.position
        return summary
    }

    func verify() throws -> JournalSummary { try recover { _ in } }

    func close() throws {}
}
