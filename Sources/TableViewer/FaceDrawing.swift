import TableLayout

/// Icon and text of a face, where TableLayout has put them.
struct FaceDrawing {
    let parts: [FacePart]
    /// Of a part that says no colour.
    let ownPaint: Paint

    func draw(into canvas: inout Canvas) {
        for part in parts.prefix(Self.mostParts) {
            let paint = Paint(part.color, or: ownPaint)
            switch part.kind {
            case .icon: canvas.icon(part.content, in: part.frame, paint)
            case .text: text(part, paint, &canvas)
            }
        }
    }

    private func text(_ part: FacePart, _ paint: Paint, _ canvas: inout Canvas) {
        let frame = part.frame
        let type = Typeface(sizePoints: part.sizePoints, weight: Typeface.weight(part.weight))
        // A line that is cut in half can be read, one that is cut off further cannot.
        guard frame.height >= type.sizePoints / 2 else { return }
        // The frame was measured for letters of normal weight: the others are set smaller.
        let isHeavy = type.weight >= 600
        let room = isHeavy ? frame.width * 1.06 : frame.width
        guard let words = Words(part.content, type, room: room) else { return }
        canvas.centred(
            words.fitted(into: frame.width), x: frame.x + frame.width / 2,
            baseline: frame.y + frame.height / 2 + type.middlePoints, paint)
    }

    /// More than any button has room for: a face may have a thousand parts of no size.
    private static let mostParts = 64
}
