import Foundation
import Testing

/// docs/MESSAGES.md: every message with its fields, written from the schema, against which the readers are held.
@Suite struct MessagesPageTests {
    /// Ends the part of the page that is written by hand.
    private static let mark = "<!-- Below: written by MessagesPageTests -->"

    @Test func thePageIsThatOfTheSchema() throws {
        let url = RepositoryPage.root.appending(path: "docs/MESSAGES.md")
        let found = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
        let end = try #require(found.firstIndex(of: Self.mark))
        let wanted = found[...end] + Self.tables(of: try SchemaText()) + [""]
        if ProcessInfo.processInfo.environment["TRESTLE_WRITE"] != nil {
            try wanted.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
            return
        }
        for (wanted, found) in zip(wanted, found) where wanted != found {
            Issue.record(
                "the schema says \(wanted), docs/MESSAGES.md \(found): TRESTLE_WRITE=1 writes it")
            return
        }
        #expect(wanted.count == found.count)
    }

    private static func tables(of schema: SchemaText) -> [String] {
        schema.order.flatMap { name -> [String] in
            let depth = name.filter { $0 == "." }.count
            let head = ["", "\(depth == 0 ? "##" : "###") \(name)"]
            let says = schema.says[name].flatMap { $0.isEmpty ? nil : ["", $0] } ?? []
            guard let fields = schema.messages[name], !fields.isEmpty else {
                return head + says + ["", "It has no fields."]
            }
            return head + says + ["", "| | field | value | meaning |", "|--:|---|---|---|"]
                + fields.map(line)
        }
    }

    private static func line(_ field: SchemaText.Field) -> String {
        let value = words(field)
        let says = field.says.replacing("|", with: "\\|")
        let number = field.isOneOf ? "*\(field.number)*" : "\(field.number)"
        return
            "| \(number) | `\(field.jsonName)` | \(field.isMany ? "list: " : "")\(value) | \(says) |"
    }

    private static func words(_ field: SchemaText.Field) -> String {
        if let message = field.message {
            let anchor = message.lowercased().replacing(".", with: "")
            return "[\(message)](#\(anchor))"
        }
        return switch field.type {
        case "string": "text"
        case "bool": "true or false"
        case "double": "number"
        case "uint32", "uint64": "whole number"
        case "int32", "int64": "whole number, also negative"
        case "fixed64": "64 bits"
        case "bytes": "bytes"
        case "map<string, string>": "texts by name"
        case "map<string, int64>", "map<string, uint64>": "whole numbers by name"
        case "map<string, double>": "numbers by name"
        default: "`\(field.type)`"
        }
    }
}
