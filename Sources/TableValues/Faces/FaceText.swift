/// A text of a face, with places for values of its row: `{title}`, `{age}`, or the key of a field.
/// `{{` and `}}` stand for braces (F7).
package struct FaceText {
    enum Piece: Equatable {
        case literal(String)
        case value(String)
    }

    let pieces: [Piece]

    /// Nil: a brace has no partner, or nothing stands between two.
    package init?(_ text: String) {
        var pieces: [Piece] = []
        var literal = ""
        var rest = text.unicodeScalars[...]
        while let next = rest.popFirst() {
            switch next {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest.removeFirst()
                literal.unicodeScalars.append(next)
            case "{":
                guard let end = rest.firstIndex(of: "}") else { return nil }
                let name = String(rest[..<end])
                guard !name.isEmpty, !name.contains("{") else { return nil }
                if !literal.isEmpty { pieces.append(.literal(literal)) }
                literal = ""
                pieces.append(.value(name))
                rest = rest[rest.index(after: end)...]
            case "}": return nil
            default: literal.unicodeScalars.append(next)
            }
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        self.pieces = pieces
    }
}
