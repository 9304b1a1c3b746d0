import JournalPort
import TableWire

/// How late a journal answers, and how badly. Rates are per mille, of entries.
struct Lateness {
    /// An entry is durable after so many milliseconds at most.
    var mostDelayMs = 2
    /// Answers come together, so often; 1: each by itself.
    var burstMs: UInt64 = 1
    /// No answer comes: the entry was written, or lost, or is written later.
    var unknowns = 0
    /// Another process writes for a while, and then this one again.
    var refusals = 0
    /// Nothing is written for a while.
    var silences = 0

    /// When the weather is clear.
    static let calm = Lateness()

    init() {}

    init(_ dice: Dice) {
        mostDelayMs = dice.pick([5, 50, 400])
        burstMs = dice.pick([1, 1, 100, 300])
        unknowns = dice.pick([0, 30, 150])
        refusals = dice.pick([0, 5, 40])
        silences = dice.pick([0, 0, 2, 6])
    }
}

/// The journal of one process on a disk that outlives it.
final class SimulatedJournal: Journal {
    /// Where the process ends within a submission.
    enum Fuse {
        case beforeSync, afterSync
    }

    private struct Submission {
        let position: UInt64
        let entry: [UInt8]
        let term: UInt64
        var dueMs: UInt64
    }

    var fuse: Fuse?
    /// A planted bug: tells of entries before they are durable.
    var betray: (([UInt8]) -> Void)?
    /// Nil: an entry is durable when it is submitted.
    var lateness: Lateness?
    private let disk: SimulatedDisk
    private let laws: Laws
    private let dice: Dice
    private let clock: SimulatedClock
    private let bug: PlantedBug?
    private var isPoisoned = false
    /// The position that the begun checkpoint covers.
    private var covers: UInt64?
    private var commits: UInt64 = 0
    private(set) var term: UInt64?
    /// The position up to which entries are known to be durable.
    private var known: UInt64 = 0
    /// The highest position that was submitted in this term.
    private var newest: UInt64 = 0
    private var underWay: [Submission] = []
    /// Copies that nobody waits for, and that arrive all the same.
    private var strays: [Submission] = []
    /// A planted bug: where the next entry goes of those that are submitted again, without a look.
    private var blindPosition: UInt64?
    private var silentUntilMs: UInt64 = 0
    private var regainsMs: UInt64 = 0

    init(
        on disk: SimulatedDisk, laws: Laws, dice: Dice, clock: SimulatedClock, bug: PlantedBug?,
        lateness: Lateness? = nil
    ) throws {
        self.disk = disk
        self.laws = laws
        self.dice = dice
        self.clock = clock
        self.bug = bug
        self.lateness = lateness
        disk.open()
        term = disk.beginTerm()
        if bug == .unfinishedCheckpointTaken, !disk.visible.building.isEmpty {
            try commit(.finish(position: disk.visible.position))
        }
        known = disk.visible.position
    }

    private func commit(
        _ write: SimulatedDisk.Write, isSynced: Bool = true, isElsewhere: Bool = false
    ) throws {
        laws.demand(!isPoisoned, .endsAfterDiskError, "something is written after an error")
        isPoisoned = true
        try disk.write(write, isElsewhere: isElsewhere)
        if fuse == .beforeSync { throw Killed() }
        if isSynced { try disk.sync() }
        isPoisoned = false
    }

    // MARK: Entries

    var durable: UInt64 { known }

    func submit(_ entry: [UInt8], position: UInt64, term: UInt64) throws {
        if bug == .publishBeforeCommit || bug == .replyBeforeCommit { betray?(entry) }
        guard let lateness else { return try submitAtOnce(entry, position: position) }
        // What is submitted again was decided when there was room.
        laws.demand(
            !disk.isFull || position <= newest, .readOnlyWhenFull,
            "something is submitted though there is no room")
        var place = position
        if let blind = blindPosition, position <= newest {
            (place, blindPosition) = (blind, blind + 1)
        }
        newest = max(newest, position)
        if fuse == .beforeSync { throw Killed() }
        var dueMs = clock.nowMs + 1 + UInt64(dice.below(lateness.mostDelayMs))
        dueMs += (lateness.burstMs - dueMs % lateness.burstMs) % lateness.burstMs
        underWay.append(
            Submission(position: place, entry: entry, term: term, dueMs: dueMs))
        if bug == .publishBeforeDurable || bug == .replyBeforeDurable { betray?(entry) }
        if fuse == .afterSync { throw Killed() }
    }

