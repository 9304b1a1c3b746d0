/// A colour as definitions write it: `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa`, one of the sixteen
/// colour names of HTML 4, `grey` or `orange`.
public struct Color: Equatable, Sendable {
    /// 0 to 255.
    public var red: UInt8, green: UInt8, blue: UInt8
    /// 0 to 255; 255 is opaque.
    public var alpha: UInt8

    /// A colour; opaque by default.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Nil if the text is not a colour.
    public init?(_ text: String) {
        if let value = Self.named[text.lowercased()] {
            self.init(
                red: UInt8(value >> 16 & 255), green: UInt8(value >> 8 & 255),
                blue: UInt8(value & 255))
            return
        }
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "#") else { return nil }
        var digits: [UInt8] = []
        for byte in bytes.dropFirst() {
            guard let digit = Self.digit(byte) else { return nil }
            digits.append(digit)
        }
        switch digits.count {
        case 3, 4: digits = digits.flatMap { [$0, $0] }
        case 6, 8: break
        default: return nil
        }
        let parts = stride(from: 0, to: digits.count, by: 2).map {
            digits[$0] << 4 | digits[$0 + 1]
        }
        self.init(
            red: parts[0], green: parts[1], blue: parts[2], alpha: parts.count > 3 ? parts[3] : 255)
    }

    /// Black can be read better on it than white.
    public var isLight: Bool { luminance * 100 > 18 * Self.most }

    /// The contrast of one colour on the other, in tenths: WCAG 2 asks for 45 where a text is to be read, and for 30 of
    /// large texts and of marks.
    public func contrast(with other: Color) -> Int {
        let (low, high) = (min(luminance, other.luminance), max(luminance, other.luminance))
        return 10 * (high + Self.most / 20) / (low + Self.most / 20)
    }

    /// The ink that is asked for where it can be read on this ground, or is better than the other one.
    public func ink(_ asked: Color?, or other: Color) -> Color {
        guard let asked else { return other }
        let contrast = contrast(with: asked)
        return contrast >= 45 || contrast >= self.contrast(with: other) ? asked : other
    }

    /// The luminance of WCAG 2 from 0 to `most`, without alpha. It is in whole numbers, which are the same everywhere:
    /// a polynomial stands for the power.
    private var luminance: Int {
        func linear(_ part: UInt8) -> Int {
            let part = Int(part)
            return part * (part * (305 * part + 682 * 255) + 13 * 255 * 255)
        }
        return 2_126 * linear(red) + 7_152 * linear(green) + 722 * linear(blue)
    }
    private static let most = 10_000 * 1_000 * 255 * 255 * 255

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): return byte - UInt8(ascii: "A") + 10
        default: return nil
        }
    }

    /// HTML 4.01, section 6.5, with its spelling `grey`; `orange` from CSS 2.1.
    private static let named: [String: UInt32] = [
        "black": 0x000000, "silver": 0xC0C0C0, "gray": 0x808080, "grey": 0x808080,
        "white": 0xFFFFFF, "maroon": 0x800000, "red": 0xFF0000, "purple": 0x800080,
        "fuchsia": 0xFF00FF, "green": 0x008000, "lime": 0x00FF00, "olive": 0x808000,
        "yellow": 0xFFFF00, "navy": 0x000080, "blue": 0x0000FF, "teal": 0x008080,
        "aqua": 0x00FFFF, "orange": 0xFFA500,
    ]
}
