import TableLayout
import TableModel

/// Draws the items of a strip that are visible at its scroll position.
struct StripDrawing {
    let row: Row
    /// The room for the items.
    let room: Rect

    func draw(into canvas: inout Canvas) {
        guard room.width > 0, room.height > 0 else { return }
        let strip = StripGeometry(row.content, scroll: row.scroll)
        canvas.group(clip: room) { canvas in
            for (item, frame) in zip(row.content.items, strip.items) {
                let x = room.x + frame.x - strip.offsetPoints
                if x >= room.maxX { break }
                if x + frame.widthPoints <= room.x { continue }
                draw(
                    item,
                    in: Rect(x: x, y: room.y, width: frame.widthPoints, height: room.height),
                    &canvas)
            }
        }
    }

    private func draw(_ item: Item, in frame: Rect, _ canvas: inout Canvas) {
        canvas.rect(frame, radius: min(8, frame.height / 2), .ink(.page))
        if row.selection == .item(item.id) {
            canvas.border(frame, radius: min(8, frame.height / 2), .ink(.accent))
        }
        let title = item.title.isEmpty ? item.id.text : item.title
        let detail = item.fields.map(\.value).joined(separator: " · ")
        let hasDetail = !detail.isEmpty && frame.height >= Self.twoLinesPoints
        let middle = frame.y + frame.height / 2
        let inner = frame.width - StripGeometry.paddingPoints
        let type = Typeface(sizePoints: StripGeometry.titleSizePoints)
        if let words = Words(title, type, room: max(inner, frame.width - 8)) {
            canvas.centred(
                words, x: frame.x + frame.width / 2,
                baseline: middle - (hasDetail ? 8 : 0) + type.middlePoints, .ink(.title))
        }
        if hasDetail, let words = Words(detail, .detail, room: frame.width - 8) {
            canvas.centred(
                words, x: frame.x + frame.width / 2,
                baseline: middle + 9 + Typeface.detail.middlePoints, .ink(.detail))
        }
    }

    private static let twoLinesPoints = 40.0
}
