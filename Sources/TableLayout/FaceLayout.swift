public import TableModel

/// One thing to draw: an icon or a line of text, with its place (A4).
public struct FacePart: Equatable, Sendable {
    /// The kind of a piece.
    public enum Kind: String, Sendable {
        /// Drawn as large as its frame.
        case icon
        /// One line, centred in its frame.
        case text
        /// The face's own image, drawn as large as its frame.
        case image
    }

    /// The kind of this piece.
    public var kind: Kind
    /// The icon's name, or the text; empty for an image.
    public var content: String
    /// The image; nil: it is an icon or a text.
    public var image: FaceImage?
    /// The part's place, in the coordinates of the rectangle that was laid out; never outside it.
    public var frame: Rect
    /// Size of the font or of the icon, in points.
    public var sizePoints: Double
    /// A font weight, by name; nil: the viewer's own.
    public var weight: String?
    /// Families of the font, the one most wanted first; empty: the viewer's own (F3).
    public var families: [String] = []
    /// Whether letters are slanted.
    public var isItalic = false
    /// Families that the profile cannot measure, in order; another's widths stand in for them.
    public var substituted: [String] = []
    /// A colour; nil: the viewer's own.
    public var color: String?
    /// The part needs more room than its frame gives.
    public var isClipped: Bool
}

/// Puts faces into rectangles. The order of the parts is that of the face.
public enum FaceLayout {
    /// A face centred in a rectangle.
    ///
    /// A stack's size, weight and colour hold for its parts unless they have their own. A part that
    /// gets no colour from these has `color`. Levels below `Limits.faceDepth` are left out.
    public static func parts(
        of face: Face, in rect: Rect, color: String? = nil, metrics: Metrics
    ) -> [FacePart] {
        let inherited = Inherited(color: color)
        let node = FaceNode(face, inherited, metrics, levels: Limits().faceDepth)
        var parts: [FacePart] = []
        let width = min(node.width, rect.width)
        let height = min(node.height, rect.height)
        node.place(
            in: Rect(
                x: rect.x + (rect.width - width) / 2, y: rect.y + (rect.height - height) / 2,
                width: width, height: height), into: &parts)
        return parts
    }

    /// Width and height of a face that has all the room it needs, in points.
    public static func size(of face: Face, metrics: Metrics) -> (width: Double, height: Double) {
        let node = FaceNode(face, Inherited(), metrics, levels: Limits().faceDepth)
        return (node.width, node.height)
    }

    /// The face of an action that has none of its own: its icon above its title.
    public static func standardFace(of action: Action) -> Face {
        var parts: [Face] = []
        if let icon = action.icon { parts.append(Face(.icon(icon))) }
        if !action.title.isEmpty { parts.append(Face(.text(action.title))) }
        return Face(.vertical(parts))
    }

    /// The face that fits a circle: the icon alone, or the title if there is no icon.
    public static func circularFace(of action: Action) -> Face {
        Face(action.icon.map { .icon($0) } ?? .text(action.title))
    }
}

/// The values that a stack hands down to its parts.
private struct Inherited {
    var sizePoints: Double?
    var weight: String?
    var color: String?
    var families: [String] = []
    var isItalic: Bool?
}

/// How the parts of a stack line up across it: how much of the room that is left stands before them. The names for
/// both axes mean the same here; an unknown name means centred.
private func alignment(_ name: String?) -> Double {
    switch name {
    case "leading", "left", "top", "start": 0
    case "trailing", "right", "bottom", "end": 1
    default: 0.5
    }
}

/// A face with its natural size, measured once.
private struct FaceNode {
    private enum Content {
        case stack([FaceNode], isVertical: Bool, spacing: Double, alignment: Double)
        case part(FacePart)
        case spacer(Double)
    }

    private var content: Content
    private var insets = Insets(top: 0, left: 0, bottom: 0, right: 0)
    /// Natural size in points, with the insets.
    private(set) var width = 0.0, height = 0.0

