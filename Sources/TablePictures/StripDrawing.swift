import TableLayout
import TableModel

/// Draws the items of a strip that are visible at its scroll position.
struct StripDrawing {
    let row: Row
    let kind: Kind
    let geometry: StripGeometry
    /// The room for the items.
    let room: Rect

    func draw(into canvas: inout Canvas) {
        guard room.width > 0, room.height > 0 else { return }
        canvas.group(clip: room) { canvas in
            for (item, frame) in zip(row.content.items, geometry.items) {
                let left = room.x - geometry.offsetPoints
                if left + frame.x >= room.maxX { break }
                if left + frame.x + frame.widthPoints <= room.x { continue }
                let cell = Rect(
                    x: left + frame.x, y: frame.y, width: frame.widthPoints,
                    height: frame.heightPoints)
                canvas.rect(cell, radius: min(8, cell.height / 2), .ink(.page))
                if row.selection == .item(item.id) {
                    canvas.border(cell, radius: min(8, cell.height / 2), .ink(.accent))
                }
                if let itemKind = kind.itemKind(of: item) {
                    let badge = frame.badge.map {
                        Rect(x: left + $0.x, y: $0.y, width: $0.width, height: $0.height)
                    }
                    CellDrawing(text: ItemText(item, kind: itemKind), cell: cell, badge: badge)
                        .draw(into: &canvas)
                } else {
                    plain(ItemText(item, kind: nil), in: cell, &canvas)
                }
            }
        }
    }

    /// An item without a kind: its title in the middle, and below it the fields in one line.
    private func plain(_ text: ItemText, in frame: Rect, _ canvas: inout Canvas) {
        let detail = text.details.first ?? ""
        let hasDetail = !detail.isEmpty && frame.height >= Self.twoLinesPoints
        let middle = frame.y + frame.height / 2
        let inner = frame.width - ItemText.paddingPoints
        let type = Typeface(sizePoints: ItemText.titleSizePoints)
        if let words = Words(text.title, type, room: max(inner, frame.width - 8)) {
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

/// Draws what a cell says: its title and the lines below it at the left, the badge at the corner.
struct CellDrawing {
    let text: ItemText
    let cell: Rect
    let badge: Rect?

    private static let title = Typeface(sizePoints: ItemText.titleSizePoints, weight: 600)
    private static let detail = Typeface(sizePoints: ItemText.detailSizePoints)
    private static let badge = Typeface(sizePoints: ItemText.badgeSizePoints, weight: 600)

    func draw(into canvas: inout Canvas) {
        let lines = self.lines
        let height = lines.reduce(0) { $0 + $1.type.lineHeightPoints }
        var y = cell.y + (cell.height - height) / 2
        let padding = min(ItemText.paddingPoints, cell.width / 4)
        for (text, type) in lines {
            let line = type.lineHeightPoints
            var room = cell.width - padding
            // A line beside the badge ends before it.
            if let badge, y < badge.maxY, y + line > badge.y {
                room -= badge.width + 2 * ItemText.badgeGapPoints - padding / 2
            }
            if let words = Words(text, type, room: room) {
                canvas.words(
                    words, x: cell.x + padding / 2, baseline: y + line / 2 + type.middlePoints,
                    .ink(type.weight > 400 ? .title : .detail))
            }
            y += line
        }
        if let badge { draw(badge, into: &canvas) }
    }

    /// The lines for which there is room; at least the title.
    private var lines: [(text: String, type: Typeface)] {
        var lines = [(text.title, Self.title)]
        var left = cell.height - Self.title.lineHeightPoints
        for line in text.details {
            left -= Self.detail.lineHeightPoints
            guard left >= 0 else { break }
            lines.append((line, Self.detail))
        }
        return lines
    }

    private func draw(_ badge: Rect, into canvas: inout Canvas) {
        canvas.rect(badge, radius: badge.height / 2, .ink(.pendingGround))
        let room = badge.width - ItemText.badgePaddingPoints / 2
        guard let text = text.badge, let words = Words(text, Self.badge, room: room) else { return }
        canvas.centred(
            words, x: badge.x + badge.width / 2,
            baseline: badge.y + badge.height / 2 + Self.badge.middlePoints, .ink(.pending))
    }
}
