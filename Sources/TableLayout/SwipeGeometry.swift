public import TableModel

/// Where the buttons at one edge of a row are, and the faces in them (A2, A10–A15).
///
/// Frames are relative to the pull view: x from 0 to `pullPoints`, y from 0 to the row's height.
/// The buttons are in the order of the actions: from the edge inwards.
public struct SwipeGeometry: Equatable, Sendable {
    /// The side of the row.
    public let edge: Edge
    /// Width of the pull view, in points.
    public let pullPoints: Double
    /// Sum of the buttons' own widths and the gap in points: how far an open row rests.
    public let restPoints: Double
    /// Space between the row and the button beside it, at this pull, in points (F8).
    public let gapPoints: Double
    /// The colour behind the buttons (F8); nil: the viewer's own.
    public let background: String?
    /// The pull view is as wide as its container (A15).
    public let isRevealed: Bool
    /// One button for each action.
    public let buttons: [Button]
    /// Arguments that were not taken as given. A button has its own `clamped`.
    public let clamped: [Clamp]

    /// A smaller difference between pull view and container counts as none, in points (A15).
    public static let revealTolerancePoints = 0.5

    /// One action's button.
    public struct Button: Equatable, Sendable {
        /// The action.
        public let action: Action
        /// Where a tap counts: with the spacing (A12).
        public let hit: Rect
        /// The frame that is drawn: without the spacing.
        public let face: Rect
        /// Radius of the face's corners in points: half its width for a circle, else 0.
        public let radius: Double
        /// The resolved look.
        public let look: ResolvedLook
        /// Icons and texts, in the pull view's coordinates.
        public let parts: [FacePart]
        /// The values that were not taken as given, or were made smaller; each once, in order.
        public let clamped: [Clamp]

        /// Font families that could not be measured, each once, in order (F3).
        public var substituted: [String] {
            parts.flatMap(\.substituted).reduce(into: []) { names, name in
                if !names.contains(name) { names.append(name) }
            }
        }
    }

    /// Lays out a group. Any number is accepted: one that is not finite or out of bounds is
    /// replaced, and named in `clamped`.
    ///
    /// - Parameters:
    ///   - group: the actions, with the look that they share.
    ///   - edge: where they stand.
    ///   - rowHeight: the row's present height, in points.
    ///   - pullWidth: how far the row is open, in points; nil: as far as it rests.
    ///   - containerWidth: the row's width, in points.
    ///   - tableLook: what the table says where the group does not.
    ///   - metrics: of text and of faces.
    public init(
        _ group: ActionGroup, edge: Edge, rowHeight: Double, pullWidth: Double? = nil,
        containerWidth: Double, tableLook: Look = Look(), metrics: Metrics = .point
    ) {
        var clamped: [Clamp] = []
        func bounded(_ number: Double, _ most: Double, or other: Double, _ name: Clamp) -> Double {
            let result = number.isNaN ? other : min(max(number, 0), most)
            if result != number { clamped.append(name) }
            return result
        }
        let looks = group.actions.map {
            ResolvedLook($0, group: group.look, table: tableLook, metrics: metrics)
        }
        let gap = group.gapPoints.map { max(0, Bound.points($0, or: 0)) } ?? 0
        let rest = looks.reduce(0) { $0 + $1.buttonWidthPoints } + gap
        let most = max(Bound.points, rest)
        let height = bounded(rowHeight, Bound.points, or: 0, .rowHeight)
        let pull = pullWidth.map { bounded($0, most, or: rest, .pull) } ?? rest
        let container = bounded(containerWidth, most, or: 0, .container)
        isRevealed = abs(pull - container) < Self.revealTolerancePoints
        let place = Place(
            edge: edge, pull: pull, rest: rest, container: container,
            gap: pull < rest ? gap * (pull / rest) : gap, height: height,
            isCompatible: group.isCompatible, scale: pull < rest ? pull / rest : 1)
        buttons = place.hits(looks).enumerated().map { index, hit in
            place.button(group.actions[index], looks[index], hit: hit, metrics)
        }
        self.edge = edge
        pullPoints = pull
        gapPoints = place.gap
        background = group.background
        restPoints = rest
        self.clamped = clamped
    }
}

/// The place that all buttons of a pull view share.
private struct Place {
    let edge: Edge
    let pull: Double
    let rest: Double
    let container: Double
    /// At the side of the row; the buttons share the rest of the pull view.
    let gap: Double
    let height: Double
    let isCompatible: Bool
    /// Scale of faces and spacing: below 1 while the row is less open than it rests.
    let scale: Double