    init(_ face: Face, _ outer: Inherited, _ metrics: Metrics, levels: Int) {
        let own = Inherited(
            sizePoints: face.sizePoints ?? outer.sizePoints, weight: face.weight ?? outer.weight,
            color: face.color ?? outer.color,
            families: face.families.isEmpty ? outer.families : face.families,
            isItalic: face.isItalic ?? outer.isItalic)
        switch face.content {
        case .vertical(let faces), .horizontal(let faces):
            let nodes =
                levels > 1 ? faces.map { FaceNode($0, own, metrics, levels: levels - 1) } : []
            var isVertical = false
            if case .vertical = face.content { isVertical = true }
            let builtIn = metrics.profile == .cell ? 0.0 : FaceLayout.spacingPoints
            let spacing = max(0, Bound.points(face.spacingPoints ?? builtIn, or: builtIn))
            content = .stack(
                nodes, isVertical: isVertical, spacing: spacing, alignment: alignment(face.align))
            let gaps = spacing * Double(max(0, nodes.count - 1))
            let lengths = nodes.reduce(gaps) { $0 + $1.length(isVertical) }
            let across = nodes.reduce(0) { max($0, $1.length(!isVertical)) }
            (width, height) = isVertical ? (across, lengths) : (lengths, across)
        case .icon(let name):
            (width, height) = metrics.iconSize(own.sizePoints)
            content = .part(Self.part(.icon, name, own, size: own.sizePoints ?? height))
        case .text(let text):
            let font = FontTable.chosen(of: own.families, metrics)
            width = metrics.width(
                of: text, sizePoints: own.sizePoints, isMonospaced: font.isMonospaced)
            height = metrics.lineHeightPoints(sizePoints: own.sizePoints)
            let size = own.sizePoints ?? metrics.textSizePoints
            var part = Self.part(.text, text, own, size: size)
            (part.families, part.isItalic) = (own.families, own.isItalic ?? false)
            part.substituted = font.substituted
            content = .part(part)
        case .spacer(let points):
            content = .spacer(max(0, Bound.points(points, or: 0)))
        // Put in before a layout (`ActionGroup.shown`); a name that leads nowhere shows nothing.
        case .shared:
            content = .spacer(0)
        case .image(let image):
            (width, height) = metrics.imageSize(own.sizePoints, aspect: image.aspect)
            // Colours of its own are not those of the stack around it.
            let look = image.isTemplate ? own : Inherited(color: face.color ?? "black")
            var part = Self.part(.image, "", look, size: own.sizePoints ?? height)
            part.image = image
            content = .part(part)
        }
        if let given = face.insets { insets = given.sound }
        // Bounded, because many huge parts could add up to infinity.
        width = min(width + insets.left + insets.right, Bound.points)
        height = min(height + insets.top + insets.bottom, Bound.points)
    }

    private static func part(
        _ kind: FacePart.Kind, _ content: String, _ look: Inherited, size: Double
    ) -> FacePart {
        FacePart(
            kind: kind, content: content, frame: Rect(x: 0, y: 0, width: 0, height: 0),
            sizePoints: size > 0 && size <= Bound.points ? size : 15, weight: look.weight,
            color: look.color, isClipped: false)
    }

    /// Length along one axis. A spacer has the same length along both axes.
    private func length(_ vertically: Bool) -> Double {
        if case .spacer(let points) = content {
            return points + (vertically ? insets.top + insets.bottom : insets.left + insets.right)
        }
        return vertically ? height : width
    }

    /// Adds this node's parts to `parts`. A stack that is too long is cut off at its end.
    func place(in outer: Rect, into parts: inout [FacePart]) {
        let rect = outer.inset(by: insets)
        switch content {
        case .spacer: return
        case .part(var part):
            part.frame = rect
            let needed = (width - insets.left - insets.right, height - insets.top - insets.bottom)
            part.isClipped = rect.width < needed.0 - 1e-6 || rect.height < needed.1 - 1e-6
            parts.append(part)
        case .stack(let nodes, let isVertical, let spacing, let alignment):
            var at = isVertical ? rect.y : rect.x
            for node in nodes {
                let along = node.length(isVertical)
                let room = isVertical ? rect.width : rect.height
                let across = node.isSpacer ? 0 : min(node.length(!isVertical), room)
                let off = (room - across) * alignment
                let frame =
                    isVertical
                    ? Rect(x: rect.x + off, y: at, width: across, height: along)
                    : Rect(x: at, y: rect.y + off, width: along, height: across)
                node.place(in: frame.clipped(to: rect), into: &parts)
                at += along + spacing
            }
        }
    }

    private var isSpacer: Bool {
        if case .spacer = content { return true }
        return false
    }
}

extension FaceLayout {
    /// Default spacing of a stack's parts in the profile `point`, in points; in `cell` it is 0.
    public static let spacingPoints = 4.0
}
