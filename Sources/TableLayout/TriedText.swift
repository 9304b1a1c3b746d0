public import TableModel

extension Table {
    /// The text about an action that has failed and is tried again: "failed once (no signal), again at
    /// 14:02:07 (2 of 3)". Nil: no attempt of it has failed, or none follows.
    public func triedText(_ performance: Performance, zoneSeconds: Int) -> String? {
        guard case .pending(let id) = performance.state, let invocation = invocations[id],
            let failure = invocation.failure
        else { return nil }
        let failed = invocation.attempts &- (invocation.holder == nil ? 0 : 1)
        let times = failed == 1 ? "once" : failed == 2 ? "twice" : "\(failed) times"
        let next = "\(failed &+ 1) of \(invocation.retries.attempts ?? 1)"
        let again =
            failure.isOver
            ? "again now" : "again at \(Self.clockText(failure.dueMs, zoneSeconds: zoneSeconds))"
        return "failed \(times) (\(failure.reason)), \(again) (\(next))"
    }

    /// The time of day, to the second.
    private static func clockText(_ timeMs: UInt64, zoneSeconds: Int) -> String {
        let seconds = max(0, Int(clamping: timeMs / 1_000) + zoneSeconds) % 86_400
        return [seconds / 3_600, seconds / 60 % 60, seconds % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
