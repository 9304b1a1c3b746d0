import TableLayout
import TableModel

/// Draws a row without its buttons: paper, title, fields and marks.
struct RowContent {
    let row: Row
    let kind: Kind
    let face: RowFace
    let isEditing: Bool
    var width: Double
    let height: Double
    /// The titles of the row's actions.
    let titles: [Deed: String]
    /// Until when the row sleeps, in words.
    var sleep: String?
    /// The row is swiped open, and its buttons leave it only `width`.
    var isAside = false

    func draw(into canvas: inout Canvas) {
        canvas.rect(Rect(x: 0, y: 0, width: width, height: height), paper)
        if isEditing { editMarks(&canvas) }
        if hasSideMark { sideMark(&canvas) }
        if row.selection != nil {
            canvas.border(
                Rect(x: 0, y: 0, width: width, height: height), width: Self.selectedPoints,
                .ink(.accent))
        }
        switch row.expansion {
        case _ where hasStrip: strip(&canvas)
        case .collapsed
        where face.row != nil || text.firstCount > 1 || !face.emphasised.isEmpty: stacked(&canvas)
        case .collapsed where alpha == 0 || isLow: collapsed(&canvas)
        case .collapsed, .expanded, .named, .height: opened(&canvas)
        }
    }

    /// Width of the ring in a row that is selected. A bar at the left would be below that of a late row.
    private static let selectedPoints = 2.0

    // MARK: A strip: the title, if there is room, and below it the items

    private var hasStrip: Bool { kind.isStrip && !row.content.items.isEmpty }

    private func strip(_ canvas: inout Canvas) {
        let geometry = StripGeometry(
            row.content, kind: kind, rowHeightPoints: height, scroll: row.scroll)
        if geometry.room.hasTitle {
            let middle = min(6, height / 8) + 12
            let pills = pills()
            let pillWidth = pills.width(room: pillRoom)
            if let title = title(room: room - pillWidth - 10) {
                canvas.group(clip: textClip) {
                    $0.words(
                        title.words, x: left, baseline: middle + title.words.type.middlePoints,
                        title.paint)
                }
            }
            _ = pills.draw(rightEdge: right, middle: middle, room: pillRoom, into: &canvas)
        }
        let room = Rect(
            x: left, y: geometry.room.y,
            width: max(0, width - left - (hasGrip ? Self.gripPoints : 0)),
            height: geometry.room.heightPoints)
        StripDrawing(row: row, kind: kind, geometry: geometry, room: room).draw(into: &canvas)
    }

    // MARK: Colours, as the row's state has them (F12)

    private var appearance: Kind.Appearance { kind.appearance(of: row) }
    /// How much is seen of what is below the title's first line.
    private var alpha: Double { appearance.alpha(in: row.expansion) }
    private var paper: Paint {
        face.row.map(Self.ground) ?? Paint(appearance.background, or: .ink(.paper))
    }
    var titlePaint: Paint { onPaper(.title) }
    var detailPaint: Paint { onPaper(.detail) }

    /// The ink of the row, or else the viewer's own. Neither is readable on every colour.
    private func onPaper(_ ink: Ink) -> Paint {
        if let row = face.row { return Self.ink(row) }
        let paper = paper
        if case .color = paper { return Paint(appearance.tint, on: paper, or: ink) }
        return Paint(appearance.tint, or: .ink(ink))
    }

    // MARK: Where text may be

