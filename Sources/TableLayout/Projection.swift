import TableModel

/// The capability of a viewer to show actions (A5).
public enum Capability: String, Sendable, CaseIterable {
    /// A line of plain text.
    case text
    /// The legacy button, with a title that sets its width, and a background.
    case rowAction
    /// A button with a title or one image, never both; the system sets its width.
    case contextualAction
    /// Everything.
    case full
}

/// The part of an action that a viewer of some capability shows, and the part that gets lost (A5).
public struct Projection: Equatable, Sendable {
    /// A part of an action that a viewer does not show.
    public enum Loss: String, Sendable, CaseIterable {
        /// People cannot read the action's title.
        case title
        case icon
        /// The arrangement of a custom face.
        case face
        case style
        case width
        case spacing
        case insets
        /// The colour of the background, icon, title or face.
        case colours
        /// The image is larger than the viewer allows, and is drawn smaller.
        case size
    }

    /// The limits of the systems for the image on a `contextualAction` (F5).
    public struct ImageLimits: Equatable, Sendable {
        /// Images of a button.
        public var images = 1
        /// Whether text may stand beside the image.
        public var hasTextBeside = false
        /// Only the image's shape counts: it is drawn in one colour.
        public var isTemplate = true
        /// The longer side of an image at most, in points.
        public var largestPoints = ResolvedLook.standardWidthPoints

        /// Those that a `contextualAction` has.
        public init() {}
    }

    /// In points.
    public struct ImageSize: Equatable, Sendable {
        public let width: Double, height: Double
    }

    /// The limits of a capability's image; nil: it shows no image, or any.
    public static func limits(of capability: Capability) -> ImageLimits? {
        capability == .contextualAction ? ImageLimits() : nil
    }

    /// The one image of a button.
    public enum Image: Equatable, Sendable {
        /// A named icon.
        case icon(String)
        /// The face, drawn.
        case face
    }

    /// The capability of the viewer.
    public let capability: Capability
    /// The title for the viewer. It is made of hair spaces if it only sets the button's width.
    public let title: String
    /// How many hair spaces make up the title (A3); nil: the title is to be read.
    public let hairSpaceCount: Int?
    /// The button's image; nil: none. A button with an image has no title.
    public let image: Image?
    /// Width and height of the image as it is shown, in points; nil: there is no image.
    public let imageSize: ImageSize?
    /// The button's background is the face, drawn for the row's present height (A4).
    public let hasFaceBackground: Bool
    /// The face's icons and texts, for the viewer that draws it.
    public let parts: [FacePart]
    /// The losses, each once, in the order of `Loss`.
    public let degraded: [Loss]

    /// How many hair spaces give a legacy button this width in points; never negative (A3).
    public static func hairSpaces(forWidth width: Double, hairWidth: Double = 1.5) -> Int {
        let hair = hairWidth > 0 && hairWidth.isFinite ? hairWidth : 1.5
        let useful = max(0, Bound.points(width, or: 0) - ResolvedLook.paddingPoints)
        let count = (useful * hairShiftFactor / hair).rounded(.down)
        return count < Double(mostHairSpaces) ? Int(count) : mostHairSpaces
    }

    /// A legacy button is narrower than its title by this factor (A3).
    public static let hairShiftFactor = 1.1
    /// The bound on a title's length, whatever the widths are.
    public static let mostHairSpaces = 1 << 20

