/// Parses a predicate by recursive descent:
///
///     condition := conjunction ("or" conjunction)*
///     conjunction := negation ("and" negation)*
///     negation := "not" negation | comparison
///     comparison := value (("==" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~") value)?
package struct PredicateParser {
    private let tokens: [PredicateToken]
    private var at = 0
    private var depth = 0
    private var rowsAreInScope: Bool
    private let reach: Reach
    private var isInGroup = false
    package private(set) var goesOverRows = false
    /// The answer may change although the table does not.
    package private(set) var isTimed = false
    /// Bound on nested parentheses and negations: each is a recursive call.
    private static let mostDepth = 100

    package init(
        _ text: String, rowsAreInScope: Bool, reach: Reach = .table
    ) throws(PredicateFault) {
        tokens = try PredicateTokens.all(in: text)
        self.rowsAreInScope = rowsAreInScope
        self.reach = reach
    }

    package mutating func wholeCondition() throws(PredicateFault) -> PredicateExpression {
        let result = try condition()
        guard tokens[at].kind == .end else {
            throw fault(
                "expected `and`, `or` or the end, found \(tokens[at].name)", "joined",
                ["found": tokens[at].said])
        }
        return result.folded
    }

    /// The property that a whole text names. A fault lists `names`.
    package static func property(
        _ text: String, _ names: String
    ) throws(PredicateFault) -> RowProperty {
        var parser = try PredicateParser(text, rowsAreInScope: true)
        let property = try parser.property(names)
        guard parser.tokens[parser.at].kind == .end else {
            throw parser.fault(
                "expected a comma or the end, found \(parser.tokens[parser.at].name)", "comma",
                ["found": parser.tokens[parser.at].said])
        }
        return property
    }

    /// A number of rows of a group that a whole text is, as names in braces have it.
    package static func count(ofGroup text: String) throws(PredicateFault) -> PredicateExpression {
        var parser = try PredicateParser(text, rowsAreInScope: true, reach: .row)
        let count = try parser.value()
        guard case .group(let whole) = count, case .count = whole.expression,
            parser.tokens[parser.at].kind == .end
        else { throw wanted("one `count(group where …)`", in: text) }
        // A row does not count by the time.
        guard !parser.isTimed else { throw wanted("no time in a count", in: text) }
        return count
    }

    private static func wanted(_ what: String, in text: String) -> PredicateFault {
        PredicateFault(
            0, "expected \(what), found `\(text)`", "wanted",
            ["wanted": what, "found": "`\(text)`"])
    }

    // MARK: Conditions

    private mutating func condition() throws(PredicateFault) -> PredicateExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.mostDepth else { throw tooDeep }
        return try chain(of: "or", make: { .or($0, $1) }) { parser throws(PredicateFault) in
            try parser.chain(of: "and", make: { .and($0, $1) }) { parser throws(PredicateFault) in
                try parser.negation()
            }
        }
    }

    /// Parses parts with a word between them. If there are several, each must be a condition.
    private mutating func chain(
        of word: String, make: (PredicateExpression, PredicateExpression) -> PredicateExpression,
        _ part: (inout PredicateParser) throws(PredicateFault) -> PredicateExpression
    ) throws(PredicateFault) -> PredicateExpression {
        var start = tokens[at]
        var result = try part(&self)
        while tokens[at].kind == .word(word) {
            try check(result, from: start)
            at += 1
            start = tokens[at]
            let next = try part(&self)
            try check(next, from: start)
            result = make(result, next)
        }
        return result
    }

    private mutating func negation() throws(PredicateFault) -> PredicateExpression {
        guard tokens[at].kind == .word("not") else { return try comparison() }
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.mostDepth else { throw tooDeep }
        at += 1
        let start = tokens[at]
        let inner = try negation()
        try check(inner, from: start)
        return .not(inner)
    }

    private mutating func comparison() throws(PredicateFault) -> PredicateExpression {
        let start = tokens[at]
        let left = try value()
        guard case .sign(let sign) = tokens[at].kind,
            let comparison = PredicateComparison(rawValue: sign)
        else {
            try check(left, from: start)
            return left
        }
        at += 1
        let right = try value()
        return .compare(left, comparison, right)
    }

    /// Refuses a value in the place of a condition.
    private func check(_ expression: PredicateExpression, from token: PredicateToken)
        throws(PredicateFault)
    {
        if expression.isCondition { return }
        throw PredicateFault(
            tokens[at].offset > token.offset ? tokens[at].offset : token.offset,
            "expected a comparison such as `==`, found \(tokens[at].name)", "comparison",
            ["found": tokens[at].said])
    }

    // MARK: Values

    /// How far a condition may look.
    package enum Reach {
        /// At all that the table has.
        case table
        /// At one row with its place and its times, at the rows of its group, and at the time (`Action.Guard`).
        case row
        /// At what a row has by itself (`RowCondition`).
        case content

        fileprivate func has(_ word: String) -> Bool {
            if ["true", "false", "none"].contains(word) { return true }
            switch self {
            case .table: return true
            case .row:
                return ["field", "action", "now", "count", "any", "all"].contains(word)
                    || RowProperty.plain[word] != nil
            case .content: return ["title", "kind", "state", "items", "field"].contains(word)
            }
        }

        fileprivate var sentence: String {
            self == .row
                ? "is not of the row: \(RowProperty.names) and now are"
                : "is not of the row alone: title, kind, state, items and field.NAME are"
        }
    }

    private mutating func value() throws(PredicateFault) -> PredicateExpression {
        let token = tokens[at]
        switch token.kind {
        case .text(let text):
            at += 1
            return .constant(.text(text))
        case .number(let number), .duration(let number, _):
            at += 1
            return .constant(.number(number))
        case .sign("("):
            at += 1
            let inner = try condition()
            try expect(")")
            return inner
        case .word(let word):
            at += 1
            return try self.word(word)
        default:
            throw fault("expected a value, found \(token.name)", "value", ["found": token.said])
        }
    }

    private mutating func word(_ word: String) throws(PredicateFault) -> PredicateExpression {
        guard reach.has(word) else {
            at -= 1
            throw fault(
                "`\(word)` \(reach.sentence)", reach == .row ? "notOfRow" : "notAlone",
                ["what": word, "names": RowProperty.names])
        }
        switch word {
        case "true", "false": return .constant(.flag(word == "true"))
        case "none": return .constant(.none)
        case "count", "any", "all": return try over(word)
        case "exists": return try existence()
        case "row" where tokens[at].kind == .sign("("):
            let id = try name()
            try expect(".")
            return .row(id, try property())
        default: break
        }
        if rowsAreInScope, word == "field" || word == "action" || RowProperty.plain[word] != nil {
            at -= 1
            return .own(try property())
        }
        if let property = TableProperty(rawValue: word) {
            if property == .now { isTimed = true }
            return .table(property)
        }
        at -= 1
        if word == "field" || word == "action" || RowProperty.plain[word] != nil {
            throw fault(
                "`\(word)` is of a row: write row(\"…\").\(word), or use it after `where`", "ofRow",
                ["what": word, "code": "row(\"…\").\(word)"])
        }
        throw fault("`\(word)` is not known here", "unknown", ["what": word])
    }

    /// `count`, `any` or `all` with `(rows)`, `(rows where CONDITION)`, or the same of `group`.
    private mutating func over(_ word: String) throws(PredicateFault) -> PredicateExpression {
        try expect("(")
        // A group is one row's, and has no groups in it.
        let allowed =
            (reach == .table ? ["rows"] : []) + (rowsAreInScope && !isInGroup ? ["group"] : [])
        guard let found = allowed.first(where: { tokens[at].kind == .word($0) }) else {
            let names = allowed.map { "`\($0)`" }.joined(separator: " or ")
            throw wanted(names.isEmpty ? "a value" : names)
        }
        let isOfGroup = found == "group"
        at += 1
        goesOverRows = true
        let wasInGroup = isInGroup
        isInGroup = isInGroup || isOfGroup
        defer { isInGroup = wasInGroup }
        let inner = try conditionOfRows(mayBeAll: word != "all")
        let whole: PredicateExpression
        switch word {
        case "count": whole = .count(inner)
        case "any": whole = .any(inner)
        default: whole = inner.map { .all($0) } ?? .constant(.flag(true))
        }
        return isOfGroup ? .group(OfGroup(whole)) : whole
    }

    /// The rest behind `rows` or `group`: nothing, or `where CONDITION`.
    private mutating func conditionOfRows(
        mayBeAll: Bool
    ) throws(PredicateFault) -> PredicateExpression? {
        if mayBeAll, tokens[at].kind == .sign(")") {
            at += 1
            return nil
        }
        guard tokens[at].kind == .word("where") else { throw wanted("`where`") }
        at += 1
        let outer = rowsAreInScope
        rowsAreInScope = true
        defer { rowsAreInScope = outer }
        let start = tokens[at]
        let condition = try self.condition()
        try check(condition, from: start)
        try expect(")")
        return condition
    }

    private mutating func existence() throws(PredicateFault) -> PredicateExpression {
        switch tokens[at].kind {
        case .word("row"):
            at += 1
            return .exists(try name())
        case .word("section"):
            at += 1
            return .existsSection(try name())
        default: throw wanted("row(\"…\") or section(\"…\")")
        }
    }

    /// `("…")`
    private mutating func name() throws(PredicateFault) -> ID {
        try expect("(")
        guard case .text(let text) = tokens[at].kind else {
            throw fault(
                "expected an id in quotes, found \(tokens[at].name)", "id",
                ["found": tokens[at].said])
        }
        at += 1
        try expect(")")
        return ID(text)
    }

    private mutating func property(
        _ names: String = RowProperty.names
    ) throws(PredicateFault) -> RowProperty {
        guard case .word(let word) = tokens[at].kind else {
            throw fault("expected one of: \(names)", "names", ["names": names])
        }
        if let plain = RowProperty.plain[word] {
            at += 1
            if plain.isTimed { isTimed = true }
            return plain
        }
        guard word == "field" || word == "action" else {
            throw fault("`\(word)` is none of: \(names)", "noneOf", ["what": word, "names": names])
        }
        at += 1
        try expect(".")
        let name: String
        switch tokens[at].kind {
        case .word(let text), .text(let text): name = text
        case .number(let number) where number == number.rounded() && abs(number) < 1e15:
            name = "\(Int64(number))"
        default:
            throw fault(
                "expected a name, found \(tokens[at].name)", "name", ["found": tokens[at].said])
        }
        at += 1
        return word == "field" ? .field(ID(name)) : .action(ID(name))
    }

    private mutating func expect(_ sign: String) throws(PredicateFault) {
        guard tokens[at].kind == .sign(sign) else { throw wanted("`\(sign)`") }
        at += 1
    }

    private var tooDeep: PredicateFault {
        fault("more than \(Self.mostDepth) levels", "tooDeep", ["most": "\(Self.mostDepth)"])
    }

    private func wanted(_ what: String) -> PredicateFault {
        fault(
            "expected \(what), found \(tokens[at].name)", "wanted",
            ["wanted": what, "found": tokens[at].said])
    }

    private func fault(
        _ message: String, _ key: String, _ values: KeyValuePairs<String, String>
    ) -> PredicateFault { PredicateFault(tokens[at].offset, message, key, values) }
}
