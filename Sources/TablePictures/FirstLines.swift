import TableLayout
import TableModel

/// The title of a row and what stands out in it, in full: in smaller letters where the row has less room than it was
/// measured for, in edit mode and beside its buttons.
struct FirstLines {
    /// Height of a line, and of all of them, in points.
    let line: Double, height: Double
    private let titleLines: [String]
    private let emphasised: [[String]]
    private let scale: Double

    /// Lays them out for this room and height, in points.
    init(_ row: RowContent, room: Double, height: Double) {
        let text = row.text
        let natural = text.lineHeightPoints
        var scale = 1.0
        var found = Self.lines(of: row, text, room: room, scale: scale)
        while Double(found.count) * natural * scale > height + 0.5, scale > 0.1 {
            scale *= 0.9
            found = Self.lines(of: row, text, room: room, scale: scale)
        }
        // Without a title and what stands out, the id.
        let isBare =
            found.count == 0 && (row.row.expansion == .collapsed || row.face.details.isEmpty)
        (titleLines, emphasised) = (isBare ? [""] : found.title, found.emphasised)
        self.scale = scale
        line = natural * scale
        self.height = Double(isBare ? 1 : found.count) * line
    }

    private struct Found {
        var title: [String], emphasised: [[String]]
        var count: Int { title.count + emphasised.reduce(0) { $0 + $1.count } }
    }

    private static func lines(
        of row: RowContent, _ text: RowText, room: Double, scale: Double
    ) -> Found {
        func wrap(_ words: String, _ width: Double) -> [String] {
            TextWrap.lines(
                words, widthPoints: max(1, width / scale), sizePoints: RowText.boldSizePoints,
                metrics: .point)
        }
        let isWhole = row.face.row != nil || row.row.expansion != .collapsed
        let isNarrow = room < text.widthPoints || scale < 1
        let titleRoom = room - text.titleIndentPoints * scale
        return Found(
            title: isWhole && isNarrow && !row.face.title.isEmpty
                ? wrap(row.face.title, titleRoom) : text.titleLines,
            emphasised: row.face.emphasised.map {
                wrap($0.text, room - Self.edges(of: $0.look) * scale)
            })
    }

    private static func edges(of look: Kind.Emphasis) -> Double {
        2 * RowText.insetPoints(.point) + (look.icon == nil ? 0 : RowText.iconPoints(.point))
    }

    /// A title of one line may be cut, unless the whole row stands out.
    var hasOneLine: Bool { titleLines.count == 1 }

    /// Width of the first line with its icon, in points: of the title, or else of what stands out.
    func firstWidth(of row: RowContent) -> Double {
        guard let first = titleLines.first else {
            return zip(emphasised, row.face.emphasised).map { ($0, $1) }.first
                .map { box(of: $0, $1.look, row).width } ?? 0
        }
        let title =
            row.face.title.isEmpty
            ? row.title(room: .greatestFiniteMagnitude)?.words
            : Words(first, .title, room: .greatestFiniteMagnitude)
        return (title?.scaled(by: scale).width ?? 0) + row.text.titleIndentPoints * scale
    }

    /// Draws them from `top`; returns their bottom.
    func draw(
        _ row: RowContent, from top: Double, titleRoom: Double, _ canvas: inout Canvas
    ) -> Double {
        var y = top
        var x = row.left
        if !titleLines.isEmpty, let look = row.face.row, let icon = look.icon {
            draw(icon, x: x, y, RowContent.ink(look), &canvas)
            x += row.text.titleIndentPoints * scale
        }
        for (index, text) in titleLines.enumerated() {
            let isWhole = row.face.row != nil || titleLines.count > 1
            let end = row.left + titleRoom - x
            if row.face.title.isEmpty, index == 0, let title = row.title(room: end) {
                let words = title.words.scaled(by: scale)
                canvas.words(
                    words, x: x, baseline: y + line / 2 + words.type.middlePoints, title.paint)
            } else if let words = Words(
                text, .title, room: isWhole ? .greatestFiniteMagnitude : end / scale)?
                .scaled(by: scale).fitted(into: end)
            {
                canvas.words(
                    words, x: x, baseline: y + line / 2 + words.type.middlePoints, row.titlePaint)
            }
            y += line
        }
        for (lines, one) in zip(emphasised, row.face.emphasised) {
            let top = y
            canvas.standing(clip: row.textClip) { draw(lines, one.look, row, top, &$0) }
            y += Double(lines.count) * line
        }
        return y
    }

