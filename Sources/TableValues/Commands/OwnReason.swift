/// The reasons for failed actions that Trestle's own programs give. All others are the words of the program that failed.
///
/// A reason stands in its table as an English sentence. Whoever reads it in another language finds it here as data; the
/// forms are a part of the contract (docs/PROTOCOL.md, "Reasons").
public enum OwnReason: String, CaseIterable, Sendable {
    /// The deadline has passed: `seconds`.
    case late
    /// The handler was lost that had it: `who`.
    case lost
    /// An undo brought back an action that had ended meanwhile, nobody knows how.
    case unknown
    /// It was under way in the table that was exported.
    case unfinished
    /// A program ended with this status and said nothing: `status`.
    case status
    /// A program was ended by this signal: `signal`.
    case signal

    /// The text before its value, the value's name (nil: it has none), and the text after it.
    package var form: (before: String, name: ID?, after: String) {
        switch self {
        case .late: ("deadline: not finished within ", "seconds", " s")
        case .lost: ("handler ", "who", " was lost")
        case .unknown: ("it is not known how it ended", nil, "")
        case .unfinished: ("not finished when it was exported", nil, "")
        case .status: ("exit status ", "status", "")
        case .signal: ("killed by signal ", "signal", "")
        }
    }

    /// The sentence with its value.
    public func text(_ value: String = "") -> String { form.before + value + form.after }

    /// A reason as data; nil: it is the words of a program.
    public static func saying(of reason: String) -> Saying? {
        for one in allCases {
            let (before, name, after) = one.form
            guard let name else {
                if reason == before { return Saying(one.rawValue) }
                continue
            }
            guard reason.hasPrefix(before), reason.hasSuffix(after) else { continue }
            let value = reason.dropFirst(before.count).dropLast(after.count)
            guard one.takes(value.utf8) else { continue }
            return Saying(one.rawValue, values: [Row.Field(name, String(value))])
        }
        return nil
    }

    /// Whether a text can be the value: a program may say more than its exit status.
    private func takes(_ value: Substring.UTF8View) -> Bool {
        func areDigits(_ part: Substring.UTF8View.SubSequence) -> Bool {
            !part.isEmpty
                && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        switch self {
        case .lost: return !value.isEmpty
        case .unknown, .unfinished: return value.isEmpty
        case .status, .signal: return value.count <= 9 && areDigits(value[...])
        case .late:
            let parts = value.split(
                separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
            return parts[0].count <= 9 && parts.allSatisfy(areDigits)
        }
    }
}
