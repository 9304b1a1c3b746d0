// Faces as a row shows them: shared ones put in (F6), and texts filled in from the row (F7). What
// a viewer measures and draws has gone through here.

extension ActionGroup {
    /// The group as a row shows it. A field that is not there is empty; a shared face that is not
    /// there is an empty one.
    public func shown(on row: Row, faces: [ID: Face], nowMs: UInt64? = nil) -> ActionGroup {
        guard actions.contains(where: { $0.face?.contains(\.isOpen) ?? false }) else { return self }
        var group = self
        for index in actions.indices {
            guard let face = actions[index].face else { continue }
            var filling = Filling(row: row, faces: faces, nowMs: nowMs)
            group.actions[index].face = filling.face(face, levels: Limits().faceDepth)
        }
        return group
    }
}

extension Face {
    /// Something in it depends on the row or on the table.
    fileprivate var isOpen: Bool {
        switch content {
        case .shared: return true
        case .text(let text):
            return text.utf8.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
        case .vertical, .horizontal, .icon, .spacer, .image: return false
        }
    }
}

/// Fills in one action's face.
private struct Filling {
    let row: Row
    let faces: [ID: Face]
    let nowMs: UInt64?
    /// Bytes that the row may still add: a title could stand in a face a thousand times.
    private var room = 64 << 10
    /// Parts that the face may still have: a shared face could be named in one a thousand times.
    private var parts = 4_096

    init(row: Row, faces: [ID: Face], nowMs: UInt64?) {
        (self.row, self.faces, self.nowMs) = (row, faces, nowMs)
    }

    mutating func face(_ face: Face, levels: Int) -> Face {
        guard levels > 0, parts > 0 else { return Face(.vertical([])) }
        parts -= 1
        var filled = face
        switch face.content {
        case .vertical(let parts):
            filled.content = .vertical(all(parts, levels))
        case .horizontal(let parts):
            filled.content = .horizontal(all(parts, levels))
        case .text(let text): filled.content = .text(self.text(text))
        case .shared(let name):
            let shared = faces[name] ?? Face(.vertical([]))
            return self.face(shared, levels: levels - 1).under(face)
        case .icon, .spacer, .image: break
        }
        return filled
    }

    private mutating func all(_ parts: [Face], _ levels: Int) -> [Face] {
        var filled: [Face] = []
        for part in parts { filled.append(face(part, levels: levels - 1)) }
        return filled
    }

    /// A text that is no template stands as it is: it is older than these.
    private mutating func text(_ text: String) -> String {
        guard let template = FaceText(text) else { return text }
        var filled = ""
        for piece in template.pieces {
            switch piece {
            case .literal(let text): filled += text
            case .value(let name): filled += fitting(value(name))
            }
        }
        return filled
    }

    private func value(_ name: String) -> String {
        switch name {
        case "title": return row.content.title
        case "age":
            guard let nowMs, row.createdMs > 0 else { return "" }
            return Age.boardText(
                seconds: nowMs > row.createdMs ? (nowMs - row.createdMs) / 1_000 : 0)
        default: return row.content.fields.first { $0.key.text == name }?.value ?? ""
        }
    }

    private mutating func fitting(_ value: String) -> String {
        if value.utf8.count <= room {
            room -= value.utf8.count
            return value
        }
        var cut = ""
        for character in value {
            guard character.utf8.count <= room else { break }
            room -= character.utf8.count
            cut.append(character)
        }
        room = 0
        return cut
    }
}

extension Face {
    /// This face, with what the part says that names it: the part's own values win.
    fileprivate func under(_ part: Face) -> Face {
        var face = self
        face.sizePoints = part.sizePoints ?? sizePoints
        face.weight = part.weight ?? weight
        face.color = part.color ?? color
        face.align = part.align ?? align
        face.spacingPoints = part.spacingPoints ?? spacingPoints
        face.insets = part.insets ?? insets
        if !part.families.isEmpty { face.families = part.families }
        face.isItalic = part.isItalic ?? isItalic
        return face
    }
}

extension Face {
    /// Whether this part or one in it is such a part.
    package func contains(_ isIt: (Face) -> Bool) -> Bool {
        if isIt(self) { return true }
        switch content {
        case .vertical(let parts), .horizontal(let parts):
            return parts.contains { $0.contains(isIt) }
        case .icon, .text, .spacer, .image, .shared: return false
        }
    }

    /// The shared faces that it names, in order.
    package var sharedNames: [ID] {
        switch content {
        case .vertical(let parts), .horizontal(let parts): return parts.flatMap(\.sharedNames)
        case .shared(let name): return [name]
        case .icon, .text, .spacer, .image: return []
        }
    }

    /// Bytes of its images.
    package var imageBytes: Int {
        switch content {
        case .vertical(let parts), .horizontal(let parts):
            return parts.reduce(0) { $0 + $1.imageBytes }
        case .image(let image): return image.byteCount
        case .icon, .text, .spacer, .shared: return 0
        }
    }
}
