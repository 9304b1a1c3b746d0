/// A word, a literal or a sign, and where it begins.
struct Token {
    enum Kind: Equatable {
        case word(String)
        case text(String)
        case number(Double)
        case sign(String)
        case end
    }

    var kind: Kind
    /// In characters, from 0.
    var offset: Int

    /// As messages name it.
    var name: String {
        switch kind {
        case .word(let word): return "`\(word)`"
        case .text(let text): return "\"\(text)\""
        case .number(let number): return "\(number)"
        case .sign(let sign): return "`\(sign)`"
        case .end: return "the end"
        }
    }
}

/// Cuts a predicate into tokens.
struct Tokens {
    /// More than a person writes; what is evaluated is nested no deeper than this.
    static let most = 2_000
    private let characters: [Character]
    private var at = 0

    static func all(in text: String) throws(PredicateFault) -> [Token] {
        var reader = Tokens(characters: Array(text))
        var tokens: [Token] = []
        while let token = try reader.next() {
            guard tokens.count < most else {
                throw PredicateFault(token.offset, "more than \(most) words and signs")
            }
            tokens.append(token)
        }
        return tokens + [Token(kind: .end, offset: reader.characters.count)]
    }

    private init(characters: [Character]) { self.characters = characters }

    private mutating func next() throws(PredicateFault) -> Token? {
        while at < characters.count, characters[at].isWhitespace { at += 1 }
        guard at < characters.count else { return nil }
        let start = at
        let first = characters[at]
        let kind: Token.Kind
        if first == "\"" || first == "'" {
            kind = .text(try text(until: first))
        } else if first.isDigit || (first == "-" && follows { $0.isDigit }) {
            kind = .number(try number())
        } else if first.isLetter || first == "_" {
            kind = .word(take { $0.isLetter || $0.isDigit || $0 == "_" || $0 == "-" })
        } else {
            kind = .sign(try sign())
        }
        return Token(kind: kind, offset: start)
    }

    private func follows(_ condition: (Character) -> Bool) -> Bool {
        at + 1 < characters.count && condition(characters[at + 1])
    }

    private mutating func take(while condition: (Character) -> Bool) -> String {
        let start = at
        while at < characters.count, condition(characters[at]) { at += 1 }
        return String(characters[start..<at])
    }

    private mutating func text(until quote: Character) throws(PredicateFault) -> String {
        let start = at
        var text = ""
        at += 1
        while at < characters.count, characters[at] != quote {
            if characters[at] == "\\" {
                at += 1
                guard at < characters.count else { break }
                switch characters[at] {
                case "n": text.append("\n")
                case "t": text.append("\t")
                case "\\", "\"", "'": text.append(characters[at])
                default:
                    throw PredicateFault(at - 1, "expected one of \\ \" ' n t after \\")
                }
            } else {
                text.append(characters[at])
            }
            at += 1
        }
        guard at < characters.count else { throw PredicateFault(start, "this text has no end") }
        at += 1
        return text
    }

    private mutating func number() throws(PredicateFault) -> Double {
        let start = at
        at += 1
        var text = String(characters[start])
        text += take { $0.isDigit }
        // A dot only before a digit: `field.7.5` is no wish that anybody has, `1.` neither.
        if at < characters.count, characters[at] == ".", follows({ $0.isDigit }) {
            text += take { $0.isDigit || $0 == "." }
        }
        guard let number = Value.number(in: text) else {
            throw PredicateFault(start, "`\(text)` is no number")
        }
        return number
    }

    private static let hints = ["=": "==", "&&": "and", "||": "or", "!": "not", "&": "and"]

    private mutating func sign() throws(PredicateFault) -> String {
        let known = Comparison.allCases.map(\.rawValue) + ["(", ")", "."]
        for length in [2, 1] where at + length <= characters.count {
            let sign = String(characters[at..<at + length])
            if known.contains(sign) {
                at += length
                return sign
            }
            if let hint = Self.hints[sign] {
                throw PredicateFault(at, "`\(sign)` is written `\(hint)`")
            }
        }
        throw PredicateFault(at, "nothing that begins with `\(characters[at])` stands here")
    }
}

extension Character {
    /// 0 to 9 only.
    var isDigit: Bool { "0" <= self && self <= "9" && utf8.count == 1 }
}

extension Value {
    /// A decimal number, as fields hold them; nil for any other text.
    static func number(in text: String) -> Double? {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, UInt8(ascii: "."), UInt8(ascii: "-"): return true
            default: return false
            }
        }
        guard isPlain, let number = Double(text), number.isFinite else { return nil }
        return number
    }
}