    private func submitAtOnce(_ entry: [UInt8], position: UInt64) throws {
        do {
            try commit(.entry(entry))
        } catch let error as SimulatedDisk.Broken {
            guard bug == .goesOnAfterDiskError else { throw error }
        }
        commits += 1
        known = position
        if fuse == .afterSync { throw Killed() }
    }

    func news() throws -> JournalNews {
        guard let lateness else { return .underWay }
        try takeStrays()
        if term == nil, clock.nowMs >= regainsMs { term = disk.beginTerm() }
        if dice.chance(lateness.silences) {
            silentUntilMs = clock.nowMs + UInt64(dice.below(6_000))
            laws.note("the journal is silent until \(silentUntilMs)")
        }
        if clock.nowMs < silentUntilMs { return .underWay }
        while let next = underWay.first, next.dueMs <= clock.nowMs {
            if dice.chance(lateness.refusals) { return refuse() }
            // Its position was taken meanwhile, by whom this journal does not know.
            if !isNext(next) { return lose() }
            if dice.chance(lateness.unknowns) {
                try losesAnswer(to: next)
                return lose()
            }
            underWay.removeFirst()
            try write(next)
            known = next.position
        }
        return .underWay
    }

    /// The weather clears.
    func calm() {
        (lateness, silentUntilMs) = (.calm, 0)
        for index in underWay.indices { underWay[index].dueMs = 0 }
    }

    private func isNext(_ one: Submission) -> Bool {
        one.position == disk.visible.position + 1 && one.term == disk.term
    }

    private func write(_ one: Submission) throws {
        try commit(.entry(one.entry), isElsewhere: true)
        commits += 1
    }

    private func refuse() -> JournalNews {
        laws.note("the term \(disk.term) is over")
        _ = disk.beginTerm()
        (term, newest) = (nil, 0)
        regainsMs = clock.nowMs + UInt64(dice.below(500))
        underWay = []
        return .refused
    }

    private func lose() -> JournalNews {
        laws.note("what became of \(underWay.count) entries is unknown")
        underWay = []
        return .unknown
    }

    private func losesAnswer(to next: Submission) throws {
        switch dice.below(3) {
        case 0: break
        case 1:
            // Also some of those behind it.
            for one in underWay.prefix(1 + dice.below(underWay.count)) { try write(one) }
        default:
            var stray = next
            stray.dueMs = clock.nowMs + UInt64(dice.below(600))
            strays.append(stray)
        }
    }

    private func takeStrays() throws {
        let arrived = strays.filter { $0.dueMs <= clock.nowMs }
        strays.removeAll { $0.dueMs <= clock.nowMs }
        for one in arrived where isNext(one) {
            laws.note("entry \(one.position) arrives late")
            try write(one)
        }
    }

    func entries(
        after position: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let content = disk.visible
        if bug == .sentAgainAfterUnknown {
            blindPosition = content.position + 1
            return
        }
        for (index, entry) in content.entries.enumerated() {
            let place = content.base + UInt64(index) + 1
            if place > position { try entry.withUnsafeBytes { try body(place, $0) } }
        }
        known = content.position
    }

    /// The process ends: what was under way arrives, up to some entry.
    func end() {
        // It is not this process that writes them.
        (fuse, isPoisoned) = (nil, false)
        for one in underWay {
            guard isNext(one), dice.chance(500), (try? write(one)) != nil else { break }
        }
        (underWay, strays) = ([], [])
    }

    var figures: JournalFigures {
        let content = disk.visible
        let covered = content.checkpoint?.position ?? content.base
        let fresh = content.entries.dropFirst(Int(max(covered, content.base) - content.base))
        return JournalFigures(
            position: content.position, entries: UInt64(content.entries.count),
            checkpoint: content.checkpoint?.position,
            bytesSinceCheckpoint: UInt64(fresh.reduce(0) { $0 + $1.count }), bytesOnDisk: 0,
            commits: commits)
    }

    // MARK: Checkpoints

    /// Begins a checkpoint. The rest of an unfinished one goes first.
    func beginCheckpoint() throws {
        if !disk.visible.building.isEmpty { try commit(.sweep, isSynced: false) }
        covers = known
    }

    func appendToCheckpoint(_ part: [UInt8]) throws { try commit(.part(part), isSynced: false) }

    func finishCheckpoint() throws -> Bool {
        guard let covers else { throw SimulatedDisk.Broken() }
        try commit(.finish(position: covers))
        self.covers = nil
        laws.note("checkpoint of \(covers)")
        return true
    }

    func abandonCheckpoint() { covers = nil }

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

    // MARK: The whole

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
        known = content.position
        return summary
    }

    func close() throws {}
}
