public import TableModel

/// A diff without its steps: what a log keeps of it besides its bytes.
public struct DiffOutline: Equatable, Sendable {
    /// The revision before.
    public var base: UInt64
    /// Of the table afterwards.
    public var digest: UInt64
    /// Who caused it, and by what.
    public var cause: Cause
    /// Some step is about more than the rows that it names.
    public var isTableWide: Bool
    /// Some step is a handler's.
    public var isOfHandler: Bool

    /// An outline as given; by default of steps that are about rows.
    public init(
        base: UInt64, digest: UInt64, cause: Cause, isTableWide: Bool = false,
        isOfHandler: Bool = false
    ) {
        self.base = base
        self.digest = digest
        self.cause = cause
        self.isTableWide = isTableWide
        self.isOfHandler = isOfHandler
    }

    /// That of a diff.
    public init(_ diff: Diff) {
        self.init(
            base: diff.base, digest: diff.digest, cause: diff.cause,
            isTableWide: diff.ops.contains(where: \.isTableWide),
            isOfHandler: diff.ops.contains(where: \.isOfHandler))
    }
}
