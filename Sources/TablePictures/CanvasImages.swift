import TableLayout
import TableModel

extension Canvas {
    /// Draws an image of a face as large as fits its frame (F4). The data was checked at `define`;
    /// what a table of another origin holds is drawn only if it passes the same check.
    mutating func image(_ image: FaceImage, in frame: Rect, _ paint: Paint) {
        let size = image.size
        let scale = min(frame.width / size.width, frame.height / size.height)
        guard scale > 0, scale.isFinite, image.isSound else { return }
        let (width, height) = (size.width * scale, size.height * scale)
        let x = frame.x + (frame.width - width) / 2, y = frame.y + (frame.height - height) / 2
        switch image.data {
        case .path(let path):
            // More decimals than a length has, because a grid may be large.
            let exact = (scale * 1e6).rounded() / 1e6
            line(
                "<path transform=\"translate(\(x.inXML) \(y.inXML)) scale(\(exact))\""
                    + " d=\"\(path)\" \(paint.fill)/>")
        case .png(let bytes):
            let place =
                "x=\"\(x.inXML)\" y=\"\(y.inXML)\" width=\"\(width.inXML)\""
                + " height=\"\(height.inXML)\""
            let picture = "<image \(place) href=\"data:image/png;base64,\(Base64.text(bytes))\"/>"
            guard image.isTemplate else { return line(picture) }
            // Only the shape counts: the picture is the mask of a rectangle in the colour.
            let mask = nextName("mask")
            line(
                "<mask id=\"\(mask)\" maskUnits=\"userSpaceOnUse\" \(place)"
                    + " style=\"mask-type:alpha\">\(picture)</mask>")
            line("<rect \(place) mask=\"url(#\(mask))\" \(paint.fill)/>")
        }
    }
}
