import TableLayout
import TableModel

/// Draws an action's button, in the coordinates of the pull view.
struct ButtonDrawing {
    let button: SwipeGeometry.Button
    /// The button's index, from the row's edge.
    let index: Int
    let rowHeight: Double

    func draw(into canvas: inout Canvas) {
        guard button.hit.width > 0 else { return }
        canvas.group(title: button.action.title) { canvas in
            switch button.look.style {
            case .standard: standard(&canvas)
            case .circular: circular(&canvas)
            case .custom: custom(&canvas)
            }
        }
    }

    // MARK: Colours

    /// The action's own colour, or one for its role. The first normal action has the accent.
    private var ground: Paint {
        let own: Paint
        switch button.action.role {
        case .destructive: own = .ink(.danger)
        case .normal:
            own = index == 0 ? .ink(.accent) : .color(Color(red: 110, green: 110, blue: 118))
        }
        return Paint(button.action.background, or: own)
    }

    private var foreground: Paint { Paint(button.action.foreground, or: ground.contrast) }

    // MARK: The viewer's own look: icon above title

    private func standard(_ canvas: inout Canvas) {
        let face = button.face
        canvas.rect(face, ground)
        let lines = titleLines(room: face.width - 2 * Self.paddingPoints)
        let iconPoints = min(Self.iconPoints, face.width, face.height)
        let x = face.x + face.width / 2
        guard let icon = button.action.icon else {
            return draw(lines, x: x, middle: face.y + face.height / 2, &canvas)
        }
        // Only as many lines as fit below the icon.
        let room = face.height - 2 * Self.paddingPoints - iconPoints - Self.gapPoints
        let count = lines.first.map { Int(max(0, room) / Self.lineHeight($0)) } ?? 0
        let drawn = Array(lines.prefix(max(0, count)))
        let text = drawn.reduce(0) { $0 + Self.lineHeight($1) }
        let block = iconPoints + (drawn.isEmpty ? 0 : Self.gapPoints + text)
        let top = face.y + (face.height - block) / 2
        canvas.icon(
            icon, in: Rect(x: x - iconPoints / 2, y: top, width: iconPoints, height: iconPoints),
            foreground)
        draw(drawn, x: x, middle: top + block - text / 2, &canvas)
    }

    private func draw(_ lines: [Words], x: Double, middle: Double, _ canvas: inout Canvas) {
        var y = middle - lines.reduce(0) { $0 + Self.lineHeight($1) } / 2
        for words in lines {
            let height = Self.lineHeight(words)
            canvas.centred(
                words, x: x, baseline: y + height / 2 + words.type.middlePoints, foreground)
            y += height
        }
    }

    /// The title in one line if it fits, in two if it can break at blanks, else in one that is cut.
    private func titleLines(room: Double) -> [Words] {
        // No visible character is narrower than a point, so more characters than two lines have
        // points need not be measured.
        let title = String(button.action.title.prefix(2 * Int(max(0, room)) + 2))
        guard !title.isEmpty else { return [] }
        let wide = Typeface(sizePoints: 13, weight: 500)
        let narrow = Typeface(sizePoints: 11.5, weight: 500)
        for type in [wide, narrow] {
            if let words = Words(title, type, room: room), words.isWhole { return [words] }
        }
        for type in [wide, narrow] {
            let words = title.split(separator: " ")
            guard words.allSatisfy({ type.width(of: String($0).shown) <= room }) else { continue }
            let lines = TextWrap.lines(
                title, widthPoints: room, sizePoints: type.sizePoints, metrics: .point)
            let two = [lines.prefix(1), lines.dropFirst()].map { $0.joined(separator: " ") }
            return two.compactMap { Words($0, type, room: room) }
        }
        return [Words(title, narrow, room: room)].compactMap { $0 }
    }

    private static func lineHeight(_ words: Words) -> Double { words.type.sizePoints + 2.5 }

    private static let iconPoints = 22.0
    private static let gapPoints = 5.0
    private static let paddingPoints = 4.0

    // MARK: A circle with the icon; the title below it, if the row leaves room

    private func circular(_ canvas: inout Canvas) {
        let face = button.face
        let x = face.x + face.width / 2, y = face.y + face.height / 2
        let radius = max(0, button.radius)
        canvas.circle(x: x, y: y, radius: radius, ground)
        let type = Typeface(sizePoints: 10.5, weight: 500)
        if let icon = button.action.icon {
            let size = min(radius, Self.circleIconPoints)
            canvas.icon(
                icon, in: Rect(x: x - size / 2, y: y - size / 2, width: size, height: size),
                foreground)
            let free = rowHeight - face.maxY
            if free >= type.lineHeightPoints,
                let words = Words(button.action.title, type, room: button.hit.width)
            {
                canvas.centred(words, x: x, baseline: face.maxY + 11, .ink(.detail))
            }
        } else if let words = Words(
            button.action.title, Typeface(sizePoints: min(13, max(1, radius * 0.6)), weight: 600),
            room: radius * 2 * Self.chord)
        {
            canvas.centred(words, x: x, baseline: y + words.type.middlePoints, foreground)
        }
    }

    private static let circleIconPoints = 26.0
    /// Width of a text line in a circle, as a part of the diameter, so that it stays off the edge.
    private static let chord = 0.86

    // MARK: The face

    private func custom(_ canvas: inout Canvas) {
        let (face, hit) = (button.face, button.hit)
        // A face that fills its button has square corners: round ones would let the ground show
        // between the buttons.
        let isFree = face.width < hit.width || face.height < hit.height
        let radius = isFree ? min(Self.cornerPoints, face.width / 2, face.height / 2) : 0
        canvas.rect(face, radius: radius, ground)
        FaceDrawing(parts: button.parts, ownPaint: foreground).draw(into: &canvas)
    }

    private static let cornerPoints = 10.0
}
