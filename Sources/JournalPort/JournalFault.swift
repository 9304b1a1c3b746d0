/// The journal could not be read this time, and nothing is known to be wrong with it: to be asked again.
public struct JournalUnavailable: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence without a full stop.
    public let description: String

    /// For this reason.
    public init(_ description: String) { self.description = description }
}

/// The entries that were read first have been removed meanwhile, since a newer checkpoint covers them: read anew.
/// Whatever was built of it is discarded.
public struct JournalMoved: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence without a full stop.
    public var description: String { "the journal was shortened while it was read" }

    /// The only one.
    public init() {}
}
