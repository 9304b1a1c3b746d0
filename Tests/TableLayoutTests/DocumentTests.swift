import Foundation
import TableLayout
import Testing

/// Programs in other languages are written from docs/LAYOUT.md, so its tables must be the code's.
struct DocumentTests {
    private static func page() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/LAYOUT.md"), encoding: .utf8)
    }

    @Test func theTableOfAdvances() throws {
        var seen = 0
        for line in try Self.page().split(separator: "\n") where line.hasPrefix("| U+00") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let first = try #require(UInt32(cells[0].dropFirst(2), radix: 16))
            #expect(cells.count == 17)
            for (column, cell) in cells.dropFirst().enumerated() where cell != "–" {
                let scalar = try #require(Unicode.Scalar(first + UInt32(column)))
                let width = Metrics.point.width(of: String(Character(scalar)), sizePoints: 1_000)
                #expect(width == Double(cell), "\(scalar)")
                seen += 1
            }
        }
        #expect(seen == 95)
    }

    @Test func everyVectorStandsThere() throws {
        let page = try Self.page()
        for vector in try Vectors.read("swipe.json", as: [Vectors.Swipe].self) {
            #expect(page.contains("| \(vector.rule) | \(vector.note) |"), "\(vector)")
        }
        for vector in try Vectors.read("text.json", as: Vectors.Text.self).heights {
            #expect(page.contains("| \(vector.note) |"), "\(vector)")
        }
    }

    @Test func everyNameStandsThere() throws {
        let page = try Self.page()
        let clamps: [Clamp] = [.width, .height, .diameter, .spacing, .insets]
        let names = clamps.map(\.rawValue) + Projection.Loss.allCases.map(\.rawValue)
        for name in names + Capability.allCases.map(\.rawValue) {
            #expect(page.contains("`\(name)`"), "\(name)")
        }
    }
}
