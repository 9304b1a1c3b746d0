import Glibc

/// The variables by which a service manager talks to a service.
public enum ServiceEnvironment {
    /// Those of this process. Read once at the start: the environment has no lock.
    public static var current: [String: String] {
        let names = [
            "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
            "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",
        ]
        var found: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { found[name] = String(cString: value) }
        }
        return found
    }
}

/// A variable that a service manager would not have set so.
public struct MalformedEnvironment: Error, Equatable, Sendable, CustomStringConvertible {
    /// Which variable.
    public let variable: String

    /// Its value.
    public let value: String

    /// What is wrong.
    public let reason: Reason

    /// What can be wrong, each with its sentence.
    public enum Reason: String, Sendable {
        /// Signs, blanks and other letters are refused too.
        case notANumber = "is not a decimal number"
        /// Too large for its type, or zero where that means nothing.
        case outOfRange = "is out of range"
        /// A set variable needs this one too.
        case missing = "is not set"
        /// `LISTEN_FDNAMES` has another number of names than `LISTEN_FDS` says.
        case wrongNumberOfNames = "does not name each descriptor"
        /// Empty, longer than 255 bytes, or not printable ASCII.
        case malformedName = "has a malformed name"
        /// Two descriptors could not be told apart.
        case repeatedName = "names two descriptors alike"
        /// A descriptor of that number is closed, or is no listening socket.
        case notListening = "counts a descriptor that is not a listening socket"
        /// Neither an absolute path nor an abstract name, or longer than 107 bytes.
        case malformedAddress = "is not a unix socket address"
    }

    /// One sentence, with what is strange in the value escaped and what is long cut.
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
