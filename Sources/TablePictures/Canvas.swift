import TableLayout

/// Writes SVG, one element per line. Coordinates are in points from the upper left corner of the
/// innermost group. All text is escaped here.
struct Canvas {
    private(set) var svg = ""
    /// The clips by their element, so that rows of one size share one.
    private var clips: [String: Int] = [:]
    /// Names given beside those of the clips.
    private var names = 0
    /// Drawings that come behind the pale group that is open; nil: none is.
    private var standing: [(inout Canvas) -> Void]?
    /// Prefix of the clips' names, because a page may hold several drawings.
    private let prefix: String

    /// First the systems' fonts whose letters are about as wide as measured, then any.
    static let fontFamily =
        "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', system-ui,"
        + " sans-serif"

    init(prefix: String = "") { self.prefix = prefix }

    /// Writes the root element. `label` is for screen readers.
    mutating func begin(width: Double, height: Double, label: String) {
        let (wide, high) = (width.inXML, height.inXML)
        line(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(wide)\" height=\"\(high)\""
                + " viewBox=\"0 0 \(wide) \(high)\" xml:space=\"preserve\" role=\"img\""
                + " aria-label=\"\(label.shown.inXML)\" font-family=\"\(Self.fontFamily)\">")
    }

    mutating func end() { line("</svg>") }

    /// Draws a group that is moved by x and y, and cut off at the edges of `clip`, if given, which
    /// is in the moved coordinates.
    mutating func group(
        x: Double = 0, y: Double = 0, clip: Rect? = nil, radius: Double = 0, opacity: Double = 1,
        title: String? = nil, _ draw: (inout Canvas) -> Void
    ) {
        var attributes = ""
        if x != 0 || y != 0 { attributes += " transform=\"translate(\(x.inXML) \(y.inXML))\"" }
        if let clip { attributes += " clip-path=\"url(#\(self.clip(clip, radius)))\"" }
        if opacity < 1 { attributes += " opacity=\"\(opacity.inXML)\"" }
        line("<g\(attributes)>")
        if let title, !title.isEmpty { line("<title>\(title.shown.inXML)</title>") }
        draw(&self)
        line("</g>")
    }

    /// Draws a half-transparent group, and behind it what must not be pale.
    mutating func pale(opacity: Double, _ draw: (inout Canvas) -> Void) {
        standing = []
        group(opacity: opacity, draw)
        let late = standing ?? []
        standing = nil
        for draw in late { draw(&self) }
    }

    /// Draws what a pale group around it does not make pale. `clip` cuts it off as the groups in between do.
    mutating func standing(clip: Rect, _ draw: @escaping (inout Canvas) -> Void) {
        if standing == nil { return draw(&self) }
        standing?.append { $0.group(clip: clip, draw) }
    }

    private mutating func clip(_ rect: Rect, _ radius: Double) -> String {
        let shape = "<rect \(Self.frame(rect))\(Self.corners(radius))/>"
        if let known = clips[shape] { return "\(prefix)clip\(known)" }
        let name = "\(prefix)clip\(clips.count)"
        clips[shape] = clips.count
        line("<clipPath id=\"\(name)\">\(shape)</clipPath>")
        return name
    }

    mutating func rect(_ rect: Rect, radius: Double = 0, _ paint: Paint) {
        line("<rect \(Self.frame(rect))\(Self.corners(radius)) \(paint.fill)/>")
    }

    /// Draws a rectangle's border, inside it.
    mutating func border(_ rect: Rect, radius: Double = 0, width: Double = 1, _ paint: Paint) {
        let inner = Rect(
            x: rect.x + width / 2, y: rect.y + width / 2, width: max(0, rect.width - width),
            height: max(0, rect.height - width))
        let stroke = width == 1 ? "" : " stroke-width=\"\(width.inXML)\""
        line(
            "<rect \(Self.frame(inner))\(Self.corners(radius)) fill=\"none\""
                + " \(paint.stroke)\(stroke)/>")
    }

    mutating func circle(x: Double, y: Double, radius: Double, _ paint: Paint) {
        line("<circle cx=\"\(x.inXML)\" cy=\"\(y.inXML)\" r=\"\(radius.inXML)\" \(paint.fill)/>")
    }

