public import TableModel

/// The lines of a row: its title, what stands out in it, and, if it is open, its other fields.
public struct RowText: Equatable, Sendable {
    /// The title's lines; none if the title is empty and the layout is `manual`.
    public let titleLines: [String]
    /// The fields that stand out, each with its lines.
    public let emphasised: [Emphasised]
    /// The other fields of an opened row, each with the lines of `key: value`.
    public let fields: [Field]
    /// A closed row has a line below the others.
    public let hasLine: Bool
    /// Top of the first line of an opened row, in points. It centres one line in a collapsed row.
    public let top: Double
    /// Left edge of every line, in points.
    public let left: Double
    /// The width that the lines were wrapped to, in points.
    public let widthPoints: Double
    /// Height of each line, in points.
    public let lineHeightPoints: Double
    /// How far the title's lines are indented, in points: an icon stands before them.
    public let titleIndentPoints: Double

    /// The lines of a field that stands out.
    public struct Emphasised: Equatable, Sendable {
        /// Its text, wrapped.
        public let lines: [String]
        /// Its colours and its icon.
        public let look: Kind.Emphasis
    }

    /// The lines of a field of an opened row.
    public struct Field: Equatable, Sendable {
        /// The field's name.
        public let key: ID
        /// Its value as people see it.
        public let value: String
        /// Both, wrapped.
        public let lines: [String]
    }

    /// Left and right of a text that stands out, each, in points.
    public static func insetPoints(_ metrics: Metrics) -> Double {
        metrics.profile == .cell ? 10 : 8
    }
    /// Width of an icon with the space behind it, in points.
    public static func iconPoints(_ metrics: Metrics) -> Double {
        metrics.profile == .cell ? 20 : 22
    }
    /// The size with which bold text is measured, in points, as large as bold letters of 15 are wide.
    public static let boldSizePoints = 16.0
    /// The room of an age beside the first line of a title that is wrapped, in points.
    public static let ageRoomPoints = 64.0

    /// Lays out the text of a row of this width, in points.
    public init(_ face: RowFace, kind: Kind, isOpen: Bool, widthPoints: Double, metrics: Metrics) {
        let place = Place(kind, widthPoints: widthPoints, metrics: metrics)
        let inset = Self.insetPoints(metrics)
        let icon = Self.iconPoints(metrics)
        titleIndentPoints = face.row?.icon == nil ? 0 : icon
        titleLines = Self.titleLines(face, kind, isOpen: isOpen, place, metrics)
        emphasised = face.emphasised.map { one in
            let room = place.width - 2 * inset - (one.look.icon == nil ? 0 : icon)
            let lines = TextWrap.lines(
                one.text, widthPoints: room, sizePoints: Self.boldSizePoints, metrics: metrics)
            return Emphasised(lines: lines, look: one.look)
        }
        fields =
            !isOpen
            ? []
            : face.details.map { field in
                let lines = TextWrap.lines(field.text, widthPoints: place.width, metrics: metrics)
                return Field(key: field.key, value: field.value, lines: lines)
            }
        hasLine = !isOpen && !face.line.isEmpty && kind.heightPoints >= Self.twoLinesPoints(metrics)
        left = place.left
        self.widthPoints = place.width
        lineHeightPoints = place.line
        top = place.top
    }

    /// A closed row of this height has its fields below its title, and not beside it.
    public static func twoLinesPoints(_ metrics: Metrics) -> Double {
        2 * metrics.lineHeightPoints() + padPoints(metrics)
    }

    /// Above and below the lines of a closed row that grows with them, together, in points.
    private static func padPoints(_ metrics: Metrics) -> Double { metrics.profile == .cell ? 0 : 6 }

    /// Below the lines that stand out in a row of another height, in points.
    private static func footPoints(_ metrics: Metrics) -> Double {
        metrics.profile == .cell ? 0 : 8
    }

    private static func titleLines(
        _ face: RowFace, _ kind: Kind, isOpen: Bool, _ place: Place, _ metrics: Metrics
    ) -> [String] {
        guard kind.layout == .auto || !face.title.isEmpty else { return [] }
        let indent = face.row?.icon == nil ? 0 : iconPoints(metrics)
        let beside = kind.ages == nil || metrics.profile == .cell ? 0 : ageRoomPoints
        // An age beside it must not cut an opened title.
        if isOpen, face.row == nil, beside == 0 || !kind.hasTextHeights {
            return TextWrap.lines(face.title, widthPoints: place.width, metrics: metrics)
        }
        let most = face.row == nil && !isOpen ? Int(clamping: kind.show.wrap) : .max
        guard most > 1 else { return [face.title] }
        let lines = TextWrap.lines(
            face.title, widthPoints: place.width - indent, besidePoints: beside,
            sizePoints: boldSizePoints, metrics: metrics)
        guard lines.count > most else { return lines }
        return Array(lines.prefix(most - 1)) + [lines[most - 1] + "…"]
    }

    /// How many lines the title and what stands out take.
    public var firstCount: Int { titleLines.count + emphasised.reduce(0) { $0 + $1.lines.count } }

    /// Bottom of the last line of an opened row, in points; 0 if there is none.
    public var bottom: Double {
        let count = firstCount + fields.reduce(0) { $0 + $1.lines.count }
        return count == 0 ? 0 : top + Double(count) * lineHeightPoints
    }

    /// The height of a closed row that would have this one otherwise, in points.
    func closedPoints(_ points: Double, metrics: Metrics) -> Double {
        if firstCount < 2 { return points }
        let count = firstCount + (hasLine ? 1 : 0)
        return max(points, Double(count) * lineHeightPoints + Self.padPoints(metrics))
    }

    /// The height of a row in another state that would have this one otherwise, in points.
    func openPoints(_ points: Double, metrics: Metrics) -> Double {
        max(points, top + Double(firstCount) * lineHeightPoints + Self.footPoints(metrics))
    }

    /// Where the lines of a row's text are.
    private struct Place {
        let left: Double, top: Double, width: Double, line: Double

        init(_ kind: Kind, widthPoints: Double, metrics: Metrics) {
            line = metrics.lineHeightPoints()
            left = max(0, RowHeights.finite(kind.margins.text))
            width = max(0, RowHeights.finite(widthPoints) - 2 * left)
            top = max(0, (RowHeights.finite(kind.heightPoints) - line) / 2)
        }
    }
}

extension Kind {
    /// Whether the height of a row in any state may depend on its texts.
    package var hasTextHeights: Bool { !isStrip && (!emphasis.isEmpty || show.wrap > 1) }
}