    var text: RowText { text(isOpen: row.expansion != .collapsed) }
    func text(isOpen: Bool) -> RowText {
        RowText(face, kind: kind, isOpen: isOpen, widthPoints: width, metrics: .point)
    }
    func pills(hasReasons: Bool = false) -> Pills {
        Pills(
            row.performed, titles: titles, badge: face.badge, sleep: sleep, hasReasons: hasReasons)
    }
    /// The text's margin; smaller in a narrow row beside its buttons.
    private var margin: Double { min(max(0, kind.margins.text), isAside ? width / 8 : width / 2) }
    var left: Double { control != .none ? Self.badgePoints : margin }
    var right: Double {
        // In an open row TableLayout has wrapped the lines without regard to the mark.
        let mark = hasSideMark && row.expansion == .collapsed ? 2 * Self.sideMarkPoints + 3 : 0
        return width - (hasGrip ? Self.gripPoints : max(margin, mark))
    }
    var room: Double { max(0, right - left) }
    /// Clips text before the marks, in case its font is wider than the measured one.
    var textClip: Rect { Rect(x: 0, y: 0, width: max(0, right + 6), height: height) }
    /// Room for pills beside a title. A narrow row beside its buttons gives it all to the title.
    var pillRoom: Double { isAside && width < Self.pilledPoints ? 0 : room * 0.6 }
    private static let pilledPoints = 280.0

    /// Widths at the row's sides for the marks of edit mode.
    private static let badgePoints = 52.0
    private static let gripPoints = 52.0
    /// The middle of the marks. In an open row it is where a collapsed row has it.
    private var markY: Double {
        min(height, row.expansion == .collapsed ? height : kind.heightPoints) / 2
    }

    // MARK: Collapsed: a title, and one line below or beside it

    private func collapsed(_ canvas: inout Canvas) {
        let fits = height >= RowText.twoLinesPoints(.point)
        let below = fits ? subtitle : nil
        let middle = below == nil ? height / 2 : height / 2 - 10
        var titleRoom = room
        let pills = pills()
        let pillWidth = pills.width(room: pillRoom)
        titleRoom -= pillWidth > 0 ? pillWidth + 10 : 0
        canvas.group(clip: textClip) { canvas in
            let title = self.title(room: titleRoom)
            if let title {
                canvas.words(
                    title.words, x: left, baseline: middle + Typeface.title.middlePoints,
                    title.paint)
            }
            if let below, let words = Words(below.text, .detail, room: room) {
                canvas.words(
                    words, x: left, baseline: height / 2 + 11 + Typeface.detail.middlePoints,
                    below.paint)
            } else if !fits, let beside = subtitle {
                let freeRoom = titleRoom - (title?.words.width ?? 0) - 16
                if let words = Words(beside.text, .detail, room: freeRoom) {
                    canvas.words(
                        words, x: left + titleRoom, baseline: middle + Typeface.detail.middlePoints,
                        anchor: .end, beside.paint)
                }
            }
        }
        // Drawn last, so that pills cover a title in a font wider than measured.
        _ = pills.draw(rightEdge: right, middle: middle, room: pillRoom, into: &canvas)
    }

    /// The title; without one the id, which looks different.
    func title(room: Double) -> (words: Words, paint: Paint)? {
        if face.title.isEmpty {
            return Words(row.id.text, .body, room: room).map { ($0, detailPaint) }
        }
        return Words(face.title, .title, room: room).map { ($0, titlePaint) }
    }

    /// The reason why an action failed, or else the fields; nil: neither.
    var subtitle: (text: String, paint: Paint)? {
        for performance in row.performed {
            if case .failed(let reason) = performance.state, !reason.isEmpty {
                // The viewer's red cannot be read on every colour.
                if case .color = paper { return (reason, detailPaint) }
                return (reason, .ink(.failed))
            }
        }
        guard !face.line.isEmpty else { return nil }
        return (face.line.joined(separator: " · "), detailPaint)
    }

    // MARK: Open: every line, as TableLayout counts them

    private func opened(_ canvas: inout Canvas) {
        let layout = text(isOpen: true)
        let line = layout.lineHeightPoints
        // In a row that is lower than its kind's height, the first line is still centred.
        let top = min(layout.top, max(0, (height - line) / 2))
        var y = top
        canvas.group(clip: textClip) { y = lines(of: layout, from: top, &$0) }
        let pillMiddle = y + (height - y) / 2
        if height - y >= Pills.heightPoints {
            _ = pills(hasReasons: true)
                .draw(leftEdge: left, middle: pillMiddle, room: room, into: &canvas)
        } else {
            _ = pills()
                .draw(rightEdge: right, middle: top / 2, room: pillRoom, into: &canvas)
        }
    }

