public import TableModel

/// An action that has failed and is tried again.
public struct Tried: Equatable, Sendable {
    /// So many attempts have failed, of so many at most.
    public let failed: Int, most: Int
    /// Why the last one did.
    public let reason: String
    /// The time of the next one, by the clock; it is over: now.
    public let time: String, isOver: Bool
}

extension Table {
    /// The text about an action that has failed and is tried again: "failed once (no signal), again at
    /// 14:02:07 (2 of 3)". Nil: no attempt of it has failed, or none follows.
    public func triedText(_ performance: Performance, zoneSeconds: Int) -> String? {
        guard let tried = tried(performance, zoneSeconds: zoneSeconds) else { return nil }
        let times =
            tried.failed == 1 ? "once" : tried.failed == 2 ? "twice" : "\(tried.failed) times"
        let again = tried.isOver ? "again now" : "again at \(tried.time)"
        return "failed \(times) (\(tried.reason)), \(again) (\(tried.failed + 1) of \(tried.most))"
    }

    /// The attempts that have failed, and when the next one is due. Nil: no attempt of it has failed, or none follows.
    public func tried(_ performance: Performance, zoneSeconds: Int) -> Tried? {
        guard case .pending(let id) = performance.state, let invocation = invocations[id],
            let failure = invocation.failure
        else { return nil }
        let failed = invocation.attempts &- (invocation.holder == nil ? 0 : 1)
        return Tried(
            failed: Int(clamping: failed), most: Int(clamping: invocation.retries.attempts ?? 1),
            reason: failure.reason,
            time: Self.clockText(failure.dueMs, zoneSeconds: zoneSeconds), isOver: failure.isOver)
    }

    /// The time of day, to the second.
    private static func clockText(_ timeMs: UInt64, zoneSeconds: Int) -> String {
        let seconds = max(0, Int(clamping: timeMs / 1_000) + zoneSeconds) % 86_400
        return [seconds / 3_600, seconds / 60 % 60, seconds % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
