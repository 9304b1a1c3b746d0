import TableModel
import TablePredicate

/// Shows only the rows that have all of these words, in title, fields or items, or at the beginning of the id, whatever
/// their case. `key=word` wants a field to be that, `key~word` to have it; `title`, `section` and
/// `kind` are keys too, and blanks around the sign mean nothing. A text with `==`, `!=`, `!~`, `<` or `>` is a condition
/// as in `trestle watch --where`.
struct Filter: Equatable {
    let text: String
    private let words: [Word]
    let condition: RowPredicate?
    /// Why the text is no condition; nil: it can be used.
    let fault: PredicateFault?

    /// Filters with the same text are the same.
    static func == (one: Filter, other: Filter) -> Bool { one.text == other.text }

    private struct Word {
        let key: String?
        /// Whether the whole value is meant.
        let isWhole: Bool
        let text: String
        private let needle: [UInt8]

        init(_ word: String) {
            let at = word.firstIndex { $0 == "=" || $0 == "~" }
            let hasKey = at.map { $0 > word.startIndex } ?? false
            key = at.flatMap { hasKey ? Filter.folded(String(word[..<$0])) : nil }
            isWhole = at.map { hasKey && word[$0] == "=" } ?? false
            let value = at.flatMap { hasKey ? word[word.index(after: $0)...] : nil } ?? word[...]
            text = Filter.folded(String(value))
            needle = Array(text.utf8)
        }

        func fits(_ value: String) -> Bool { isWhole ? Filter.folded(value) == text : isIn(value) }

        /// Whether an id begins with the word. An id that nobody chose is random letters and figures, in which any
        /// short number is found somewhere.
        func begins(_ id: String) -> Bool {
            guard id.utf8.allSatisfy({ $0 < 0x80 }) else {
                return Filter.folded(id).hasPrefix(text)
            }
            return id.utf8.lazy.map(Self.lower).starts(with: needle)
        }

        func isIn(_ value: String) -> Bool {
            if needle.isEmpty { return true }
            var haystack = value
            if let found = haystack.withUTF8({ Self.contains($0, needle) }) { return found }
            return Filter.folded(value).contains(text)
        }

        /// Ignores the case of ASCII letters; nil: there are others.
        private static func contains(
            _ bytes: UnsafeBufferPointer<UInt8>, _ needle: [UInt8]
        ) -> Bool? {
            guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
            guard bytes.count >= needle.count else { return false }
            let first = needle[0]
            for start in 0...(bytes.count - needle.count) where lower(bytes[start]) == first {
                var at = 1
                while at < needle.count, lower(bytes[start + at]) == needle[at] { at += 1 }
                if at == needle.count { return true }
            }
            return false
        }

        private static func lower(_ byte: UInt8) -> UInt8 {
            UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
        }
    }

    /// The text without its case, as people compare: `STRASSE` is `straße`, `ΟΔΟΣ` is `οδος`, and `istanbul` is
    /// `İstanbul`, whose small letter has a dot of its own.
    static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        var folded = String.UnicodeScalarView()
        // Thrice, since ẞ has no other capital letter.
        for scalar in text.lowercased().uppercased().lowercased().unicodeScalars
        where scalar != "\u{307}" || folded.last != "i" {
            folded.append(scalar)
        }
        return String(folded)
    }

    /// Nil: without words there is no filter.
    init?(_ text: String) {
        let words = Self.joined(text).map(Word.init)
        if words.isEmpty { return nil }
        self.text = text
        let isCondition = ["==", "!=", "!~", "<", ">"].contains { text.contains($0) }
        guard isCondition || text.drop(while: \.isWhitespace).hasPrefix("field.") else {
            (self.words, condition, fault) = (words, nil, nil)
            return
        }
        self.words = []
        do throws(PredicateFault) {
            condition = try RowPredicate(text)
            fault = nil
        } catch {
            (condition, fault) = (nil, error)
        }
    }

    /// The words of a text. `table = 7` is one, as `table=7` is.
    private static func joined(_ text: String) -> [String] {
        let parts = text.split(whereSeparator: \.isWhitespace), signs: [Character?] = ["=", "~"]
        var words: [String] = []
        var waits = false
        for (index, part) in parts.enumerated() {
            let hasValue = part.count > 1 || index + 1 < parts.count
            if let last = words.last, waits || (signs.contains(part.first) && hasValue) {
                words[words.count - 1] = last + part
            } else {
                words.append(String(part))
            }
            let word = words[words.count - 1]
            waits = word.count > 1 && signs.contains(word.last)
        }
        return words
    }

    /// True: the other filter lets through every row that this one does, as while a person types.
    func narrows(_ other: Filter) -> Bool {
        condition == nil && other.condition == nil && text.hasPrefix(other.text)
            && !text.contains { $0 == "=" || $0 == "~" }
    }

    func lets(_ row: Row, in table: Table, at clock: PredicateClock, _ groups: Groups?) -> Bool {
        if let condition { return condition.holds(for: row.id, in: table, at: clock, groups) }
        return words.allSatisfy { word in
            guard let key = word.key else {
                return word.isIn(row.content.title) || word.begins(row.id.text)
                    || row.content.fields.contains { word.isIn($0.value) }
                    || row.content.items.contains { word.isIn($0.title) }
            }
            if key == "section", let section = table.position(of: row.id)?.section {
                return word.fits(section.text)
            }
            if key == "kind" { return word.fits(row.content.kind.text) }
            if key == "title", word.fits(row.content.title) { return true }
            return row.content.fields.contains {
                Self.folded($0.key.text) == key && word.fits($0.value)
            }
        }
    }
}
