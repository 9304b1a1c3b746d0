import JournalFormat
import JournalPort
import TableHash

@testable import TableJournal

/// A journal that lives again and again on one disk, each time until something ends it: the power is lost,
/// the process is killed, a call fails. After each end all that was acknowledged must be there.
struct Lives {
    /// A law that did not hold.
    struct Broken: Error, CustomStringConvertible {
        var description: String
    }

    /// Small, so that segments end, are recycled and grow all the time.
    static let limits: Limits = {
        var limits = Limits()
        limits.segmentBytes = 16 << 10
        limits.preparedBytes = 4 << 10
        limits.payloadBytes = 1 << 20
        limits.cutBytes = 4 << 10
        return limits
    }()

    private var disk: MemoryDisk
    private var dice: SplitMix64
    private let limits: Limits
    /// Entry 1 is the first.
    private var acknowledged: [[UInt8]] = []
    /// The entry that was handed over, and nobody was told of.
    private var underWay: [UInt8]?
    /// The position that finished checkpoints cover; the parts are made of the position.
    private var checkpoint: UInt64?
    private var begun: UInt64?
    private(set) var ends = (cuts: 0, kills: 0, failures: 0)
    /// The next life begins with what the last one left.
    private var isUnchecked = false

    init(seed: UInt64, limits: Limits = Lives.limits, liesAboutSyncs: Bool = false) {
        disk = MemoryDisk(seed: seed)
        disk.liesAboutSyncs = liesAboutSyncs
        dice = SplitMix64(seed: seed ^ 0x5EED)
        self.limits = limits
    }

    mutating func live(_ count: Int) throws {
        for life in 0..<count {
            do {
                try liveOnce()
            } catch let error as Broken {
                throw Broken(description: "life \(life): \(error)")
            }
        }
    }

    /// How many calls go well before the end.
    private mutating func liveOnce() throws {
        let how = Int.random(in: 0..<10, using: &dice)
        // Where nobody has looked, the power goes at the next start.
        disk.losesPower = how < (isUnchecked ? 9 : 6)
        disk.fuse = how == 9 ? nil : Int.random(in: 0..<(isUnchecked ? 10 : 60), using: &dice)
        do {
            try serve()
            ends.kills += 1
        } catch is MemoryDisk.Broken {
            if disk.losesPower { ends.cuts += 1 } else { ends.failures += 1 }
        } catch let error as JournalError {
            throw Broken(description: "\(error)")
        }
        disk.fuse = nil
        isUnchecked = Int.random(in: 0..<3, using: &dice) == 0
        // A failed call, or a kill, may be followed by a cut before the next start.
        if disk.losesPower || !isUnchecked && Bool.random(using: &dice) { disk = disk.afterACut() }
        disk.isOff = false
        if !isUnchecked { try check() }
    }

    /// Opens it without faults: what is there is what was acknowledged, and perhaps what was under way.
    private mutating func check() throws {
        do {
            let journal = try LogJournal(disk, limits)
            try compare(journal)
        } catch let error as JournalError {
            throw Broken(description: "refused: \(error)")
        }
        if Bool.random(using: &dice) { disk = disk.afterACut() }
    }

    private mutating func compare(_ journal: LogJournal) throws {
        var parts: [[UInt8]] = []
        var found: [UInt64: [UInt8]] = [:]
        var covered: UInt64?
        let summary = try journal.recover { item in
            switch item {
            case .checkpoint(let position, _): covered = position
            case .part(let bytes): parts.append(Array(bytes))
            case .entry(let position, let bytes): found[position] = Array(bytes)
            }
        }
        // It is served from now on, so it counts as acknowledged.
        if let underWay, summary.position == UInt64(acknowledged.count) + 1 {
            acknowledged.append(underWay)
        }
        underWay = nil
        guard summary.position == UInt64(acknowledged.count) else {
            throw Broken(
                description: "\(acknowledged.count) acknowledged, it ends at \(summary.position)")
        }
        for (position, bytes) in found where acknowledged[Int(position) - 1] != bytes {
            throw Broken(description: "entry \(position) is another one")
        }
        for position in (covered ?? 0)..<summary.position where found[position + 1] == nil {
            throw Broken(description: "entry \(position + 1) is missing")
        }
        guard covered ?? 0 >= checkpoint ?? 0, covered == nil || covered ?? 0 <= summary.position
        else { throw Broken(description: "the checkpoint at \(checkpoint ?? 0) is lost") }
        checkpoint = covered
        if let covered, parts != Self.parts(of: covered) {
            throw Broken(description: "the checkpoint at \(covered) has other parts")
        }
    }

    private static func parts(of position: UInt64) -> [[UInt8]] {
        (0..<Int(position % 4)).map { payload(Int(position) * 10 + $0, count: 900 * $0 + 30) }
    }

    // MARK: A life

    private mutating func serve() throws {
        let journal = try LogJournal(disk, limits)
        try compare(journal)
        begun = nil
        var parts: ArraySlice<[UInt8]> = []
        for _ in 0..<Int.random(in: 0..<60, using: &dice) {
            switch Int.random(in: 0..<13, using: &dice) {
            case 0..<6: try append(to: journal)
            case 6..<9: _ = try journal.tend()
            case 9: _ = try journal.compact(before: journal.durable + 1, atMost: 40)
            case 10: try journal.forgetEarlier(beginsAnew: Bool.random(using: &dice))
            default:
                if begun == nil {
                    begun = journal.durable
                    parts = Self.parts(of: journal.durable)[...]
                    try journal.beginCheckpoint()
                } else if let part = parts.popFirst() {
                    try journal.appendToCheckpoint(part)
                } else if try journal.finishCheckpoint() {
                    (checkpoint, begun) = (begun, nil)
                }
            }
        }
        // Nobody closes one that is killed.
        if Int.random(in: 0..<4, using: &dice) == 0 { try journal.close() }
    }

    private mutating func append(to journal: LogJournal) throws {
        let sizes = [0, 9, 40, 200, 200, 3_000, 5_000, 30_000]
        let number = acknowledged.count + 1
        let count = sizes.randomElement(using: &dice) ?? 0
        // Each differs from a lost one at the same position.
        let bytes = payload(Int(truncatingIfNeeded: dice.next() >> 20), count: count)
        underWay = bytes
        try journal.submit(bytes, position: UInt64(number), term: 1)
        acknowledged.append(bytes)
        underWay = nil
    }
}
