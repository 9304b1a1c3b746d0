internal import TableModel

// Swipe actions: groups, looks and faces.

extension WireActionGroup {
    init(_ group: ActionGroup) {
        if let look = WireLook(group.look) { self.look = look }
        compatible = group.isCompatible
        fullSwipe = group.hasFullSwipe
        actions = group.actions.map { WireAction($0) }
        if let colour = group.background { background = colour }
        if let points = group.gapPoints { gap = points }
    }

    func read() throws(Rejection) -> ActionGroup {
        var group = ActionGroup()
        group.look = try within("look") { () throws(Rejection) in try look.read() }
        group.isCompatible = compatible
        group.hasFullSwipe = fullSwipe
        group.actions = try actions.readAll("actions") { action throws(Rejection) in
            try action.read()
        }
        if hasBackground { group.background = background }
        if hasGap { group.gapPoints = try Double(read: gap, "gap") }
        return group
    }
}

extension WireLook {
    /// Nil for a look that leaves everything open.
    init?(_ look: Look) {
        if look == Look() { return nil }
        if let value = look.style { style = value.rawValue }
        switch look.width {
        case .points(let points): width = points
        case .intrinsic: intrinsic = true
        case .face: faceWidth = true
        case nil: break
        }
        if let points = look.spacingPoints { spacing = points }
        insets = [Double](look.insets)
    }

    func read() throws(Rejection) -> Look {
        var look = Look()
        if hasStyle { look.style = try Look.Style(read: style, "style") }
        if intrinsic, hasWidth {
            throw Rejection(
                .badValue, "A width is in points or intrinsic, not both.", field: "intrinsic")
        }
        if faceWidth, intrinsic || hasWidth {
            throw Rejection(
                .badValue, "A width is in points, intrinsic or the face's.", field: "faceWidth")
        }
        if faceWidth { look.width = .face }
        if intrinsic { look.width = .intrinsic }
        if hasWidth { look.width = .points(try Double(read: width, "width")) }
        if hasSpacing { look.spacingPoints = try Double(read: spacing, "spacing") }
        look.insets = try Look.Insets.read(insets)
        return look
    }
}

extension [Double] {
    /// The sides in the order of the schema.
    init(_ insets: Look.Insets?) {
        self = insets.map { [$0.top, $0.left, $0.bottom, $0.right] } ?? []
    }
}

extension Look.Insets {
    /// Four numbers, or none.
    static func read(_ sides: [Double]) throws(Rejection) -> Look.Insets? {
        if sides.isEmpty { return nil }
        guard sides.count == 4 else {
            throw Rejection(
                .badValue, "Four numbers: top, left, bottom, right.", field: "insets")
        }
        let checked = try sides.readAll("insets") { side throws(Rejection) in
            guard side.isFinite else {
                throw Rejection(.badNumber, "The number must be finite.")
            }
            return side
        }
        return Look.Insets(
            top: checked[0], left: checked[1], bottom: checked[2], right: checked[3])
    }
}

extension WireAction {
    init(_ action: Action) {
        id = action.id.text
        title = action.title
        role = action.role.rawValue
        if let text = action.icon { icon = text }
        if let text = action.background { background = text }
        if let text = action.foreground { foreground = text }
        if let look = WireLook(action.look) { self.look = look }
        if let face = action.face { self.face = WireFace(face) }
        hidesWhenSelected = action.hidesWhenSelected
        confirm = action.asksToConfirm
        // This came later: an action without it has the bytes that it always had.
        if action.repeats { `repeat` = true }
        effect = action.effects.map { WireEffect($0) }
    }

    func read() throws(Rejection) -> Action {
        var action = Action(try ID(read: id, "id"))
        action.title = title
        if hasRole { action.role = try Action.Role(read: role, "role") }
        if hasIcon { action.icon = icon }
        if hasBackground { action.background = background }
        if hasForeground { action.foreground = foreground }
        action.look = try within("look") { () throws(Rejection) in try look.read() }
        if hasFace { action.face = try within("face") { () throws(Rejection) in try face.read() } }
        if hasHidesWhenSelected { action.hidesWhenSelected = hidesWhenSelected }
        action.asksToConfirm = confirm
        action.repeats = `repeat`
        action.effects = try effect.readAll("effect") { effect throws(Rejection) in
            try effect.read()
        }
        return action
    }
}

extension WireFace {
    init(_ face: Face) {
        switch face.content {
        case .vertical(let parts): vertical = Stack(parts)
        case .horizontal(let parts): horizontal = Stack(parts)
        case .icon(let name): icon = name
        case .text(let text): self.text = text
        case .spacer(let points): spacer = points
        case .image(let image): self.image = Image(image)
        case .shared(let name): self.face = name.text
        }
        if let points = face.sizePoints { size = points }
        if let text = face.weight { weight = text }
        if let text = face.color { color = text }
        if let text = face.align { align = text }
        if let points = face.spacingPoints { spacing = points }
        insets = [Double](face.insets)
        family = face.families
        if let isItalic = face.isItalic { italic = isItalic }
    }

    func read() throws(Rejection) -> Face {
        var face = Face(try readContent())
        if hasSize { face.sizePoints = try Double(read: size, "size") }
        if hasWeight { face.weight = weight }
        if hasColor { face.color = color }
        if hasAlign { face.align = align }
        if hasSpacing { face.spacingPoints = try Double(read: spacing, "spacing") }
        face.insets = try Look.Insets.read(insets)
        face.families = family
        if hasItalic { face.isItalic = italic }
        return face
    }

    private func readContent() throws(Rejection) -> FaceContent {
        switch content {
        case .vertical(let stack): return .vertical(try stack.read("vertical"))
        case .horizontal(let stack): return .horizontal(try stack.read("horizontal"))
        case .icon(let name): return .icon(name)
        case .text(let text): return .text(text)
        case .spacer(let points): return .spacer(try Double(read: points, "spacer"))
        case .image(let image):
            return .image(try within("image") { () throws(Rejection) in try image.read() })
        case .face(let name): return .shared(try ID(read: name, "face"))
        case nil:
            throw Rejection(
                .malformed, "One of: vertical, horizontal, icon, text, spacer, image, face.")
        }
    }
}

extension WireFace.Stack {
    init(_ faces: [Face]) {
        parts = faces.map { WireFace($0) }
    }

    func read(_ field: String) throws(Rejection) -> [Face] {
        try within(field) { () throws(Rejection) in
            try parts.readAll("parts") { face throws(Rejection) in try face.read() }
        }
    }
}
