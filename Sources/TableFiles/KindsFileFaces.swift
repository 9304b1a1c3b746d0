import StrictYAML
import TableModel

// Faces in a kinds file: shared ones (F6), parts, and images (F4).

extension KindsFile {
    enum FaceKey: String, CaseIterable {
        case vertical, horizontal, icon, text, spacer, image, face
        case size, weight, family, italic, color, align, spacing, insets
    }

    /// A face; a word alone is the name of a shared one.
    static func face(_ value: Value) throws(Fault) -> Face {
        if !value.isMapping { return Face(.shared(try value.string().id)) }
        let fields = try value.fields(FaceKey.self)
        let content = try fields.one(
            of: [.vertical, .horizontal, .icon, .text, .spacer, .image, .face])
        var face: Face
        switch content.key {
        case .vertical: face = Face(.vertical(try content.value.list(self.face)))
        case .horizontal: face = Face(.horizontal(try content.value.list(self.face)))
        case .icon: face = Face(.icon(try content.value.string()))
        case .text: face = Face(.text(try content.value.string()))
        case .image: face = Face(.image(try image(content.value)))
        case .face: face = Face(.shared(try content.value.string().id))
        default: face = Face(.spacer(try content.value.double()))
        }
        face.sizePoints = try fields[.size]?.double()
        face.weight = try fields[.weight]?.string()
        face.families = try fields[.family].map(families) ?? []
        face.isItalic = try fields[.italic]?.bool()
        face.color = try fields[.color]?.string()
        face.align = try fields[.align]?.string()
        face.spacingPoints = try fields[.spacing]?.double()
        face.insets = try fields[.insets].map(insets)
        return face
    }

    /// One family, or a list of them.
    private static func families(_ value: Value) throws(Fault) -> [String] {
        value.isList
            ? try value.list { family throws(Fault) in try family.string() } : [try value.string()]
    }

    /// The shared faces. One without a value is taken away; others stay.
    static func readFaces(
        _ value: Value, into definitions: inout Command.Definitions
    ) throws(Fault) {
        var settings = definitions.settings ?? Settings()
        for (name, value) in try value.entries() {
            if value.isNull {
                definitions.clearedFaces.append(ID(name))
            } else {
                settings.faces[ID(name)] = try face(value)
            }
        }
        definitions.settings = settings
        definitions.partialSettings = (definitions.partialSettings ?? []).union(.faces)
    }

    static func draft(_ faces: [ID: Face]) -> Draft? {
        if faces.isEmpty { return nil }
        return .mapping(faces.sorted { $0.key < $1.key }.map { ($0.key.text, draft($0.value)) })
    }

    static func draft(_ face: Face) -> Draft {
        if case .shared(let name) = face.content, face == Face(face.content) {
            return .text(name.text)
        }
        var out = Keys<FaceKey>()
        switch face.content {
        case .vertical(let parts): out[.vertical] = .list(parts.map(draft))
        case .horizontal(let parts): out[.horizontal] = .list(parts.map(draft))
        case .icon(let name): out[.icon] = .text(name)
        case .text(let text): out[.text] = .text(text)
        case .spacer(let points): out[.spacer] = .number(points)
        case .image(let image): out[.image] = draft(image)
        case .shared(let name): out[.face] = .text(name.text)
        }
        out[.size] = face.sizePoints.map(Draft.number)
        out[.weight] = face.weight.map(Draft.text)
        if !face.families.isEmpty { out[.family] = .list(face.families.map(Draft.text)) }
        out[.italic] = face.isItalic.map(Draft.flag)
        out[.color] = face.color.map(Draft.text)
        out[.align] = face.align.map(Draft.text)
        out[.spacing] = face.spacingPoints.map(Draft.number)
        out[.insets] = face.insets.map(draft)
        return out.draft
    }

    enum ImageKey: String, CaseIterable { case path, png, grid, template }

    static func image(_ value: Value) throws(Fault) -> FaceImage {
        let fields = try value.fields(ImageKey.self)
        let data = try fields.one(of: [.path, .png])
        var image: FaceImage
        if data.key == .path {
            image = FaceImage(.path(try data.value.string()))
            if let grid = try fields[.grid]?.list({ side throws(Fault) in try side.double() }) {
                guard grid.count == 2 else {
                    throw value.fault("expected [width, height], found \(grid.count) numbers")
                }
                image.grid = FaceImage.Grid(width: grid[0], height: grid[1])
            }
        } else {
            // Long texts are often folded over lines.
            let text = try data.value.string().filter { !$0.isWhitespace }
            guard let bytes = Base64.bytes(text) else { throw data.value.expected("base64") }
            image = FaceImage(.png(bytes))
            if let grid = fields[.grid] { throw grid.fault("a PNG has a size of its own") }
        }
        image.isTemplate = try fields[.template]?.bool() ?? false
        return image
    }

    static func draft(_ image: FaceImage) -> Draft {
        var out = Keys<ImageKey>()
        switch image.data {
        case .path(let path):
            out[.path] = .text(path)
            if image.grid != FaceImage.Grid() {
                out[.grid] = .list([.number(image.grid.width), .number(image.grid.height)])
            }
        case .png(let bytes): out[.png] = .text(Base64.text(bytes))
        }
        if image.isTemplate { out[.template] = .flag(true) }
        return out.draft
    }
}
