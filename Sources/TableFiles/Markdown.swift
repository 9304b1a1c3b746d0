import StrictYAML
import TableModel

/// Task lists in Markdown, as people keep them and as code hosts show them:
///
///     ## The grill {#grill}
///
///     - [ ] Ribeye, medium {#t41 .ticket qty=2}
///     - [x] Sole
///
/// Headings are sections, items are rows, and a ticked one has the field `done` = `yes`. The braces
/// (the attributes of Pandoc and kramdown) hold the id, the kind and other fields. A row has no rows
/// below it, so a task within a task is refused, however far it is indented.
enum Markdown {
    static let doneKey = ImportedRow.doneKey
    static let doneValue = "yes"

    /// The content of the braces at the end of a line.
    struct Attributes {
        var id: ID?
        var kind: ID?
        var fields: [Row.Field] = []
    }
}

private typealias Text = Substring.UnicodeScalarView

// MARK: Reading

struct MarkdownReader {
    let file: String
    private(set) var rows: [ImportedRow] = []
    private(set) var sections: [ImportedSection] = []
    private var section: SectionID?
    /// How far the first task below the last heading is indented, in columns.
    private var indent: Int?
    private var number = 0
    /// The column at which the line's text begins, counted from 1 in code points.
    private var column = 1

    init(_ text: ArraySlice<UInt8>, file: String) throws(Fault) {
        self.file = file
        for line in text.split(separator: 10, omittingEmptySubsequences: false) {
            number += 1
            guard line.count <= ImportFile.lineBytes else {
                throw fault("more than \(ImportFile.lineBytes) bytes in a line")
            }
            try read(String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self))
        }
    }

    // Read by scalars, not by characters: a combining mark must not hide the quote before it.

    private mutating func read(_ line: String) throws(Fault) {
        let line = Substring(line).unicodeScalars
        let text = line.trimmed
        if text.isEmpty || (text.starts(with: "<!--") && text.suffix(3).elementsEqual("-->")) {
            return
        }
        let blanks = line.prefix(while: \.isBlank)
        let columns = blanks.reduce(0) { $1 == "\t" ? ($0 / 4 + 1) * 4 : $0 + 1 }
        column = blanks.count + 1
        if text.first == "#" {
            guard columns < 4 else { throw fault(Self.code) }
            return try heading(text)
        }
        guard let item = Self.withoutBullet(text), let box = Box(item) else {
            throw fault(
                "expected `# section`, `- [ ] title` or an empty line: begin a task with `- [ ] `, and "
                    + "keep other text in a field or a comment")
        }
        if columns > indent ?? columns {
            throw fault(
                "a task within a task, and a row has no rows below it: take the blanks before it away, "
                    + "or write it into the title above")
        }
        guard columns < 4 else { throw fault(Self.code) }
        indent = columns
        let (title, found) = try parts(of: box.rest)
        var attributes = found
        if box.isTicked {
            attributes.fields.append(Row.Field(Markdown.doneKey, Markdown.doneValue))
        }
        var row = ImportedRow(
            id: attributes.id, kind: attributes.kind, section: section, title: title,
            fields: attributes.fields, line: number)
        if !attributes.fields.contains(where: { $0.key == Markdown.doneKey }) {
            row.unset = [Markdown.doneKey]
        }
        row.isTask = true
        rows.append(row)
    }

    private static let code = "four blanks or a tab make this code: take them away"

    /// The text behind `- `, `* `, `+ `, `1. ` or `1) `; nil: there is no bullet.
    private static func withoutBullet(_ text: Text) -> Text? {
        let digits = text.prefix { "0"..."9" ~= $0 }
        let rest = text.dropFirst(digits.count)
        let marks: [Unicode.Scalar] = digits.isEmpty ? ["-", "*", "+"] : [".", ")"]
        guard let mark = rest.first, marks.contains(mark), rest.dropFirst().first?.isBlank == true
        else { return nil }
        return rest.dropFirst().drop(while: \.isBlank)
    }

    private mutating func heading(_ text: Text) throws(Fault) {
        indent = nil
        let level = text.prefix { $0 == "#" }.count
        let rest = text.dropFirst(level)
        guard level <= 6, rest.first == " " else { throw fault("expected a blank after `#`") }
        let (title, attributes) = try parts(of: rest)
        guard attributes.kind == nil, attributes.fields.isEmpty else {
            throw fault("a section has an id, and nothing else in braces")
        }
        guard let id = attributes.id ?? (title.isEmpty ? nil : ID(title)) else {
            throw fault("a section has no name")
        }
        section = id
        // A heading without an id names a section and does not change its title.
        sections.append(
            ImportedSection(id: id, title: attributes.id == nil ? nil : title, line: number))
    }

    /// `[ ] ` or `[x] `
    private struct Box {
        var isTicked: Bool
        var rest: Text

        init?(_ text: Text) {
            let box = String(text.prefix(3))
            switch box {
            case "[ ]": isTicked = false
            case "[x]", "[X]": isTicked = true
            default: return nil
            }
            rest = text.dropFirst(3)
            guard rest.first?.isBlank ?? true else { return nil }
        }
    }

    /// A title, and the attributes in braces after it.
    private func parts(
        of text: Text
    ) throws(Fault) -> (title: String, attributes: Markdown.Attributes) {
        let text = text.trimmed
        guard text.last == "}", let open = Self.openBrace(in: text) else {
            return (Self.unescaped(text), Markdown.Attributes())
        }
        let inner = text[text.index(after: open)...].dropLast()
        return (Self.unescaped(text[..<open].trimmed), try attributes(inner))
    }

    /// The unescaped brace that opens the last group. Braces in quotes do not count.
    private static func openBrace(in text: Text) -> Text.Index? {
        var open: Text.Index?
        var isEscaped = false
        var isQuoted = false
        for index in text.indices {
            let scalar = text[index]
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"", open != nil {
                isQuoted.toggle()
            } else if scalar == "{", !isQuoted {
                open = index
            } else if scalar == "}", !isQuoted {
                if text.index(after: index) == text.endIndex { return open }
                open = nil
            }
        }
        return nil
    }

    private func attributes(_ text: Text) throws(Fault) -> Markdown.Attributes {
        var attributes = Markdown.Attributes()
        var rest = text.drop { $0 == " " }
        while let first = rest.first {
            if first == "#" || first == "." {
                rest.removeFirst()
                let name = ID(try word(&rest))
                if name.text.isEmpty { throw fault("nothing stands after `\(first)`") }
                if first == "#" { attributes.id = name } else { attributes.kind = name }
            } else {
                let key = try word(&rest)
                guard rest.first == "=", !key.isEmpty else {
                    throw fault("braces hold #id, .kind and key=value")
                }
                rest.removeFirst()
                attributes.fields.append(Row.Field(ID(key), try word(&rest)))
            }
            guard rest.isEmpty || rest.first == " " else { throw fault("expected a blank or `}`") }
            rest = rest.drop { $0 == " " }
        }
        return attributes
    }

    /// Reads a word: up to a blank or `=`, or in quotes.
    private func word(_ rest: inout Text) throws(Fault) -> String {
        guard rest.first == "\"" else {
            let word = rest.prefix { $0 != " " && $0 != "=" && $0 != "\"" }
            rest = rest.dropFirst(word.count)
            return Self.unescaped(word)
        }
        rest.removeFirst()
        var word = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return Self.unescaped(word[...]) }
            word.append(scalar)
            if scalar == "\\", let next = rest.popFirst() { word.append(next) }
        }
        throw fault("a text in quotes has no end")
    }

    /// Drops a backslash before punctuation, and replaces `&#10;` by the character of that number.
    private static func unescaped(_ text: Text) -> String {
        var result = String.UnicodeScalarView()
        var rest = text
        while let scalar = rest.popFirst() {
            if scalar == "\\", let next = rest.first, next.isPunctuation {
                result.append(next)
                rest.removeFirst()
            } else if scalar == "&", let (character, length) = reference(rest) {
                result.append(character)
                rest.removeFirst(length)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func reference(_ rest: Text) -> (Unicode.Scalar, length: Int)? {
        guard rest.first == "#" else { return nil }
        let digits = rest.dropFirst().prefix { "0"..."9" ~= $0 }
        guard !digits.isEmpty, digits.count <= 7, rest.dropFirst(1 + digits.count).first == ";",
            let number = UInt32(String(digits)), number > 0, let scalar = Unicode.Scalar(number)
        else { return nil }
        return (scalar, digits.count + 2)
    }

    private func fault(_ message: String) -> Fault {
        Fault(message, file: file, line: number, column: column)
    }
}

// MARK: Writing

enum MarkdownWriter {
    static func heading(_ id: SectionID, title: String) -> String {
        let isPlain = ID(title) == id && !title.isEmpty
        let braces = isPlain ? "" : " {#\(word(id.text))}"
        return "## \(escaped(title))\(braces)\n"
    }

    static func item(_ row: Row) -> String {
        let content = row.content
        let isDone = content.fields.contains {
            $0.key == Markdown.doneKey && $0.value == Markdown.doneValue
        }
        var words = ["#\(word(row.id.text))"]
        if content.kind != .plainKind { words.append(".\(word(content.kind.text))") }
        for field in content.fields where !(isDone && field.key == Markdown.doneKey) {
            words.append("\(word(field.key.text))=\(word(field.value))")
        }
        let title = content.title.isEmpty ? "" : " \(escaped(content.title))"
        return "- [\(isDone ? "x" : " ")]\(title) {\(words.joined(separator: " "))}\n"
    }

    /// Escapes everything that ends a line or that would be read as something else.
    private static func escaped(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = ""
        for (index, scalar) in scalars.enumerated() {
            let isAtEnd = index == 0 || index == scalars.count - 1
            switch scalar {
            case "\\", "{", "}": result += "\\\(scalar)"
            case "&": result += scalars.dropFirst(index + 1).first == "#" ? "&#38;" : "&"
            case " " where isAtEnd: result += "&#32;"
            case _ where scalar.endsLine: result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text itself if that can be read back, else in quotes.
    private static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, 0x80..., UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "/"):
                return true
            default: return false
            }
        }
        // A dot in front would make it a kind.
        let isSafe =
            text.utf8.first != nil && text.utf8.first != UInt8(ascii: ".")
            && !text.unicodeScalars.contains(where: \.endsLine)
        if isPlain, isSafe { return text }
        var quoted = "\""
        for scalar in escaped(text).unicodeScalars {
            if scalar == "\"" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}

extension Unicode.Scalar {
    /// ASCII punctuation, which a backslash escapes.
    fileprivate var isPunctuation: Bool {
        switch value {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: return true
        default: return false
        }
    }

    fileprivate var isBlank: Bool { self == " " || self == "\t" }

    /// A control character, or a character at which some programs end a line.
    fileprivate var endsLine: Bool {
        value < 0x20 || 0x7F...0x9F ~= value || value == 0x2028 || value == 0x2029
    }
}

extension Text {
    /// The text without blanks and tabs around it.
    fileprivate var trimmed: Text {
        var text = self
        while text.first?.isBlank == true { text.removeFirst() }
        while text.last?.isBlank == true { text.removeLast() }
        return text
    }

    fileprivate func starts(with text: String) -> Bool { starts(with: text.unicodeScalars) }

    fileprivate func elementsEqual(_ text: String) -> Bool { elementsEqual(text.unicodeScalars) }
}
