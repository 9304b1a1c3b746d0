import Synchronization
import TableHash
import TableModel
import TableSync

/// SplitMix64: the same numbers from the same seed on every machine, shared by reference so that
/// all parts of one run draw from one stream.
final class Dice {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// In 0..<bound.
    func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// True in so many of a thousand cases.
    func chance(_ perMille: Int) -> Bool { below(1_000) < perMille }

    func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

    func id128() -> ID128 { ID128(high: next(), low: next()) }

    /// In 0..<1.
    func fraction() -> Double { Double(next() >> 11) / Double(UInt64(1) << 53) }
}

/// A codec whose bytes are indices into a table of the values themselves: two encodings of one
/// value differ, so that a diff that was encoded twice is found out.
final class RegistryCodec: Codec {
    private struct Values {
        var diffs: [Diff] = []
        var replies: [Reply] = []
        var steps: [[Op]] = []
        var parts: [CheckpointPart] = []
    }

    private let values = Mutex(Values())
    private static let replyMark: UInt64 = 1 << 63

    func encode(_ diff: Diff) -> [UInt8] {
        values.withLock {
            $0.diffs.append(diff)
            return Self.bytes(UInt64($0.diffs.count - 1))
        }
    }

    func decodeDiff(_ bytes: [UInt8]) -> Diff? {
        guard let index = Self.index(bytes) else { return nil }
        return values.withLock {
            index < UInt64($0.diffs.count) ? $0.diffs[Int(index)] : nil
        }
    }

    func encode(_ steps: [Op]) -> [UInt8] {
        values.withLock {
            $0.steps.append(steps)
            return Self.bytes(UInt64($0.steps.count - 1))
        }
    }

    func decodeSteps(_ bytes: [UInt8]) -> [Op]? {
        guard let index = Self.index(bytes) else { return nil }
        return values.withLock { index < UInt64($0.steps.count) ? $0.steps[Int(index)] : nil }
    }

    func encode(_ part: CheckpointPart) -> [UInt8] {
        values.withLock {
            $0.parts.append(part)
            return Self.bytes(UInt64($0.parts.count - 1))
        }
    }

    func decodePart(_ bytes: [UInt8], limits: Limits?) throws(Rejection) -> CheckpointPart {
        let part = Self.index(bytes).flatMap { index in
            values.withLock { index < UInt64($0.parts.count) ? $0.parts[Int(index)] : nil }
        }
        guard let part else { throw Rejection(.malformed, "These bytes are no part.") }
        return part
    }

    func mayMention(_ row: RowID, _ diff: [UInt8]) -> Bool { true }

    func encode(_ reply: Reply) -> [UInt8] {
        values.withLock {
            $0.replies.append(reply)
            return Self.bytes(UInt64($0.replies.count - 1) | Self.replyMark)
        }
    }

    func decodeReply(_ bytes: [UInt8]) -> Reply? {
        guard let index = Self.index(bytes), index & Self.replyMark != 0 else { return nil }
        let place = index & ~Self.replyMark
        return values.withLock {
            place < UInt64($0.replies.count) ? $0.replies[Int(place)] : nil
        }
    }

    private static func bytes(_ index: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: index >> UInt64(8 * $0)) }
    }

    private static func index(_ bytes: [UInt8]) -> UInt64? {
        guard bytes.count == 8 else { return nil }
        return bytes.indices.reduce(0) { $0 | UInt64(bytes[$1]) << UInt64(8 * $1) }
    }
}

/// How bad the weather is in one run; per mille.
struct Weather {
    var lostPublications = 0
    var lostRequests = 0
    var lostReplies = 0
    var duplicates = 0
    var crashes = 0
    var mostDelayMs = 1

    static let calm = Weather()

    init() {}

    /// From fair to foul.
    init(_ dice: Dice) {
        lostPublications = dice.pick([0, 20, 150, 400])
        lostRequests = dice.pick([0, 20, 100, 250])
        lostReplies = dice.pick([0, 20, 100, 250])
        duplicates = dice.pick([0, 50, 200])
        crashes = dice.pick([0, 5, 20, 60])
        mostDelayMs = dice.pick([2, 30, 300])
    }
}

/// One direction of one connection: what is not lost arrives late, and in order.
struct Link<Message> {
    private var queue: [(atMs: UInt64, message: Message)] = []

    mutating func send(_ message: Message, nowMs: UInt64, delayMs: Int) {
        let arrival = max(nowMs + UInt64(delayMs), queue.last?.atMs ?? 0)
        queue.append((arrival, message))
    }

    /// What has arrived by now.
    mutating func receive(nowMs: UInt64) -> [Message] {
        let count = queue.prefix { $0.atMs <= nowMs }.count
        defer { queue.removeFirst(count) }
        return queue.prefix(count).map(\.message)
    }

    /// The connection broke: only the first ones still get through.
    mutating func cut(_ dice: Dice) {
        queue.removeLast(dice.below(queue.count + 1))
    }
}
