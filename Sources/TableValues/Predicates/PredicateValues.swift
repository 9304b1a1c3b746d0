/// Evaluation. A comparison with a missing value is false, except by `!=` and `!~`, and `== none`.
extension PredicateExpression {
    /// Whether it holds. `lookUp` is asked for what no constant and no other part says.
    package func isTrue(_ lookUp: (PredicateExpression) -> PredicateValue) -> Bool {
        if case .flag(true) = value(lookUp) { true } else { false }
    }

    /// Its value, with those that `lookUp` gives.
    package func value(_ lookUp: (PredicateExpression) -> PredicateValue) -> PredicateValue {
        switch self {
        case .constant(let value): return value
        case .compare(let left, let comparison, let right):
            return .flag(comparison.holds(left.value(lookUp), right.value(lookUp)))
        case .not(let inner): return .flag(!inner.isTrue(lookUp))
        case .and(let left, let right): return .flag(left.isTrue(lookUp) && right.isTrue(lookUp))
        case .or(let left, let right): return .flag(left.isTrue(lookUp) || right.isTrue(lookUp))
        case .table, .row, .own, .exists, .existsSection, .count, .any, .all, .group:
            return lookUp(self)
        }
    }
}

extension PredicateComparison {
    /// Whether the comparison of two values holds.
    package func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        switch self {
        case .equal: return Self.areSame(left, right)
        case .unequal: return !Self.areSame(left, right)
        case .less: return Self.isLess(left, right)
        case .more: return Self.isLess(right, left)
        case .atMost: return Self.isLess(left, right) || Self.areSameAndThere(left, right)
        case .atLeast: return Self.isLess(right, left) || Self.areSameAndThere(left, right)
        case .contains: return Self.contains(left, right)
        case .lacks: return !Self.contains(left, right)
        }
    }

    private static func areSame(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        switch (left, right) {
        case (.none, .none): return true
        case (.flag(let a), .flag(let b)): return a == b
        case (.text(let a), .text(let b)): return ID(a) == ID(b)
        default:
            guard let (a, b) = numbers(left, right) else { return false }
            return a == b
        }
    }

    private static func areSameAndThere(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        if case .none = left { return false }
        return areSame(left, right)
    }

    /// Compares two texts by their bytes, and all else as numbers.
    private static func isLess(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        if case .text(let a) = left, case .text(let b) = right { return ID(a) < ID(b) }
        guard let (a, b) = numbers(left, right) else { return false }
        return a < b
    }

    /// The numbers to compare. Beside a moment, a text is a clock time of that day.
    private static func numbers(
        _ left: PredicateValue, _ right: PredicateValue
    ) -> (Double, Double)? {
        switch (left, right) {
        case (.time(let a, _), .time(let b, _)): return (a, b)
        case (.time(let a, let midnight), _): return right.moment(after: midnight).map { (a, $0) }
        case (_, .time(let b, let midnight)): return left.moment(after: midnight).map { ($0, b) }
        default:
            guard let a = left.number, let b = right.number else { return nil }
            return (a, b)
        }
    }

    private static func contains(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        guard let whole = left.text, let part = right.text else { return false }
        return contains(Array(whole.utf8), Array(part.utf8))
    }

    /// Looks for bytes, as every comparison of texts here does, and at each once: by Knuth, Morris and Pratt. The
    /// daemon evaluates conditions, and others wait meanwhile.
    private static func contains(_ whole: [UInt8], _ part: [UInt8]) -> Bool {
        if part.isEmpty { return true }
        guard whole.count >= part.count else { return false }
        // For each beginning of the part, the length of the longest shorter one with which it ends.
        var shorter = [Int](repeating: 0, count: part.count)
        var length = 0
        for at in 1..<part.count {
            while length > 0, part[at] != part[length] { length = shorter[length - 1] }
            if part[at] == part[length] { length += 1 }
            shorter[at] = length
        }
        length = 0
        for byte in whole {
            while length > 0, part[length] != byte { length = shorter[length - 1] }
            if part[length] == byte { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}

extension PredicateValue {
    /// The number; also that of a text that is a number, because fields are texts.
    package var number: Double? {
        switch self {
        case .number(let number), .time(let number, _): return number
        case .text(let text): return Self.number(in: text)
        case .none, .flag: return nil
        }
    }

    /// The text; also that of a number.
    package var text: String? {
        switch self {
        case .text(let text): return text
        case .number(let number), .time(let number, _):
            return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .none, .flag: return nil
        }
    }
}

extension PredicateValue {
    /// The moment, in milliseconds since 1970 (UTC), that a clock time of the day that begins at `midnight` means.
    /// Any other value is the moment itself.
    package func moment(after midnight: Double) -> Double? {
        clockMs.map { midnight + $0 } ?? number
    }

    /// The milliseconds since midnight that a text such as `9:30`, `14:00` or `14:00:30` says; nil: it is none.
    package var clockMs: Double? {
        guard case .text(let text) = self, (4...8).contains(text.utf8.count) else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 else { return nil }
        var seconds = 0
        for (index, part) in parts.enumerated() {
            guard part.count == 2 || index == 0 && part.count == 1 else { return nil }
            var number = 0
            for byte in part {
                guard 48...57 ~= byte else { return nil }
                number = number * 10 + Int(byte - 48)
            }
            guard number < (index == 0 ? 24 : 60) else { return nil }
            seconds = seconds * 60 + number
        }
        return Double(parts.count == 2 ? seconds * 60 : seconds) * 1_000
    }
}

extension PredicateValue {
    /// The decimal number in a text, as fields hold them; nil for any other text.
    static func number(in text: String) -> Double? {
        if let number = text.withLetters({ wholeNumber(of: $0) }) { return number }
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, UInt8(ascii: "."), UInt8(ascii: "-"): return true
            default: return false
            }
        }
        guard isPlain, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// The number of some digits: most numbers of rows are so short that each step is exact. Nil: it is to be read as
    /// any other.
    private static func wholeNumber(of letters: UnsafeRawBufferPointer) -> Double? {
        guard (1...15).contains(letters.count) else { return nil }
        var number: UInt64 = 0
        for letter in letters {
            let digit = letter &- 48
            if digit > 9 { return nil }
            number = number &* 10 &+ UInt64(digit)
        }
        return Double(number)
    }
}
