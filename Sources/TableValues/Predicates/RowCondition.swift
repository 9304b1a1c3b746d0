/// A condition on a row alone, in the language of docs/PREDICATES.md: on its title, its kind, its state, the number of
/// its items and its fields. So it comes to the same wherever the row stands, and a change elsewhere cannot alter it.
public struct RowCondition: Sendable {
    /// As it was written.
    public let text: String
    private let parsed: PredicateExpression?
    /// Whether it may look for a text in another one.
    private let searches: Bool

    /// A condition of this text. One with a fault never holds.
    public init(_ text: String) {
        self.text = text
        parsed = try? Self.parse(text)
        searches = text.utf8.contains(UInt8(ascii: "~"))
    }

    /// Why the text is no condition on a row alone; nil: it is one.
    public var fault: PredicateFault? {
        do throws(PredicateFault) {
            _ = try Self.parse(text)
            return nil
        } catch { return error }
    }

    private static func parse(_ text: String) throws(PredicateFault) -> PredicateExpression {
        var parser = try PredicateParser(text, rowsAreInScope: true, reach: .content)
        return try parser.wholeCondition()
    }

    /// How many values of a row it looks up.
    package var lookups: Int { parsed?.lookups(rows: 0).ofEach ?? 0 }

    /// The cost of a look at this row, in values: a search goes through all letters of a text.
    package func cost(of row: Row) -> Int { row.cost(ofLookups: lookups, searches: searches) }

    /// Whether it holds for a row with this content, in this state.
    public func holds(for content: Row.Content, in state: Expansion) -> Bool {
        guard let parsed else { return false }
        return parsed.isTrue { part in
            guard case .own(let property) = part else { return .none }
            switch property {
            case .title: return .text(content.title)
            case .kind: return .text(content.kind.text)
            case .state: return .text(state.text)
            case .items: return .number(Double(content.items.count))
            case .field(let key): return content.value(of: key).map { .text($0) } ?? .none
            case .id, .section, .index, .version, .swipe, .action, .age, .since, .late, .claimed,
                .holder, .createdMs, .movedMs, .asleep, .wakes:
                return .none
            }
        }
    }
}

extension Row {
    /// The cost of so many lookups of its values. A search goes through all letters of a text.
    package func cost(ofLookups lookups: Int, searches: Bool) -> Int {
        max(1, lookups) * (searches ? 1 + weight / 256 : 1)
    }
}

extension RowCondition: CustomStringConvertible {
    /// The text: a trace tells of no expressions.
    public var description: String { text }
}

extension RowCondition: Equatable {
    /// By the texts' bytes.
    public static func == (a: RowCondition, b: RowCondition) -> Bool {
        a.text.hasSameBytes(as: b.text)
    }
}

/// Why a text is no predicate.
public struct PredicateFault: Error, Equatable, Sendable {
    /// The place, in Unicode scalars from 0; the text's length if something is missing at its end.
    public var offset: Int
    /// A sentence about the fault, without a full stop.
    public var message: String
    /// The sentence as data: of the page and the terminal, whose catalogue has it as `fault.KEY`.
    public var saying: Saying

    package init(
        _ offset: Int, _ message: String, _ key: String,
        _ values: KeyValuePairs<String, String> = [:]
    ) { self.init(offset, message, saying: Saying(key, values)) }

    package init(_ offset: Int, _ message: String, saying: Saying) {
        self.offset = offset
        self.message = message
        self.saying = saying
    }
}

extension PredicateFault {
    /// The message, and the text with a mark at the place.
    public func sentence(in text: String) -> String {
        let at = place(in: text)
        return "\(message): \(text[..<at])^\(text[at...])"
    }

    /// The place in the text; its end, if it has none there.
    public func place(in text: String) -> String.Index {
        let scalars = text.unicodeScalars
        return scalars.index(scalars.startIndex, offsetBy: offset, limitedBy: scalars.endIndex)
            ?? scalars.endIndex
    }
}
