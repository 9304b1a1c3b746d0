public import TableModel
import TableLayout

/// A table as a picture: how it is drawn. The same table gives the same bytes.
///
/// Rows are as wide as the picture, so that heights and frames are those that TableLayout gives
/// for that width in its profile `point`. Row text is never interpreted: it is escaped, cut off
/// where it is too long, and clipped at its row.
public struct TablePicture: Equatable, Sendable {
    /// In points; what is below 1 or beyond `mostWidthPoints` is replaced by the nearest.
    public var widthPoints: Double
    /// How many rows are drawn. A last line says how many more there are.
    public var mostRows: Int
    /// When it is, in milliseconds since 1970: rows are marked by their age. Nil: they are not.
    public var nowMs: UInt64?

    /// No picture is wider.
    public static let mostWidthPoints = 100_000.0

    /// By default as wide as a telephone, with at most a thousand rows.
    public init(widthPoints: Double = 390, mostRows: Int = 1_000, nowMs: UInt64? = nil) {
        self.nowMs = nowMs
        self.widthPoints = widthPoints
        self.mostRows = mostRows
    }

    /// An SVG document, in light colours.
    public func svg(of table: Table) -> String {
        var canvas = Canvas()
        drawing(of: table).draw(into: &canvas)
        return canvas.svg
    }

    private func drawing(of table: Table) -> TableDrawing {
        TableDrawing(
            table, widthPoints: boundedWidth, mostRows: max(0, mostRows), nowMs: nowMs)
    }

    /// A page of its own, which is well-formed XML too: no script, nothing from elsewhere. It
    /// follows the reader's light or dark colours, and on a wide screen its sections stand beside
    /// each other.
    public func html(of table: Table) -> String {
        TablePage(drawing(of: table)).html
    }

    private var boundedWidth: Double { Self.bounded(widthPoints) }

    private static func bounded(_ points: Double) -> Double {
        points.isNaN ? 1 : min(max(points, 1), mostWidthPoints)
    }
}
