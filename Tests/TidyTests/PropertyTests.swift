import Foundation
import Testing

/// A type with many stored properties has rooms in it that nobody has named: each part owns its state, and its
/// methods.
struct PropertyTests {
    private static let most = 15
    private static let modifiers =
        #"(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|private|fileprivate|internal|final|weak|unowned|lazy)(?:\(\w+\))? )*"#

    /// The stored properties of each type in these lines. Types and members are told by their indentation.
    private static func counts(_ lines: [Substring]) throws -> [String: Int] {
        let type = try Regex<(Substring, Substring, Substring)>(
            "( *)\(modifiers)(?:class|struct|actor) (\\w+).*\\{")
        let property = try Regex<(Substring, Substring)>("( *)\(modifiers)(?:let|var) .*")
        var counts: [String: Int] = [:]
        var open: [(indentation: Int, name: String)] = []
        for (number, line) in lines.enumerated() {
            if let match = line.wholeMatch(of: type) {
                open.append((match.1.count, String(match.2)))
            } else if let last = open.last,
                line == String(repeating: " ", count: last.indentation) + "}"
            {
                open.removeLast()
            } else if let last = open.last, let match = line.wholeMatch(of: property),
                match.1.count == last.indentation + 4
            {
                let next = number + 1 < lines.count ? lines[number + 1] : ""
                let isObserved = next.contains("didSet") || next.contains("willSet")
                let isComputed = line.prefix { $0 != "=" }.contains("{") && !isObserved
                if !isComputed { counts[last.name, default: 0] += 1 }
            }
        }
        return counts
    }

    @Test func storedPropertiesAreCounted() throws {
        let lines = """
            public final class One {
                public private(set) var a = 1
                let b: () -> Int
                var c: Int { 1 }
                var d: Int? {
                    didSet { a = 2 }
                }
                static let e = 1
                struct Two {
                    @usableFromInline var f = [1]
                }
                private lazy var g: Int = { 1 }()
                func h() {
                    let i = 1
                }
            }
            extension One {
                var j: Int {
                    let k = 1
                    return k
                }
            }
            """.split(separator: "\n")
        #expect(try Self.counts(lines) == ["One": 4, "Two": 1])
    }

    @Test(arguments: ["TableSync", "TableTurn", "TableDaemon"]) func typesHaveFew(target: String)
        throws
    {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/\(target)")
        let all = FileManager.default.enumerator(atPath: folder.path())?.allObjects ?? []
        var types = 0
        for name in all.compactMap({ $0 as? String }) where name.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            for (type, count) in try Self.counts(
                text.split(separator: "\n", omittingEmptySubsequences: false))
            {
                types += 1
                #expect(count <= Self.most, "\(name): \(type) has \(count) stored properties")
            }
        }
        #expect(types > 10)
    }
}
