extension Action {
    /// The rows on which an action is performed. On others it is shown, and a press is refused.
    public struct Guard: Sendable {
        /// A condition on the row in the language of docs/PREDICATES.md, as it was written.
        public let when: String
        /// The sentence that says why a press is refused; nil: one that repeats the condition.
        public let unless: String?
        /// Nil: the text has a fault, and the condition never holds.
        package let condition: PredicateExpression?

        /// A guard of this text. One with a fault never holds.
        public init(when: String, unless: String? = nil) {
            self.when = when
            self.unless = unless
            condition = try? Self.parse(when)
        }

        /// Why the text is no condition on a row; nil: it is one.
        public var fault: PredicateFault? {
            do throws(PredicateFault) {
                _ = try Self.parse(when)
                return nil
            } catch { return error }
        }

        /// The refusal of a press where the condition does not hold.
        package var refusal: String { unless ?? "It is performed only where `\(when)`." }

        /// How many values of its group's rows it looks up at most, in a table of so many rows.
        package func groupLookups(rows: Int) -> Int {
            guard let condition else { return 0 }
            return condition.lookups(rows: rows).ofEach - condition.lookups(rows: 0).ofEach
        }

        private static func parse(_ text: String) throws(PredicateFault) -> PredicateExpression {
            var parser = try PredicateParser(text, rowsAreInScope: true, reach: .row)
            return try parser.wholeCondition()
        }
    }
}

extension Action.Guard: Equatable {
    /// By the texts' bytes.
    public static func == (a: Action.Guard, b: Action.Guard) -> Bool {
        a.when.hasSameBytes(as: b.when)
            && a.unless.map { Array($0.utf8) } == b.unless.map { Array($0.utf8) }
    }
}
