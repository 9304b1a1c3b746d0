import TableLayout
import TableModel
import Testing

/// Faces of rows, by the vectors that pages are held against too.
struct RowFaceTests {
    struct File: Decodable { var faces: [Vector] }

    struct Vector: Decodable, CustomTestStringConvertible, Sendable {
        struct GivenShow: Decodable, Sendable {
            var title: String?
            var line: [String]?
            var badge: String?
            var detail: [String]?
            var hide: [String]?
            var `as`: [String: String]?
            var wrap: UInt64?
            var group, color: String?
        }
        struct GivenEmphasis: Decodable, Sendable {
            var when: String
            var field, background, color, icon: String?
        }
        struct GivenKind: Decodable, Sendable {
            var show: GivenShow?
            var emphasis: [GivenEmphasis]?
            var height: Double?
            var margins: Double?
            var ages: Bool?
            var strip: Bool?
            var appearance: [String: String]?
        }
        struct GivenRow: Decodable, Sendable {
            var title: String
            var fields: [String: String]
            var expand: String?
        }
        struct Found: Decodable, Equatable, Sendable {
            var title: String
            var line: [String]
            var badge: String?
            var emphasised: [String]
            var details: [[String]]
            var row: String?
        }
        enum Part: Decodable, Sendable {
            case number(Double), word(String)
            init(from decoder: any Decoder) throws {
                let one = try decoder.singleValueContainer()
                if let number = try? one.decode(Double.self) {
                    self = .number(number)
                } else {
                    self = .word(try one.decode(String.self))
                }
            }
        }
        var note: String
        var kind: GivenKind
        var row: GivenRow
        var nowMs: UInt64?
        var zoneSeconds: Int?
        var face: Found?
        var heights: [[Part]]?
        /// The colour behind it; empty: the viewer's own.
        var ground: String?
        var testDescription: String { note }

        var content: Row.Content {
            let fields = row.fields.map { Row.Field(ID($0.key), $0.value) }
            return Row.Content(kind: "k", title: row.title, fields: fields)
        }
        var state: Expansion { row.expand.map { Expansion($0) } ?? .collapsed }

        var made: Kind {
            var made = Kind("k")
            made.heightPoints = kind.height ?? made.heightPoints
            made.margins.text = kind.margins ?? made.margins.text
            made.isStrip = kind.strip ?? false
            made.ages = kind.ages == true ? Kind.Ages(lateSeconds: 60) : nil
            made.show.title = kind.show?.title
            made.show.line = kind.show?.line
            made.show.badge = kind.show?.badge
            made.show.detail = (kind.show?.detail ?? []).map { ID($0) }
            made.show.hide = (kind.show?.hide ?? []).map { ID($0) }
            made.show.forms = (kind.show?.as ?? [:]).reduce(into: [:]) {
                $0[ID($1.key)] = ValueForm($1.value)
            }
            made.show.wrap = kind.show?.wrap ?? 1
            made.show.group = kind.show?.group.map { ID($0) }
            made.show.color = kind.show?.color.map { ID($0) }
            for (state, ground) in kind.appearance ?? [:] {
                made.appearances[Expansion(state)] = .init(background: ground, tint: "red")
            }
            made.emphasis = (kind.emphasis ?? []).map {
                Kind.Emphasis(
                    when: RowCondition($0.when), field: $0.field.map { ID($0) },
                    background: $0.background, color: $0.color, icon: $0.icon)
            }
            return made
        }
    }

    static func vectors() throws -> [Vector] {
        try Vectors.read("faces.json", as: File.self).faces
    }

    @Test func everyFace() throws {
        let vectors = try Self.vectors()
        #expect(vectors.count >= 25)
        for vector in vectors {
            let clock = RowFace.Clock(nowMs: vector.nowMs, zoneSeconds: vector.zoneSeconds ?? 0)
            let face = RowFace(vector.content, vector.state, kind: vector.made, clock: clock)
            if let wanted = vector.face {
                let found = Vector.Found(
                    title: face.title, line: face.line, badge: face.badge,
                    emphasised: face.emphasised.map(\.text),
                    details: face.details.map { [$0.key.text, $0.value] },
                    row: face.row?.background)
                #expect(found == wanted, "\(vector.note)")
            }
            if let ground = vector.ground {
                let row = Row(id: "r", content: vector.content, expansion: vector.state)
                let found = vector.made.appearance(of: row)
                #expect(found.background?.lowercased() ?? "" == ground, "\(vector.note)")
                let isKinds = vector.made.appearance(in: vector.state) == found
                #expect(isKinds || found.tint == nil, "\(vector.note)")
            }
            for height in vector.heights ?? [] {
                guard case .number(let width) = height[0], case .word(let profile) = height[1],
                    case .number(let points) = height[2]
                else {
                    Issue.record("\(vector.note)")
                    continue
                }
                let found = RowHeights.height(
                    of: vector.content, kind: vector.made, expansion: vector.state,
                    widthPoints: width, metrics: profile == "cell" ? .cell : .point)
                #expect(found == points, "\(vector.note): \(width) \(profile)")
            }
        }
    }

    /// An index gives the heights of rows that grow with their texts, after each change of content, state and width.
    @Test func anIndexMeasuresWhatStandsOut() throws {
        let vector = try #require(try Self.vectors().first { $0.note.hasPrefix("what stands out") })
        let kind = vector.made
        let table = Table(name: "t", history: ID128(high: 0, low: 0))
        func apply(_ ops: [Op], _ index: LayoutIndex? = nil) {
            if let diff = table.apply(Plan(ops), cause: Cause(verb: "test")) {
                index?.apply(diff, table)
            }
        }
        apply([
            .insertSection(.mainSection, title: "", after: nil),
            .define(Command.Definitions(kinds: [kind])),
        ])
        let plain = Row.Content(kind: "k", title: "T")
        for (id, content) in [("a", plain), ("b", vector.content)] {
            let row = Row(id: ID(id), content: content)
            apply([.insert(row, .top(.mainSection))])
        }
        let index = LayoutIndex(table, widthPoints: 320)
        #expect(index.height(of: "a") == 60 && index.height(of: "b") == 66)
        index.setWidth(100)
        let narrow = TableFrames(table, widthPoints: 100)
        #expect(index.height(of: "b") == narrow.rows.first { $0.id == "b" }?.height)
        #expect(index.height(of: "b") ?? 0 > 66)
        index.setWidth(320)
        apply([.expand("b", .height(90))], index)
        #expect(index.height(of: "b") == 90)
        apply([.expand("b", .height(20))], index)
        #expect(index.height(of: "b") == 68)
        apply([.expand("b", .collapsed)], index)
        #expect(index.height(of: "b") == 66)
        apply([.define(Command.Definitions(kinds: [Kind("k")]))], index)
        #expect(index.height(of: "b") == 60)
        #expect(index.fault() == nil)
    }
}
