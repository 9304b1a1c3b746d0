public import TableModel
import TableLayout

/// Settings of a table's picture. The same table gives the same bytes.
///
/// Rows are as wide as the picture, so heights and frames are TableLayout's for that width in the
/// profile `point`. Row text is never interpreted: it is escaped, cut off if it is too long, and
/// clipped at its row.
public struct TablePicture: Equatable, Sendable {
    /// Width in points, cut to 1…`mostWidthPoints`.
    public var widthPoints: Double
    /// How many rows are drawn at most. A last line says how many more there are.
    public var mostRows: Int
    /// The present time in milliseconds since 1970, to mark rows by their age. Nil: no marks.
    public var nowMs: UInt64?
    /// Seconds that the reader's time of day is ahead of UTC.
    public var zoneSeconds = 0
    /// How far rows that are swiped open are revealed, from 0 to 1: a moment of the motion (F1).
    public var revealed = 1.0

    /// The greatest width of a picture.
    public static let mostWidthPoints = 100_000.0

    /// The default is as wide as a telephone, with at most a thousand rows.
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
            table,
            widthPoints: widthPoints.isNaN ? 1 : min(max(widthPoints, 1), Self.mostWidthPoints),
            mostRows: max(0, mostRows),
            clock: .init(nowMs: nowMs, zoneSeconds: zoneSeconds),
            revealed: revealed.isNaN ? 1 : min(max(revealed, 0), 1))
    }

    /// An HTML page that is well-formed XML too. It has no script and loads nothing. It follows the
    /// reader's light or dark colours. On a wide screen its sections are beside each other.
    public func html(of table: Table) -> String { TablePage(drawing(of: table)).html }
}
