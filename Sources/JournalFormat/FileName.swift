/// The names of the journal's files.
package enum FileName: Equatable, Sendable {
    /// A segment of the log, by its birth number. Later ones have larger numbers.
    case segment(birth: UInt64)
    /// A checkpoint, by its number. The newest has the largest.
    case checkpoint(number: UInt64)

    package var text: String {
        switch self {
        case .segment(let birth): "log-" + Self.digits(birth)
        case .checkpoint(let number): "checkpoint-" + Self.digits(number)
        }
    }

    /// Nil for other files.
    package init?(_ text: String) {
        for (prefix, make) in Self.kinds where text.hasPrefix(prefix) {
            let digits = text.dropFirst(prefix.count)
            guard digits.utf8.count == 16, let number = UInt64(digits, radix: 16),
                Self.digits(number) == digits
            else { return nil }
            self = make(number)
            return
        }
        return nil
    }

    private static let kinds: [(String, @Sendable (UInt64) -> FileName)] = [
        ("log-", { .segment(birth: $0) }), ("checkpoint-", { .checkpoint(number: $0) }),
    ]

    private static func digits(_ number: UInt64) -> String {
        let hex = String(number, radix: 16)
        return String(repeating: "0", count: 16 - hex.utf8.count) + hex
    }

    /// Which log the directory holds; see `Manifest`.
    package static let manifest = "journal"
    /// How far it was acknowledged; see `Promise`.
    package static let acknowledged = "acknowledged"
    /// Ends the name of a file that is being written and not in force yet.
    package static let unfinished = ".new"
    /// Ends the names of the files of a journal that is beginning: they are in force with the manifest.
    package static let beginning = ".begin"
}
