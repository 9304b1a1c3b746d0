import TableLayout
import TableModel

@testable import TablePictures

/// One face in its rectangle, as an action with the style `custom` has it: an SVG document.
func faceSVG(
    _ face: Face, widthPoints: Double = 74, heightPoints: Double = 60, background: String? = nil,
    foreground: String? = nil
) -> String {
    let ground = Paint(background, or: .ink(.accent))
    var canvas = Canvas()
    canvas.begin(width: widthPoints, height: heightPoints, label: "face")
    let frame = Rect(x: 0, y: 0, width: widthPoints, height: heightPoints)
    canvas.rect(frame, ground)
    FaceDrawing(
        parts: FaceLayout.parts(of: face, in: frame, color: foreground, metrics: .point),
        ownPaint: ground.contrast
    ).draw(into: &canvas)
    canvas.end()
    return canvas.svg
}
