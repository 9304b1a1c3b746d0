import Foundation

/// The messages of the schema and their fields, read from its text.
struct SchemaText {
    struct Field {
        let number: UInt32
        let name: String
        let type: String
        let isMany: Bool
        var message: String?

        /// Its name in JSON: without underscores, and the letter after each is a capital.
        var jsonName: String {
            let words = name.split(separator: "_")
            return words.dropFirst().reduce(String(words.first ?? "")) {
                $0 + $1.prefix(1).uppercased() + $1.dropFirst()
            }
        }
    }

    var messages: [String: [Field]] = [:]

    init() throws {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appending(path: "Sources/TableWire/Schema/trestle.proto"),
            encoding: .utf8)
        var scopes: [String?] = []
        for line in text.split(separator: "\n") {
            var line = line.prefix { $0 != "/" }.trimmingCharacters(in: .whitespaces)
            if let block = line.firstMatch(of: /^(message|oneof|enum) (\w+) \{/) {
                scopes.append(block.1 == "message" ? String(block.2) : nil)
                if block.1 == "message" { messages[Self.name(scopes)] = [] }
                line = String(line[block.range.upperBound...])
            }
            let pattern = /(repeated )?(?:optional )?(map<[^>]*>|[\w.]+) (\w+) = (\d+)/
            if let field = line.firstMatch(of: pattern), !line.hasPrefix("reserved"),
                let number = UInt32(field.4)
            {
                messages[Self.name(scopes), default: []].append(
                    Field(
                        number: number, name: String(field.3), type: String(field.2),
                        isMany: field.1 != nil))
            }
            if line.hasSuffix("}") { _ = scopes.popLast() }
        }
        for (name, fields) in messages {
            messages[name] = fields.map {
                var field = $0
                field.message = resolved(field.type, in: name)
                return field
            }.sorted { $0.number < $1.number }
        }
    }

    private static func name(_ scopes: [String?]) -> String {
        scopes.compactMap { $0 }.joined(separator: ".")
    }

    private func resolved(_ type: String, in scope: String) -> String? {
        var scope = scope.split(separator: ".").map(String.init)
        while true {
            let name = (scope + [type]).joined(separator: ".")
            if messages[name] != nil { return name }
            if scope.popLast() == nil { return nil }
        }
    }
}
