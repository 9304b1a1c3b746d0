/// A word, a literal or a sign, with its place.
struct PredicateToken {
    enum Kind: Equatable {
        case word(String)
        case text(String)
        case number(Double)
        /// Seconds, and how they were written: `1h30m`.
        case duration(Double, String)
        case sign(String)
        case end
    }

    var kind: Kind
    /// Where the token begins, in Unicode scalars from 0.
    var offset: Int

    /// The token's name in messages.
    var name: String {
        switch kind {
        case .word(let word): return "`\(word)`"
        case .text(let text): return "\"\(text)\""
        case .number(let number): return "\(number)"
        case .duration(_, let text): return "`\(text)`"
        case .sign(let sign): return "`\(sign)`"
        case .end: return "the end"
        }
    }

    /// The name as data: the end has none.
    var said: String { kind == .end ? "" : name }
}

/// The seconds of a duration such as `1h30m`; nil: the text is none.
package func seconds(ofDuration text: String) -> Double? {
    let tokens = try? PredicateTokens.all(in: text)
    guard let tokens, tokens.count == 2, case .duration(let seconds, text) = tokens[0].kind else {
        return nil
    }
    return seconds
}

/// Cuts a predicate into tokens, by Unicode scalars: what a person sees as one character differs between
/// languages and their versions, and other clients are to cut alike.
struct PredicateTokens {
    /// More tokens than a person writes. It also bounds how deep an expression is nested.
    static let most = 2_000
    private let scalars: [Unicode.Scalar]
    private var at = 0

    static func all(in text: String) throws(PredicateFault) -> [PredicateToken] {
        var reader = PredicateTokens(scalars: Array(text.unicodeScalars))
        var tokens: [PredicateToken] = []
        while let token = try reader.next() {
            guard tokens.count < most else {
                throw PredicateFault(
                    token.offset, "more than \(most) words and signs", "tooLong",
                    ["most": "\(most)"])
            }
            tokens.append(token)
        }
        return tokens + [PredicateToken(kind: .end, offset: reader.scalars.count)]
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private mutating func next() throws(PredicateFault) -> PredicateToken? {
        while at < scalars.count, scalars[at].properties.isWhitespace { at += 1 }
        guard at < scalars.count else { return nil }
        let start = at
        let first = scalars[at]
        let kind: PredicateToken.Kind
        if first == "\"" || first == "'" {
            kind = .text(try text(until: first))
        } else if first.isDigit || (first == "-" && follows { $0.isDigit }) {
            if let duration = duration() { kind = duration } else { kind = .number(try number()) }
        } else if first.beginsName {
            kind = .word(consume { $0.goesOn })
        } else {
            kind = .sign(try sign())
        }
        return PredicateToken(kind: kind, offset: start)
    }

    private func follows(_ condition: (Unicode.Scalar) -> Bool) -> Bool {
        at + 1 < scalars.count && condition(scalars[at + 1])
    }

    private mutating func consume(while condition: (Unicode.Scalar) -> Bool) -> String {
        let start = at
        while at < scalars.count, condition(scalars[at]) { at += 1 }
        return Self.text(scalars[start..<at])
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    private mutating func text(until quote: Unicode.Scalar) throws(PredicateFault) -> String {
        let start = at
        var text = String.UnicodeScalarView()
        at += 1
        while at < scalars.count, scalars[at] != quote {
            if scalars[at] == "\\" {
                at += 1
                guard at < scalars.count else { break }
                switch scalars[at] {
                case "n": text.append("\n")
                case "t": text.append("\t")
                case "\\", "\"", "'": text.append(scalars[at])
                default:
                    throw PredicateFault(
                        at - 1, "expected one of \\ \" ' n t after \\", "escape",
                        ["signs": "\\ \" ' n t"])
                }
            } else {
                text.append(scalars[at])
            }
            at += 1
        }
        guard at < scalars.count else {
            throw PredicateFault(start, "this text has no end", "open")
        }
        at += 1
        return String(text)
    }

    private static let units: [(letter: Unicode.Scalar, seconds: Double)] = [
        ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
    ]
    /// More would be years even of seconds, and is no longer exact.
    private static let mostDigits = 9

    /// Whole numbers of units, the largest first: `2d`, `1h30m`, `45s`. Nil: it is none, but perhaps a number.
    private mutating func duration() -> PredicateToken.Kind? {
        let start = at
        var seconds = 0.0
        for (letter, unit) in Self.units {
            let before = at
            let digits = consume { $0.isDigit }
            guard !digits.isEmpty, digits.utf8.count <= Self.mostDigits, at < scalars.count,
                scalars[at] == letter, let count = Double(digits)
            else {
                at = before
                continue
            }
            at += 1
            seconds += count * unit
        }
        if at > start, at == scalars.count || !scalars[at].goesOn {
            return .duration(seconds, Self.text(scalars[start..<at]))
        }
        at = start
        return nil
    }

    private mutating func number() throws(PredicateFault) -> Double {
        let start = at
        at += 1
        _ = consume { $0.isDigit }
        // A dot belongs to a number only before a digit.
        if at < scalars.count, scalars[at] == ".", follows({ $0.isDigit }) {
            _ = consume { $0.isDigit || $0 == "." }
        }
        let text = Self.text(scalars[start..<at])
        guard let number = PredicateValue.number(in: text) else {
            throw PredicateFault(start, "`\(text)` is no number", "number", ["text": String(text)])
        }
        return number
    }

    private static let hints = ["=": "==", "&&": "and", "||": "or", "!": "not", "&": "and"]

    private mutating func sign() throws(PredicateFault) -> String {
        let known = PredicateComparison.allCases.map(\.rawValue) + ["(", ")", "."]
        for length in [2, 1] where at + length <= scalars.count {
            let sign = Self.text(scalars[at..<at + length])
            if known.contains(sign) {
                at += length
                return sign
            }
            if let hint = Self.hints[sign] {
                throw PredicateFault(
                    at, "`\(sign)` is written `\(hint)`", "written",
                    ["sign": String(sign), "right": String(hint)])
            }
        }
        throw PredicateFault(
            at, "nothing that begins with `\(scalars[at])` stands here", "strange",
            ["sign": String(scalars[at])])
    }
}

extension Unicode.Scalar {
    /// 0 to 9 only.
    var isDigit: Bool { "0" <= self && self <= "9" }

    /// It may stand in a name, behind the first letter.
    var goesOn: Bool { beginsName || isMark || isDigit || self == "-" }

    /// A letter of any script, or `_`.
    var beginsName: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
            return true
        default: return self == "_"
        }
    }

    /// Whether it stands with a letter: an accent, a vowel of Hindi or Thai, a joiner of Persian.
    var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return self == "\u{200C}" || self == "\u{200D}"
        }
    }
}
