import TableModel

/// The viewer's own colours. They are readable on dark and on light terminals.
enum Theme {
    static func color(_ value: UInt32) -> Color {
        Color(
            red: UInt8(value >> 16 & 255), green: UInt8(value >> 8 & 255), blue: UInt8(value & 255))
    }

    static let grey = color(0x8A8F98)
    static let accent = color(0x4C9BFF)
    static let warn = color(0xD9971A)
    static let late = color(0xF0524A)
    static let good = color(0x3FB36B)
    static let white = color(0xFFFFFF)
    static let dark = color(0x14161A)
    static let barGround = color(0x2B3038)
    static let barInk = color(0xD6DAE0)
    static let chosenGround = color(0x2A4A73)
    static let buttonGround = color(0x4A5568)
    static let otherGround = color(0x5C4A7A)
    static let danger = color(0xC0342B)
    static let insertion = color(0x1F7A45)

    static let plain = Style()
    static let faint = Style(grey)
    static let heading = Style(accent, on: nil, .bold)
    static let bar = Style(barInk, on: barGround, .block)
    static let barStrong = Style(white, on: barGround, [.block, .bold])
    static let key = Style(accent, on: nil, .bold)
    static let drop = Style(accent, on: nil, .bold)
    static let box = Style(barInk, on: barGround)
    static let minus = Style(white, on: danger, [.block, .bold])
    static let plus = Style(white, on: insertion, [.block, .bold])

    /// The ground of what stands out.
    static func ground(of look: Kind.Emphasis) -> Color {
        look.background.flatMap { Color($0) } ?? warn
    }

    /// The ink of what stands out.
    static func ink(of look: Kind.Emphasis) -> Color {
        ink(on: ground(of: look), look.color.flatMap { Color($0) })
    }

    /// The ink that is asked for where it can be read on a ground, or better than white or nearly black; otherwise the one
    /// of these two that can be.
    static func ink(on ground: Color, _ asked: Color? = nil) -> Color {
        ground.ink(asked, or: ground.isLight ? dark : white)
    }
}
