import Glibc

/// The environment variables of a service manager.
public enum ServiceEnvironment {
    /// The variables of this process. Read them once at the start: the environment has no lock.
    public static var current: [String: String] {
        variables([
            "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
            "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "JOURNAL_STREAM",
        ])
    }

    /// Those of these variables that are set.
    public static func variables(_ names: [String]) -> [String: String] {
        var found: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { found[name] = String(cString: value) }
        }
        return found
    }
}

/// A variable that a service manager would not have set to this value.
public struct MalformedEnvironment: Error, Equatable, Sendable, CustomStringConvertible {
    /// The variable's name.
    public let variable: String

    /// Its value.
    public let value: String

    /// The reason.
    public let reason: Reason

    /// A reason. Each value is the end of a sentence.
    public enum Reason: String, Sendable {
        /// Signs and blanks are refused too.
        case notANumber = "is not a decimal number"
        /// Too large for its type, or zero where zero means nothing.
        case outOfRange = "is out of range"
        /// Another variable is set that needs this one.
        case missing = "is not set"
        /// `LISTEN_FDNAMES` has another number of names than `LISTEN_FDS`.
        case wrongNumberOfNames = "does not name each descriptor"
        /// Empty, longer than 255 bytes, or not printable ASCII.
        case malformedName = "has a malformed name"
        /// Two descriptors could not be told apart.
        case repeatedName = "names two descriptors alike"
        /// A descriptor with that number is closed, or is not a listening socket.
        case notListening = "counts a descriptor that is not a listening socket"
        /// Neither an absolute path nor an abstract name, or longer than 107 bytes.
        case malformedAddress = "is not a unix socket address"
    }

    /// One sentence. Unusual characters of the value are escaped, and a long value is cut.
    public var description: String {
        "\(variable) \(reason.rawValue): \(String(reflecting: String(value.prefix(80))))"
    }

    /// A number in plain digits, within a range.
    static func number<Value: FixedWidthInteger>(
        _ variable: String, _ value: String, in range: ClosedRange<Value>
    ) throws(MalformedEnvironment) -> Value {
        guard !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            throw MalformedEnvironment(variable: variable, value: value, reason: .notANumber)
        }
        guard let number = Value(value), range.contains(number) else {
            throw MalformedEnvironment(variable: variable, value: value, reason: .outOfRange)
        }
        return number
    }
}