    /// The buttons' frames. At rest each has its own width, otherwise its share of the pull view.
    func hits(_ looks: [ResolvedLook]) -> [Rect] {
        let widths = looks.map(\.buttonWidthPoints)
        let rest = widths.reduce(0, +)
        let room = max(0, pull - gap)
        var sum = 0.0
        var from = 0.0
        return widths.map { width in
            sum += width
            // Shares come from the running sum, so that the last ends exactly at the edge.
            let to = room == rest ? sum : room * (sum / rest)
            let wide = room == rest ? width : to - from
            defer { from = to }
            return Rect(
                x: edge == .leading ? from : max(0, pull - to), y: 0, width: wide, height: height)
        }
    }

    func button(
        _ action: Action, _ look: ResolvedLook, hit: Rect, _ metrics: Metrics
    ) -> SwipeGeometry.Button {
        var clamped = look.clamped
        let face: Rect
        let content: Face
        switch look.style {
        case .standard:
            face = standard(look, hit)
            content = FaceLayout.standardFace(of: action)
        case .circular:
            face = circle(look, hit, &clamped)
            content = FaceLayout.circularFace(of: action)
        case .custom:
            face = custom(look, hit, &clamped)
            content = action.face ?? FaceLayout.standardFace(of: action)
        }
        return SwipeGeometry.Button(
            action: action, hit: hit, face: face,
            radius: look.style == .circular ? face.width / 2 : 0, look: look,
            parts: FaceLayout.parts(
                of: content, in: face, color: action.foreground, metrics: metrics),
            clamped: Set(clamped).sorted())
    }

    /// The face fills its button without the spacing, and stretches with it.
    private func standard(_ look: ResolvedLook, _ hit: Rect) -> Rect {
        let spacing = look.spacingPoints * scale
        return Rect(
            x: hit.x + shift(spacing, spacing), y: 0, width: max(0, hit.width - spacing),
            height: height)
    }

    private func circle(_ look: ResolvedLook, _ hit: Rect, _ clamped: inout [Clamp]) -> Rect {
        let (width, spacing) = (look.widthPoints, look.spacingPoints)
        if isCompatible {
            return Rect(
                x: hit.x + shift(spacing, spacing),
                y: height / 2 - (width + spacing) / 2 + spacing / 2, width: width, height: width)
        }
        if height < width { clamped.append(.diameter) }
        let diameter = min(width * scale, height)
        let room = look.buttonWidthPoints * scale - diameter
        return Rect(
            x: hit.x + shift(room, spacing * scale), y: (height - diameter) / 2, width: diameter,
            height: diameter)
    }

    private func custom(_ look: ResolvedLook, _ hit: Rect, _ clamped: inout [Clamp]) -> Rect {
        let insets = isCompatible ? look.insets : look.insets.sound
        let scale = isCompatible ? 1 : self.scale
        let width = look.widthPoints - insets.left - insets.right
        if width < 0 { clamped.append(.width) }
        let fitting = height - insets.top - insets.bottom
        if fitting <= 0 { clamped.append(.height) }
        // The article measures from the button's left, whatever the edge and the spacing.
        let spacing = look.spacingPoints * scale
        let x =
            isCompatible
            ? insets.left : shift(spacing, spacing) + min(insets.left, look.widthPoints) * scale
        return Rect(
            x: hit.x + x, y: fitting > 0 || isCompatible ? insets.top : 0,
            width: max(0, width) * scale, height: fitting > 0 ? fitting : height)
    }

    /// The x in the button of a face beside which that much room is left. Up to the rest the face is at
    /// the inner side, away from the row's edge, so leading mirrors trailing. From there until the row is
    /// fully revealed its x goes, as in the article, from the room to 0 at the leading edge, and from 0
    /// to the spacing at the trailing one (A13).
    private func shift(_ room: Double, _ spacing: Double) -> Double {
        edge == .leading ? room * (1 - revealed(over: room)) : spacing * revealed(over: spacing)
    }

    /// How far the row is on its way from its rest, 0, to fully revealed, 1. On it a face moves by so many
    /// points. The way is at least as long as that, so that no face jumps.
    private func revealed(over points: Double) -> Double {
        let end = container - SwipeGeometry.revealTolerancePoints
        let start = min(rest, end - points)
        return start < end ? min(max((pull - start) / (end - start), 0), 1) : 1
    }
}
