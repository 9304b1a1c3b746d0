internal import TableModel

/// What arrived from the daemon, or was read from the journal, is not what the schema says.
///
/// Unlike a `Rejection` nobody is told: a viewer answers it by taking a snapshot, recovery by
/// ending.
public struct WireError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence.
    public var message: String
    /// Where, as the JSON form names it; nil when the message did not decode at all.
    public var field: String?

    init(_ rejection: Rejection) {
        message = rejection.message
        field = rejection.field
    }

    /// The field, if one is known, and the sentence.
    public var description: String { field.map { "\($0): \(message)" } ?? message }
}

extension Decode {
    /// Reads something that was received: what would refuse a request is an error here.
    static func received<T>(_ body: () throws(Rejection) -> T) throws(WireError) -> T {
        do throws(Rejection) {
            return try body()
        } catch {
            throw WireError(error)
        }
    }
}
