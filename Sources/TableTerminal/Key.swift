import TableLayout

/// A key, as a terminal reports it.
public enum Key: Hashable, Sendable {
    /// A character, without a modifier that the terminal reports.
    case character(Character)
    /// A small letter with the control key held.
    case control(Character)
    case up, down, left, right
    case home, end, pageUp, pageDown
    case enter, escape, tab, backTab, backspace, delete, insert
    /// A function key, 1 to 12.
    case function(Int)

    private static let names: [(key: Key, name: String)] = [
        (.up, "up"), (.down, "down"), (.left, "left"), (.right, "right"), (.home, "home"),
        (.end, "end"), (.pageUp, "pageup"), (.pageDown, "pagedown"), (.enter, "enter"),
        (.escape, "esc"), (.tab, "tab"), (.backTab, "backtab"), (.backspace, "backspace"),
        (.delete, "delete"), (.insert, "insert"), (.character(" "), "space"),
    ]

    /// Letters and figures of a Latin keyboard, by those that lie at the same keys of an Arabic one.
    private static let arabic = Dictionary(
        uniqueKeysWithValues: zip(
            "ضصثقفغعهخحجدشسيبلاتنمكطئءؤرىةوزظ‘؟٠١٢٣٤٥٦٧٨٩",
            "qwertyuiop[]asdfghjkl;'zxcvnm,./U?0123456789"))

    /// The key of a Latin keyboard that lies where this one does; nil: it is no letter of an Arabic one.
    var latin: Key? {
        guard case .character(let letter) = self else { return nil }
        return Self.arabic[letter].map { .character($0) }
    }

    /// The name in the configuration: `j`, `G`, `space`, `pagedown`, `ctrl-d`, `f5`.
    public var name: String {
        if let named = Self.names.first(where: { $0.key == self }) { return named.name }
        switch self {
        case .character(let character): return String(character)
        case .control(let letter): return "ctrl-\(letter)"
        case .function(let number): return "f\(number)"
        default: return "?"
        }
    }

    /// The key with this `name`; nil: there is none.
    public init?(_ name: String) {
        if let named = Self.names.first(where: { $0.name == name }) {
            self = named.key
            return
        }
        if name.hasPrefix("ctrl-"), let letter = name.dropFirst(5).first, name.count == 6,
            letter.isASCII, letter.isLowercase
        {
            self = .control(letter)
            return
        }
        if name.first == "f", let number = Int(name.dropFirst()), 1...12 ~= number,
            "f\(number)" == name
        {
            self = .function(number)
            return
        }
        guard let character = name.first, name.count == 1,
            character.unicodeScalars.allSatisfy({ $0.value > 0x20 && !$0.isDangerous })
        else { return nil }
        self = .character(character)
    }

    /// 1 to 9; nil: the key is none of these digits.
    var digit: Int? {
        guard case .character(let character) = self, character.isASCII,
            let digit = character.wholeNumberValue, digit > 0
        else { return nil }
        return digit
    }

    /// The short form in the line of keys.
    public var symbol: String {
        switch self {
        case .up: return "↑"
        case .down: return "↓"
        case .left: return "←"
        case .right: return "→"
        case .enter: return "⏎"
        case .pageUp: return "pgup"
        case .pageDown: return "pgdn"
        case .control(let letter): return "^\(letter.uppercased())"
        default: return name
        }
    }
}
