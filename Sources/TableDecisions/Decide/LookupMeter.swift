import TableModel

/// Counts the values that the commands of a batch, or one command on many rows, look up for conditions and for the rows
/// of groups. Each command has bounds of its own, but nobody else has a turn until all of them are decided on.
public final class LookupMeter {
    private var sum = 0
    private let limit: Int

    init(atMost limit: Int) { self.limit = limit }

    /// The default bound: some 50 ms.
    public convenience init() { self.init(atMost: Limits.groupValuesLookedAt) }

    /// Notes values that are looked up.
    func add(_ count: Int) { sum += min(count, Int.max - sum) }

    /// Whether no further command, and no further row, is decided on.
    public var isSpent: Bool { sum > limit }

    /// Why not.
    func rejection(field: String) -> Rejection {
        .tooLarge("values looked at for conditions and groups", sum, limit: limit, field: field)
    }
}
