import CEvents
import GatewayCore
import Glibc

/// The system's clocks.
enum Clock {
    /// It never goes back.
    static var monotonicMs: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }

    /// Since 1970.
    static var seconds: Int { Glibc.time(nil) }
}

/// The system's randomness.
enum Secret {
    /// So many bytes, in hexadecimal digits.
    static func hex(_ count: Int) -> String { bytes(count).hex }

    /// So many bytes as base64 for addresses, without padding.
    static func base64(_ count: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var (held, bits): (UInt32, UInt32) = (0, 0)
        for byte in bytes(count) {
            held = (held << 8 | UInt32(byte)) & 0xFFFF
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(letters[Int(held >> bits & 63)])
            }
        }
        if bits > 0 { text.append(letters[Int(held << (6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
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
