/// Reads SVG path data to see whether it is well formed. Source: SVG 2, section 9.3.
///
/// What passes holds letters of commands, digits, signs, dots, commas and blanks only, so it can
/// stand in an attribute as it is.
package enum PathData {
    /// No coordinate is farther from 0.
    package static let most = 10_000.0

    /// A sentence about its first fault; nil: there is none.
    package static func fault(_ text: String) -> String? {
        var reader = Reader(bytes: Array(text.utf8))
        reader.skipBlanks()
        guard let first = reader.peek else { return "it is empty" }
        guard first == UInt8(ascii: "M") || first == UInt8(ascii: "m") else {
            return "it begins with no M"
        }
        while let command = reader.peek {
            guard let kinds = arguments(of: command) else {
                return "byte \(reader.at) is no command"
            }
            reader.at += 1
            reader.skipBlanks()
            if kinds.isEmpty { continue }
            var isFirst = true
            repeat {
                for kind in kinds {
                    if !isFirst { reader.skipComma() }
                    isFirst = false
                    guard reader.take(kind) else {
                        return "byte \(reader.at) is not the number that is needed there"
                    }
                }
                reader.skipBlanks()
            } while reader.hasMore
        }
        return nil
    }

    private enum Argument { case number, flag }

    private static func arguments(of command: UInt8) -> [Argument]? {
        switch command | 32 {
        case UInt8(ascii: "z"): return []
        case UInt8(ascii: "h"), UInt8(ascii: "v"): return [.number]
        case UInt8(ascii: "m"), UInt8(ascii: "l"), UInt8(ascii: "t"): return [.number, .number]
        case UInt8(ascii: "s"), UInt8(ascii: "q"): return Array(repeating: .number, count: 4)
        case UInt8(ascii: "c"): return Array(repeating: .number, count: 6)
        case UInt8(ascii: "a"): return [.number, .number, .number, .flag, .flag, .number, .number]
        default: return nil
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var at = 0

        var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

        /// Another round of arguments follows.
        var hasMore: Bool {
            guard let byte = peek else { return false }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: ","):
                return true
            default: return false
            }
        }

        mutating func skipBlanks() {
            while let byte = peek, byte == 32 || (9...13).contains(byte) && byte != 11 { at += 1 }
        }

        mutating func skipComma() {
            skipBlanks()
            guard peek == UInt8(ascii: ",") else { return }
            at += 1
            skipBlanks()
        }

        mutating func take(_ argument: Argument) -> Bool {
            switch argument {
            case .number: return takeNumber()
            case .flag:
                guard let byte = peek, byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1")
                else { return false }
                at += 1
                return true
            }
        }

        private mutating func takeDigits() -> Int {
            let start = at
            while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                at += 1
            }
            return at - start
        }

        private mutating func takeNumber() -> Bool {
            let start = at
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { at += 1 }
            var digits = takeDigits()
            if peek == UInt8(ascii: ".") {
                at += 1
                digits += takeDigits()
            }
            guard digits > 0 else { return false }
            if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
                at += 1
                if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { at += 1 }
                guard takeDigits() > 0 else { return false }
            }
            // A point that ends the number is no digit for Swift.
            var text = String(decoding: bytes[start..<at], as: UTF8.self)
            if text.last == "." { text += "0" }
            guard let value = Double(text) ?? Double(text.replacingPoint) else { return false }
            return abs(value) <= PathData.most
        }
    }
}

extension String {
    /// `1.e3` as `1.0e3`, which is how Swift reads it.
    fileprivate var replacingPoint: String {
        guard let dot = firstIndex(of: ".") else { return self }
        return self[..<dot] + ".0" + self[index(after: dot)...]
    }
}
