import Foundation
import Testing

/// The house rules that a machine can check, over every source file of this package.
struct TidyTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private struct Source {
        let path: String
        let lines: [Substring]
        var target: Substring { path.split(separator: "/").dropFirst().first ?? "" }
        /// A file that is made from another one is as long as that.
        var isOurs: Bool {
            !path.hasSuffix(".pb.swift") && !path.contains("/Languages/Catalogue")
        }
    }

    private static func sources(below folder: String) throws -> [Source] {
        let base = root.appending(path: folder)
        let all = FileManager.default.enumerator(atPath: base.path())?.allObjects ?? []
        return try all.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
            .map { name in
                let text = try String(contentsOf: base.appending(path: name), encoding: .utf8)
                return Source(
                    path: "\(folder)/\(name)",
                    lines: text.split(separator: "\n", omittingEmptySubsequences: false))
            }.filter(\.isOurs)
    }

    @Test func everySourceFileIsSeen() throws {
        #expect(try Self.sources(below: "Sources").count > 60)
    }

    @Test func filesFitInASitting() throws {
        for source in try Self.sources(below: "Sources") + Self.sources(below: "Tests") {
            #expect(source.lines.count <= 401, "\(source.path) is too long")
        }
    }

    /// From a line that begins a function to the line with its closing brace, by indentation.
    @Test func functionsFitOnAScreen() throws {
        let start = /^( *)(?:(?:public|private|fileprivate|static|mutating|@\w+) )*(?:func|init)\b/
        for source in try Self.sources(below: "Sources") {
            for (number, line) in source.lines.enumerated() {
                // A requirement of a protocol has no body. The expression comes last, since it takes long.
                guard line.hasSuffix("{") || line.hasSuffix("("),
                    let match = line.prefixMatch(of: start)
                else { continue }
                let close = String(match.1) + "}"
                let end = source.lines[number...].firstIndex { $0 == close } ?? number
                #expect(end - number < 70, "\(source.path):\(number + 1) is too long")
            }
        }
    }

    @Test func pureTargetsImportNoInputOrOutput() throws {
        let pure: [Substring: Set<String>] = [
            "TableHash": [], "TableValues": ["TableHash"],
            "TableModel": ["TableHash", "TableValues"],
            "TableDecisions": ["TableModel", "TablePredicate"],
            "TableLayout": ["TableModel"], "TablePredicate": ["TableModel"],
            "TableSync": ["TableDecisions", "TableModel", "TablePredicate"], "JournalPort": [],
            "JournalFormat": ["TableHash"],
            "TableTurn": ["TableModel", "TableSync", "TableWire", "JournalPort"],
            "TableTerminal": ["TableModel", "TableLayout", "TablePredicate", "TableSync"],
            "TableWire": ["TableHash", "TableModel", "TableSync"],
            "TablePictures": ["TableLayout", "TableModel", "TablePredicate"],
            "GatewayCore": ["TableModel", "TableSync", "TableWire"],
        ]
        let form = /^(?:public |internal |package )?import (\w+)/
        for source in try Self.sources(below: "Sources") {
            guard let allowed = pure[source.target] else { continue }
            for line in source.lines {
                guard let match = line.firstMatch(of: form) else { continue }
                #expect(allowed.contains(String(match.1)), "\(source.path) imports \(match.1)")
            }
        }
    }

    @Test func nothingIsForced() throws {
        for source in try Self.sources(below: "Sources") {
            for (number, line) in source.lines.enumerated() {
                let code = line.split(separator: "//", maxSplits: 1).first ?? ""
                #expect(
                    !code.contains("try!") && !code.contains("as!"),
                    "\(source.path):\(number + 1) forces")
            }
        }
    }

    @Test func uncheckedSendableSaysWhy() throws {
        for source in try Self.sources(below: "Sources") {
            for (number, line) in source.lines.enumerated()
            where line.contains("@unchecked Sendable") {
                let around = source.lines[max(0, number - 6)..<min(source.lines.count, number + 4)]
                #expect(
                    around.contains { $0.contains("//") },
                    "\(source.path):\(number + 1) gives no reason")
            }
        }
    }
}
