internal import TableModel

/// Bytes from the daemon or the journal do not fit the schema.
///
/// Unlike a `Rejection`, it is not sent to anybody. A viewer then takes a snapshot, and recovery
/// ends.
public struct WireError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence for people.
    public var message: String
    /// The field, as the JSON form names it; nil if the message did not decode at all.
    public var field: String?

    init(_ rejection: Rejection) {
        message = rejection.message
        field = rejection.field
    }

    /// The field, if it is known, and the sentence.
    public var description: String { field.map { "\($0): \(message)" } ?? message }
}
