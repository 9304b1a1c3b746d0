import Foundation
import TableLayout
import TableModel

/// The files of vectors. No code made their numbers. docs/LAYOUT.md repeats them, and programs in
/// other languages can be tested with them.
enum Vectors {
    static func read<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Vectors/\(name)")
        return try JSONDecoder().decode(type, from: Data(contentsOf: url))
    }

    /// A look as the files have it.
    struct GivenLook: Decodable {
        var style: String?
        var width: Double?
        var intrinsic: Bool?
        var spacing: Double?
        var insets: [Double]?

        var look: Look {
            var look = Look()
            look.style = style.flatMap { Look.Style(rawValue: $0) }
            look.width = width.map { .points($0) } ?? (intrinsic == true ? .intrinsic : nil)
            look.spacingPoints = spacing
            look.insets = insets.map {
                Insets(top: $0[0], left: $0[1], bottom: $0[2], right: $0[3])
            }
            return look
        }
    }

    /// The keys of an action besides its look.
    struct GivenAction: Decodable {
        var look: GivenLook
        var title: String?
        var hair: Int?
        var face: String?

        enum Key: String, CodingKey { case title, hair, face }

        init(from decoder: any Decoder) throws {
            look = try GivenLook(from: decoder)
            let fields = try decoder.container(keyedBy: Key.self)
            title = try fields.decodeIfPresent(String.self, forKey: .title)
            hair = try fields.decodeIfPresent(Int.self, forKey: .hair)
            face = try fields.decodeIfPresent(String.self, forKey: .face)
        }
    }

    struct Swipe: Decodable, CustomTestStringConvertible {
        var rule: String
        var note: String
        var edge: String
        var height: Double
        var container: Double
        var pullGiven: Double?
        var compatible: Bool?
        var table: GivenLook?
        var group: GivenLook?
        var actions: [GivenAction]
        var pull: Double
        var revealed: Bool?
        var hit: [[Double]]
        var face: [[Double]]
        var radius: [Double]?
        var clamped: [[String]]?

        var testDescription: String { "\(rule): \(note)" }

        var geometry: SwipeGeometry {
            var given = ActionGroup(look: group?.look ?? Look())
            given.isCompatible = compatible ?? false
            given.actions = actions.enumerated().map { index, action in
                var made = Action(ID("a\(index)"))
                made.look = action.look.look
                made.title =
                    action.title ?? String(repeating: "\u{200A}", count: action.hair ?? 0)
                made.face = action.face.map { Face(.text($0)) }
                return made
            }
            return SwipeGeometry(
                given, edge: edge == "leading" ? .leading : .trailing, rowHeight: height,
                pullWidth: pullGiven, containerWidth: container, tableLook: table?.look ?? Look())
        }
    }

    struct Text: Decodable {
        struct Hair: Decodable {
            var width: Double, hair: Double, count: Int
        }
        struct Width: Decodable {
            var text: String, cells: Int, thousandths: Int
        }
        struct Lines: Decodable {
            var text: String, width: Double, cell: [String], point: [String]
        }
        struct Height: Decodable {
            var note: String, state: String, layout: String?, title: String, fields: Int?
            var width: Double, cell: Double, point: Double
        }
        var hairSpaces: [Hair]
        var widths: [Width]
        var lines: [Lines]
        var heights: [Height]
    }
}

protocol CustomTestStringConvertible: CustomStringConvertible {
    var testDescription: String { get }
}

extension CustomTestStringConvertible {
    var description: String { testDescription }
}

extension Rect {
    init(_ numbers: [Double]) {
        self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }

    var numbers: [Double] { [x, y, width, height] }

    /// Equal, except for the rounding of sums in another order.
    func isNear(_ other: Rect, within tolerance: Double = 1e-9) -> Bool {
        zip(numbers, other.numbers).allSatisfy { abs($0 - $1) <= tolerance }
    }
}
