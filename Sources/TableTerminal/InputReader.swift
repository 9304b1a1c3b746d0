/// Makes keys and mouse events out of a terminal's bytes. It accepts any bytes and skips a whole
/// sequence that it does not know.
public struct InputReader {
    private var pending: [UInt8] = []
    /// The bytes of a bracketed paste so far; nil: outside of one.
    private var pasted: [UInt8]?
    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    private static let mostPending = 64
    private static let mostPasted = 1 << 20

    /// A reader without pending bytes.
    public init() {}

    /// An escape came that is either the key or the beginning of a sequence. Call `flush` if
    /// nothing follows for a moment.
    public var isWaiting: Bool { pasted == nil && !pending.isEmpty }

    /// The input that these bytes complete, together with those before.
    public mutating func feed(_ bytes: some Sequence<UInt8>) -> [Input] {
        pending += bytes
        return drain(isFinal: false)
    }

    /// The input if nothing more comes: an escape is the key then.
    public mutating func flush() -> [Input] { drain(isFinal: true) }

    private mutating func drain(isFinal: Bool) -> [Input] {
        var found: [Input] = []
        var at = 0
        while at < pending.count {
            if pasted != nil {
                // `paste` has already taken its bytes out of `pending`.
                guard let next = paste(from: at, &found) else { return found }
                at = next
                continue
            }
            switch step(pending[at...], isFinal: isFinal) {
            case .more: return leave(at, found)
            case .nothing(let count): at += count
            case .input(let input, let count):
                found.append(input)
                at += count
            case .paste(let count):
                pasted = []
                at += count
            }
        }
        return leave(at, found)
    }

    private mutating func leave(_ at: Int, _ found: [Input]) -> [Input] {
        pending.removeFirst(min(at, pending.count))
        return found
    }

    /// Reads a paste; returns the index after its end. Nil: the end has not come. Then all bytes
    /// are taken, except those that may be the beginning of the end's sequence.
    private mutating func paste(from start: Int, _ found: inout [Input]) -> Int? {
        let end = Self.pasteEnd
        var at = start
        while at < pending.count {
            if pending[at] == 0x1B {
                let rest = pending[at...].prefix(end.count)
                if rest.elementsEqual(end) {
                    found.append(.paste(String(decoding: pasted ?? [], as: UTF8.self)))
                    pasted = nil
                    return at + end.count
                }
                if end.starts(with: rest) {
                    pending.removeFirst(at)
                    return nil
                }
            }
            if (pasted?.count ?? 0) < Self.mostPasted { pasted?.append(pending[at]) }
            at += 1
        }
        pending = []
        return nil
    }

    private enum Step {
        case more
        case nothing(Int)
        case input(Input, Int)
        case paste(Int)
    }

    private func step(_ bytes: ArraySlice<UInt8>, isFinal: Bool) -> Step {
        let first = bytes[bytes.startIndex]
        guard first == 0x1B else { return character(bytes, isFinal: isFinal) }
        guard bytes.count > 1 else { return isFinal ? .input(.key(.escape), 1) : .more }
        switch bytes[bytes.startIndex + 1] {
        case UInt8(ascii: "["): return sequence(bytes, isFinal: isFinal)
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return isFinal ? .nothing(2) : .more }
            let key = Self.letters[bytes[bytes.startIndex + 2]]
            return key.map { .input(.key($0), 3) } ?? .nothing(3)
        // Of two escapes the first is the key. An escape and something else may be a key with Alt:
        // it counts as the escape key and that other key.
        default: return .input(.key(.escape), 1)
        }
    }

    private func character(_ bytes: ArraySlice<UInt8>, isFinal: Bool) -> Step {
        let first = bytes[bytes.startIndex]
        switch first {
        case 0x0D, 0x0A: return .input(.key(.enter), 1)
        case 0x09: return .input(.key(.tab), 1)
        case 0x7F, 0x08: return .input(.key(.backspace), 1)
        case 0x01...0x1A:
            return .input(.key(.control(Character(Unicode.Scalar(first + 0x60)))), 1)
        case 0x00...0x1F: return .nothing(1)
        case 0x20..<0x7F: return .input(.key(.character(Character(Unicode.Scalar(first)))), 1)
        default: break
        }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
        guard length > 1, first < 0xF5 else { return .nothing(1) }
        guard bytes.count >= length else { return isFinal ? .nothing(bytes.count) : .more }
        let text = String(decoding: bytes.prefix(length), as: UTF8.self)
        guard text.unicodeScalars.count == 1, let character = text.first,
            text.unicodeScalars.first?.value != 0xFFFD
        else { return .nothing(1) }
        return .input(.key(.character(character)), length)
    }

    /// A sequence: `ESC [`, parameters, and a last byte from `@` to `~`.
    private func sequence(_ bytes: ArraySlice<UInt8>, isFinal: Bool) -> Step {
        var at = bytes.startIndex + 2
        while at < bytes.endIndex, 0x20...0x3F ~= bytes[at] { at += 1 }
        guard at < bytes.endIndex else {
            return isFinal || bytes.count > Self.mostPending ? .nothing(bytes.count) : .more
        }
        let count = at - bytes.startIndex + 1
        let last = bytes[at]
        guard 0x40...0x7E ~= last else { return .nothing(count - 1) }
        let parameters = bytes[bytes.startIndex + 2..<at]
        if parameters.first == UInt8(ascii: "<") {
            let mouse = Self.mouse(parameters.dropFirst(), isRelease: last == UInt8(ascii: "m"))
            return mouse.map { .input(.mouse($0), count) } ?? .nothing(count)
        }
        if last == UInt8(ascii: "~") {
            let number = Self.numbers(parameters).first ?? 0
            if number == 200 { return .paste(count) }
            return Self.tildes[number].map { .input(.key($0), count) } ?? .nothing(count)
        }
        return Self.letters[last].map { .input(.key($0), count) } ?? .nothing(count)
    }

    private static func numbers(_ bytes: ArraySlice<UInt8>) -> [Int] {
        bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            Int(String(decoding: $0.prefix(6), as: UTF8.self)) ?? 0
        }
    }

    private static func mouse(_ bytes: ArraySlice<UInt8>, isRelease: Bool) -> Mouse? {
        let numbers = numbers(bytes)
        guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else { return nil }
        let (code, x, y) = (numbers[0], numbers[1] - 1, numbers[2] - 1)
        // Shift, Alt and Control (4, 8, 16) make no difference.
        let button = code & ~28
        let action: Mouse.Action
        switch button {
        case 0: action = isRelease ? .release : .press
        case 32: action = isRelease ? .release : .drag
        case 64: action = .wheelUp
        case 65: action = .wheelDown
        case 66: action = .wheelLeft
        case 67: action = .wheelRight
        default: action = .other
        }
        return Mouse(action, x: x, y: y)
    }

    private static let letters: [UInt8: Key] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
        UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
        UInt8(ascii: "Z"): .backTab, UInt8(ascii: "P"): .function(1),
        UInt8(ascii: "Q"): .function(2), UInt8(ascii: "R"): .function(3),
        UInt8(ascii: "S"): .function(4),
    ]

    private static let tildes: [Int: Key] = [
        1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
        11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4),
        15: .function(5), 17: .function(6), 18: .function(7), 19: .function(8),
        20: .function(9), 21: .function(10), 23: .function(11), 24: .function(12),
    ]
}
