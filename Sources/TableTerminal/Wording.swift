import TableModel

/// The viewer's sentences, in the language of its reader. Their messages are those of the page's catalogue (web/languages), in
/// the same small part of ICU's MessageFormat: `{name}`, and `{count, plural, one {# row} other {# rows}}`.
package struct Wording: Sendable {
    /// One language, as `Catalogue` has it.
    struct Language: Sendable {
        let code: String
        /// The initial of the plural of each number below 200, as of `zero` or `one`; x: `other`. Hundreds do not matter beyond.
        let plurals: String
        /// A line for each message: its key, a tabulator, and the message.
        let messages: String
    }

    /// The codes of all languages; English is the first.
    package static let languages = Catalogue.languages.map(\.code)
    package static let english = Wording("en") ?? Wording(Catalogue.languages[0])

    package let language: String
    private let plurals: [Character]
    private let messages: [Substring: Substring]

    /// Nil: there is no such language.
    package init?(_ code: String) {
        guard let found = Catalogue.languages.first(where: { $0.code == code }) else { return nil }
        self.init(found)
    }

    /// The language of a locale such as `de_AT.UTF-8`; nil: there is none for it.
    package init?(locale: String) { self.init(String(locale.prefix { $0.isLetter }).lowercased()) }

    private init(_ one: Language) {
        language = one.code
        plurals = Array(one.plurals)
        messages = Dictionary(
            one.messages.split(separator: "\n").compactMap { line in
                let parts = line.split(separator: "\t", maxSplits: 1)
                return parts.count == 2 ? (parts[0], parts[1]) : nil
            }, uniquingKeysWith: { first, _ in first })
    }

    /// A message with its values.
    package func callAsFunction(
        _ key: String, _ values: KeyValuePairs<String, any CustomStringConvertible> = [:]
    ) -> String {
        let texts = Dictionary(values.map { ($0, $1.description) }) { first, _ in first }
        return messages[key[...]].map { filled($0, texts, nil) } ?? key
    }

    /// A sentence that came as data; nil: there is none of that name in this language.
    func said(_ key: String, _ values: [Row.Field]) -> String? {
        let texts = Dictionary(values.map { ($0.key.text, $0.value) }) { first, _ in first }
        return messages[key[...]].map { filled($0, texts, nil) }
    }

    func rows(_ count: Int) -> String { self("rows", ["count": count]) }

    /// How long, in the unit in which it is said best.
    func span(seconds: UInt64) -> String {
        if seconds < 120 { return self("span.seconds", ["count": seconds]) }
        return seconds < 7_200
            ? self("span.minutes", ["count": seconds / 60])
            : self("span.hours", ["count": seconds / 3_600])
    }

    /// An age as boards show it.
    func age(seconds: UInt64) -> String {
        if seconds < 3_600 { return Age.boardText(seconds: seconds) }
        if seconds >= 86_400 { return self("age.days", ["days": seconds / 86_400]) }
        let minutes = seconds / 60 % 60
        return self(
            "age.hours",
            ["hours": seconds / 3_600, "minutes": (minutes < 10 ? "0" : "") + "\(minutes)"])
    }

    private func filled(_ message: Substring, _ values: [String: String], _ count: Int?) -> String {
        var text = ""
        var rest = message
        while let first = rest.first {
            if first == "{" {
                let slot = Self.braced(&rest)
                let name = slot.prefix { $0 != "," }
                let value = values[String(name)]
                guard name.endIndex < slot.endIndex else {
                    text += value ?? ""
                    continue
                }
                let number = value.flatMap { Int($0) } ?? 0
                text += filled(form(of: slot, number), values, number)
            } else if first == "#", let count {
                text += "\(count)"
                rest.removeFirst()
            } else {
                text.append(first)
                rest.removeFirst()
            }
        }
        return text
    }

    /// The form of a plural for a number: `=1 {…}` is for that one alone.
    private func form(of slot: Substring, _ number: Int) -> Substring {
        let at = min(max(0, number), number < 200 ? 199 : number % 100 + 100)
        let initial = plurals.indices.contains(at) ? plurals[at] : "x"
        var (found, other): (Substring?, Substring) = (nil, "")
        var rest = slot
        while let start = rest.firstIndex(of: "{") {
            let name = rest[..<start].split(separator: " ").last ?? ""
            rest = rest[start...]
            let form = Self.braced(&rest)
            if name == "=\(number)" { return form }
            if name == "other" { other = form }
            if name != "other", name.first == initial { found = form }
        }
        return found ?? other
    }

    /// Takes what stands between braces, with the braces inside it.
    private static func braced(_ rest: inout Substring) -> Substring {
        var depth = 0
        for at in rest.indices {
            if rest[at] == "{" { depth += 1 }
            if rest[at] == "}" { depth -= 1 }
            guard depth == 0 else { continue }
            defer { rest = rest[rest.index(after: at)...] }
            return rest[rest.index(after: rest.startIndex)..<at]
        }
        defer { rest = "" }
        return rest.dropFirst()
    }
}

extension Board {
    /// A message of the catalogue: `terminal.KEY`, or `KEY` where the page says the same.
    func word(
        _ key: String, _ values: KeyValuePairs<String, any CustomStringConvertible> = [:]
    ) -> String { setup.words(key, values) }
}