    /// Draws the title, what stands out, then the other fields; returns their bottom.
    private func lines(of layout: RowText, from top: Double, _ canvas: inout Canvas) -> Double {
        let line = layout.lineHeightPoints
        var y = top
        if face.row != nil || !face.emphasised.isEmpty {
            let first = FirstLines(self, room: room, height: height - top)
            y = first.draw(self, from: top, titleRoom: room, &canvas)
        } else {
            y = titleLines(of: layout, from: top, &canvas)
        }
        hidden(true, &canvas) { y = fields(of: layout, from: y, line: line, &$0) }
        return y
    }

    private func titleLines(of layout: RowText, from top: Double, _ canvas: inout Canvas) -> Double
    {
        let line = layout.lineHeightPoints
        var y = top
        // Without a title a manual layout has no line for one: the id stands there only if nothing else
        // does.
        let hasLine = !layout.titleLines.isEmpty || face.details.isEmpty || isEditing
        if face.title.isEmpty, hasLine, let title = title(room: room), fits(y, line) {
            canvas.words(
                title.words, x: left, baseline: y + line / 2 + title.words.type.middlePoints,
                title.paint)
        }
        let lines =
            isEditing
            ? TextWrap.lines(face.title, widthPoints: room, metrics: .point) : layout.titleLines
        // The lines were wrapped for letters of normal weight. If a bold one is too wide, all are
        // made smaller.
        let found = lines.enumerated()
            .prefix { fits(y + Double($0.offset) * line, line) }
            .map { Words($0.element, .title, room: room * 1.05) }
        let widest = found.reduce(0) { max($0, $1?.width ?? 0) }
        for (index, words) in found.enumerated() {
            if let words = words?.scaled(by: widest > room ? room / widest : 1) {
                hidden(index > 0, &canvas) {
                    $0.words(
                        words, x: left, baseline: y + line / 2 + words.type.middlePoints,
                        titlePaint)
                }
            }
            y += line
        }
        return y
    }

    /// Draws a part of the row as far as it can be seen. One that cannot be seen takes its room.
    private func hidden(_ isHidden: Bool, _ canvas: inout Canvas, _ draw: (inout Canvas) -> Void) {
        if !isHidden || alpha >= 1 { return draw(&canvas) }
        guard alpha > 0 else {
            var nowhere = Canvas()
            return draw(&nowhere)
        }
        canvas.group(opacity: alpha, draw)
    }

    static let footPoints = 8.0

    /// Whether a line with its top at `y` is within the row.
    private func fits(_ y: Double, _ line: Double) -> Bool { y + line <= height }

    /// Draws keys and values in two columns, or one behind the other where either is too wide for its column, and
    /// says how many fields are left out. Returns the bottom.
    private func fields(
        of layout: RowText, from top: Double, line: Double, _ canvas: inout Canvas
    ) -> Double {
        // An expanded row has its margin below the fields. A row of another height gets a foot.
        let foot = row.expansion == .expanded ? 0 : Self.footPoints
        let lines = max(0, Int(min((height - foot - top) / line, 1_000)))
        let all = layout.fields.map { field in
            let isNarrow = room < layout.widthPoints
            let text = "\(field.key.text): \(field.value)"
            return (
                field,
                isNarrow ? TextWrap.lines(text, widthPoints: room, metrics: .point) : field.lines
            )
        }
        let needed = all.reduce(0) { $0 + $1.1.count }
        var left = needed <= lines ? lines : lines - 1
        let shown = all.prefix { field in
            left -= field.1.count
            return left >= 0
        }
        let keys = shown.map { Words($0.0.key.text, .detail, room: room * 0.4) }
        let column = keys.reduce(0) { max($0, $1?.isWhole == true ? $1?.width ?? 0 : 0) } + 12
        var y = top
        for (key, (field, lines)) in zip(keys, shown) {
            let value = Words(field.value, Typeface(sizePoints: 14), room: room - column)
            if lines.count > 1 || value?.isWhole == false || key?.isWhole != true {
                for text in lines {
                    put(
                        text, Typeface(sizePoints: 14), x: self.left, y + line / 2, titlePaint,
                        &canvas)
                    y += line
                }
                continue
            }
            let middle = y + line / 2
            if let key {
                canvas.words(
                    key, x: self.left, baseline: middle + key.type.middlePoints, detailPaint)
            }
            if let value {
                canvas.words(
                    value, x: self.left + column, baseline: middle + value.type.middlePoints,
                    titlePaint)
            }
            y += line
        }
        if shown.count < all.count, lines > 0 {
            let rest = all.count - shown.count
            let text = "… \(rest) more field\(rest == 1 ? "" : "s")"
            put(text, .detail, x: self.left, y + line / 2, detailPaint, &canvas)
            y += line
        }
        return y
    }

