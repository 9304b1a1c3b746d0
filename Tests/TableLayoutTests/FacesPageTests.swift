import Foundation
import TableModel
import Testing

/// docs/FACES.md lists the icons for people who cannot ask `trestle kinds --icons` (F4).
struct FacesPageTests {
    static func page(_ name: String = "FACES.md") throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    @Test func thePageHasTheIcons() throws {
        let page = try Self.page()
        for icon in IconName.all {
            let also = IconName.others(of: icon).map { "`\($0)`" }.joined(separator: ", ")
            #expect(page.contains("| `\(icon)` | \(also) |"), "\(icon)")
        }
        for suffix in IconName.suffixes { #expect(page.contains("`.\(suffix)`"), "\(suffix)") }
    }

    /// docs/LAYOUT.md has the motion profile (F1).
    @Test func thePageHasTheMotion() throws {
        let page = try Self.page("LAYOUT.md")
        func text(_ number: Double) -> String {
            number == number.rounded() ? String(Int(number)) : String(number)
        }
        for key in Motion.Key.allCases {
            let range = "\(text(key.range.lowerBound)), \(text(key.range.upperBound))"
            let row = "| `\(key.rawValue)` | \(text(key.standard)) | \(range) |"
            #expect(page.contains(row), "\(row)")
        }
    }
}
