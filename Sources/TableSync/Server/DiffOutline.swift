public import TableModel

/// A diff without its ops: what a log keeps of it besides its bytes.
public struct DiffOutline: Equatable, Sendable {
    /// The revision before the diff.
    public var base: UInt64
    /// The table's digest after the diff.
    public var digest: UInt64
    /// The cause of the diff.
    public var cause: Cause
    /// Some op is about more than the rows that it names.
    public var isTableWide: Bool
    /// Some op is a handler's.
    public var isOfHandler: Bool

    /// An outline with these values; by default of ops that are about rows.
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

    /// The outline of a diff.
    public init(_ diff: Diff) {
        self.init(
            base: diff.base, digest: diff.digest, cause: diff.cause,
            isTableWide: diff.ops.contains(where: \.isTableWide),
            isOfHandler: diff.ops.contains(where: \.isOfHandler))
    }
}
