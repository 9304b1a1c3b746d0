/// A reading of the whole journal a little at a time, while entries go on being submitted.
public protocol Verification: AnyObject {
    /// Reads on while `goesOn` says so, at least a little.
    ///
    /// - Returns: nil while there is more; then what `recover` would have said.
    /// - Throws: what `recover` throws.
    func work(while goesOn: () -> Bool) throws -> JournalSummary?
}

extension Journal {
    /// All at once, where a journal knows no better.
    public func verification() throws -> any Verification { WholeVerification(self) }

    /// For a journal that prepares nothing.
    public func tend() throws -> Bool { false }

    /// For a journal that prepares nothing.
    public var hasRoom: Bool {
        get { true }
        set {}
    }

    /// For a journal whose entries are durable when `submit` returns.
    public func news() throws -> JournalNews { .underWay }

    /// For a journal that only one process writes.
    public var isFollowed: Bool { false }

    /// For a journal that others see too.
    public var isOwnCopy: Bool { false }

    /// For a journal that only one process writes.
    public var isCurrent: Bool { true }

    /// For a journal that only one process writes.
    public var leaders: [String] { [] }

    /// For a journal that looks at no space of its own.
    public var refusesChanges: String? { nil }

    /// For a journal that takes whatever fits.
    public var refusesMore: String? { nil }

    /// For a journal whose entries are durable when `submit` returns.
    public var descriptor: Int32? { nil }
}

private final class WholeVerification: Verification {
    private let journal: any Journal

    init(_ journal: any Journal) { self.journal = journal }

    func work(while goesOn: () -> Bool) throws -> JournalSummary? { try journal.recover { _ in } }
}
