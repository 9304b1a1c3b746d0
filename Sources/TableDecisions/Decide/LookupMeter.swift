import TableModel

/// Counts the values that the commands of a batch, or one command on many rows, look up for conditions and for the rows
/// of groups. Each command has bounds of its own, but nobody else has a turn until all of them are decided on.
final class LookupMeter {
    private var sum = 0
    private let limit: Int

    /// Some 50 ms.
    init(atMost limit: Int = Limits.groupValuesLookedAt) { self.limit = limit }

    /// Notes values that are looked up.
    func add(_ count: Int) { sum += min(count, Int.max - sum) }

    /// Whether no further command, and no further row, is decided on.
    var isSpent: Bool { sum > limit }

    /// Why not.
    func rejection(field: String) -> Rejection {
        .tooLarge("values looked at for conditions and groups", sum, limit: limit, field: field)
    }
}