    /// Draws the box of what stands out, with its icon and its lines.
    private func draw(
        _ lines: [String], _ look: Kind.Emphasis, _ row: RowContent, _ y: Double,
        _ canvas: inout Canvas
    ) {
        let inset = RowText.insetPoints(.point) * scale
        let indent = look.icon == nil ? 0 : RowText.iconPoints(.point) * scale
        let (words, width) = box(of: lines, look, row)
        let box = Rect(
            x: row.left, y: y + 1, width: width, height: max(1, Double(lines.count) * line - 2))
        canvas.rect(box, radius: 4, RowContent.ground(look))
        let ink = RowContent.ink(look)
        if let icon = look.icon { draw(icon, x: row.left + inset, y, ink, &canvas) }
        for (index, one) in words.enumerated() {
            guard let one else { continue }
            let middle = y + (Double(index) + 0.5) * line
            canvas.words(
                one, x: row.left + inset + indent, baseline: middle + one.type.middlePoints, ink)
        }
    }

    /// The lines of what stands out, each as wide as it may be, and the width of their box in points.
    private func box(
        of lines: [String], _ look: Kind.Emphasis, _ row: RowContent
    ) -> (words: [Words?], width: Double) {
        let sides = Self.edges(of: look) * scale
        let type = Typeface(sizePoints: 15, weight: 700, mustBeRead: true)
        let words = lines.map {
            Words($0, type, room: .greatestFiniteMagnitude)?.scaled(by: scale)
                .fitted(into: max(1, row.room - sides))
        }
        return (words, words.reduce(0) { max($0, $1?.width ?? 0) } + sides)
    }

    private func draw(_ icon: String, x: Double, _ y: Double, _ ink: Paint, _ canvas: inout Canvas)
    {
        let size = 16 * scale
        canvas.icon(
            icon, in: Rect(x: x, y: y + (line - size) / 2, width: size, height: size),
            lineWidth: 3, ink)
    }
}

extension RowContent {
    /// The colours of what stands out. They are its own, whatever else is said of the row.
    static func ground(_ look: Kind.Emphasis) -> Paint {
        // The viewer's own ground is light or dark: an ink can be read on one of the two.
        let colours = Ink.pendingGround.colours
        let own = look.color.flatMap { Color($0) }.flatMap { ink in
            [colours.light, colours.dark].compactMap { Color($0) }
                .first { $0.contrast(with: ink) >= 45 }
        }
        return Paint(look.background, or: own.map(Paint.color) ?? .ink(.pendingGround))
    }
    static func ink(_ look: Kind.Emphasis) -> Paint {
        Paint(look.color, on: ground(look), or: .pending)
    }

    /// A closed row whose kind shows its fields has no room for them one below the other.
    var isLow: Bool {
        let open = text(isOpen: true)
        return !open.fields.isEmpty && open.bottom + Self.footPoints > height + 0.5
    }

    /// A title of several lines, what stands out, and the line below them.
    func stacked(_ canvas: inout Canvas) {
        let first = FirstLines(self, room: room, height: height)
        let line = text.lineHeightPoints
        let below = first.height + line <= height + 0.5 ? subtitle : nil
        let top = (height - first.height - (below == nil ? 0 : line)) / 2
        let pills = pills()
        // A title that must be read whole goes first: pills have what is free beside its first line.
        let isCut = first.hasOneLine && face.row == nil
        let pillRoom =
            isCut ? pillRoom : min(pillRoom, max(0, room - first.firstWidth(of: self) - 10))
        let pillWidth = isCut ? pills.width(room: pillRoom) : 0
        let titleRoom = room - (pillWidth > 0 ? pillWidth + 10 : 0)
        canvas.group(clip: textClip) { canvas in
            let y = first.draw(self, from: top, titleRoom: titleRoom, &canvas)
            if let below { put(below.text, .detail, x: left, y + line / 2, below.paint, &canvas) }
        }
        _ = pills.draw(
            rightEdge: right, middle: top + first.line / 2, room: pillRoom, into: &canvas)
    }
}
