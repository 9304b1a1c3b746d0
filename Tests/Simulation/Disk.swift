import TableWire

/// A disk that outlives processes: what was synced stays; of what was written since, a power cut
/// leaves any beginning, and the next after it torn. Process crashes lose nothing of it, since
/// the page cache is the kernel's.
final class SimulatedDisk {
    struct Content {
        /// The position before the oldest entry.
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
    /// The term of the process that may write.
    private(set) var term: UInt64 = 0
    private let laws: Laws
    private let bug: PlantedBug?

    init(_ content: Content = Content(), laws: Laws, bug: PlantedBug?) {
        durable = content
        self.laws = laws
        self.bug = bug
    }

    /// The content that a process sees: all that was written whole.
    var visible: Content {
        var content = durable
        for write in whole { content.apply(write) }
        return content
    }

    private var whole: ArraySlice<Write> {
        unsynced.prefix { if case .torn = $0 { false } else { true } }
    }

    /// Begins a term: entries of older ones are not taken any more.
    func beginTerm() -> UInt64 {
        term += 1
        return term
    }

    /// `isElsewhere`: on other machines, which have room.
    func write(_ write: Write, isElsewhere: Bool = false) throws {
        laws.demand(
            isElsewhere || !isFull, .readOnlyWhenFull,
            "something is written though there is no room")
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
