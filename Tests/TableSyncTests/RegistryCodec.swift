import Synchronization
import TableModel
import TableSync

/// A codec whose bytes are indices into a list of the values themselves. Two encodings of one value
/// differ, so a test notices a diff that was encoded twice.
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

    func mayMention(_ rows: RowSearch, _ diff: [UInt8]) -> Bool { true }

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
