import TableLayout

/// One line of text that a person types, with a cursor.
struct LineEditor: Equatable {
    private(set) var characters: [Character] = []
    /// Index of the character at the cursor; the number of characters if it is at the end.
    private(set) var cursor = 0

    var text: String { String(characters) }

    init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    /// Takes a key; false: it means nothing here.
    mutating func handle(_ key: Key) -> Bool {
        switch key {
        case .character(let character): insert(String(character))
        case .backspace:
            guard cursor > 0 else { return characters.isEmpty ? false : true }
            cursor -= 1
            characters.remove(at: cursor)
        case .delete: if cursor < characters.count { characters.remove(at: cursor) }
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(characters.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = characters.count
        case .control("u"):
            characters.removeFirst(cursor)
            cursor = 0
        case .control("w"): removeWord()
        default: return false
        }
        return true
    }

    /// Inserts text at the cursor, without characters that do not belong in one line.
    mutating func insert(_ text: String) {
        let room = Self.mostCharacters - characters.count
        let new = text.filter { character in
            character.unicodeScalars.allSatisfy { !$0.isDangerous }
        }.prefix(max(0, room))
        characters.insert(contentsOf: new, at: cursor)
        cursor += new.count
    }

    private static let mostCharacters = 4_096

    private mutating func removeWord() {
        while cursor > 0, characters[cursor - 1] == " " { remove() }
        while cursor > 0, characters[cursor - 1] != " " { remove() }
    }

    private mutating func remove() {
        cursor -= 1
        characters.remove(at: cursor)
    }
}
