import TableModel

/// What a viewer can show of an action (A5).
public enum Capability: String, Sendable, CaseIterable {
    /// A line of plain text.
    case text
    /// The legacy button: a title that gives it its width, and a background.
    case rowAction
    /// A button with a title or one image, never both; the system gives it its width.
    case contextualAction
    /// Everything.
    case full
}

/// What a viewer of some capability shows for an action, and what of it gets lost (A5).
public struct Projection: Equatable, Sendable {
    /// What a part of an action is called that a viewer does not show.
    public enum Loss: String, Sendable, CaseIterable {
        /// People cannot read what it is called.
        case title
        case icon
        /// The arrangement of a custom face.
        case face
        case style
        case width
        case spacing
        case insets
        /// Of background, icon, title or face.
        case colours
    }

    /// The one image of a button.
    public enum Image: Equatable, Sendable {
        /// A named icon.
        case icon(String)
        /// The face, drawn.
        case face
    }

    /// Who it is for.
    public let capability: Capability
    /// As the viewer is to have it; of hair spaces where it only makes the button wide.
    public let title: String
    /// How many hair spaces the title is of (A3); nil: it is to be read.
    public let hairSpaceCount: Int?
    /// Beside no title; nil: none.
    public let image: Image?
    /// The face, drawn for the row's height as it is now, is the button's background (A4).
    public let hasFaceBackground: Bool
    /// Icon and text of the face, for whoever draws it.
    public let parts: [FacePart]
    /// What is lost, each once, in the order of `Loss`.
    public let degraded: [Loss]

    /// Hair spaces for a legacy button of that width in points; never negative (A3).
    public static func hairSpaces(forWidth width: Double, hairWidth: Double = 1.5) -> Int {
        let hair = hairWidth > 0 && hairWidth.isFinite ? hairWidth : 1.5
        let useful = max(0, Bound.points(width, or: 0) - ResolvedLook.paddingPoints)
        let count = (useful * hairShiftFactor / hair).rounded(.down)
        return count < Double(mostHairSpaces) ? Int(count) : mostHairSpaces
    }

    /// What a legacy button falls short of its title's width by (A3).
    public static let hairShiftFactor = 1.1
    /// No title is longer, whatever the widths are.
    public static let mostHairSpaces = 1 << 20

    /// Of a button as it was laid out.
    public init(_ button: SwipeGeometry.Button, for capability: Capability, metrics: Metrics) {
        self.capability = capability
        let (action, look) = (button.action, button.look)
        let isDrawn = look.style != .standard
        let readable = Self.readable(action)
        var lost: Set<Loss> = capability == .full ? [] : Self.lostOfLook(look)
        switch capability {
        case .full:
            (title, hairSpaceCount, image, hasFaceBackground) = (action.title, nil, nil, isDrawn)
            parts = button.parts
        case .text:
            (title, hairSpaceCount, image, hasFaceBackground) = (readable, nil, nil, false)
            parts = []
            lost.formUnion(Self.lostOfText(action, isDrawn: isDrawn))
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
                // Its width comes from the blank title, down to the padding.
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
            // The image is a template: of its colours only where it covers is kept.
            let hasColours = button.parts.contains { $0.color != nil }
            if action.foreground != nil || (isDrawn && hasColours) { lost.insert(.colours) }
        }
        degraded = Loss.allCases.filter(lost.contains)
    }

    /// The title, else what the face says, else the icon's name, else the id.
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
        case .icon, .spacer: return []
        }
    }

    /// What a look asks for beyond what every viewer does by itself.
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

    private static func lostOfText(_ action: Action, isDrawn: Bool) -> Set<Loss> {
        var lost: Set<Loss> = []
        if action.icon != nil { lost.insert(.icon) }
        if action.face != nil { lost.insert(.face) }
        if action.background != nil || action.foreground != nil { lost.insert(.colours) }
        return lost
    }
}