    func put(
        _ text: String, _ type: Typeface, x: Double, _ middle: Double, _ paint: Paint,
        _ canvas: inout Canvas
    ) {
        guard let words = Words(text, type, room: room) else { return }
        canvas.words(words, x: x, baseline: middle + type.middlePoints, paint)
    }

    // MARK: Marks

    /// Whether the row has a mark at its right: it can be expanded, or it is pinned. In edit mode the
    /// pin says why there is no grip.
    private var hasSideMark: Bool {
        !isAside && margin >= 12 && width >= 60
            && (kind.isPinned || !isEditing && kind.states.count > 1)
    }

    /// Least distance from the row's edge to the middle of the mark, in points.
    private static let sideMarkPoints = 10.5

    /// Draws the mark in the right margin, where no text is.
    private func sideMark(_ canvas: inout Canvas) {
        let x = width - max(Self.sideMarkPoints, margin / 2)
        if kind.isPinned {
            let size = 12.0
            canvas.icon(
                "pin", in: Rect(x: x - size / 2, y: markY - size / 2, width: size, height: size),
                .ink(.mark))
            return
        }
        let path: String
        switch row.expansion {
        case .collapsed: path = chevron(x - 2, markY - 4.5, 4.5, 4.5, -4.5, 4.5)
        case .expanded: path = chevron(x - 4.5, markY - 2, 4.5, 4.5, 4.5, -4.5)
        // A flat chevron: the row is neither collapsed nor expanded.
        case .named, .height: path = chevron(x - 4.5, markY - 1, 4.5, 2.2, 4.5, -2.2)
        }
        canvas.stroke(path, width: 2, .ink(.mark))
    }

    private func chevron(
        _ x: Double, _ y: Double, _ dx1: Double, _ dy1: Double, _ dx2: Double, _ dy2: Double
    ) -> String { "M\(x.inXML) \(y.inXML)l\(dx1.inXML) \(dy1.inXML) \(dx2.inXML) \(dy2.inXML)" }

    // MARK: Edit mode (F10)

    private var control: Kind.EditingStyle { isEditing ? kind.editControl : .none }
    private var hasGrip: Bool { isEditing && kind.hasGrip }

    /// Draws the control at the left, and a grip at the right of a row that may be moved.
    private func editMarks(_ canvas: inout Canvas) {
        let x = Self.badgePoints / 2
        switch control {
        case .delete:
            canvas.circle(x: x, y: markY, radius: 11, .ink(.danger))
            canvas.stroke("M\((x - 5).inXML) \(markY.inXML)h10", width: 2.2, .ink(.onColour))
        case .insert:
            canvas.circle(x: x, y: markY, radius: 11, .ink(.insert))
            canvas.stroke(
                "M\((x - 5).inXML) \(markY.inXML)h10m-5 -5v10", width: 2.2, .ink(.onColour))
        case .none: break
        }
        if hasGrip {
            let x = width - Self.gripPoints / 2 - 10
            for offset in [-5.5, 0, 5.5] {
                canvas.stroke("M\(x.inXML) \((markY + offset).inXML)h20", width: 1.8, .ink(.mark))
            }
        }
    }
}
