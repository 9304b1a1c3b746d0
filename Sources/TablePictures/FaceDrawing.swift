import TableLayout

/// Draws a face's icons and texts where TableLayout has put them.
struct FaceDrawing {
    let parts: [FacePart]
    /// The paint of a part without a colour of its own.
    let ownPaint: Paint

    func draw(into canvas: inout Canvas) {
        for part in parts.prefix(Self.mostParts) {
            let paint = Paint(part.color, or: ownPaint)
            switch part.kind {
            case .icon: canvas.icon(part.content, in: part.frame, paint)
            case .text: text(part, paint, &canvas)
            case .image:
                if let image = part.image { canvas.image(image, in: part.frame, paint) }
            }
        }
    }

    private func text(_ part: FacePart, _ paint: Paint, _ canvas: inout Canvas) {
        let frame = part.frame
        let type = Typeface(
            sizePoints: part.sizePoints, weight: Typeface.weight(part.weight),
            families: part.families, isItalic: part.isItalic)
        // A line that is cut in half is readable; less of it is not.
        guard frame.height >= type.sizePoints / 2 else { return }
        // The frame was measured for letters of normal weight, so heavy ones are made smaller.
        let isHeavy = type.weight >= 600
        let room = isHeavy ? frame.width * 1.06 : frame.width
        guard let words = Words(part.content, type, room: room) else { return }
        canvas.centred(
            words.fitted(into: frame.width), x: frame.x + frame.width / 2,
            baseline: frame.y + frame.height / 2 + type.middlePoints, paint)
    }

    /// More parts than any button has room for. A face may have a thousand parts of size 0.
    private static let mostParts = 64
}