    /// Draws an open line by a path's commands, in points.
    mutating func stroke(_ path: String, width: Double, _ paint: Paint) {
        line(
            "<path d=\"\(path)\" fill=\"none\" \(paint.stroke) stroke-width=\"\(width.inXML)\""
                + " stroke-linecap=\"round\" stroke-linejoin=\"round\"/>")
    }

    /// Which part of a text is at its x.
    enum TextAnchor: String { case start, middle, end }

    /// Draws text with its font's own letter widths, which differ from font to font. So the anchor
    /// is the point that must hold still, and text that must not reach into something else is drawn
    /// in a group with a clip.
    mutating func words(
        _ words: Words, x: Double, baseline: Double, anchor: TextAnchor = .start, _ paint: Paint
    ) {
        let weight = words.type.weight == 400 ? "" : " font-weight=\"\(words.type.weight)\""
        let font = Self.font(of: words.type)
        let end = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
        line(
            "<text x=\"\(x.inXML)\" y=\"\(baseline.inXML)\""
                + " font-size=\"\(words.type.sizePoints.inXML)\"\(weight)\(font)\(end)"
                + " \(paint.fill)>\(words.text.inXML)</text>")
    }

    /// A font of its own: families that passed the check at `define`, then the page's.
    private static func font(of type: Typeface) -> String {
        var text = type.isItalic ? " font-style=\"italic\"" : ""
        if !type.families.isEmpty {
            let names = type.families.map { "\($0.shown.inXML), " }.joined()
            text += " font-family=\"\(names)\(fontFamily)\""
        }
        return text
    }

    /// Draws text around `x`.
    mutating func centred(_ words: Words, x: Double, baseline: Double, _ paint: Paint) {
        self.words(words, x: x, baseline: baseline, anchor: .middle, paint)
    }

    /// Draws an icon in the middle of a frame, as large as fits. `lineWidth` is on the icon's grid.
    mutating func icon(_ name: String, in frame: Rect, lineWidth: Double = 2, _ paint: Paint) {
        let size = min(frame.width, frame.height)
        guard size >= Self.leastIconPoints else { return }
        let icon = Icon.named(name)
        let x = frame.x + (frame.width - size) / 2
        let y = frame.y + (frame.height - size) / 2
        // More decimals than a length has, because the scale is multiplied by 24.
        let scale = ((size / Icon.gridPoints) * 1e4).rounded() / 1e4
        line(
            "<g transform=\"translate(\(x.inXML) \(y.inXML)) scale(\(scale))\" fill=\"none\""
                + " \(paint.stroke) stroke-width=\"\(lineWidth.inXML)\""
                + " stroke-linecap=\"round\" stroke-linejoin=\"round\">")
        let path = icon?.path ?? Icon.unknown
        if !path.isEmpty { line("<path d=\"\(path)\"/>") }
        if let dots = icon?.dots, !dots.isEmpty {
            line("<g stroke=\"none\">")
            for dot in dots { circle(x: dot.x, y: dot.y, radius: dot.radius, paint) }
            line("</g>")
        }
        if icon == nil, let letter = Words(Icon.letter(of: name), Icon.letterType, room: 16) {
            let baseline = Icon.gridPoints / 2 + Icon.letterType.middlePoints
            line("<g stroke=\"none\">")
            centred(letter, x: Icon.gridPoints / 2, baseline: baseline, paint)
            line("</g>")
        }
        line("</g>")
    }

    /// A smaller icon cannot be recognised.
    private static let leastIconPoints = 4.0

    /// Writes one element.
    mutating func line(_ text: String) { svg += text + "\n" }

    /// A name that nothing else in the page has.
    mutating func nextName(_ word: String) -> String {
        names += 1
        return "\(prefix)\(word)\(names)"
    }

    private static func frame(_ rect: Rect) -> String {
        "x=\"\(rect.x.inXML)\" y=\"\(rect.y.inXML)\""
            + " width=\"\(rect.width.inXML)\" height=\"\(rect.height.inXML)\""
    }

    private static func corners(_ radius: Double) -> String {
        radius > 0 ? " rx=\"\(radius.inXML)\"" : ""
    }
}
