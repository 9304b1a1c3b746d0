import CEvents
import GatewayCore
import Glibc
import TableModel
import TableTransport

/// The system's clocks.
enum Clock {
    /// It never goes back.
    static var monotonicMs: Int { Int(SystemClock.milliseconds(CLOCK_MONOTONIC)) }

    /// Since 1970.
    static var seconds: Int { Glibc.time(nil) }
}

/// The system's randomness.
enum Secret {
    /// So many bytes, in hexadecimal digits.
    static func hex(_ count: Int) -> String { bytes(count).hex }

    /// So many bytes as base64 for addresses, without padding.
    static func base64(_ count: Int) -> String {
        String(
            Base64.text(bytes(count)).compactMap {
                $0 == "+" ? "-" : $0 == "/" ? "_" : $0 == "=" ? nil : $0
            })
    }

    /// So many decimal digits.
    static func digits(_ count: Int) -> String {
        var random = SystemRandomNumberGenerator()
        return String((0..<count).map { _ in "0123456789".randomElement(using: &random) ?? "0" })
    }

    /// How the client ids of a new device begin.
    static var prefix: String { "web-\(hex(6))-" }

    private static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes[filled...].withUnsafeMutableBytes {
                getrandom($0.baseAddress, $0.count, 0)
            }
            // Without randomness there are no secrets, so there is nothing to go on with.
            if got <= 0, errno != EINTR { fatalError("the system gives no random bytes") }
            filled += max(0, got)
        }
        return bytes
    }
}
