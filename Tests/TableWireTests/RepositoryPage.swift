import Foundation
import Testing

/// Pages of the repository, against which tests hold the code.
enum RepositoryPage {
    /// The folder of the repository.
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The part of a page that stands between two texts.
    static func part(of path: String, from start: String, to end: String) throws -> Substring {
        let text = try text(path)
        let begin = try #require(text.range(of: start))
        let stop = try #require(text.range(of: end))
        return text[begin.upperBound..<stop.lowerBound]
    }
}
