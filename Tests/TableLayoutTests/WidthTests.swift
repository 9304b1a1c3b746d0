import Foundation
import TableLayout
import Testing

/// Widths, compared with Python's unicodedata. The command line's pytest compares them with
/// wcwidth.
struct WidthTests {
    /// Where terminals differ from the standard's plain properties: invisible formatting characters
    /// that do not combine, halves of Hangul syllables, and the like.
    private static func isKnownDifference(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Vowels and finals of Hangul join the syllable before them.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF: return true
        // Regional indicators, modifiers of skin: wide in terminals.
        case 0x1F1E6...0x1F1FF, 0x1F3FB...0x1F3FF: return true
        // Wide since Unicode 16: hexagrams, tetragrams, counting rods.
        case 0x2630...0x2637, 0x268A...0x268F, 0x4DC0...0x4DFF, 0x1D300...0x1D376: return true
        default: break
        }
        switch scalar.properties.generalCategory {
        case .format, .spacingMark, .nonspacingMark, .enclosingMark: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    @Test func scalarsAgreeWithUnicodedata() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Vectors/unicodedata.txt")
        let text = try String(contentsOf: url, encoding: .utf8)
        var seen = 0
        var different: [UInt32] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: " ")
            let (first, last) = (UInt32(fields[0], radix: 16), UInt32(fields[1], radix: 16))
            for value in try #require(first)...(try #require(last)) {
                guard let scalar = Unicode.Scalar(value) else { continue }
                seen += 1
                if CharacterWidth.columns(of: scalar) != Int(fields[2]),
                    !Self.isKnownDifference(scalar)
                {
                    different.append(value)
                }
            }
        }
        #expect(seen > 140_000)
        #expect(different.isEmpty, "\(different.prefix(20).map { String($0, radix: 16) })")
    }

    @Test func marksTakeNoColumnAndControlsNeither() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                #expect(CharacterWidth.columns(of: scalar) == 0, "\(value)")
            default: continue
            }
        }
        #expect(CharacterWidth.columns(of: Unicode.Scalar(0x301 as UInt16) ?? "x") == 0)
    }

    /// Never more than 2 for one cluster, whatever it is made of.
    @Test func hostileTextIsMeasured() {
        let marks = "a" + String(repeating: "\u{301}", count: 2_048)
        #expect(CharacterWidth.columns(of: marks) == 1)
        #expect(Metrics.point.width(of: marks) == 8.34)
        let joined = String(repeating: "👩\u{200D}", count: 1_000)
        #expect(CharacterWidth.columns(of: joined) <= 2_000)
        for text in [
            String(repeating: "\u{301}", count: 100_000), String(repeating: "\u{FE0F}", count: 9),
            String(repeating: "🇩", count: 10_001), String(repeating: "\u{200D}", count: 10_000),
            String(repeating: "\u{0}", count: 4_096), String(repeating: "\r\n", count: 4_096),
            String(decoding: (0..<4_096).map { UInt8($0 & 255) }, as: UTF8.self),
            String(repeating: "ก็็็็็", count: 700), String(repeating: "\u{202E}", count: 4_096),
        ] {
            for metrics in [Metrics.cell, .point] {
                let width = metrics.width(of: text)
                #expect(width.isFinite && width >= 0)
                let lines = TextWrap.lines(text, widthPoints: 100, metrics: metrics)
                #expect(!lines.isEmpty && lines.count <= text.unicodeScalars.count + 1)
            }
        }
    }

    @Test func sizesThatAreNoneAreReplaced() {
        for size in [0, -1, .nan, .infinity, 1e300, -.infinity] {
            #expect(Metrics.point.width(of: "Bump", sizePoints: size) == 39.18)
            #expect(Metrics.point.lineHeightPoints(sizePoints: size) == 20)
            var metrics = Metrics.point
            metrics.textSizePoints = size
            #expect(metrics.width(of: "Bump") == 39.18)
            metrics = .cell
            metrics.cellWidthPoints = size
            metrics.cellHeightPoints = size
            #expect(metrics.width(of: "Bump") == 40 && metrics.lineHeightPoints() == 20)
        }
    }
}
