import Foundation
import Testing

/// The layers of the guard, as `account.h` lists them: no file includes one of a later layer.
struct LayerTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/CPeerGuard")

    private static func text(_ name: String) throws -> String {
        let isPublic = ["rules.h", "stream.h", "peer_guard.h"].contains(name)
        let file = folder.appending(path: isPublic ? "include/\(name)" : name)
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// The layer of each file, counted from 1. The daemon's side may be included by all.
    private static func layers() throws -> [String: Int] {
        var layers = ["peer_guard.h": 1]
        for match in try text("account.h").matches(of: /\n \*\s+(\d+) ((?:\w+\.[ch] )+)/) {
            guard let layer = Int(match.1) else { continue }
            for name in match.2.split(separator: " ") { layers[String(name)] = layer }
        }
        return layers
    }

    @Test func noFileIncludesALaterLayer() throws {
        let layers = try Self.layers()
        for (name, layer) in layers {
            for include in try Self.text(name).matches(of: /#include "([^"]+)"/) {
                let included = try #require(layers[String(include.1)], "\(include.1) has no layer")
                #expect(included <= layer, "\(name) includes \(include.1)")
            }
        }
    }

    @Test func everyFileHasALayer() throws {
        let layers = try Self.layers()
        let files = FileManager.default.enumerator(atPath: Self.folder.path())?.allObjects ?? []
        for file in files.compactMap({ $0 as? String }) where file.contains(/\.[ch]$/) {
            #expect(layers[URL(filePath: file).lastPathComponent] != nil, "\(file)")
        }
        #expect(layers.count > 15)
    }
}