    /// The projection of a button that was laid out.
    public init(_ button: SwipeGeometry.Button, for capability: Capability, metrics: Metrics) {
        self.capability = capability
        let (action, look) = (button.action, button.look)
        let isDrawn = look.style != .standard
        let shown = Self.imageSize(button, isDrawn: isDrawn, capability, metrics)
        imageSize = shown.map { ImageSize(width: $0.size.width, height: $0.size.height) }
        let readable = Self.readable(action)
        var lost: Set<Loss> = capability == .full ? [] : Self.lostOfLook(look)
        switch capability {
        case .full:
            (title, hairSpaceCount, image, hasFaceBackground) = (action.title, nil, nil, isDrawn)
            parts = button.parts
        case .text:
            (title, hairSpaceCount, image, hasFaceBackground) = (readable, nil, nil, false)
            parts = []
            lost.formUnion(Self.lostOfText(action))
        case .rowAction:
            hasFaceBackground = isDrawn
            image = nil
            let width = look.widthPoints
            let count = Self.hairSpaces(forWidth: width, hairWidth: metrics.hairWidthPoints)
            hairSpaceCount = isDrawn ? count : nil
            title = isDrawn ? String(repeating: "\u{200A}", count: count) : readable
            parts = isDrawn ? button.parts : []
            lost.remove(.style)
            lost.remove(.insets)
            if isDrawn {
                // The blank title sets the width, but never less than the padding.
                if width >= ResolvedLook.paddingPoints { lost.remove(.width) }
                if !action.title.isEmpty { lost.insert(.title) }
            } else {
                if look.isIntrinsic { lost.remove(.width) }
                if action.icon != nil { lost.insert(.icon) }
                if action.foreground != nil { lost.insert(.colours) }
            }
        case .contextualAction:
            hasFaceBackground = false
            hairSpaceCount = nil
            image = isDrawn ? .face : action.icon.map { .icon($0) }
            title = image == nil ? readable : ""
            parts = isDrawn ? button.parts : []
            lost.remove(.style)
            lost.remove(.insets)
            if image != nil, !action.title.isEmpty { lost.insert(.title) }
            // The image is a template: its shape is kept, its colours are not.
            let hasColours = button.parts.contains { $0.color != nil }
            if action.foreground != nil || (isDrawn && hasColours) { lost.insert(.colours) }
            if shown?.isSmaller == true { lost.insert(.size) }
        }
        degraded = Loss.allCases.filter(lost.contains)
    }

    /// The image's size within the limits of the capability, and whether they made it smaller.
    private static func imageSize(
        _ button: SwipeGeometry.Button, isDrawn: Bool, _ capability: Capability, _ metrics: Metrics
    ) -> (size: (width: Double, height: Double), isSmaller: Bool)? {
        guard let limits = limits(of: capability) else { return nil }
        let size: (width: Double, height: Double)
        if isDrawn {
            size = (button.face.width, button.face.height)
        } else {
            guard button.action.icon != nil else { return nil }
            size = metrics.iconSize(nil)
        }
        let longer = max(size.width, size.height)
        guard longer > limits.largestPoints else { return (size, false) }
        let scale = limits.largestPoints / longer
        return ((size.width * scale, size.height * scale), true)
    }

    /// The title, else the face's texts, else the icon's name, else the id.
    private static func readable(_ action: Action) -> String {
        if !action.title.isEmpty { return action.title }
        let texts = action.face.map { Self.texts($0, levels: Limits().faceDepth) } ?? []
        if !texts.isEmpty { return texts.joined(separator: " ") }
        return action.icon ?? action.id.text
    }

    private static func texts(_ face: Face, levels: Int) -> [String] {
        switch face.content {
        case .text(let text): return text.isEmpty ? [] : [text]
        case .vertical(let faces), .horizontal(let faces):
            return levels > 1 ? faces.flatMap { texts($0, levels: levels - 1) } : []
        case .icon, .spacer, .image, .shared: return []
        }
    }

    /// The losses of a look in a viewer that shows the standard look only.
    private static func lostOfLook(_ look: ResolvedLook) -> Set<Loss> {
        var lost: Set<Loss> = []
        if look.style != .standard { lost.insert(.style) }
        if look.isIntrinsic || look.widthPoints != ResolvedLook.standardWidthPoints {
            lost.insert(.width)
        }
        if look.spacingPoints > 0 { lost.insert(.spacing) }
        if look.style == .custom, look.insets != .zero { lost.insert(.insets) }
        return lost
    }

    private static func lostOfText(_ action: Action) -> Set<Loss> {
        var lost: Set<Loss> = []
        if action.icon != nil { lost.insert(.icon) }
        if action.face != nil { lost.insert(.face) }
        if action.background != nil || action.foreground != nil { lost.insert(.colours) }
        return lost
    }
}
