import TableModel

/// Shows only the rows that have all of these words, in title, id, fields or items, whatever
/// their case. `key=word` looks into one field, `section=word` into the section's id, and
/// `kind=word` into the kind's id.
struct Filter: Equatable {
    let text: String
    private let words: [Word]

    private struct Word: Equatable {
        let key: String?
        let needle: [UInt8]
        let text: String
        let isASCII: Bool

        init(_ text: Substring) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let hasKey = parts.count == 2 && !parts[0].isEmpty
            key = hasKey ? parts[0].lowercased() : nil
            self.text = (hasKey ? parts[1] : text).lowercased()
            needle = Array(self.text.utf8)
            isASCII = needle.allSatisfy { $0 < 0x80 }
        }

        func isIn(_ haystack: String) -> Bool {
            if needle.isEmpty { return true }
            guard isASCII else { return haystack.lowercased().contains(text) }
            var haystack = haystack
            return haystack.withUTF8 { Self.contains($0, needle) }
        }

        /// Ignores the case of ASCII letters.
        private static func contains(
            _ bytes: UnsafeBufferPointer<UInt8>, _ needle: [UInt8]
        ) -> Bool {
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

    /// Nil: without words there is no filter.
    init?(_ text: String) {
        let words = text.split(separator: " ").map(Word.init)
        if words.isEmpty { return nil }
        self.text = text
        self.words = words
    }

    /// True: the other filter lets through every row that this one does, as while a person types.
    func narrows(_ other: Filter) -> Bool {
        !text.contains("=") && text.hasPrefix(other.text)
    }

    func lets(_ row: Row, in section: @autoclosure () -> SectionID?) -> Bool {
        words.allSatisfy { word in
            guard let key = word.key else {
                return word.isIn(row.content.title) || word.isIn(row.id.text)
                    || row.content.fields.contains { word.isIn($0.value) }
                    || row.content.items.contains { word.isIn($0.title) }
            }
            if key == "section", let id = section() { return word.isIn(id.text) }
            if key == "kind" { return word.isIn(row.content.kind.text) }
            return row.content.fields.contains {
                $0.key.text.lowercased() == key && word.isIn($0.value)
            }
        }
    }
}
