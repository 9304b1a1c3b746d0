/// Finds references to rules and laws in a line of text, as docs/RULES.md says they are written.
struct RuleReferences {
    /// A code such as `A7`, where it stands, and whether it is written as a reference.
    struct Found: Equatable {
        var code: String
        var isReference: Bool
    }

    /// All codes of a line, in order. Within words, colours, numbers and paths there are none.
    static func all(in line: some StringProtocol) -> [Found] {
        let bytes = Array(line.utf8)
        let codes = codes(in: bytes)
        return codes.indices.map { index in
            let range = codes[index]
            return Found(
                code: String(decoding: bytes[range], as: UTF8.self),
                isReference: isReference(index, codes, bytes))
        }
    }

    // MARK: Codes

    private static func codes(in bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var at = 0
        while at < bytes.count {
            let isLetter = UInt8(ascii: "A")...UInt8(ascii: "F") ~= bytes[at] || bytes[at] == 0x4C
            guard isLetter, at == 0 || !joins(bytes[at - 1], before: true) else {
                at += 1
                continue
            }
            var end = at + 1
            while end < bytes.count, isDigit(bytes[end]) { end += 1 }
            let isNumber = 1...2 ~= end - at - 1 && bytes[at + 1] != UInt8(ascii: "0")
            if isNumber, !goesOn(bytes, end) { found.append(at..<end) }
            at = end
        }
        return found
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...57 ~= byte }

    private static func joins(_ byte: UInt8, before: Bool) -> Bool {
        let isLetter = UInt8(ascii: "a")...122 ~= byte | 0x20
        return isLetter || isDigit(byte) || byte == UInt8(ascii: "_")
            || before && "#.+-/`$[\\".utf8.contains(byte)
    }

    /// Behind a code: more of a word, or the fraction of a number.
    private static func goesOn(_ bytes: [UInt8], _ end: Int) -> Bool {
        guard end < bytes.count else { return false }
        if bytes[end] == UInt8(ascii: "."), end + 1 < bytes.count { return isDigit(bytes[end + 1]) }
        return joins(bytes[end], before: false)
    }

    // MARK: The form of a reference

    private static let words = ["rule ", "rules ", "law ", "laws "]
    private static let separators = [", ", " and ", " or ", " to ", "–"]

    /// Behind `rule` or `law`, alone in brackets, or at the head of a cell; also as part of a list.
    private static func isReference(
        _ index: Int, _ codes: [Range<Int>], _ bytes: [UInt8]
    ) -> Bool {
        var first = index
        while first > 0, isSeparator(bytes[codes[first - 1].upperBound..<codes[first].lowerBound]) {
            first -= 1
        }
        var last = index
        while last + 1 < codes.count,
            isSeparator(bytes[codes[last].upperBound..<codes[last + 1].lowerBound])
        {
            last += 1
        }
        let before = String(decoding: bytes[..<codes[first].lowerBound], as: UTF8.self)
        let after = String(decoding: bytes[codes[last].upperBound...], as: UTF8.self)
        if words.contains(where: { before.lowercased().hasSuffix($0) }) { return true }
        if before.hasSuffix("("), after.hasPrefix(")") { return true }
        if before.hasSuffix("| "), after.hasPrefix(" |") || after.hasPrefix(":") { return true }
        // Golden vectors.
        return before.hasSuffix("\"rule\": \"") || before.hasSuffix("\"note\": \"")
    }

    private static func isSeparator(_ bytes: ArraySlice<UInt8>) -> Bool {
        separators.contains { $0.utf8.elementsEqual(bytes) }
    }
}
