import Foundation

/// The messages of the schema and their fields, read from its text.
struct SchemaText {
    struct Field {
        let number: UInt32
        let name: String
        let type: String
        let isMany: Bool
        /// Its comment: the lines before it, then what stands behind it.
        let says: String
        /// Whether it is one of several of which a message has one at most.
        let isOneOf: Bool
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
    /// The comments of messages, and the messages in the schema's order.
    private(set) var says: [String: String] = [:]
    private(set) var order: [String] = []

    init() throws {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appending(path: "Sources/TableWire/Schema/trestle.proto"),
            encoding: .utf8)
        var scopes: [String?] = []
        var comment: [String] = []
        for whole in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let parts = whole.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)
            var line = parts[0].trimmingCharacters(in: .whitespaces)
            let behind = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            if line.isEmpty {
                comment = behind.isEmpty || behind.hasPrefix("-----") ? [] : comment + [behind]
                continue
            }
            defer { comment = [] }
            if let block = line.firstMatch(of: /^(message|oneof|enum) (\w+) \{/) {
                scopes.append(block.1 == "message" ? String(block.2) : nil)
                if block.1 == "message" {
                    messages[Self.name(scopes)] = []
                    order.append(Self.name(scopes))
                    says[Self.name(scopes)] = comment.joined(separator: " ")
                    comment = []
                }
                line = String(line[block.range.upperBound...])
            }
            let pattern = /(repeated )?(?:optional )?(map<[^>]*>|[\w.]+) (\w+) = (\d+)/
            if let field = line.firstMatch(of: pattern), !line.hasPrefix("reserved"),
                let number = UInt32(field.4)
            {
                messages[Self.name(scopes), default: []].append(
                    Field(
                        number: number, name: String(field.3), type: String(field.2),
                        isMany: field.1 != nil,
                        says: (comment + [behind]).filter { !$0.isEmpty }.joined(separator: " "),
                        isOneOf: scopes.last == .some(nil)))
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
